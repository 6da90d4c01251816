// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "slices"

// preemption creates claims for pending asks that may preempt holders.
type preemption struct {
	hierarchy    *hierarchy
	waiting      *waiting
	holders      *holders
	claims       *claims
	reservations *reservations
}

// maxPreemptionAttempts is how many equivalence classes of one queue are tried in one cycle.
const maxPreemptionAttempts = 8

// preempt creates claims for pending asks that may preempt others, after everything that fits has been granted: at
// most one for each queue, in the order in which the asks would be granted. It returns the new claims.
func (pr *preemption) preempt(t *tree) []*claim {
	if len(pr.claims.pastPreemptions) > maxPastPreemptions {
		pr.claims.prunePastPreemptions()
	}
	waiting := pr.waiting.preemptors(t)
	if len(waiting) == 0 || !pr.holders.allHolderStatesKnown(t) {
		return nil
	}
	var made []*claim
	gone := pr.holders.simulateTerminating(t)
	for _, class := range waiting {
		if pr.claims.hasClaimIn(class.queue) || class.atMaxRunning() != nil || class.preemptionTriedAt == t.holderVersion && class.preemptionTriedFor == class.first() {
			continue
		}
		o, victims := pr.findTargets(class)
		if len(victims) == 0 {
			class.preemptionTriedAt, class.preemptionTriedFor = t.holderVersion, class.first()
			continue
		}
		c := &claim{app: class.first(), ask: class.first().ask, tree: t, where: o.where}
		for _, v := range victims {
			pr.claims.evict(c, v)
			v.simulateRelease(pr.hierarchy.forest)
		}
		gone = append(gone, victims...)
		pr.claims.all, c.app.claim, made = append(pr.claims.all, c), c, append(made, c)
		pr.hierarchy.forest.Add(class.queue.node, o.minNeed)
		defer pr.hierarchy.forest.Remove(class.queue.node, o.minNeed)
	}
	for _, v := range gone {
		v.undoRelease(pr.hierarchy.forest)
	}
	return made
}

// preemptors returns the first classes of the queues that may preempt, in order.
func (wq *waiting) preemptors(t *tree) []*equivalenceClass {
	if len(t.pendingQueues) == 0 {
		return nil
	}
	var out []*equivalenceClass
	borrowed := wq.hierarchy.anyBorrowing(t)
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

// firstClasses returns those with the first asks of a queue, in order.
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

// active reports whether the policies may find targets at all, given whether a queue of the tree borrows.
func (p Preemption) active(borrowed bool) bool {
	set := func(policy Policy) bool { return policy != "" && policy != PreemptNever }
	return set(p.Within) || borrowed && (set(p.Reclaim) || set(p.Borrow))
}

// findTargets returns the targets whose release lets the first ask of the class fit in some option, and that option;
// none if there is no way.
func (pr *preemption) findTargets(class *equivalenceClass) (*option, []*target) {
	for i := range class.options {
		o := &class.options[i]
		p := &targetSearch{preemption: pr, class: class, app: class.first(), need: o.minNeed, short: pr.hierarchy.forest.ShortPart(class.queue.node, o.minNeed)}
		for q := class.queue; q != nil; q = q.parent {
			p.path = append(p.path, q)
		}
		if found := p.run(); len(found) > 0 {
			return o, found
		}
	}
	return nil, nil
}
