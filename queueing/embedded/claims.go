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

// claims owns the preemptions in progress, and remembers past ones.
type claims struct {
	hierarchy *hierarchy
	registry  *registry
	holders   *holders
	// all holds the claims in the order in which they were created.
	all []*claim
	// preemptedBy holds what an asker has preempted in one run, because it does not preempt the same asker twice.
	// preempted holds which askers were preempted in a run of their own, because they are not preempted for shares
	// again in that run. Both ensure that preemption terminates.
	preemptedBy map[appRun]map[queueing.Key]bool
	preempted   map[appRun]bool
}

// appRun is one run of an asker.
type appRun struct {
	key queueing.Key
	run int64
}

// prunePastPreemptions forgets preemptions by, and of, askers that are gone.
func (cs *claims) prunePastPreemptions() {
	if len(cs.preemptedBy)+len(cs.preempted) <= maxPastPreemptions {
		return
	}
	maps.DeleteFunc(cs.preemptedBy, func(by appRun, _ map[queueing.Key]bool) bool { return cs.registry.apps[by.key] == nil })
	maps.DeleteFunc(cs.preempted, func(of appRun, _ bool) bool { return cs.registry.apps[of.key] == nil })
}

// notePreemption records that an asker was preempted for a claim.
func (cs *claims) notePreemption(c *claim, of *app) {
	by := appRun{c.app.key, c.ask.run}
	if cs.preemptedBy[by] == nil {
		cs.preemptedBy[by] = map[queueing.Key]bool{}
	}
	cs.preemptedBy[by][of.key] = true
	if c.tree.fairSharing {
		cs.preempted[appRun{of.key, of.held.grant.Run}] = true
	}
}

// wasPreempted reports whether an asker was preempted before in the run of its grant.
func (cs *claims) wasPreempted(a *app) bool { return cs.preempted[appRun{a.key, a.held.grant.Run}] }

// maxPastPreemptions is how many past preemptions are remembered before those of askers that are gone are pruned.
const maxPastPreemptions = 10_000

// Eviction returns why the grant of this run and attempt must be released, or nil if it may be kept. An eviction lasts
// as long as the grant is held, unless it is due to a drained queue that is resumed.
func (e *Engine) Eviction(key queueing.Key, run, attempt int64) *queueing.Eviction {
	if a := e.registry.apps[key]; a != nil && a.held != nil && a.held.isFor(run, attempt) {
		return a.held.eviction()
	}
	return nil
}

// SetHolderState sets the state of a holder, after Restore and whenever it changes. While the state of any holder in a
// tree is unknown, nothing in that tree is preempted. Grants that will be released anyway are never preempted.
func (e *Engine) SetHolderState(key queueing.Key, run, attempt int64, s queueing.HolderState) {
	a := e.registry.apps[key]
	if a == nil || a.held == nil || !a.held.isFor(run, attempt) {
		return
	}
	h := a.held
	if h.stateKnown && equalHolderStates(h.standing, s) {
		return
	}
	e.holders.setState(a, s)
	h.queue.tree.markDirty(false)
}

// activeClaims returns the claims of a tree in order. It cancels claims whose ask is gone or has changed, or whose
// queue is stopped.
func (cs *claims) activeClaims(t *tree) []*claim {
	var out []*claim
	for _, c := range slices.Clone(cs.all) {
		switch class := c.app.class; {
		case class == nil || c.app.ask != c.ask || class.isInadmissible() || class.queue.stoppedBy != nil:
			cs.cancelClaim(c)
		case class.queue.tree == t:
			out = append(out, c)
		}
	}
	return out
}

// followQueues updates the trees of the claims after the queues were built again. A claim without an ask is cancelled
// before any decision.
func (cs *claims) followQueues() {
	for _, c := range cs.all {
		if class := c.app.class; class != nil {
			c.tree = class.queue.tree
		}
	}
}

// isPending reports whether a target of the claim still holds quota that it must release. One that is stuck does not
// count, so that the ask may preempt others instead.
func (cs *claims) isPending(c *claim) bool {
	terminates := func(key queueing.Key) bool {
		v := cs.registry.apps[key]
		return v != nil && v.held != nil && (v.held.isTerminating() || v.held.isReclaiming())
	}
	return slices.ContainsFunc(c.awaited, terminates) || slices.ContainsFunc(c.targets, func(key queueing.Key) bool {
		v := cs.registry.apps[key]
		if v == nil || v.held == nil || v.held.standing.Stuck {
			return false
		}
		owes := slices.ContainsFunc(v.held.growth.reclaims, func(d reclaim) bool { return d.by == c.app.key })
		return owes || v.held.evicted != nil && v.held.evicted.By == c.app.key
	})
}

func (cs *claims) cancelClaim(c *claim) {
	cs.all = slices.DeleteFunc(cs.all, func(other *claim) bool { return other == c })
	c.app.claim = nil
	if c.app.class != nil {
		c.app.class.countClaims(-1)
	}
	for _, key := range c.targets {
		cs.holders.cancelReclaims(key, c.app.key)
	}
	c.tree.markDirty(true)
	if class := c.app.class; class != nil && class.verdict != nil {
		cs.registry.setVerdict(c.app, class.verdict)
	}
}

func (cs *claims) claimNeed(c *claim) quota.Vector {
	class := c.app.class
	return cs.hierarchy.forest.Prepare(class.queue.node, class.signature.amounts(c.where, class.signature.minCount()))
}

// chargeClaims charges the needs of claims; the returned function undoes that.
func (cs *claims) chargeClaims(claims []*claim) (uncharge func()) {
	needs := make([]quota.Vector, len(claims))
	nodes := make([]quota.NodeID, len(claims))
	for i, c := range claims {
		nodes[i], needs[i] = c.app.class.queue.node, cs.claimNeed(c)
		cs.hierarchy.forest.Add(nodes[i], needs[i])
	}
	return func() {
		for i := range needs {
			cs.hierarchy.forest.Remove(nodes[i], needs[i])
		}
	}
}

// evict asks a target to release its quota.
func (cs *claims) evict(c *claim, v *target) {
	why := cs.evictionBy(c.app, v)
	if v.whole {
		v.app.held.evicted = why
		cs.notePreemption(c, v.app)
	} else {
		v.app.held.growth.reclaims = append(v.app.held.growth.reclaims, reclaim{by: c.app.key, flavor: v.flavor, count: v.count, eviction: *why})
	}
	v.app.held.updateLeaving()
	cs.registry.changed[v.app.key] = true
	if !slices.Contains(c.targets, v.app.key) {
		c.targets = append(c.targets, v.app.key)
	}
}

// evictionBy returns the eviction of a target, with a message that says why.
func (cs *claims) evictionBy(by *app, target *target) *queueing.Eviction {
	v := target.app
	rule := fmt.Sprintf("queue %s reclaims quota that queue %s borrowed", by.class.queue.name, v.held.queue.name)
	switch {
	case v.held.queue == by.class.queue && v.held.standing.Priority < by.ask.priority:
		rule = fmt.Sprintf("its priority %d is higher than %d", by.ask.priority, v.held.standing.Priority)
	case v.held.queue == by.class.queue && !target.whole:
		rule = fmt.Sprintf("pods above the base gang come after pending asks of the same priority %d", by.ask.priority)
	case v.held.queue == by.class.queue:
		rule = fmt.Sprintf("it is older and has the same priority %d", by.ask.priority)
	case target.byShare:
		above := v.held.queue.subtreeBeside(by.class.queue)
		rule = fmt.Sprintf("queue %s is above its fair share of queue %s", above.name, above.parent.name)
	case target.byBorrower:
		rule = fmt.Sprintf("both borrow, and its priority %d is higher than %d", by.ask.priority, v.held.standing.Priority)
	}
	return &queueing.Eviction{Reason: queueing.ReasonPreempted, By: by.key, ByQueue: by.class.queue.name,
		Message: fmt.Sprintf("preempted by %s: %s", by.key, rule)}
}

// updateClaimVerdicts sets the verdicts of asks with a claim, which wait for their targets.
func (cs *claims) updateClaimVerdicts(t *tree) {
	for _, c := range cs.activeClaims(t) {
		names := slices.Concat(c.targets, c.awaited)
		message := fmt.Sprintf("waiting for %s to release its quota", names[0])
		if more := len(names) - 1; more > 0 {
			message = fmt.Sprintf("waiting for %s and %d more to release their quota", names[0], more)
		}
		cs.registry.setVerdict(c.app, &queueing.Verdict{
			State: queueing.Waiting, Reason: queueing.ReasonWaitingForQuota, Preempting: len(c.targets) > 0, Message: message,
		})
	}
}

func equalHolderStates(a, b queueing.HolderState) bool {
	return a.Priority == b.Priority && a.Terminating == b.Terminating && a.Stuck == b.Stuck && a.QueuedAt.Equal(b.QueuedAt) && a.ReleasedBy.Equal(b.ReleasedBy)
}

// fillMaxRunning reports whether claims and admitted askers together have reached a maxRunning, so that no other ask of
// the class can start.
func (cs *claims) fillMaxRunning(class *equivalenceClass) bool {
	for q := class.queue; q != nil && !class.part; q = q.parent {
		if q.config == nil || q.config.MaxRunning == nil {
			continue
		}
		n := q.admitted
		for _, c := range cs.all {
			if c.app.class != nil && !c.app.class.part && q.contains(c.app.class.queue) {
				n++
			}
		}
		if n >= *q.config.MaxRunning {
			return true
		}
	}
	return false
}

// cancelReclaims cancels what a holder must release for an ask whose claim was cancelled.
func (hs *holders) cancelReclaims(key, by queueing.Key) {
	a := hs.registry.apps[key]
	if a == nil || a.held == nil {
		return
	}
	before := len(a.held.growth.reclaims)
	a.held.growth.reclaims = slices.DeleteFunc(slices.Clone(a.held.growth.reclaims), func(d reclaim) bool { return d.by == by })
	a.held.updateLeaving()
	if len(a.held.growth.reclaims) != before {
		hs.registry.changed[key] = true
		a.held.queue.tree.dirty = true
	}
}
