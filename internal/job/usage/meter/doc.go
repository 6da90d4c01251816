// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package meter sums the amounts that a running attempt holds and that its pods request, for the status and the
// metrics.
//
// The application's status is the source of truth. It is updated together with writes that happen anyway, and metrics
// count only what has been written, so that a restart counts nothing twice. Between writes a Meter relies on its own
// clock and on what the operator's passes observe: no time that comes from a pod, a node or a user is part of a sum.
// Only a process that takes over a running attempt uses the times of pods, and only for the time during which no
// process was observing.
package meter
