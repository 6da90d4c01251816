// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package waiting takes asks into the classes of their queues, and says which of them can never be admitted with the
// current configuration, and why.
package waiting
