// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package application reconciles SparkApplications.
//
//	observe ──► decide (lifecycle, pure) ──► act before ──► finalizer ──► status ──► events ──► act after
//	   ▲          │
//	   └─ needs ──┘
//
// The order of a pass is fixed (pass.execute): the actions that must precede the status, the finalizer, the one write of
// the status that says what is intended, the events, the actions that need that status, and last the object of the gate.
// What accompanies the attempt (Service, PodDisruptionBudget, Ingress, route) has a controller of its own,
// controllers/companions. Everything is level-based: a pass may be lost or doubled at any point, and the next one
// continues from what is written.
//
// The status has one writer, publish.go. What else writes to the API server is listed by file in hack/checks/claimlists.go, and a test
// holds that list. Reads are not confined to observe: a decision names what it needs (lifecycle.Need), and the plan and the
// actions read what they need when they need it.
package application
