// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// cycles runs cycles of the engine, and records their decisions in the ledgers before anybody learns of them.
type cycles struct {
	o          *Options
	admissions *admissions
	ledgers    *ledgers
	timer      *timer
}

// run decides, records the decisions, and wakes the askers, until nothing more can be decided now. It returns an error
// if another process has taken over a ledger.
func (c *cycles) run(ctx context.Context) error {
	for more := true; more && ctx.Err() == nil; {
		c.acquireNew(ctx)
		if err := c.recordOrphans(ctx); err != nil {
			return err
		}
		allowed, decided, fitting, changed := c.decide(ctx)
		if allowed == 0 {
			return nil
		}
		recorded, err := c.record(ctx, fitting)
		if err != nil {
			return err
		}
		more = len(recorded) == allowed
		c.wake(changed, undone(decided, recorded))
		c.o.changed()
	}
	return nil
}

// decide returns how many grants were allowed, the decisions, those of them that the ledgers can hold, and the keys
// whose verdicts have changed. If no grant is allowed, another cycle is already scheduled.
func (c *cycles) decide(ctx context.Context) (allowed int, decided, fitting []embedded.Decision, changed []queueing.Key) {
	a := c.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	if allowed = c.grantsAllowed(ctx); allowed == 0 {
		return 0, nil, nil, nil
	}
	began := c.o.Clock.Now()
	a.engine.Advance(began)
	decided = a.engine.Cycle(allowed)
	now := c.o.Clock.Now()
	c.o.Meter.Cycled(now.Sub(began))
	fitting = a.markFitting(decided, now)
	if len(fitting) < len(decided) {
		c.waitUntilDrained(ctx)
	}
	return allowed, decided, fitting, a.engine.Changed()
}

// undone returns the keys of the decisions that were reverted.
func undone(decided, recorded []embedded.Decision) map[queueing.Key]bool {
	keys := make(map[queueing.Key]bool, len(decided))
	for i := range decided {
		keys[decided[i].Key] = true
	}
	for i := range recorded {
		delete(keys, recorded[i].Key)
	}
	return keys
}

// wake wakes the askers whose verdicts have changed, except for those whose decision was reverted: they would ask
// again, and the same decision would be made immediately instead of after a pause.
func (c *cycles) wake(changed []queueing.Key, undone map[queueing.Key]bool) {
	for _, key := range changed {
		if !undone[key] {
			c.o.Wake(key)
		}
	}
}

// grantsAllowed returns how many grants the next cycle may make. If that is 0, another cycle is already scheduled: when
// half of the batch is confirmed, or after a pause. The caller must hold the lock.
func (c *cycles) grantsAllowed(ctx context.Context) int {
	n, filled := c.admissions.inFlight.allowed()
	if filled {
		c.waitUntilDrained(ctx)
	}
	return n
}

// waitUntilDrained schedules a cycle for when half of the batch is confirmed, or after a pause. The caller must hold
// the lock.
func (c *cycles) waitUntilDrained(ctx context.Context) {
	c.admissions.inFlight.full = true
	c.timer.cycleAfter(ctx, overflowInterval, func() {
		c.admissions.mu.Lock()
		defer c.admissions.mu.Unlock()
		c.admissions.inFlight.overdue = c.admissions.inFlight.full
	})
}

// record writes the decisions into the ledgers, one write per tree, and wakes the askers. It returns the recorded
// decisions. Decisions that cannot be written are reverted and made again after a pause. The error is errFenced if
// another process has taken over a ledger.
func (c *cycles) record(ctx context.Context, decisions []embedded.Decision) (recorded []embedded.Decision, _ error) {
	for len(decisions) > 0 {
		n := 1
		for n < len(decisions) && decisions[n].Root == decisions[0].Root {
			n++
		}
		tree := decisions[:n]
		decisions = decisions[n:]
		written, err := c.ledgers.record(ctx, tree[0].Root)
		if err != nil {
			return recorded, err
		}
		c.settle(tree, written)
		if !written {
			c.timer.retry(ctx)
			continue
		}
		recorded = append(recorded, tree...)
		for i := range tree {
			c.o.Wake(tree[i].Key)
		}
	}
	return recorded, nil
}

// settle marks decisions as recorded if the ledger was written, and otherwise reverts them.
func (c *cycles) settle(tree []embedded.Decision, written bool) {
	c.admissions.mu.Lock()
	defer c.admissions.mu.Unlock()
	if written {
		c.admissions.recorded(tree)
	} else {
		c.admissions.revert(tree)
	}
}

// recordOrphans writes the ledgers that lack an orphan. It returns an error if another process has taken over a ledger;
// other failures are retried.
func (c *cycles) recordOrphans(ctx context.Context) error {
	c.admissions.mu.Lock()
	roots := c.admissions.unrecorded()
	c.admissions.mu.Unlock()
	for root := range roots {
		switch written, err := c.ledgers.record(ctx, root); {
		case err != nil:
			return err
		case !written:
			c.timer.retry(ctx)
		}
	}
	return nil
}

// acquireNew takes over the ledgers of new trees, so that their grants carry an epoch. A failure is retried with the
// first grant of the tree.
func (c *cycles) acquireNew(ctx context.Context) {
	c.admissions.mu.Lock()
	roots := c.admissions.takeNewRoots()
	c.admissions.mu.Unlock()
	for _, root := range roots {
		if _, err := c.ledgers.of(ctx, root); err != nil && ctx.Err() == nil {
			c.o.Log.Error(err, "Failed to take over the ledger of a new queue; will retry", "queue", root)
		}
	}
}
