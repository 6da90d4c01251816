// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package printer writes the explanations, tables and reports of sparkctl as text, and derives an explanation from the
// status of the objects where there is no live view. Its only I/O is writing.
package printer
