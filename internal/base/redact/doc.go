// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package redact removes from texts of other components whatever must not be shown: values that a text itself calls
// secret (mask.go), and characters that do more than print, such as escape sequences of terminals. It is pure, never
// fails, and takes time in proportion to the text. It does not look for secrets that nothing around them gives away.
package redact
