// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package preemption

import (
	"cmp"
	"maps"
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/claims"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/reservations"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/waiting"
)

// Planner determines what pending asks may preempt, and creates their claims.
type Planner struct {
	hierarchy    *state.Hierarchy
	holders      *state.Holders
	waiting      *waiting.Asks
	claims       *claims.Book
	reservations *reservations.Book
	// Replans counts the claims that were cancelled to be planned once more.
	Replans int
}

// New returns the planner of an engine.
func New(hr *state.Hierarchy, hs *state.Holders, wq *waiting.Asks, cs *claims.Book, rs *reservations.Book) *Planner {
	return &Planner{hierarchy: hr, holders: hs, waiting: wq, claims: cs, reservations: rs}
}

// Round is the preemption in one tree during one cycle.
type Round struct {
	*Planner
	Tree *state.Tree
	// prepared is true if the fields below are valid.
	prepared bool
	// statesKnown is true if the state of every holder in the tree is known.
	statesKnown bool
	// quotaToReclaim is true if a queue of the tree has borrowed, or something is terminating. If false, that was
	// checked at HolderVersion lookedAt.
	quotaToReclaim bool
	lookedAt       uint64
	// terminating are the terminating holders, including those preempted in this cycle.
	terminating []*state.Target
	// largest caches the largest shares among the children of queues.
	largest map[*state.Queue]*largest
	// withdrawn are the askers whose grants were withdrawn in this call of Cycle, replanned those whose claims were
	// cancelled in it. Neither is withdrawn or spared for good twice, so that the call ends.
	withdrawn, replanned map[*state.Asker]bool
	// claimed are the claims of this call of Cycle, whose evictions no caller has seen.
	claimed []*newClaim
}

// newClaim is a claim with its targets; uncharge undoes its charge.
type newClaim struct {
	*state.Claim
	targets  []*state.Target
	uncharge func()
}

// NewRound begins the preemption in one tree during one cycle. Call End when the cycle ends.
func (pr *Planner) NewRound(t *state.Tree) *Round {
	pr.claims.Prune()
	return &Round{Planner: pr, Tree: t, largest: map[*state.Queue]*largest{}, withdrawn: map[*state.Asker]bool{}, replanned: map[*state.Asker]bool{}}
}

// prepare collects, once per cycle, what does not depend on the ask. It checks repeatedly whether queues borrow,
// because grants of this cycle may.
func (pr *Round) prepare() {
	if !pr.prepared {
		pr.prepared = true
		pr.statesKnown = pr.Tree.UnknownStates == 0
		pr.terminating = pr.holders.TerminatingTargets(pr.Tree)
	}
	if !pr.quotaToReclaim && pr.lookedAt != pr.Tree.HolderVersion {
		pr.quotaToReclaim, pr.lookedAt = len(pr.terminating) > 0 || pr.hierarchy.AnyBorrowing(pr.Tree), pr.Tree.HolderVersion
	}
}

// End undoes the charges of the claims of this cycle.
func (pr *Round) End() {
	for _, c := range pr.claimed {
		c.uncharge()
	}
}

// Settle lets holders that were preempted in this call keep their grants if they could start again at once: everything
// that is pending and may preempt has its claim, and they fit beside all claims. No caller has seen that they were
// asked to release anything. Settle reports whether there is something to decide again.
func (pr *Round) Settle() (again bool) {
	pr.AfterTerminations(func() {
		for _, c := range pr.claimed {
			for _, v := range c.targets {
				pr.spare(c, v)
			}
		}
	})
	pr.terminating = slices.DeleteFunc(pr.terminating, func(v *state.Target) bool { return v.Count == 0 })
	for _, c := range slices.Clone(pr.claimed) { // one whose targets are all spared may await others, or fit
		if pr.claims.IsPending(c.Claim) {
			continue
		}
		c.uncharge()
		if c.Awaited = pr.holders.Awaited(pr.terminating, c.Asker.Class.Queue, pr.claims.Need(c.Claim)); len(c.Awaited) > 0 {
			c.uncharge = pr.claims.Charge([]*state.Claim{c.Claim})
			continue
		}
		again, pr.replanned[c.Asker] = true, true
		pr.Replans++
		pr.claims.Cancel(c.Claim)
		pr.claimed = slices.DeleteFunc(pr.claimed, func(other *newClaim) bool { return other == c })
	}
	return again
}

// spare lets a target keep its grant if it fits beside all claims. The last one of a claim that was planned twice is not
// spared. The caller must have removed the terminating holders from the forest.
func (pr *Round) spare(c *newClaim, v *state.Target) {
	forest, h := pr.hierarchy.Forest, v.Asker.Held
	if _, blocked := forest.Blocked(h.Queue.Node, v.Vector); !v.Whole || blocked || len(c.Targets) == 1 && pr.replanned[c.Asker] || len(h.Growth.Reclaims) > 0 ||
		pr.reservations.DelayedByGrowth(h.Queue, v.Vector) || pr.isPreceded(h) {
		return
	}
	v.UndoRelease(forest)
	v.Count = 0
	pr.claims.Spare(c.Claim, v.Asker)
}

// isPreceded reports whether an ask of the queue that comes before a holder would start in its stead if it ended.
func (pr *Round) isPreceded(h *state.Held) bool {
	h.Queue.UpdateLine()
	return slices.ContainsFunc(h.Queue.Asks.Line, func(class *state.Class) bool {
		ask := class.Next().Ask
		return cmp.Or(cmp.Compare(h.Standing.Priority, ask.Priority), ask.QueuedAt.Compare(h.Standing.QueuedAt)) < 0 &&
			slices.ContainsFunc(class.Options, func(o placement.Option) bool { return pr.reservations.FitsNow(class, o.MinNeed) })
	})
}

// MayClaim reports whether searching targets for a class that does not fit may succeed.
func (pr *Round) MayClaim(class *state.Class) bool {
	if class.IsInadmissible() || !pr.MayPreemptFrom(class.Queue) {
		return false
	}
	next := class.Next()
	return next != nil && (class.NoTargetsAt != pr.Tree.TargetVersion || class.NoTargetsFor != next) && !pr.claims.FillMaxRunning(class)
}

// MayPreemptFrom reports whether any ask of a queue may preempt now.
func (pr *Round) MayPreemptFrom(q *state.Queue) bool {
	if q.Config == nil || q.StoppedBy != nil || !q.Config.Preemption.Any() {
		return false
	}
	pr.prepare()
	return pr.statesKnown && q.Config.Preemption.Active(pr.quotaToReclaim)
}

// CanClaim reports whether the first ask of a class without a claim could get one now.
func (pr *Round) CanClaim(class *state.Class) bool {
	return pr.MayClaim(class) && pr.plan(class) != nil
}

// Claim creates and charges a claim for the first ask of a class without one, if preempting can make enough quota free.
// Of its targets, grants that no caller has seen are withdrawn at once; withdrawn reports whether there were any. If
// that is enough, there is no claim, and Claim returns where the ask fits now.
func (pr *Round) Claim(class *state.Class) (claimed, withdrawn bool, fits placement.Choice) {
	if !pr.CanClaim(class) {
		return false, false, nil
	}
	p := pr.plan(class)
	var targets []*state.Target
	for _, v := range p.Targets {
		if withdrawn = withdrawn || v.Asker.Held.IsUnseen(); v.Asker.Held.IsUnseen() {
			pr.withdrawn[v.Asker] = true
			pr.waiting.Revert(v.Asker)
		} else {
			targets = append(targets, v)
		}
	}
	if withdrawn && len(targets) == 0 {
		if p.Awaited = pr.holders.Awaited(pr.terminating, class.Queue, p.Option.MinNeed); len(p.Awaited) == 0 {
			return false, true, p.Option.Where
		}
	}
	c := &state.Claim{Asker: p.Asker, Ask: p.Asker.Ask, Tree: pr.Tree, Where: p.Option.Where, Awaited: p.Awaited}
	for _, v := range targets {
		pr.claims.Evict(c, v)
	}
	pr.terminating = append(pr.terminating, targets...)
	pr.claims.All, c.Asker.Claim = append(pr.claims.All, c), c
	class.CountClaims(1)
	pr.claimed = append(pr.claimed, &newClaim{c, targets, pr.claims.Charge([]*state.Claim{c})})
	pr.Tree.HolderVersion++
	pr.Tree.TargetVersion++
	return true, withdrawn, nil
}

// plan returns the preemption plan for the first ask of a class without a claim, or nil if there is none.
func (pr *Round) plan(class *state.Class) *state.PreemptionPlan {
	a := class.Next()
	if p := class.Plan; p != nil && p.Version == pr.Tree.HolderVersion && p.Asker == a {
		return p
	}
	class.Plan = nil
	pr.AfterTerminations(func() { class.Plan = pr.bestPlan(class) })
	if p := class.Plan; p != nil && len(p.Targets) == 0 {
		if p.Awaited = pr.holders.Awaited(pr.terminating, class.Queue, p.Option.MinNeed); len(p.Awaited) == 0 {
			class.Plan = nil
		}
	}
	if class.Plan == nil {
		class.NoTargetsAt, class.NoTargetsFor = pr.Tree.TargetVersion, a
		return nil
	}
	class.Plan.Version, class.Plan.Asker = pr.Tree.HolderVersion, a
	return class.Plan
}

// AfterTerminations calls f while the forest looks as if the terminating holders were gone. The round must be prepared.
func (pr *Round) AfterTerminations(f func()) {
	for _, v := range pr.terminating {
		v.SimulateRelease(pr.hierarchy.Forest)
	}
	f()
	for _, v := range pr.terminating {
		v.UndoRelease(pr.hierarchy.Forest)
	}
}

// bestPlan returns the plan in the option that the queue prefers, or nil if there is none. The caller must have removed
// the terminating holders from the forest.
func (pr *Round) bestPlan(class *state.Class) *state.PreemptionPlan {
	var best *state.PreemptionPlan
	for i := range class.Options {
		p := pr.search(class, &class.Options[i])
		switch {
		case p == nil:
		case class.Queue.FlavorsInOrder():
			return p
		case best == nil || preferred(p, best, class.Queue.Config.FlavorPreference):
			best = p
		}
	}
	return best
}

// MayFindTargets makes a cheap check whether there may be targets for the first ask of a class. The caller must have
// removed the terminating holders from the forest.
func (pr *Round) MayFindTargets(class *state.Class) bool {
	for i := range class.Options {
		if pr.mayFindTargetsIn(class, &class.Options[i]) {
			return true
		}
	}
	return false
}

// SeesNoTargets reports that there are no targets for a class, in cases that are cheap to recognize and cover most
// classes that were just tried in vain. Either only reserved quota keeps the first ask back and nothing terminates, or
// the limit that blocked the ask still blocks it and the ask would borrow on every level, which it may not do. The
// caller must have removed the terminating holders from the forest.
func (pr *Round) SeesNoTargets(class *state.Class) bool {
	o, q := class.Obstacle, class.Queue
	switch {
	case class.Reserved && len(class.Options) == 1 && class.Placements == nil && len(pr.terminating) == 0:
		return true
	case o == nil || !pr.blocksBorrowers(o, q, class.Blocked.Need):
		return false
	}
	policy := q.Config.Preemption
	return !(policy.Within.IsSet() && q.Held.Ranked.MayPreempt(class.Next().Ask.Priority, policy.Within)) &&
		!(policy.Reclaim.IsSet() && (policy.Borrow == config.PreemptLowerPriority || pr.Tree.FairSharing))
}

// blocksBorrowers reports whether a limit still blocks a need of a queue when the terminating holders are gone, and the
// queue and those above it would borrow with that need.
func (pr *Round) blocksBorrowers(o *state.Obstacle, q *state.Queue, need int64) bool {
	if o.FutureAt != pr.Tree.HolderVersion {
		account := pr.hierarchy.Forest.Account(q.Node, o.Cell)
		o.Future, o.Own = account.Headroom(o.Node), account.OwnHeadroom()
		o.FutureAt = pr.Tree.HolderVersion
	}
	return need > o.Future && need > o.Own
}

// mayFindTargetsIn reports whether there may be targets in one option: in the ask's own queue, or elsewhere because
// the ask stays within the quota of its subtree on some level, may borrow, or has no larger share than another side.
// If enough quota will be free anyway, the ask only has to wait for that, unless the quota is reserved for others;
// then no targets can help.
func (pr *Round) mayFindTargetsIn(class *state.Class, o *placement.Option) bool {
	forest, q := pr.hierarchy.Forest, class.Queue
	if _, blocked := forest.Blocked(q.Node, o.MinNeed); !blocked {
		return pr.reservations.FitsLater(class, o.MinNeed)
	}
	policy := q.Config.Preemption
	if policy.Within.IsSet() && q.Held.Ranked.MayPreempt(class.Next().Ask.Priority, policy.Within) {
		return true
	}
	return policy.Reclaim.IsSet() && (policy.Borrow == config.PreemptLowerPriority || forest.WithinQuota(q.Node, o.MinNeed) || pr.hasNoLargestShare(q, o.MinNeed))
}

// search returns the plan for the first ask of a class in one option, or nil if there is none. The caller must have
// removed the terminating holders from the forest.
func (pr *Round) search(class *state.Class, o *placement.Option) *state.PreemptionPlan {
	if !pr.mayFindTargetsIn(class, o) {
		return nil
	}
	next := class.Next()
	asks := queueing.HolderState{Priority: next.Ask.Priority, QueuedAt: next.Ask.QueuedAt}
	p := &targetSearch{
		preemption: pr.Planner, class: class, preemptor: pr.newPreemptor(class.Queue, asks, o.MinNeed), need: o.MinNeed,
		past: pr.claims.PastTargets(next.Key, next.Ask.Run), spared: maps.Clone(pr.withdrawn),
	}
	pr.hierarchy.Forest.Add(class.Queue.Node, o.MinNeed)
	found, fits := p.run()
	pr.hierarchy.Forest.Remove(class.Queue.Node, o.MinNeed)
	if !fits {
		return nil
	}
	plan := &state.PreemptionPlan{Option: o, Targets: found}
	for _, v := range found {
		if v.Asker.Held.Queue == class.Queue {
			plan.Own = 1
		}
		v.SimulateRelease(pr.hierarchy.Forest)
	}
	plan.Distance = pr.hierarchy.Forest.BorrowingDistance(class.Queue.Node, o.MinNeed)
	for _, v := range found {
		v.UndoRelease(pr.hierarchy.Forest)
	}
	return plan
}

// preferred reports whether a plan is better than one in an earlier flavor, for a queue that does not simply take the
// first flavor.
func preferred(p, earlier *state.PreemptionPlan, by config.FlavorPreference) bool {
	nearer, own := cmp.Compare(p.Distance, earlier.Distance), cmp.Compare(p.Own, earlier.Own)
	if by == config.LeastPreemption {
		return cmp.Or(own, nearer) < 0
	}
	return cmp.Or(nearer, own) < 0
}
