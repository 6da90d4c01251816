// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package podsets computes what an attempt asks of a gate: one driver and a number of equal executors, each with its
// requests.
//
// The driver is the pod that package render has built. The executor is derived from the executor template in the same
// way as Spark's scheduler backend does it inside the driver. Kubernetes' own code sums up the requests of both, so
// that a gate charges what a node will reserve. The package is pure, and no other one has these formulas.
package podsets
