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
	e.hierarchy.flavors = map[string]*config.Flavor{}
	for i := range flavors {
		e.hierarchy.flavors[flavors[i].Name] = &flavors[i]
	}
	e.hierarchy.flavors[config.DefaultFlavor] = &config.Flavor{Name: config.DefaultFlavor}
	e.setQueues(queues)
}

// setQueues replaces the queues.
func (e *Engine) setQueues(queues []config.Queue) {
	e.hierarchy.configs = queues
	c := config.Read(queues)
	deleted := e.holders.deletedInUse(c)
	before, firsts := e.hierarchy.forest, e.hierarchy.blockedHeads()
	e.hierarchy.forest = quota.NewForest(append(c.Nodes(), deleted...))
	e.hierarchy.queues = make(map[string]*queue, e.hierarchy.forest.Nodes())
	e.hierarchy.unknown = newTree("")
	e.hierarchy.trees = []*tree{e.hierarchy.unknown}
	for n := range quota.NodeID(e.hierarchy.forest.Nodes()) {
		e.hierarchy.attach(n, c)
	}
	limited := c.Limited()
	for n := range quota.NodeID(e.hierarchy.forest.Nodes()) {
		q := e.hierarchy.queues[e.hierarchy.forest.At(n).Name]
		e.hierarchy.configureQueue(q)
		root := c.Root(q.name)
		q.limited = limited[root]
		q.noQuota = !q.limited && !c.Unlimited(root)
	}
	e.rebuild(before)
	for _, a := range firsts {
		if a.class != nil { // the reservation for it, if any, must survive
			a.class.queue.blockedHead = a
		}
	}
	e.claims.prunePastPreemptions()
}

// rebuild charges all grants and enqueues all asks again. Verdicts stay, and so do the limits that they name.
func (e *Engine) rebuild(before *quota.Forest) {
	now := e.hierarchy.forest
	e.holders.boundedHolders = 0
	for _, key := range e.registry.sortedKeys() {
		a := e.registry.apps[key]
		old := a.class
		a.class = nil
		switch {
		case a.held != nil:
			was := a.held.eviction()
			e.holders.charge(a, a.held)
			a.held.growth.blocked = blockIn(now, before, a.held.growth.blocked, a.held.queue.node)
			if was != nil || a.held.eviction() != nil { // its queue was drained, or no longer is
				e.registry.changed[key] = true
			}
		case a.ask != nil:
			e.waiting.enqueue(a)
			if b := blockIn(now, before, old.blocked, a.class.queue.node); b.Need > 0 {
				a.class.blocked = b
			}
		}
	}
	e.claims.followQueues()
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
