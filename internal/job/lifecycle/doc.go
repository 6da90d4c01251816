// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lifecycle decides what the operator does next about an application. Decide is a pure function: it takes
// everything that was observed, including the time, and returns the status to publish and the actions to take. The
// package has no client, no clock and no logger.
//
//	         plan               gate: granted           pod seen           container runs
//	New ────────────► Queued ────────────────► Submitting ────────► Starting ────────► Running
//	 ▲                 ▲   │ suspend               │   stop, end        │  stop, end      │  stop, end
//	 │ new template    │   ▼                       └────────────────────┴────────┬────────┘
//	 │ runID, forceAt  │  Suspended, Preempted ◄────┐                           ▼
//	 └───────────── Succeeded, Failed, … ◄──────────┴──────────────────── Finalizing
//	                                                  no pod is active
//
// Preempted is Queued after a preemption: the gate reclaimed the quota of an earlier attempt, and the run waits at its
// old place in the queue.
//
// Three rules keep an application safe if the operator crashes, answers of the API server are lost, or two operators run
// at once:
//
//   - the intent is published before it is carried out: a driver is created only in the stage Submitting, when the grant
//     is in the status, and the names of the objects are derived from application, run and attempt;
//   - a driver whose uid was recorded is never created again;
//   - the grant is released only when no pod of the application is active.
//
// # How it is laid out
//
// A decision edits a copy of the status in place and collects the actions to take (state). It is made by functions over
// that state, each kind of question in a file of its own. The functions of a file change some fields of the status, and
// use only those of the files before it:
//
//	history                  the list of ended attempts
//	deadlines                the times by which steps have to be done
//	rerun                    whether another run is wanted
//	retries                  whether another attempt follows, and the pause before it
//	place                    the place in the queue
//	delegation               admission by the scheduler
//	failures, health         the executors: how many have failed, and how many are ready
//	executors, elastic       a grant that grows and shrinks, and its division among the executors
//	stopchecks               whether an attempt has to be stopped: a list of checks, each of which returns a finding
//	termination, retention   ending pods; deleting objects that were kept
//	publisher                completing decisions: stage, message and conditions
//	admission                asking for the planned start, and acting on the gate's verdict
//	ending                   ending attempts, and what follows
//	runs                     beginning and suspending runs, and following those that have ended
//	attempt                  following an attempt from Submitting to the end of its driver
//	decide                   which of them is responsible for the stage
package lifecycle
