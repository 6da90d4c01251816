// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package offline has the commands that need no cluster: about manifests (render, lint, convert), about spark-submit (from-submit,
// diff-submit), and about the decisions of queues (simulate, replay).
package offline
