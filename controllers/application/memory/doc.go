// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package memory holds what this process remembers of applications from one pass to the next. Nothing of it is needed
// to go on after a restart; without it a pass would repeat what was done, or know less.
package memory
