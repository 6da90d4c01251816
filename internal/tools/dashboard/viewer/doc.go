// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package viewer keeps what one viewer may see, by watches with the credentials of that viewer: the rows of lists, of
// which viewers share those that are equal, explanations of the operator, and measurements of runs.
package viewer
