// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package helm holds no code: the go.mod beside it pins the helm-controller of Flux that tests run, and its `tool` line names the
// program.
package helm
