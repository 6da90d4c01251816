// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package podsets computes what an attempt asks a gate for: one driver and a number of equal executors, each with its
// requests.
//
// The driver is the pod that render has built. The executor is derived from the executor template in the way in which
// Spark's own scheduler backend does it inside the driver. Both go through Kubernetes' own sum of pod requests, so that
// a gate charges what the node will reserve. The package is pure, and the only place with these formulas.
package podsets
