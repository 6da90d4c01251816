// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package redact takes out of texts that others wrote what must not be shown: secrets, and characters that do more than
// print. It is pure, total, and takes time in proportion to the text. It hides what is known (Known), what has a name
// that says so (named), what has a form of its own (shapes, tokens), and what looks drawn by lot (entropy); rather too
// much than too little. It cannot know every secret.
package redact
