// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// SetQueues replaces the whole configuration. What is granted stays granted and is charged anew: to its queue, also above quota;
// a queue that is gone but holds grants weighs on its last parent until they are released. Verdicts change with the next Cycle.
// The cost is that of submitting everything again: call it when a configuration has changed, not when a status has.
func (e *Engine) SetQueues(queues []QueueConfig) {
	e.configs = queues
	c := newConfiguration(queues)
	ghosts := e.deletedInUse(c)
	before, firsts := e.forest, e.blockedHeads()
	e.forest = quota.NewForest(append(c.nodes(), ghosts...))
	e.queues = make(map[string]*queue, e.forest.Nodes())
	e.unknown = newTree("")
	e.trees = []*tree{e.unknown}
	for n := range quota.NodeID(e.forest.Nodes()) {
		e.attach(n, c)
	}
	limited := c.limited()
	for n := range quota.NodeID(e.forest.Nodes()) {
		q := e.queues[e.forest.Name(n)]
		e.configureQueue(q)
		q.limited = limited[c.root(q.name)]
	}
	e.rebuild(before)
	for _, a := range firsts {
		if a.class != nil { // room may be kept for it
			a.class.queue.blockedHead = a
		}
	}
	e.prunePastPreemptions()
}

// blockedHeads are those who were first in line when their queues were looked at last.
func (e *Engine) blockedHeads() []*app {
	var out []*app
	for _, t := range e.trees {
		for _, q := range t.pendingQueues {
			if q.blockedHead != nil && q.blockedHead.class != nil && q.blockedHead.class.queue == q {
				out = append(out, q.blockedHead)
			}
		}
	}
	return out
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

// limited are the uppermost queues of the trees in which some queue has a quota: a resource that one queue of a tree names is limited in all of
// them. What deleted queues still hold counts for nothing here.
func (c *configuration) limited() map[string]bool {
	out := map[string]bool{}
	for _, q := range c.live {
		if slices.ContainsFunc(q.Flavors, func(f FlavorQuota) bool { return len(f.Quotas) > 0 }) {
			out[c.root(q.Name)] = true
		}
	}
	return out
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

// deletedInUse are the nodes that do not exist any more but lie between a grant and its root: what a deleted queue holds goes on to
// weigh on its parent, and what the children of a deleted queue hold on their grandparent.
func (e *Engine) deletedInUse(c *configuration) []quota.Node {
	var out []quota.Node
	seen := map[string]bool{}
	for _, key := range e.sortedKeys() {
		h := e.apps[key].held
		if h == nil {
			continue
		}
		for name := h.queue.name; name != "" && !seen[name]; {
			seen[name] = true
			if q := c.find(name); q != nil {
				name = q.Parent
				continue
			}
			parent, known := e.lastParent(name, c)
			if !known {
				break
			}
			out = append(out, quota.Node{Name: name, Parent: parent, DeletedInUse: true})
			name = parent
		}
	}
	return out
}

// lastParent is the last known parent of a queue that does not exist.
func (e *Engine) lastParent(name string, c *configuration) (string, bool) {
	if parent, found := c.deleted[name]; found {
		return parent, true
	}
	if n := e.forest.Find(name); n != quota.None {
		return e.forest.ConfiguredParent(n), true
	}
	return "", false
}

// attach makes the queue of a node, and the tree of a root.
func (e *Engine) attach(n quota.NodeID, c *configuration) {
	root := e.forest.Name(e.forest.Root(n))
	at, found := slices.BinarySearchFunc(e.trees, root, func(t *tree, root string) int { return strings.Compare(t.root, root) })
	if !found {
		e.trees = slices.Insert(e.trees, at, newTree(root))
	}
	q := newQueue(e.forest.Name(n), e.trees[at])
	q.node = n
	if !e.forest.DeletedInUse(n) {
		q.config = c.find(q.name)
	}
	e.queues[q.name] = q
	q.tree.queues = append(q.tree.queues, q)
}

// configureQueue gives a queue what follows from the configuration of those around it.
func (e *Engine) configureQueue(q *queue) {
	if p := e.forest.Parent(q.node); p != quota.None {
		q.parent = e.queues[e.forest.Name(p)]
	}
	for n := q.node; n != quota.None; n = e.forest.Parent(n) {
		above := e.queues[e.forest.Name(n)]
		if above.config == nil {
			continue
		}
		if q.stoppedBy == nil && above.config.stopped() {
			q.stoppedBy = above
		}
		if q.drainedBy == nil && above.config.Stop == StopHoldAndDrain {
			q.drainedBy = above
		}
		if q.flavors == nil {
			q.flavors = above.config.flavorNames()
		}
	}
	if q.flavors == nil {
		q.flavors = []string{DefaultFlavor}
	}
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

// rebuild charges all grants and puts all asks in line again. What was told stays told, and so does the limit that was named.
func (e *Engine) rebuild(before *quota.Forest) {
	for _, key := range e.sortedKeys() {
		a := e.apps[key]
		old := a.class
		a.class = nil
		switch {
		case a.held != nil:
			e.charge(a, a.held)
			if a.held.eviction() != nil {
				e.changed[key] = true
			}
		case a.ask != nil:
			e.enqueue(a)
			if b := old.blocked; b.Need > 0 && b.Node != quota.None {
				b.Node = e.forest.Find(before.Name(b.Node))
				a.class.blocked = b
			}
		}
	}
}

func (e *Engine) sortedKeys() []queueing.Key {
	keys := make([]queueing.Key, 0, len(e.apps))
	for key := range e.apps {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}
