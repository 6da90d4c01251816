// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package meter sums what an attempt holds and what its pods request while it lives, for the status and the metrics.
//
// The truth is in the status of the application: it is written with the writes that happen anyway, and metrics count what
// has been written, so that a restart counts nothing twice. Between writes a Meter goes by its own clock and by what the
// passes of the operator see: no time that a pod, a node or a user names is part of a sum. Only a process that takes over
// a running attempt uses the times of pods, within the time that it has missed.
package meter
