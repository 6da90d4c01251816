// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tracker reads from the metadata of an object which tool applies it (Flux, Argo CD, Helm and the like), and says
// what that tool will do to a change that a user makes by hand. It is pure.
package tracker
