// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tick decides what becomes of each time at which a schedule is due: a tick. Decide is pure; the caller creates and deletes, then
// writes the status, then asks again.
//
//	ticks since status.handled.until ──► too late? missed? another run in the way? ──► missed │ wait │ delete the others │ create
//
// An application is created first and recorded afterwards. Its name follows from the tick, so whatever happens in between, a second
// attempt finds it. A tick that is recorded is not looked at again, whatever the clock shows later.
package tick
