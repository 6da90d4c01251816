// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package preemption

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// shareRuleOf returns the most permissive rule by which the children of the queue may preempt each other.
func shareRuleOf(q *state.Queue) shareRule {
	if q == nil || !q.FairSharing() {
		return noShareRule
	}
	switch q.Config.FairPreemption {
	case config.PreemptLessThanInitialShare:
		return initialShare
	case config.PreemptLessThanOrEqualToFinalShare:
		return finalShare
	}
	return noShareRule
}

// hasNoLargestShare reports whether, on some level with a rule about shares, the side of the queue has a share no
// larger than one of its siblings when the need is added.
func (pr *Round) hasNoLargestShare(q *state.Queue, need quota.Vector) bool {
	for side := q; side.Parent != nil; side = side.Parent {
		if shareRuleOf(side.Parent) == noShareRule {
			continue
		}
		largest, weight := pr.largestShareBeside(side)
		if quota.CompareShares(pr.hierarchy.FairRankWith(side, q, need).Share, side.Weight(), largest, weight) <= 0 {
			return true
		}
	}
	return false
}

// largest holds the two children of a queue with the largest shares, at a HolderVersion.
type largest struct {
	first, second           *state.Queue
	firstShare, secondShare quota.Share
	version                 uint64
}

// largestShareBeside returns the largest share among the siblings of a queue, and its weight. The caller must have
// removed the terminating holders from the forest, and must have charged nothing but the claims in addition.
func (pr *Round) largestShareBeside(q *state.Queue) (quota.Share, int32) {
	l := pr.largest[q.Parent]
	if l == nil || l.version != pr.Tree.HolderVersion {
		l = pr.newLargest(q.Parent)
		pr.largest[q.Parent] = l
	}
	switch {
	case l.first == nil || l.first == q && l.second == nil:
		return quota.Share{}, 1
	case l.first == q:
		return l.secondShare, l.second.Weight()
	}
	return l.firstShare, l.first.Weight()
}

func (pr *Round) newLargest(parent *state.Queue) *largest {
	l := &largest{version: pr.Tree.HolderVersion}
	for _, q := range pr.Tree.Queues {
		if q.Parent != parent || q.Node == quota.None {
			continue
		}
		share := pr.hierarchy.Forest.Share(q.Node)
		switch {
		case l.first == nil || quota.CompareShares(share, q.Weight(), l.firstShare, l.first.Weight()) > 0:
			l.first, l.firstShare, l.second, l.secondShare = q, share, l.first, l.firstShare
		case l.second == nil || quota.CompareShares(share, q.Weight(), l.secondShare, l.second.Weight()) > 0:
			l.second, l.secondShare = q, share
		}
	}
	return l
}

// collect takes candidates unit by unit until the ask fits, in order; between queues below one with fair sharing it
// always takes from the side with the largest share. Each may make others eligible: a target in the queue of the ask,
// or beside it below the root, may bring the ask within the quota of its side. If taking everything is not enough,
// collect undoes everything and returns nil.
func (p *targetSearch) collect() []*state.Target {
	candidates := &candidates{search: p}
	var chosen []*state.Target
	for !p.fits() {
		v := p.next(candidates, chosen)
		if v == nil {
			for _, v := range chosen {
				v.UndoRelease(p.preemption.hierarchy.Forest)
			}
			return nil
		}
		chosen = p.takeOne(v, chosen)
	}
	return chosen
}

// next returns the candidate to take next, or nil if none is eligible. A more permissive rule is used only if the
// stricter one finds nothing.
func (p *targetSearch) next(candidates *candidates, chosen []*state.Target) *state.Target {
	rules := []shareRule{noShareRule}
	if p.preemptor.queue.Tree.FairSharing {
		rules, p.shares = []shareRule{finalShare, initialShare}, p.shares[:0]
		for _, side := range p.preemptor.path {
			p.shares = append(p.shares, p.preemption.hierarchy.Forest.Share(side.Node))
		}
	}
	for _, by := range rules {
		mayReclaim := by != noShareRule || p.preemptor.mayReclaim(p.preemptor.short)
		for kind := range candidateKinds {
			if kind.ofOthers() && !mayReclaim {
				continue
			}
			var firsts []*state.Target
			sources := candidates.ofKind(kind)
			for i := range sources {
				if v := p.first(&sources[i], chosen, by); v != nil {
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

// first returns the first candidate of a source that may be taken now, or nil if there is none.
func (p *targetSearch) first(s *candidateSource, chosen []*state.Target, by shareRule) *state.Target {
	if s.queue != p.preemptor.queue && !p.mayTakeFrom(s) {
		return nil
	}
	for i := 0; s.at(i) != nil; i++ {
		if v := s.at(i); !v.Exhausted() && !state.IncludesWhole(v.Asker, chosen) && p.mayTake(v, chosen, by) {
			return v
		}
	}
	return nil
}

// mayTakeFrom reports, looking only at queues, whether anything in another queue may be taken now: it has borrowed what
// is short, and the ask's own side stays within quota, or may borrow, or has no larger share.
func (p *targetSearch) mayTakeFrom(s *candidateSource) bool {
	forest, mine := p.preemption.hierarchy.Forest, p.preemptor.path[s.side]
	if !p.preemptor.hasBorrowedShort(s.queue, p.preemptor.short) {
		return false
	}
	if p.preemptor.queue.Config.Preemption.Borrow == config.PreemptLowerPriority || !forest.Over(mine.Node, p.preemptor.short) {
		return true
	}
	theirs := s.queue.Below(mine.Parent)
	return shareRuleOf(mine.Parent) != noShareRule &&
		quota.CompareShares(p.shares[s.side], mine.Weight(), forest.Share(theirs.Node), theirs.Weight()) <= 0
}

// mayTake reports whether one unit of a candidate may be taken in addition to the chosen ones.
func (p *targetSearch) mayTake(v *state.Target, chosen []*state.Target, by shareRule) bool {
	if v.Count == 0 {
		v.Vector = p.vectorOf(v, chosen)
	}
	return p.preemptor.isEligible(v, by)
}

// ofLargestShare returns, among the first candidates of several queues, one per queue, the one to take: on levels with
// fair sharing it follows the side with the largest share, on others the side of the first candidate.
func (p *targetSearch) ofLargestShare(firsts []*state.Target) *state.Target {
	for at := p.preemptor.path[len(p.preemptor.path)-1]; len(firsts) > 1; {
		side := firsts[0].Asker.Held.Queue.Below(at)
		if at.FairSharing() {
			for _, v := range firsts[1:] {
				if other := v.Asker.Held.Queue.Below(at); p.hasLargerShare(other, side) {
					side = other
				}
			}
		}
		var rest []*state.Target
		for _, v := range firsts {
			if v.Asker.Held.Queue.Below(at) == side {
				rest = append(rest, v)
			}
		}
		firsts, at = rest, side
	}
	return firsts[0]
}

func (p *targetSearch) hasLargerShare(a, b *state.Queue) bool {
	forest := p.preemption.hierarchy.Forest
	return a != b && quota.CompareShares(forest.Share(a.Node), a.Weight(), forest.Share(b.Node), b.Weight()) > 0
}
