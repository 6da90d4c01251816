// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// claim is room that is taken back for one ask. What the victims hold goes to nobody else: while they go, the need of the ask counts as
// used, too.
type claim struct {
	app  *app
	ask  *ask
	tree *tree
	// where the pods will be.
	where placement
	// targets that have been asked to go.
	targets []queueing.Key
}

// pastPreemption says that an application, in one run, has displaced another.
type pastPreemption struct {
	by, target queueing.Key
	run        int64
}

// prunePastPreemptions drops those by applications that are gone.
func (e *Engine) prunePastPreemptions() {
	maps.DeleteFunc(e.pastPreemptions, func(d pastPreemption, _ bool) bool { return e.apps[d.by] == nil })
}

// maxPastPreemptions is how many displacements are remembered before those are looked for that may be forgotten.
const maxPastPreemptions = 10_000

// maxPreemptionAttempts is how many of those who wait in one queue, each with needs of its own, are tried in one pass.
const maxPreemptionAttempts = 8

// Eviction says why the grant of that run and attempt has to be given back; nil while it may be kept. It is asked back for as long as
// it is held: nothing that happens meanwhile changes that, except for the draining of a queue that is called off.
func (e *Engine) Eviction(key queueing.Key, run, attempt int64) *queueing.Eviction {
	if a := e.apps[key]; a != nil && a.held != nil && a.held.isFor(run, attempt) {
		return a.held.eviction()
	}
	return nil
}

// SetStanding says what standing the holder of a grant has: after Restore, and when its priority changes. While somebody's is not known,
// nobody in the tree is displaced; and nobody needs to be for what those hold who leave anyway.
func (e *Engine) SetStanding(key queueing.Key, run, attempt int64, s queueing.Standing) {
	a := e.apps[key]
	if a == nil || a.held == nil || !a.held.isFor(run, attempt) {
		return
	}
	h := a.held
	if h.stateKnown && equalStandings(h.standing, s) {
		return
	}
	e.countBounded(h.standing, -1)
	h.stateKnown, h.standing = true, s
	e.countBounded(s, 1)
	h.queue.tree.markDirty(false)
}

// simulateRelease imagines that a grant is given back, and putBack that it is not.
func (e *Engine) simulateRelease(a *app) { e.forest.Remove(a.held.queue.node, a.held.vector) }
func (e *Engine) undoRelease(a *app)     { e.forest.Add(a.held.queue.node, a.held.vector) }

// activeClaims are the claims of a tree, in their order. Those that do not stand any more are dropped: the ask has gone or changed, or its
// queue admits nobody.
func (e *Engine) activeClaims(t *tree) []*claim {
	var out []*claim
	for _, c := range slices.Clone(e.claims) {
		switch class := c.app.class; {
		case class == nil || c.app.ask != c.ask || class.isInadmissible() || class.queue.stoppedBy != nil:
			e.cancelClaim(c)
		case class.queue.tree == t:
			out = append(out, c)
		}
	}
	return out
}

// isPending says that a victim of a claim still holds something.
func (e *Engine) isPending(c *claim) bool {
	return slices.ContainsFunc(c.targets, func(key queueing.Key) bool {
		v := e.apps[key]
		if v == nil || v.held == nil {
			return false
		}
		owes := slices.ContainsFunc(v.held.growth.reclaims, func(d reclaim) bool { return d.by == c.app.key })
		return owes || v.held.evicted != nil && v.held.evicted.By == c.app.key
	})
}

func (e *Engine) cancelClaim(c *claim) {
	e.claims = slices.DeleteFunc(e.claims, func(other *claim) bool { return other == c })
	c.app.claim = nil
	for _, key := range c.targets {
		e.cancelReclaims(key, c.app.key)
	}
	c.tree.markDirty(true)
	if class := c.app.class; class != nil && class.verdict != nil {
		e.setVerdict(c.app, class.verdict)
	}
}

func (e *Engine) claimNeed(c *claim) quota.Vector {
	class := c.app.class
	return e.forest.Prepare(class.queue.node, class.signature.amounts(c.where, class.signature.minCount()))
}

// admitClaimed grants claimed room that has become free, each to the first in the line of the claim, and charges the claims of the others; the
// returned function takes that back.
func (e *Engine) admitClaimed(t *tree, out []Decision, max int) (decisions []Decision, uncharge func()) {
	var undo []func()
	for _, c := range e.activeClaims(t) {
		class := c.app.class
		where, elastic, fits := e.fit(class)
		switch {
		case fits && class.atMaxRunning() == nil && (max <= 0 || len(out) < max):
			first := class.first() // somebody more urgent who needs the same may have come since
			e.cancelClaim(c)
			e.assume(first, where, elastic)
			out = append(out, Decision{Key: first.key, Root: t.root, Grant: first.held.grant})
		case fits && class.atMaxRunning() == nil, e.isPending(c):
			undo = append(undo, e.chargeClaims([]*claim{c}))
		default:
			e.cancelClaim(c)
		}
	}
	return out, func() {
		for _, f := range undo {
			f()
		}
	}
}

// chargeClaims charges claims; the returned function takes that back.
func (e *Engine) chargeClaims(claims []*claim) (uncharge func()) {
	needs := make([]quota.Vector, len(claims))
	nodes := make([]quota.NodeID, len(claims))
	for i, c := range claims {
		nodes[i], needs[i] = c.app.class.queue.node, e.claimNeed(c)
		e.forest.Add(nodes[i], needs[i])
	}
	return func() {
		for i := range needs {
			e.forest.Remove(nodes[i], needs[i])
		}
	}
}

// preempt makes claims for those who wait and may displace others, after everything that fits has been granted: one for each queue, in
// the order in which they would be granted. It returns them.
func (e *Engine) preempt(t *tree) []*claim {
	if len(e.pastPreemptions) > maxPastPreemptions {
		e.prunePastPreemptions()
	}
	waiting := e.preemptors(t)
	if len(waiting) == 0 || !e.allHolderStatesKnown(t) {
		return nil
	}
	var made []*claim
	gone := e.simulateTerminating(t)
	for _, class := range waiting {
		if e.hasClaimIn(class.queue) || class.atMaxRunning() != nil || class.preemptionTriedAt == t.holderVersion && class.preemptionTriedFor == class.first() {
			continue
		}
		o, victims := e.findTargets(class)
		if len(victims) == 0 {
			class.preemptionTriedAt, class.preemptionTriedFor = t.holderVersion, class.first()
			continue
		}
		c := &claim{app: class.first(), ask: class.first().ask, tree: t, where: o.where}
		for _, v := range victims {
			e.evict(c, v)
			v.simulateRelease(e)
		}
		gone = append(gone, victims...)
		e.claims, c.app.claim, made = append(e.claims, c), c, append(made, c)
		e.forest.Add(class.queue.node, o.minNeed)
		defer e.forest.Remove(class.queue.node, o.minNeed)
	}
	for _, v := range gone {
		v.undoRelease(e)
	}
	return made
}

// evict asks a victim for its room.
func (e *Engine) evict(c *claim, v *target) {
	why := e.evictionBy(c.app, v.app)
	if v.whole {
		v.app.held.evicted = why
		e.pastPreemptions[pastPreemption{by: c.app.key, run: c.ask.run, target: v.app.key}] = true
	} else {
		v.app.held.growth.reclaims = append(v.app.held.growth.reclaims, reclaim{by: c.app.key, flavor: v.flavor, count: v.count, eviction: *why})
	}
	e.changed[v.app.key] = true
	if !slices.Contains(c.targets, v.app.key) {
		c.targets = append(c.targets, v.app.key)
	}
}

// allHolderStatesKnown says that the standing of everybody who holds something is known. After a restart it is not yet: whoever seems to be the one
// to displace may not be, or somebody may be leaving already.
func (e *Engine) allHolderStatesKnown(t *tree) bool {
	for _, q := range t.queuesWithHolders() {
		if slices.ContainsFunc(q.holders, func(a *app) bool { return !a.held.stateKnown }) {
			return false
		}
	}
	return true
}

// preemptors are the first lines of the queues that may displace anybody, in order.
func (e *Engine) preemptors(t *tree) []*equivalenceClass {
	if len(t.pendingQueues) == 0 {
		return nil
	}
	var out []*equivalenceClass
	borrowed := e.anyBorrowing(t)
	for _, q := range t.pendingQueues {
		if q.config == nil || q.stoppedBy != nil || !q.config.Preemption.active(borrowed) {
			continue
		}
		most := maxPreemptionAttempts
		if q.strict() {
			most = 1
		}
		out = append(out, q.firstClasses(most)...)
	}
	slices.SortFunc(out, func(a, b *equivalenceClass) int { return compareApps(a.first(), b.first()) })
	return out
}

// firstClasses are those with the first asks of a queue, in order.
func (q *queue) firstClasses(most int) []*equivalenceClass {
	var out []*equivalenceClass
	next := heap[*equivalenceClass]{before: q.admissible.before, moved: func(*equivalenceClass, int) {}}
	if len(q.admissible.items) > 0 {
		next.push(q.admissible.items[0])
	}
	for len(next.items) > 0 && len(out) < most {
		class := next.items[0]
		next.remove(0)
		out = append(out, class)
		for behind := 2*class.heapIndex + 1; behind <= 2*class.heapIndex+2 && behind < len(q.admissible.items); behind++ {
			next.push(q.admissible.items[behind])
		}
	}
	return out
}

// anyBorrowing says that somebody in a tree has borrowed something.
func (e *Engine) anyBorrowing(t *tree) bool {
	return slices.ContainsFunc(t.queues, func(q *queue) bool { return e.forest.Borrowing(q.node) })
}

// active says that somebody might be displaced, if somebody has borrowed or if nobody has.
func (p Preemption) active(borrowed bool) bool {
	set := func(policy Policy) bool { return policy != "" && policy != PreemptNever }
	return set(p.Within) || borrowed && (set(p.Reclaim) || set(p.Borrow))
}

// simulateTerminating takes out of the forest what goes anyway, and returns it.
func (e *Engine) simulateTerminating(t *tree) []*target {
	var gone []*target
	for _, q := range t.queuesWithHolders() {
		for _, a := range q.holders {
			v := &target{app: a, whole: true, count: 1, vector: a.held.vector}
			switch {
			case a.held.isTerminating():
			case len(a.held.growth.reclaims) > 0:
				v.vector = e.reclaimVector(a.held)
			default:
				continue
			}
			v.simulateRelease(e)
			gone = append(gone, v)
		}
	}
	return gone
}

func (e *Engine) hasClaimIn(q *queue) bool {
	return slices.ContainsFunc(e.claims, func(c *claim) bool { return c.app.class != nil && c.app.class.queue == q })
}

// evictionBy words why an application is displaced.
func (e *Engine) evictionBy(by, v *app) *queueing.Eviction {
	rule := fmt.Sprintf("queue %s reclaims quota that queue %s borrowed", by.class.queue.name, v.held.queue.name)
	switch {
	case v.held.queue == by.class.queue && v.held.standing.Priority < by.ask.priority:
		rule = fmt.Sprintf("its priority %d is higher than %d", by.ask.priority, v.held.standing.Priority)
	case v.held.queue == by.class.queue:
		rule = fmt.Sprintf("it is older and has the same priority %d", by.ask.priority)
	}
	return &queueing.Eviction{Reason: queueing.ReasonPreempted, By: by.key, ByQueue: by.class.queue.name,
		Message: fmt.Sprintf("preempted by %s: %s", by.key, rule)}
}

// updateClaimVerdicts tells those who have a claim what they wait for.
func (e *Engine) updateClaimVerdicts(t *tree) {
	for _, c := range e.activeClaims(t) {
		message := fmt.Sprintf("waiting for %s to release its quota", c.targets[0])
		if more := len(c.targets) - 1; more > 0 {
			message = fmt.Sprintf("waiting for %s and %d more to release their quota", c.targets[0], more)
		}
		e.setVerdict(c.app, &queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonWaitingForQuota, Displacing: true, Message: message})
	}
}

func equalStandings(a, b queueing.Standing) bool {
	return a.Priority == b.Priority && a.Leaving == b.Leaving && a.QueuedAt.Equal(b.QueuedAt) && a.Until.Equal(b.Until)
}
