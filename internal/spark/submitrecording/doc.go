// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package submitrecording reads what a real spark-submit has sent, and compares it with what package render creates for
// the same job.
//
//	one JSON file ─► Recording ─► objects sent ─┐
//	                                            ├─► Compare ─► differences ─► listed in render.Deviations, or not
//	render.Objects ─────────────────────────────┘
//
// Both sides are compared as the API server would store them: after decoding, with what is random or differs by
// intention in names replaced by what it stands for, and with no order where Spark has none. The tests of package
// render and sparkctl diff-submit share this one judge.
//
// The package is pure.
package submitrecording
