// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package decisionlog writes down every call of the engine with its answer, and plays it again: the same calls in the
// same order give the same answers.
//
//	caller ──► Recorder ──► embedded.Engine            log ──► Replay ──► a new Recorder ──► a new embedded.Engine
//	              │                                     │                       │
//	              └──► log, a line for each call        └── answers ── the same? ┘
//
// # The log
//
// It is text, one JSON object a line. The first line is the header, the last one may be "end":
//
//	{"decisionLog":1,"version":"v0.1.0"}
//	{"call":"cycle","with":{"max":32},"answer":[{"key":["spark","etl","8d1f"],"root":"default","grant":{…}}]}
//
// decisionLog is the version of the format, version that of the program. "with" are the arguments of the call:
//
//	call          with                              answer
//	configure     queues, flavors
//	setQueues     queues
//	setFlavors    flavors
//	setEpoch      root, epoch
//	submit        an ask                            whether anything changed
//	restore       key, grant
//	release       key
//	confirm       key, run, attempt
//	reserveFor    key
//	revert        key                               whether there was something to revert
//	setStanding   key, run, attempt, standing
//	setWant       key, run, attempt, want           whether anything changed
//	settle        key, grant                        whether anything changed
//	advance       now
//	cycle         max                               the grants: key, root, grant
//	changed                                         the keys whose verdict has changed, with the new one
//	end           why
//
// A key is [namespace, name, UID]. Amounts are as in queueing.Resources: cpu in thousandths of a core, everything else
// in its base unit. Times are UTC. What is empty, zero or false is left out, except where that would not be the
// default. Keys of objects have an order, so that the same calls give the same bytes.
//
// Applications ask, report their standing and give back over and over. What does nothing is left out: a submit,
// setStanding or setWant that repeats the last one of the application, unless it was restored or reverted meanwhile,
// or, for the last two, granted something; and whatever else is said of an application that the engine does not know.
// Questions are not written.
//
// A namespace selector is a function in the engine. It is rebuilt from the text that the queue has for people
// ("admits":"selector"). Where that cannot be read ("admits":"answers"), what the function has said is in the line
// of the first call in which it was asked:
//
//	{"call":"submit","with":{…},"said":[{"queue":"a","labels":{"team":"x"},"allowed":true}],"answer":true}
//
// # What ends a log
//
// A log begins with an empty engine, and has no snapshot to begin at later: claims, which application has displaced
// which, and which was named in which message are the engine's own and come from all calls before. So a log is never
// continued in a second file. At its limit it ends with a line that says so, and the engine continues without it. It
// also ends when it cannot be written. A log that was cut off in the middle of a line is played up to there.
//
// The package reads no clock, and imports neither the API of Sparkgate nor a client.
package decisionlog
