// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// shareRule returns the most permissive rule by which the children of the queue may preempt each other.
func (q *queue) shareRule() shareRule {
	if q == nil || !q.fairSharing() {
		return noShareRule
	}
	switch q.config.FairPreemption {
	case config.PreemptLessThanInitialShare:
		return initialShare
	case config.PreemptLessThanOrEqualToFinalShare:
		return finalShare
	}
	return noShareRule
}

// mayPreemptByShare reports whether a queue above has a rule that allows preemption by shares.
func (q *queue) mayPreemptByShare() bool {
	for q = q.parent; q != nil; q = q.parent {
		if q.shareRule() != noShareRule {
			return true
		}
	}
	return false
}

// mayBeginByShares reports whether the first ask of a class, in one option, could preempt anything as its first target:
// in its own queue; in others, because it stays within quota or may borrow; or because on some level its side,
// including the ask, has no larger share than another side.
func (pr *preemptionRound) mayBeginByShares(class *equivalenceClass, o *option) bool {
	forest, q, policy := pr.hierarchy.forest, class.queue, class.queue.config.Preemption
	if q.ranked.mayPreempt(class.next().ask.priority, policy.Within) || policy.Borrow == config.PreemptLowerPriority || forest.WithinQuota(q.node, o.minNeed) {
		return true
	}
	if _, blocked := forest.Blocked(q.node, o.minNeed); !blocked {
		return true // as in mayFindTargetsIn
	}
	return pr.hasNoLargestShare(q, o.minNeed)
}

// hasNoLargestShare reports whether, on some level with a rule about shares, the side of the queue has a share no
// larger than one of its siblings when the need is added.
func (pr *preemptionRound) hasNoLargestShare(q *queue, need quota.Vector) bool {
	forest := pr.hierarchy.forest
	for side := q; side.parent != nil; side = side.parent {
		if side.parent.shareRule() == noShareRule {
			continue
		}
		largest, weight := pr.largestShareBeside(side)
		forest.Add(q.node, need)
		share := forest.Share(side.node)
		forest.Remove(q.node, need)
		if quota.CompareShares(share, side.weight(), largest, weight) <= 0 {
			return true
		}
	}
	return false
}

// largest holds the two children of a queue with the largest shares, at a holderVersion.
type largest struct {
	first, second           *queue
	firstShare, secondShare quota.Share
	version                 uint64
}

// largestShareBeside returns the largest share among the siblings of a queue, and its weight. The caller must have
// removed the terminating holders from the forest, and must have charged nothing but the claims in addition.
func (pr *preemptionRound) largestShareBeside(q *queue) (quota.Share, int32) {
	l := pr.largest[q.parent]
	if l == nil || l.version != pr.tree.holderVersion {
		l = pr.newLargest(q.parent)
		pr.largest[q.parent] = l
	}
	switch {
	case l.first == nil || l.first == q && l.second == nil:
		return quota.Share{}, 1
	case l.first == q:
		return l.secondShare, l.second.weight()
	}
	return l.firstShare, l.first.weight()
}

func (pr *preemptionRound) newLargest(parent *queue) *largest {
	l := &largest{version: pr.tree.holderVersion}
	for _, q := range pr.tree.queues {
		if q.parent != parent || q.node == quota.None {
			continue
		}
		share := pr.hierarchy.forest.Share(q.node)
		switch {
		case l.first == nil || quota.CompareShares(share, q.weight(), l.firstShare, l.first.weight()) > 0:
			l.first, l.firstShare, l.second, l.secondShare = q, share, l.first, l.firstShare
		case l.second == nil || quota.CompareShares(share, q.weight(), l.secondShare, l.second.weight()) > 0:
			l.second, l.secondShare = q, share
		}
	}
	return l
}

// isAboveShare reports whether an asker may be preempted by a rule because its side has more than its share; v.vector
// is what would be released. An asker that was preempted before in the same run is not preempted for shares again.
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

// collectByShares takes candidates unit by unit until the ask fits. It is like collectTargets, but between queues below
// one with fair sharing it always takes from the side with the largest share. If taking everything is not enough, it
// undoes everything and returns nil.
func (p *targetSearch) collectByShares() []*target {
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

// nextByShare returns the candidate to take next, or nil if none is eligible. A more permissive rule is used only if
// the stricter one finds nothing.
func (p *targetSearch) nextByShare(candidates *candidates, chosen []*target) *target {
	p.shares = p.shares[:0]
	for _, side := range p.path {
		p.shares = append(p.shares, p.preemption.hierarchy.forest.Share(side.node))
	}
	for _, by := range []shareRule{finalShare, initialShare} {
		for kind := range candidateKinds {
			var firsts []*target
			sources := candidates.ofKind(kind).sources
			for i := range sources {
				if v := p.firstByShare(&sources[i], chosen, by); v != nil {
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

// firstByShare returns the first candidate of a source that may be taken now, or nil if there is none.
func (p *targetSearch) firstByShare(s *candidateSource, chosen []*target, by shareRule) *target {
	if s.queue != p.class.queue && !p.mayTakeFrom(s) {
		return nil
	}
	for i := 0; s.at(i) != nil; i++ {
		if v := s.at(i); !v.exhausted() && !includesWhole(v.app, chosen) && p.mayTake(v, chosen, by) {
			return v
		}
	}
	return nil
}

// mayTakeFrom reports, looking only at queues, whether anything in another queue may be taken now: it has borrowed what
// is short, and the ask's own side stays within quota, or may borrow, or has no larger share.
func (p *targetSearch) mayTakeFrom(s *candidateSource) bool {
	forest, mine := p.preemption.hierarchy.forest, p.path[s.side]
	if !p.hasBorrowedShort(s.queue) {
		return false
	}
	if p.class.queue.config.Preemption.Borrow == config.PreemptLowerPriority || !forest.Over(mine.node, p.short) {
		return true
	}
	theirs := s.queue.below(mine.parent)
	return mine.parent.shareRule() != noShareRule &&
		quota.CompareShares(p.shares[s.side], mine.weight(), forest.Share(theirs.node), theirs.weight()) <= 0
}

// mayTake reports whether one unit of a candidate may be taken in addition to the chosen ones.
func (p *targetSearch) mayTake(v *target, chosen []*target, by shareRule) bool {
	if v.count == 0 {
		v.vector = p.vectorOf(v, chosen)
	}
	return p.isEligible(v, by)
}

// ofLargestShare returns, among the first candidates of several queues, one per queue, the one to take: on levels with
// fair sharing it follows the side with the largest share, on others the side of the first candidate.
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

// below returns the child of a queue above that contains q, or q itself if it is that queue.
func (q *queue) below(above *queue) *queue {
	for q != above && q.parent != above {
		q = q.parent
	}
	return q
}
