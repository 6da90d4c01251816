// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tick decides what to do about each time at which a schedule is due: a tick. Decide is pure; its caller
// creates and deletes applications, then writes the status, then calls Decide again.
//
//	ticks since status.handled.until ──► too late? missed? another run in the way? ──► missed │ wait │ delete the others │ create
//
// An application is created first and recorded in the status afterwards. Its name is derived from the tick, so whatever
// happens in between, a second attempt finds it. A tick that has been recorded is never considered again, even if the
// clock is set back.
//
// A user may request a run now, or runs of past ticks. The latter are the other way round: they are recorded as pending
// first, because nothing else says that they are wanted once the request is withdrawn, and their applications carry a
// hash of the request, because an application of that name may have existed before it.
package tick
