// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Configure replaces the whole configuration. Existing grants keep their placement and are charged again to their
// queues, even above quota. The grants of a queue that is gone are charged to its last parent until they are released.
// Verdicts change with the next Cycle. This costs as much as submitting everything again, so call it when a
// configuration has changed, not when only a status has.
func (e *Engine) Configure(queues []config.Queue, flavors []config.Flavor) {
	e.hierarchy.SetFlavors(flavors)
	e.setQueues(queues)
}

// setQueues replaces the queues.
func (e *Engine) setQueues(queues []config.Queue) {
	before, firsts := e.hierarchy.Forest, e.hierarchy.BlockedHeads()
	c := config.Read(queues)
	e.hierarchy.Build(queues, c, e.holders.DeletedInUse(c))
	e.rebuild(before)
	for _, a := range firsts {
		if a.Class != nil { // the reservation for it, if any, must survive
			a.Class.Queue.Asks.BlockedHead = a
		}
	}
	e.claims.Prune()
}

// rebuild charges all grants and enqueues all asks again. Verdicts stay, and so do the limits that they name.
func (e *Engine) rebuild(before *quota.Forest) {
	now := e.hierarchy.Forest
	for _, key := range e.registry.SortedKeys() {
		a := e.registry.Askers[key]
		old := a.Class
		a.Class = nil
		switch {
		case a.Held != nil:
			was := a.Held.Eviction()
			e.holders.Charge(a, a.Held)
			a.Held.Growth.Blocked = blockIn(now, before, a.Held.Growth.Blocked, a.Held.Queue.Node)
			if was != nil || a.Held.Eviction() != nil { // its queue was drained, or no longer is
				e.registry.Changed[key] = true
			}
		case a.Ask != nil:
			e.waiting.Enqueue(a)
			if b := blockIn(now, before, old.Blocked, a.Class.Queue.Node); b.Need > 0 {
				a.Class.Blocked = b
			}
		}
	}
	e.claims.FollowQueues()
}

// blockIn translates a block from the previous forest to the current one. It returns none if the limit was that of a
// queue that is gone, or that is no longer above the node.
func blockIn(now, before *quota.Forest, b quota.Block, n quota.NodeID) quota.Block {
	if b.Need == 0 || b.Node == quota.None {
		return quota.Block{}
	}
	limit := now.Find(before.At(b.Node).Name)
	for n != quota.None && n != limit {
		n = now.At(n).Parent
	}
	if n == quota.None {
		return quota.Block{}
	}
	b.Node = n
	return b
}
