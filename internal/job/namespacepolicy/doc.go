// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package namespacepolicy reads a namespace's policy from its labels and annotations, which administrators set, and
// explains in a message whatever that policy forbids.
//
//	labels, annotations ─► Of ─► Policy ─► Gate, Queue, NeedsLimits, …
//
// The same policy applies to applications and to Spark pods without an application. The package is pure: no client, no
// clock.
package namespacepolicy
