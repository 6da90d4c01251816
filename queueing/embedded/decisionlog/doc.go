// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package decisionlog records every call of the engine with its answer, and replays the log: the same calls in the same
// order must give the same answers.
//
//	caller ──► Recorder ──► embedded.Engine            log ──► Replay ──► a new Recorder ──► a new embedded.Engine
//	              │                                     │                       │
//	              └──► log, a line for each call        └── answers ── the same? ┘
//
// # The log
//
// The log is text with one JSON object per line. The first line is the header; the last one may be an "end":
//
//	{"decisionLog":1,"version":"v0.1.0"}
//	{"call":"cycle","with":{"max":32},"answer":[{"key":{"namespace":"spark","name":"etl","uid":"8d1f"},"root":"default","grant":{…}}]}
//
// decisionLog is the version of the format, and version that of the program. "with" holds the arguments of the call:
//
//	call              with                        answer
//	configure         queues, flavors
//	setEpoch          root, epoch
//	submit            an ask                      whether anything changed
//	restore           key, grant
//	release           key
//	confirm           key, run, attempt
//	reserveFor        key
//	revert            key                         whether there was something to revert
//	setHolderState    key, run, attempt, state
//	setResizeRequest  key, run, attempt, request  whether anything changed
//	settle            key, grant                  whether anything changed
//	advance           now
//	cycle             max                         the grants: key, root, grant, and by how many pods one has grown
//	changed                                       the keys whose verdict has changed, with the new one
//	end               why
//
// Arguments and answers are the types of packages queueing and embedded, as their tags say. Amounts are as in
// queueing.Resources: cpu in thousandths of a core, everything else in its base unit. Durations are in nanoseconds, times
// in UTC. Empty, zero and false values are omitted, unless the omitted value would mean something else. The keys of JSON
// objects are ordered, so that the same calls give the same bytes.
//
// Askers repeat their asks, states and releases all the time. Calls without effect are not recorded: a submit,
// setHolderState or setResizeRequest that repeats the last one for the asker, unless it was restored or reverted in the
// meantime or, for the last two, got a grant; and any other call about an asker that the engine does not know. Read-only
// calls are not recorded either.
//
// A namespace selector is a function in the engine. Replay rebuilds it from the queue's text for users
// ("admits":"selector"), which is that of metav1.FormatLabelSelector.
//
// # The end of a log
//
// A log starts with an empty engine and cannot start later from a snapshot: claims, past preemptions and the limits
// named in messages are internal to the engine and result from all calls before. So a log is never continued in a
// second file. When it reaches its limit it ends with a line that says so, and the engine continues without it. It also
// ends when it cannot be written. A log that was cut off in the middle of a line is replayed up to that line.
//
// The package reads no clock, and imports neither Sparkgate's API types nor a client.
package decisionlog
