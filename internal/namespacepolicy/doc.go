// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package namespacepolicy reads what administrators say of a namespace in its labels and annotations, and words what
// that forbids.
//
//	labels, annotations ─► Of ─► Policy ─► Gate, Queue, NeedsLimits, …
//
// Applications and Spark pods of no application are held to the same policy. The package is pure: no client, no clock.
package namespacepolicy
