// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fairqueue divides the operator's work between namespaces, so that a namespace with thousands of objects does
// not make the others wait. It has a work queue that serves namespaces in turn, and budgets per namespace. It imports
// nothing of ours.
//
//	Add ──► lane of the namespace (first in, first out) ──┐
//	Add ──► lane of the namespace ────────────────────────┼──► Get: the lanes in turn, each within its share of the workers
//	Add ──► lane of the namespace ────────────────────────┘
package fairqueue
