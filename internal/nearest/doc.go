// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nearest finds the name that was meant by a misspelled one, for messages that ask "did you mean …?".
package nearest
