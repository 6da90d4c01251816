// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing/quota"
)

// shareRule is a rule by which an ask may preempt where the lowest queue above both it and the target uses fair
// sharing, of the two subtrees below that queue.
type shareRule int

const (
	// noShareRule: only what may be preempted whatever the shares are.
	noShareRule shareRule = iota
	// finalShare: also if the share of the ask's side, with the ask, is not greater than what the target leaves its own
	// side.
	finalShare
	// initialShare: also if the share of the ask's side, with the ask, is less than that of the target's side before.
	initialShare
)

// shareRule returns the weakest rule that the queue allows to preempt those below it by.
func (q *queue) shareRule() shareRule {
	if q == nil || !q.fairSharing() {
		return noShareRule
	}
	switch q.config.FairPreemption {
	case PreemptLessThanInitialShare:
		return initialShare
	case PreemptLessThanOrEqualToFinalShare:
		return finalShare
	}
	return noShareRule
}

// mayPreemptByShare reports whether a queue above lets shares preempt.
func (q *queue) mayPreemptByShare() bool {
	for q = q.parent; q != nil; q = q.parent {
		if q.shareRule() != noShareRule {
			return true
		}
	}
	return false
}

// isAboveShare reports whether an application may be preempted by a rule because its side has more than its share; its
// vector is what would be released. What was preempted before in the same run is not preempted for shares again.
func (p *targetSearch) isAboveShare(v *target, by shareRule) bool {
	forest, q := p.preemption.hierarchy.forest, v.app.held.queue
	mine := p.class.queue.subtreeBeside(q)
	if by = min(by, mine.parent.shareRule()); by == noShareRule || v.whole && p.preemption.claims.wasPreempted(v.app) {
		return false
	}
	theirs, share := q.subtreeBeside(p.class.queue), forest.Share(mine.node)
	if by == initialShare && quota.CompareShares(share, mine.weight(), forest.Share(theirs.node), theirs.weight()) < 0 {
		return true
	}
	forest.Remove(q.node, v.vector)
	defer forest.Add(q.node, v.vector)
	return quota.CompareShares(share, mine.weight(), forest.Share(theirs.node), theirs.weight()) <= 0
}

// collectByShares takes candidates until the ask fits, unit by unit, as collectTargets does, but between queues below
// one that uses fair sharing always of the side that has the largest share then. If the ask does not fit without any of
// them, it reverts all.
func (p *targetSearch) collectByShares() []*target {
	if !p.mayBeginByShares() {
		return nil
	}
	candidates := p.candidates()
	var chosen []*target
	for !p.fits() {
		v := p.nextByShare(candidates, chosen)
		if v == nil {
			for _, v := range chosen {
				v.undoRelease(p.preemption.hierarchy.forest)
			}
			return nil
		}
		chosen = p.takeOne(v, chosen)
	}
	return chosen
}

// mayBeginByShares reports whether there is a queue of which something may be preempted while nothing else is: one that
// has borrowed what is short, beside which the ask stays within quota, or may borrow, or has no larger share.
func (p *targetSearch) mayBeginByShares() bool {
	policy := p.class.queue.config.Preemption
	if p.class.queue.ranked.mayPreempt(p.app.ask.priority, policy.Within) {
		return true
	}
	return policy.Reclaim.set() && slices.ContainsFunc(p.class.queue.tree.queues, func(q *queue) bool {
		if q == p.class.queue || len(q.holders) == 0 || !p.hasBorrowedShort(q) {
			return false
		}
		mine := p.class.queue.subtreeBeside(q)
		return policy.Borrow == PreemptLowerPriority || !p.preemption.hierarchy.forest.Over(mine.node, p.short) ||
			mine.parent.shareRule() != noShareRule && !p.hasLargerShare(mine, q.subtreeBeside(p.class.queue))
	})
}

// nextByShare returns the candidate to take next; nil if none is eligible. A rule that takes more is used only where the
// one before finds nothing.
func (p *targetSearch) nextByShare(candidates *candidates, chosen []*target) *target {
	for _, by := range []shareRule{finalShare, initialShare} {
		for kind := range candidateKinds {
			var firsts []*target
			for _, s := range candidates.ofKind(kind).sources {
				if v := p.firstByShare(s, chosen, by); v != nil {
					firsts = append(firsts, v)
				}
			}
			if len(firsts) > 0 {
				slices.SortFunc(firsts, compareTargets)
				return p.ofLargestShare(firsts)
			}
		}
	}
	return nil
}

// firstByShare returns the first candidate of a source that may be taken now; nil if there is none.
func (p *targetSearch) firstByShare(s *candidateSource, chosen []*target, by shareRule) *target {
	if s.queue != p.class.queue && !p.hasBorrowedShort(s.queue) {
		return nil
	}
	for i := 0; s.at(i) != nil; i++ {
		if v := s.at(i); !v.exhausted() && !includesWhole(v.app, chosen) && p.mayTake(v, chosen, by) {
			return v
		}
	}
	return nil
}

// mayTake reports whether one unit of a candidate may be taken beside those that are chosen.
func (p *targetSearch) mayTake(v *target, chosen []*target, by shareRule) bool {
	if v.count == 0 {
		v.vector = p.vectorOf(v, chosen)
	}
	return p.isEligible(v, by)
}

// ofLargestShare returns the candidate of the side with the largest share on each level where shares count, and the
// first one of those on others. There is at most one candidate of each queue.
func (p *targetSearch) ofLargestShare(firsts []*target) *target {
	for at := p.path[len(p.path)-1]; len(firsts) > 1; {
		side := firsts[0].app.held.queue.below(at)
		if at.fairSharing() {
			for _, v := range firsts[1:] {
				if other := v.app.held.queue.below(at); p.hasLargerShare(other, side) {
					side = other
				}
			}
		}
		var rest []*target
		for _, v := range firsts {
			if v.app.held.queue.below(at) == side {
				rest = append(rest, v)
			}
		}
		firsts, at = rest, side
	}
	return firsts[0]
}

func (p *targetSearch) hasLargerShare(a, b *queue) bool {
	forest := p.preemption.hierarchy.forest
	return a != b && quota.CompareShares(forest.Share(a.node), a.weight(), forest.Share(b.node), b.weight()) > 0
}

// below returns the child of a queue above that contains q; q itself if it is that queue.
func (q *queue) below(above *queue) *queue {
	for q != above && q.parent != above {
		q = q.parent
	}
	return q
}
