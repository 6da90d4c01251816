// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nearest finds the name that a misspelled one probably meant, for messages that ask "did you mean …?".
package nearest
