// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package redact removes from untrusted texts whatever must not be shown: secrets, and characters that do more than
// print, such as escape sequences of terminals. It is pure, never fails, and takes time in proportion to the text. It
// hides secrets that are known (Known), values whose name says that they are secret (named), secrets with a format of
// their own (shapes, tokens), and texts that look random (entropy). It rather hides too much than too little, but
// cannot recognize every secret.
package redact
