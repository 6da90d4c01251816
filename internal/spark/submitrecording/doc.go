// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package submitrecording reads recordings of what a real spark-submit sent, and compares them with what package render
// builds for the same job.
//
//	one JSON file ─► Recording ─► objects sent ─┐
//	                                            ├─► Compare ─► differences ─► listed in deviations.Intended, or not
//	render.Objects ─────────────────────────────┘
//
// Both sides are compared as the API server would store them, after decoding. Names that are random or intentionally
// different are replaced by placeholders, and lists without an order in Spark are sorted. The tests of package render
// and sparkctl diff-submit both use it.
//
// The package is pure.
package submitrecording
