// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package claims keeps quota that is being reclaimed for asks: it asks holders to release it, grants it to no other ask
// meanwhile, and remembers who was preempted by whom.
package claims

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Book owns the preemptions in progress, and remembers past ones.
type Book struct {
	hierarchy *state.Hierarchy
	registry  *state.Registry
	holders   *state.Holders
	// All holds the claims in the order in which they were created.
	All []*state.Claim
	// preemptedBy holds what an asker has preempted in one run, because it does not preempt the same asker twice.
	// preempted counts how often askers were preempted in a run of their own, because they are not preempted for shares
	// again in that run. Both ensure that preemption terminates.
	preemptedBy map[appRun]map[queueing.Key]bool
	preempted   map[appRun]int
}

// New returns a book without claims.
func New(hr *state.Hierarchy, rg *state.Registry, hs *state.Holders) *Book {
	return &Book{hierarchy: hr, registry: rg, holders: hs, preemptedBy: map[appRun]map[queueing.Key]bool{}, preempted: map[appRun]int{}}
}

// appRun is one run of an asker.
type appRun struct {
	key queueing.Key
	run int64
}

// Prune forgets preemptions by, and of, askers that are gone.
func (cs *Book) Prune() {
	if len(cs.preemptedBy)+len(cs.preempted) <= maxPastPreemptions {
		return
	}
	maps.DeleteFunc(cs.preemptedBy, func(by appRun, _ map[queueing.Key]bool) bool { return cs.registry.Askers[by.key] == nil })
	maps.DeleteFunc(cs.preempted, func(of appRun, _ int) bool { return cs.registry.Askers[of.key] == nil })
}

// notePreemption records that an asker was preempted for a claim.
func (cs *Book) notePreemption(c *state.Claim, of *state.Asker) {
	by := appRun{c.Asker.Key, c.Ask.Run}
	if cs.preemptedBy[by] == nil {
		cs.preemptedBy[by] = map[queueing.Key]bool{}
	}
	cs.preemptedBy[by][of.Key] = true
	if c.Tree.FairSharing {
		cs.preempted[appRun{of.Key, of.Held.Grant.Run}]++
	}
}

// Spare lets a target of a claim keep its grant after all. No caller may have seen that it was asked to release it.
func (cs *Book) Spare(c *state.Claim, v *state.Asker) {
	v.Held.Evicted = nil
	v.Held.UpdateLeaving()
	c.Targets = slices.DeleteFunc(c.Targets, func(key queueing.Key) bool { return key == v.Key })
	c.Spared = append(c.Spared, v.Key)
	delete(cs.preemptedBy[appRun{c.Asker.Key, c.Ask.Run}], v.Key)
	if of := (appRun{v.Key, v.Held.Grant.Run}); cs.preempted[of] > 0 {
		cs.preempted[of]--
	}
}

// PastTargets returns what an asker has preempted in a run.
func (cs *Book) PastTargets(by queueing.Key, run int64) map[queueing.Key]bool {
	return cs.preemptedBy[appRun{by, run}]
}

// WasPreempted reports whether an asker was preempted before in the run of its grant.
func (cs *Book) WasPreempted(a *state.Asker) bool {
	return cs.preempted[appRun{a.Key, a.Held.Grant.Run}] > 0
}

// maxPastPreemptions is how many past preemptions are remembered before those of askers that are gone are pruned.
const maxPastPreemptions = 10_000

// Active returns the claims of a tree in order. It cancels claims whose ask is gone or has changed, or whose
// queue is stopped.
func (cs *Book) Active(t *state.Tree) []*state.Claim {
	var out []*state.Claim
	for _, c := range slices.Clone(cs.All) {
		switch class := c.Asker.Class; {
		case class == nil || c.Asker.Ask != c.Ask || class.IsInadmissible() || class.Queue.StoppedBy != nil:
			cs.Cancel(c)
		case class.Queue.Tree == t:
			out = append(out, c)
		}
	}
	return out
}

// FollowQueues updates the trees of the claims after the queues were built again. A claim without an ask is cancelled
// before any decision.
func (cs *Book) FollowQueues() {
	for _, c := range cs.All {
		if class := c.Asker.Class; class != nil {
			c.Tree = class.Queue.Tree
		}
	}
}

// IsPending reports whether a target of the claim still holds quota that it must release. One that is stuck does not
// count, so that the ask may preempt others instead.
func (cs *Book) IsPending(c *state.Claim) bool {
	terminates := func(key queueing.Key) bool {
		v := cs.registry.Askers[key]
		return v != nil && v.Held != nil && (v.Held.IsTerminating() || v.Held.IsReclaiming())
	}
	return slices.ContainsFunc(c.Awaited, terminates) || slices.ContainsFunc(c.Targets, func(key queueing.Key) bool {
		v := cs.registry.Askers[key]
		if v == nil || v.Held == nil || v.Held.Standing.Stuck {
			return false
		}
		owes := slices.ContainsFunc(v.Held.Growth.Reclaims, func(d state.Reclaim) bool { return d.By == c.Asker.Key })
		return owes || v.Held.Evicted != nil && v.Held.Evicted.By == c.Asker.Key
	})
}

// Cancel cancels a claim; its targets may keep what they have not released.
func (cs *Book) Cancel(c *state.Claim) {
	cs.All = slices.DeleteFunc(cs.All, func(other *state.Claim) bool { return other == c })
	c.Asker.Claim = nil
	if c.Asker.Class != nil {
		c.Asker.Class.CountClaims(-1)
	}
	for _, key := range c.Targets {
		cs.holders.CancelReclaims(key, c.Asker.Key)
	}
	c.Tree.MarkDirty(true)
	if class := c.Asker.Class; class != nil && class.Verdict != nil {
		cs.registry.SetVerdict(c.Asker, class.Verdict)
	}
}

// Need returns the need of the claimed ask, with its minimum of pods.
func (cs *Book) Need(c *state.Claim) quota.Vector {
	class := c.Asker.Class
	return cs.hierarchy.Forest.Prepare(class.Queue.Node, class.Signature.Amounts(c.Where, class.Signature.MinCount()))
}

// Charge charges the needs of claims; the returned function undoes that.
func (cs *Book) Charge(claims []*state.Claim) (uncharge func()) {
	needs := make([]quota.Vector, len(claims))
	nodes := make([]quota.NodeID, len(claims))
	for i, c := range claims {
		nodes[i], needs[i] = c.Asker.Class.Queue.Node, cs.Need(c)
		cs.hierarchy.Forest.Add(nodes[i], needs[i])
	}
	return func() {
		for i := range needs {
			cs.hierarchy.Forest.Remove(nodes[i], needs[i])
		}
	}
}

// Evict asks a target to release its quota.
func (cs *Book) Evict(c *state.Claim, v *state.Target) {
	why := cs.evictionBy(c.Asker, v)
	if v.Whole {
		v.Asker.Held.Evicted = why
		cs.notePreemption(c, v.Asker)
	} else {
		v.Asker.Held.Growth.Reclaims = append(v.Asker.Held.Growth.Reclaims, state.Reclaim{By: c.Asker.Key, Flavor: v.Flavor, Count: v.Count, Eviction: *why})
	}
	v.Asker.Held.UpdateLeaving()
	cs.registry.Changed[v.Asker.Key] = true
	if !slices.Contains(c.Targets, v.Asker.Key) {
		c.Targets = append(c.Targets, v.Asker.Key)
	}
}

// evictionBy returns the eviction of a target, with a message that says why.
func (cs *Book) evictionBy(by *state.Asker, target *state.Target) *queueing.Eviction {
	v := target.Asker
	rule := fmt.Sprintf("queue %s reclaims quota that queue %s borrowed", by.Class.Queue.Name, v.Held.Queue.Name)
	switch {
	case v.Held.Queue == by.Class.Queue && v.Held.Standing.Priority < by.Ask.Priority:
		rule = fmt.Sprintf("its priority %d is higher than %d", by.Ask.Priority, v.Held.Standing.Priority)
	case v.Held.Queue == by.Class.Queue && !target.Whole:
		rule = fmt.Sprintf("pods above the base gang come after pending asks of the same priority %d", by.Ask.Priority)
	case v.Held.Queue == by.Class.Queue:
		rule = fmt.Sprintf("it is older and has the same priority %d", by.Ask.Priority)
	case target.ByShare:
		above := v.Held.Queue.SubtreeBeside(by.Class.Queue)
		rule = fmt.Sprintf("queue %s is above its fair share of queue %s", above.Name, above.Parent.Name)
	case target.ByBorrower:
		rule = fmt.Sprintf("both borrow, and its priority %d is higher than %d", by.Ask.Priority, v.Held.Standing.Priority)
	}
	return &queueing.Eviction{Reason: queueing.ReasonPreempted, By: by.Key, ByQueue: by.Class.Queue.Name,
		Message: fmt.Sprintf("preempted by %s: %s", by.Key, rule)}
}

// UpdateVerdicts sets the verdicts of asks with a claim, which wait for their targets.
func (cs *Book) UpdateVerdicts(t *state.Tree) {
	for _, c := range cs.Active(t) {
		names := slices.Concat(c.Targets, c.Awaited)
		message := fmt.Sprintf("waiting for %s to release its quota", names[0])
		if more := len(names) - 1; more > 0 {
			message = fmt.Sprintf("waiting for %s and %d more to release their quota", names[0], more)
		}
		cs.registry.SetVerdict(c.Asker, &queueing.Verdict{
			State: queueing.Waiting, Reason: queueing.ReasonWaitingForQuota, Preempting: len(c.Targets) > 0, Message: message,
		})
	}
}

// FillMaxRunning reports whether claims and admitted askers together have reached a maxRunning, so that no other ask of
// the class can start.
func (cs *Book) FillMaxRunning(class *state.Class) bool {
	for q := class.Queue; q != nil && !class.Part; q = q.Parent {
		if q.Config == nil || q.Config.MaxRunning == nil {
			continue
		}
		n := q.Admitted
		for _, c := range cs.All {
			if c.Asker.Class != nil && !c.Asker.Class.Part && q.Contains(c.Asker.Class.Queue) {
				n++
			}
		}
		if n >= *q.Config.MaxRunning {
			return true
		}
	}
	return false
}
