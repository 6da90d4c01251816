// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package amounts converts quantities that come from outside into the integers with which queues calculate, and back
// for printing.
//
// It is the only package that does so. The rule is: cpu is counted in thousandths of a core, everything else in its
// base unit (bytes, pieces), fractions are rounded up, and an amount is between zero and Max. For new asks, Of and
// OfPod return an error for anything else. For pods that are already running and must be charged, Clamp and ClampPod
// use the nearest valid amount. Quantities are compared and summed exactly before they become integers, so nothing
// overflows.
//
// Sums and products of amounts saturate: see Plus and Times here, and package quota in the engine.
//
// The package must not import the API types, clients, or anything about Spark.
package amounts
