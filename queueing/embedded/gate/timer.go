// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// retryDelay is the pause after a failure to write a ledger.
const retryDelay = time.Second

// timer requests cycles for later.
type timer struct {
	clock clock.Clock
	cycle signal

	mu sync.Mutex
	// retrying is true if retry has requested a cycle.
	retrying bool
}

// retry requests a cycle for after a failure to write a ledger, unless one is already requested. If that cycle fails as
// well, it requests another.
func (t *timer) retry(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.retrying {
		return
	}
	t.retrying = true
	t.cycleAfter(ctx, retryDelay, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.retrying = false
	})
}

// cycleAfter requests a cycle after a pause, and calls first immediately before the request.
func (t *timer) cycleAfter(ctx context.Context, pause time.Duration, first func()) {
	t.after(ctx, pause, func() {
		first()
		t.cycle.request()
	})
}

// after calls do after a pause, unless ctx ends first. It does not block.
func (t *timer) after(ctx context.Context, pause time.Duration, do func()) {
	over := t.clock.After(pause)
	go func() {
		select {
		case <-ctx.Done():
		case <-over:
			do()
		}
	}()
}
