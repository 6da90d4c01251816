// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

// signals are what the loop is asked to do.
type signals struct {
	// cycle requests a cycle, rest the emptying of ledgers after a pause, and counts a write of the counts of a queue.
	cycle, rest, counts signal
}

func newSignals() *signals { return &signals{newSignal(), newSignal(), newSignal()} }

// signal sends a request to the loop without blocking. Requests that the loop has not received yet are merged.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) request() {
	select {
	case s <- struct{}{}:
	default:
	}
}
