// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/queueing/quota"
)

// SetQueues replaces the whole configuration. What is granted stays granted and is charged anew: to its queue, also above quota;
// a queue that is gone but holds grants weighs on its last parent until they are released. Verdicts change with the next Cycle.
// The cost is that of submitting everything again: call it when a configuration has changed, not when a status has.
func (e *Engine) SetQueues(queues []QueueConfig) {
	e.hierarchy.configs = queues
	c := newConfiguration(queues)
	ghosts := e.holders.deletedInUse(c)
	before, firsts := e.hierarchy.forest, e.hierarchy.blockedHeads()
	e.hierarchy.forest = quota.NewForest(append(c.nodes(), ghosts...))
	e.hierarchy.queues = make(map[string]*queue, e.hierarchy.forest.Nodes())
	e.hierarchy.unknown = newTree("")
	e.hierarchy.trees = []*tree{e.hierarchy.unknown}
	for n := range quota.NodeID(e.hierarchy.forest.Nodes()) {
		e.hierarchy.attach(n, c)
	}
	limited := c.limited()
	for n := range quota.NodeID(e.hierarchy.forest.Nodes()) {
		q := e.hierarchy.queues[e.hierarchy.forest.Name(n)]
		e.hierarchy.configureQueue(q)
		root := c.root(q.name)
		q.limited = limited[root]
		q.noQuota = !q.limited && !c.unlimited(root)
	}
	e.rebuild(before)
	for _, a := range firsts {
		if a.class != nil { // quota may be reserved for it
			a.class.queue.blockedHead = a
		}
	}
	e.claims.prunePastPreemptions()
}

// configuration is the queues that exist, sorted, and the parents of those that are being deleted.
type configuration struct {
	live    []QueueConfig
	deleted map[string]string
}

func newConfiguration(queues []QueueConfig) *configuration {
	c := &configuration{deleted: map[string]string{}}
	for _, q := range queues {
		switch {
		case q.Name == "":
		case q.Deleted:
			c.deleted[q.Name] = q.Parent
		default:
			c.live = append(c.live, q)
		}
	}
	slices.SortStableFunc(c.live, func(a, b QueueConfig) int { return strings.Compare(a.Name, b.Name) })
	c.live = slices.CompactFunc(c.live, func(a, b QueueConfig) bool { return a.Name == b.Name })
	return c
}

// find returns the configuration of a queue that exists, or nil.
func (c *configuration) find(name string) *QueueConfig {
	at, found := slices.BinarySearchFunc(c.live, name, func(q QueueConfig, name string) int { return strings.Compare(q.Name, name) })
	if !found {
		return nil
	}
	return &c.live[at]
}

func (c *configuration) nodes() []quota.Node {
	nodes := make([]quota.Node, 0, len(c.live))
	for _, q := range c.live {
		n := quota.Node{Name: q.Name, Parent: q.Parent}
		for _, f := range q.Flavors {
			for _, r := range f.Quotas {
				n.Limits = append(n.Limits, quota.Limits{
					Cell:    quota.Cell{Flavor: f.Name, Resource: r.Resource},
					Nominal: r.Nominal, Borrowing: orUnlimited(r.Borrowing), Lending: orUnlimited(r.Lending),
				})
			}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// limited returns the roots of the trees in which some queue has a quota: a resource that one queue of a tree names
// is limited in all of them. What deleted queues still hold does not count.
func (c *configuration) limited() map[string]bool {
	out := map[string]bool{}
	for _, q := range c.live {
		if slices.ContainsFunc(q.Flavors, func(f FlavorQuota) bool { return len(f.Quotas) > 0 }) {
			out[c.root(q.Name)] = true
		}
	}
	return out
}

// unlimited reports whether the root of a tree says that the tree needs no quota.
func (c *configuration) unlimited(root string) bool {
	q := c.find(root)
	return q != nil && q.Unlimited
}

// root is the name of the uppermost queue that exists above one; of queues in a circle any.
func (c *configuration) root(name string) string {
	for range c.live {
		q := c.find(name)
		if q == nil || c.find(q.Parent) == nil {
			break
		}
		name = q.Parent
	}
	return name
}

func orUnlimited(limit *int64) int64 {
	if limit == nil {
		return quota.Unlimited
	}
	return *limit
}

func (c *QueueConfig) stopped() bool { return c.Stop == StopHold || c.Stop == StopHoldAndDrain }

// flavorNames is nil for a queue without flavors.
func (c *QueueConfig) flavorNames() []string {
	var names []string
	for _, f := range c.Flavors {
		names = append(names, f.Name)
	}
	return names
}

// rebuild charges all grants and enqueues all asks again. Verdicts stay, and so does the limit that they name.
func (e *Engine) rebuild(before *quota.Forest) {
	for _, key := range e.registry.sortedKeys() {
		a := e.registry.apps[key]
		old := a.class
		a.class = nil
		switch {
		case a.held != nil:
			e.holders.charge(a, a.held)
			if a.held.eviction() != nil {
				e.registry.changed[key] = true
			}
		case a.ask != nil:
			e.waiting.enqueue(a)
			if b := old.blocked; b.Need > 0 && b.Node != quota.None {
				b.Node = e.hierarchy.forest.Find(before.Name(b.Node))
				a.class.blocked = b
			}
		}
	}
}
