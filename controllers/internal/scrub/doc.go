// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scrub takes out of texts that others wrote what must not be shown: secrets, and characters that do more than print. It is
// pure. It cannot know every secret; it hides what looks like one, and rather too much than too little.
package scrub
