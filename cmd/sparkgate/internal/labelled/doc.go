// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package labelled finds the namespaces that match a label selector and in which the operator has its permissions. The
// set of namespaces that an operator watches is fixed at its start, so the operator restarts when the set changes.
package labelled
