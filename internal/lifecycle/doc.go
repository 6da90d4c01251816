// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lifecycle decides what becomes of an application. It is pure: Decide takes everything that was observed, the
// time included, and returns the status to publish and the actions to take. No client, no clock, no logger.
//
//	         plan               gate: granted           pod seen           container runs
//	New ────────────► Queued ────────────────► Submitting ────────► Starting ────────► Running
//	 ▲                 ▲   │ suspend               │   stop, end        │  stop, end      │  stop, end
//	 │ new template    │   ▼                       └────────────────────┴────────┬────────┘
//	 │ runID, forceAt  │  Suspended, Preempted ◄────┐                           ▼
//	 └───────────── Succeeded, Failed, … ◄──────────┴──────────────────── Finalizing
//	                                                  no pod is active
//
// Preempted is Queued with a past: the gate reclaimed the quota of an earlier attempt, and the run waits at its old
// place.
//
// Three rules keep an application safe over crashes, lost answers and two operators at once:
//
//   - the intent is published before it is acted upon: a driver is created only in the stage Submitting, whose grant
//     is in the status, and what is created has a name derived from application, run and attempt;
//   - a driver whose uid was recorded is never created again;
//   - the grant is released only when no pod of the application is active.
//
// # How it is laid out
//
// A decision edits a copy of the status in place (state) and collects the actions to take (draft). It is composed of
// parts, each in the file of its name. A part owns some fields of the status, and uses only the parts before it:
//
//	history                  the ended attempts
//	deadlines                the times by which steps have to be done
//	rerun                    whether another run is wanted
//	retries                  whether another attempt follows, and the pause before it
//	place                    the place in the queue
//	delegation               admission that is left to the scheduler
//	failures, health         the executors: those that failed, and how far the others are
//	elastic, allocation      the grant while it grows and shrinks, and its division among the executors
//	stopChecks               why an attempt has to be stopped: a list of checks, each of which returns a finding
//	termination, retention   the end of pods; the deletion of what was kept
//	publisher                completes decisions
//	admission                takes a planned start through the gate
//	ending                   ends attempts, and decides what follows
//	runs                     begins runs, suspends them, and follows those that have ended
//	attempt                  follows an attempt from Submitting to the end of its driver
//	decider                  leaves the decision to the part that is responsible for the stage (decide.go)
package lifecycle
