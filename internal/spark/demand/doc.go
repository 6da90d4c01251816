// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package demand computes what an attempt asks a gate for: one driver and a number of equal executors, each with its
// requests.
//
// The driver is what render has built. The executor is made up from the executor template as Spark's own scheduler
// backend will do it inside the driver. Both go through Kubernetes' own sum of pod requests, so that a gate charges
// what the node will reserve. The package is pure, and the only place with these formulas.
package demand
