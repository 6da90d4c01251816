// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

// signal sends a request to the loop without blocking. Requests that the loop has not received yet are merged.
type signal chan struct{}

func newSignal() signal { return make(signal, 1) }

func (s signal) request() {
	select {
	case s <- struct{}{}:
	default:
	}
}
