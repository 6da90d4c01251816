// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package application reconciles SparkApplications.
//
//	observe ──► decide (lifecycle, pure) ──► act before ──► finalizer ──► status ──► events ──► act after
//	   ▲          │
//	   └─ needs ──┘
//
// The order of a pass is fixed (pass.execute): the actions that must precede the status, the finalizer, the one write
// of the status that records what is intended, the events, the actions that rely on that status, and finally the gate's
// object. The objects that accompany an attempt (Service, PodDisruptionBudget, Ingress, route) are reconciled by
// controllers/companions. Everything is level-based: a pass may be lost or repeated at any point, and the next one
// continues from what is stored in the API server.
//
// What a pass finds out without writing is in the packages observe and plan, all its writes are in act, and what the
// process remembers between passes in memory. pass.go says what each of their parts may use. Not all reads happen before
// a decision: it names what else it needs (lifecycle.Need), and planning and acting read what they need on demand. The
// writes to the API server are listed by file in hack/checks/claimlists.go, and a test enforces that list.
package application
