// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lifecycle decides what becomes of an application. It is pure: Decide takes everything that was observed, the time
// included, and returns the status to publish and the actions to take. No client, no clock, no logger.
//
//	         plan               gate: granted           pod seen           container runs
//	New ────────────► Queued ────────────────► Submitting ────────► Starting ────────► Running
//	 ▲                 ▲   │ suspend               │   stop, end        │  stop, end      │  stop, end
//	 │ new template    │   ▼                       └────────────────────┴────────┬────────┘
//	 │ runID, forceAt  │  Suspended, Preempted ◄────┐                           ▼
//	 └───────────── Succeeded, Failed, … ◄──────────┴──────────────────── Finalizing
//	                                                  no pod is active
//
// Preempted is Queued with a past: the gate wanted the room of an earlier attempt back, and the run waits at its old place.
//
// Three rules keep an application safe over crashes, lost answers and two operators at once:
//
//   - the intent is published before it is acted upon: a driver is created only in the stage Submitting, whose grant stands in the
//     status, and what is created has a name derived from application, run and attempt;
//   - a driver whose uid was recorded is never created again;
//   - the grant goes back only when no pod of the application is active.
package lifecycle
