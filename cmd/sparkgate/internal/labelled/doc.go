// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package labelled finds the namespaces that a label selector selects and in which the operator has its rights. What an
// operator watches is fixed when it starts, so it starts again when these are others.
package labelled
