// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package amounts reads quantities that come from outside into the integers that queues count with, and prints these
// again.
//
// It is the only place that does so, by one rule: cpu is counted in thousandths of a core, everything else in its base
// unit (bytes, pieces), fractions are rounded up, and an amount lies between zero and Max. Of and OfPod refuse anything
// else, for what asks; Clamp and ClampPod bring it to the nearer end, for what runs already and has to be charged.
// Quantities are compared and added exactly before they become integers, so nothing wraps.
//
// Sums and products of amounts saturate: Plus and Times here, package quota in the queue.
//
// It must not import the API, clients or anything of Spark.
package amounts
