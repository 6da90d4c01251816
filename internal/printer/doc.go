// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package printer writes explanations down for people, and makes what it can of the status of the objects where there
// is no live view. It does no I/O but writing.
package printer
