// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package helm holds no code: the go.mod beside it pins the Helm that tests run, and its `tool` line names the program.
package helm
