// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"math"
)

// preemption determines what pending asks may preempt, and creates their claims.
type preemption struct {
	hierarchy    *hierarchy
	holders      *holders
	claims       *claims
	reservations *reservations
}

// preemptionRound is the preemption in one tree during one cycle.
type preemptionRound struct {
	*preemption
	tree *tree
	// prepared is true if the fields below are valid.
	prepared bool
	// statesKnown is true if the state of every holder in the tree is known.
	statesKnown bool
	// quotaToReclaim is true if a queue of the tree has borrowed, or something is terminating. If false, that was
	// checked at holderVersion lookedAt.
	quotaToReclaim bool
	lookedAt       uint64
	// terminating are the terminating holders, including those preempted in this cycle.
	terminating []*target
	// largest caches the largest shares among the children of queues.
	largest map[*queue]*largest
	// uncharge undoes the charges of the claims of this cycle.
	uncharge []func()
}

func (pr *preemption) newRound(t *tree) *preemptionRound {
	pr.claims.prunePastPreemptions()
	return &preemptionRound{preemption: pr, tree: t, largest: map[*queue]*largest{}}
}

// prepare collects, once per cycle, what does not depend on the ask. It checks repeatedly whether queues borrow,
// because grants of this cycle may.
func (pr *preemptionRound) prepare() {
	if !pr.prepared {
		pr.prepared = true
		pr.statesKnown = pr.tree.unknownStates == 0
		pr.terminating = pr.holders.terminatingTargets(pr.tree)
	}
	if !pr.quotaToReclaim && pr.lookedAt != pr.tree.holderVersion {
		pr.quotaToReclaim, pr.lookedAt = len(pr.terminating) > 0 || pr.hierarchy.anyBorrowing(pr.tree), pr.tree.holderVersion
	}
}

// end undoes the charges of the claims of this cycle.
func (pr *preemptionRound) end() {
	for _, undo := range pr.uncharge {
		undo()
	}
}

// mayClaim reports whether searching targets for a class that does not fit may succeed.
func (pr *preemptionRound) mayClaim(class *equivalenceClass) bool {
	if class.isInadmissible() || !pr.mayPreemptFrom(class.queue) {
		return false
	}
	next := class.next()
	return next != nil && (class.noTargetsAt != pr.tree.targetVersion || class.noTargetsFor != next) && !pr.claims.fillMaxRunning(class)
}

// mayPreemptFrom reports whether any ask of a queue may preempt now.
func (pr *preemptionRound) mayPreemptFrom(q *queue) bool {
	if q.config == nil || q.stoppedBy != nil || !q.config.Preemption.Any() {
		return false
	}
	pr.prepare()
	return pr.statesKnown && q.config.Preemption.Active(pr.quotaToReclaim)
}

// canClaim reports whether the first ask of a class without a claim could get one now.
func (pr *preemptionRound) canClaim(class *equivalenceClass) bool {
	return pr.mayClaim(class) && pr.plan(class) != nil
}

// claim creates and charges a claim for the first ask of a class without one, if preempting can make enough quota free.
// It reports whether it did.
func (pr *preemptionRound) claim(class *equivalenceClass) bool {
	if !pr.canClaim(class) {
		return false
	}
	p := pr.plan(class)
	c := &claim{app: p.app, ask: p.app.ask, tree: pr.tree, where: p.option.where, awaited: p.awaited}
	for _, v := range p.targets {
		pr.claims.evict(c, v)
	}
	pr.terminating = append(pr.terminating, p.targets...)
	pr.claims.all, c.app.claim = append(pr.claims.all, c), c
	class.countClaims(1)
	pr.uncharge = append(pr.uncharge, pr.claims.chargeClaims([]*claim{c}))
	pr.tree.holderVersion++
	pr.tree.targetVersion++
	return true
}

// plan returns the preemption plan for the first ask of a class without a claim, or nil if there is none.
func (pr *preemptionRound) plan(class *equivalenceClass) *preemptionPlan {
	a := class.next()
	if p := class.plan; p != nil && p.version == pr.tree.holderVersion && p.app == a {
		return p
	}
	class.plan = nil
	pr.afterTerminations(func() { class.plan = pr.bestPlan(class) })
	if p := class.plan; p != nil && len(p.targets) == 0 {
		if p.awaited = pr.holders.awaited(pr.terminating, class.queue, p.option.minNeed); len(p.awaited) == 0 {
			class.plan = nil
		}
	}
	if class.plan == nil {
		class.noTargetsAt, class.noTargetsFor = pr.tree.targetVersion, a
		return nil
	}
	class.plan.version, class.plan.app = pr.tree.holderVersion, a
	return class.plan
}

// afterTerminations calls f while the forest looks as if the terminating holders were gone. The round must be prepared.
func (pr *preemptionRound) afterTerminations(f func()) {
	for _, v := range pr.terminating {
		v.simulateRelease(pr.hierarchy.forest)
	}
	f()
	for _, v := range pr.terminating {
		v.undoRelease(pr.hierarchy.forest)
	}
}

// bestPlan returns the plan in the option that the queue prefers, or nil if there is none. The caller must have removed
// the terminating holders from the forest.
func (pr *preemptionRound) bestPlan(class *equivalenceClass) *preemptionPlan {
	var best *preemptionPlan
	for i := range class.options {
		p := pr.search(class, &class.options[i])
		switch {
		case p == nil:
		case class.queue.flavorsInOrder():
			return p
		case best == nil || p.preferredTo(best, class.queue.config.FlavorPreference):
			best = p
		}
	}
	return best
}

// mayFindTargets makes a cheap check whether there may be targets for the first ask of a class. The caller must have
// removed the terminating holders from the forest.
func (pr *preemptionRound) mayFindTargets(class *equivalenceClass) bool {
	for i := range class.options {
		if pr.mayFindTargetsIn(class, &class.options[i]) {
			return true
		}
	}
	return false
}

// seesNoTargets reports that there are no targets for a class, in cases that are cheap to recognize and cover most
// classes that were just tried in vain. Either only reserved quota keeps the first ask back and nothing terminates, or
// the limit that blocked the ask still blocks it and the ask would borrow on every level, which it may not do. The
// caller must have removed the terminating holders from the forest.
func (pr *preemptionRound) seesNoTargets(class *equivalenceClass) bool {
	o, q := class.obstacle, class.queue
	switch {
	case class.reserved && len(class.options) == 1 && class.placements == nil && len(pr.terminating) == 0:
		return true
	case o == nil || !pr.blocksBorrowers(o, q, class.blocked.Need):
		return false
	}
	policy := q.config.Preemption
	return !(policy.Within.IsSet() && q.ranked.mayPreempt(class.next().ask.priority, policy.Within)) &&
		!(policy.Reclaim.IsSet() && (policy.Borrow == config.PreemptLowerPriority || q.mayPreemptByShare()))
}

// blocksBorrowers reports whether a limit still blocks a need of a queue when the terminating holders are gone, and the
// queue and those above it would borrow with that need.
func (pr *preemptionRound) blocksBorrowers(o *obstacle, q *queue, need int64) bool {
	if o.futureAt != pr.tree.holderVersion {
		account := pr.hierarchy.forest.Account(q.node, o.cell)
		o.future, o.own = account.Headroom(o.node), account.OwnHeadroom()
		o.futureAt = pr.tree.holderVersion
	}
	return need > o.future && need > o.own
}

// mayFindTargetsIn reports whether there may be targets in one option: in the ask's own queue, or elsewhere because the
// ask stays within the quota of its subtree on some level or may borrow. If enough quota will be free anyway, the ask
// only has to wait for that, unless the quota is reserved for others; then no targets can help.
func (pr *preemptionRound) mayFindTargetsIn(class *equivalenceClass, o *option) bool {
	forest, q := pr.hierarchy.forest, class.queue
	if _, blocked := forest.Blocked(q.node, o.minNeed); !blocked {
		return pr.reservations.fitsLater(class, o.minNeed)
	}
	policy := q.config.Preemption
	if policy.Within.IsSet() && q.ranked.mayPreempt(class.next().ask.priority, policy.Within) {
		return true
	}
	return policy.Reclaim.IsSet() && (policy.Borrow == config.PreemptLowerPriority || q.mayPreemptByShare() || forest.WithinQuota(q.node, o.minNeed))
}

// search returns the plan for the first ask of a class in one option, or nil if there is none. The caller must have
// removed the terminating holders from the forest.
func (pr *preemptionRound) search(class *equivalenceClass, o *option) *preemptionPlan {
	if !pr.mayFindTargetsIn(class, o) || pr.tree.fairSharing && !pr.mayBeginByShares(class, o) {
		return nil
	}
	next := class.next()
	p := pr.newSearch(class, o)
	p.past, p.newest = pr.claims.preemptedBy[appRun{next.key, next.ask.run}], pr.tree.firstOfCycle
	found, fits := p.run()
	if !fits {
		return nil
	}
	plan := &preemptionPlan{option: o, targets: found}
	for _, v := range found {
		plan.own = plan.own || v.app.held.queue == class.queue
		v.simulateRelease(pr.hierarchy.forest)
	}
	plan.distance = pr.hierarchy.forest.BorrowingDistance(class.queue.node, o.minNeed)
	for _, v := range found {
		v.undoRelease(pr.hierarchy.forest)
	}
	return plan
}

// newSearch returns a search for the first ask of a class in one option, without bounds on serials.
func (pr *preemptionRound) newSearch(class *equivalenceClass, o *option) *targetSearch {
	p := &targetSearch{preemption: pr.preemption, class: class, app: class.next(), need: o.minNeed, newest: math.MaxUint64,
		short: pr.hierarchy.forest.ShortPart(class.queue.node, o.minNeed)}
	for q := class.queue; q != nil; q = q.parent {
		p.path = append(p.path, q)
	}
	return p
}

// preferredTo reports whether a plan is better than one in an earlier flavor, for a queue that does not simply take the
// first flavor.
func (p *preemptionPlan) preferredTo(earlier *preemptionPlan, by config.FlavorPreference) bool {
	nearer, own := cmp.Compare(p.distance, earlier.distance), compareBools(p.own, earlier.own)
	if by == config.LeastPreemption {
		return cmp.Or(own, nearer) < 0
	}
	return cmp.Or(nearer, own) < 0
}
