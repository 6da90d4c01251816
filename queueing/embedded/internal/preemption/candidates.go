// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package preemption

import (
	"cmp"

	"github.com/sparkgate/sparkgate/queueing/embedded/internal/heap"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// candidateKind says what is preempted, and where. Kinds are preempted in the order of their values.
type candidateKind int

const (
	unseenOfOthers candidateKind = iota // grants of other queues that no caller has seen
	unseenOwn
	podsOfOthers // pods of other queues above base gangs
	ownPods
	wholeOfOthers // whole askers of other queues
	wholeOwn
	// candidateKinds is the number of kinds.
	candidateKinds
)

func (k candidateKind) pods() bool   { return k == podsOfOthers || k == ownPods }
func (k candidateKind) unseen() bool { return k == unseenOfOthers || k == unseenOwn }
func (k candidateKind) ofOthers() bool {
	return k == unseenOfOthers || k == podsOfOthers || k == wholeOfOthers
}

// candidates holds everything in a tree that an ask may have to preempt. They are computed lazily, because most
// searches need only the first few.
type candidates struct {
	search *targetSearch
	lists  [candidateKinds]*candidateList
}

// candidateList holds the candidates of one kind in the order of compareTargets.
type candidateList struct {
	sources []candidateSource
	// found are the candidates found so far; next holds the sources that have more, ordered by their next candidate.
	found []*state.Target
	next  heap.Heap[*candidateSource]
	begun bool
}

// candidateSource yields the candidates of one kind in one queue, in order.
type candidateSource struct {
	search *targetSearch
	queue  *state.Queue
	kind   candidateKind
	// side is the index, on the path of the search, of the queue on the ask's side just below the lowest common
	// ancestor; 0 for the ask's own queue.
	side int
	// found are the candidates found so far; left is the number of holders not evaluated yet, which are the first ones
	// of the queue's ranking.
	found []*state.Target
	left  int
	// merged counts those candidates that the list has taken over.
	merged int
}

// ofKind returns the candidates of one kind. A queue is left out if it has not borrowed what is short, on every level,
// when it is first evaluated: as nothing is charged to other queues during a search, that cannot change.
func (cs *candidates) ofKind(kind candidateKind) *candidateList {
	if cs.lists[kind] == nil {
		cs.lists[kind] = &candidateList{sources: cs.sources(kind)}
	}
	return cs.lists[kind]
}

func (cs *candidates) sources(kind candidateKind) []candidateSource {
	p := cs.search
	if kind.unseen() && p.preemption.holders.Grants < p.preemptor.class.Queue.Tree.FirstUnseen {
		return nil
	}
	if !kind.ofOthers() {
		return p.appendSource(nil, p.preemptor.class.Queue, kind)
	}
	out := make([]candidateSource, 0, 8)
	for _, q := range p.preemptor.class.Queue.Tree.Queues {
		if q != p.preemptor.class.Queue {
			out = p.appendSource(out, q, kind)
		}
	}
	return out
}

// appendSource appends the source of the candidates of one kind in a queue, unless it can have none.
func (p *targetSearch) appendSource(out []candidateSource, q *state.Queue, kind candidateKind) []candidateSource {
	if len(q.Held.Holders) == 0 || kind.pods() && q.Held.Grown == 0 || !p.preemptor.mayHoldTargets(q) {
		return out
	}
	return append(out, candidateSource{search: p, queue: q, side: p.preemptor.sideBeside(q), kind: kind, left: len(q.Held.Ranked)})
}

func (l *candidateList) begin() {
	l.begun = true
	l.next.Before = func(a, b *candidateSource) bool { return compareTargets(a.at(a.merged), b.at(b.merged)) < 0 }
	for i := range l.sources {
		if s := &l.sources[i]; s.at(0) != nil {
			l.next.Push(s)
		}
	}
}

// at returns the i-th candidate, or nil if there are fewer.
func (l *candidateList) at(i int) *state.Target {
	if !l.begun {
		l.begin()
	}
	for i >= len(l.found) {
		if len(l.next.Items) == 0 {
			return nil
		}
		first := l.next.Items[0]
		l.found = append(l.found, first.at(first.merged))
		if first.merged++; first.at(first.merged) == nil {
			l.next.Remove(0)
		} else {
			l.next.Fix(0)
		}
	}
	return l.found[i]
}

// at returns the i-th candidate, or nil if there are fewer.
func (s *candidateSource) at(i int) *state.Target {
	for i >= len(s.found) {
		if s.left == 0 {
			return nil
		}
		s.left--
		a := s.queue.Held.Ranked[s.left]
		switch {
		case a.Held.MustEnd() || a.Held.Standing.Stuck:
		case s.kind.pods():
			s.found = append(s.found, s.search.podTargets(a)...)
		case s.kind.unseen() == a.Held.IsUnseen():
			s.found = append(s.found, s.search.wholeTargets(a)...)
		}
	}
	return s.found[i]
}

// compareTargets orders candidates of one kind: lower priority first, then newer grants.
func compareTargets(a, b *state.Target) int {
	return cmp.Or(cmp.Compare(a.Asker.Held.Standing.Priority, b.Asker.Held.Standing.Priority), cmp.Compare(b.Asker.Held.Serial, a.Asker.Held.Serial))
}

// collection takes candidates until the ask fits.
type collection struct {
	*targetSearch
	candidates *candidates
	chosen     []*state.Target
	// passedOver is true if a candidate was skipped because it was not eligible.
	passedOver bool
}

// progress is the result of taking candidates of one kind.
type progress int

const (
	// exhausted means that all eligible candidates are taken.
	exhausted progress = iota
	// again means that taking a candidate may have made others eligible that were skipped.
	again
	// enough means that the ask fits.
	enough
)

// collectTargets takes candidates in order until the ask fits; of pods above a base gang it takes only as many as are
// needed. If taking all of them is not enough, it undoes everything and returns nil. A target in the queue of the ask,
// or beside it below the root, may bring the ask within the quota of its side, which makes more candidates eligible, so
// it then starts again with the first kind.
func (p *targetSearch) collectTargets() []*state.Target {
	c := &collection{targetSearch: p, candidates: p.candidates()}
	for kind := candidateKind(0); kind < candidateKinds; kind++ {
		switch c.take(kind) {
		case enough:
			return c.chosen
		case again:
			kind, c.passedOver = -1, false
		}
	}
	for _, v := range c.chosen {
		v.UndoRelease(p.preemption.hierarchy.Forest)
	}
	return nil
}

// take takes candidates of one kind.
func (c *collection) take(kind candidateKind) progress {
	if kind.ofOthers() && !c.preemptor.mayReclaim(c.preemptor.short) {
		c.passedOver = true
		return exhausted
	}
	side, list := c.preemptor.path[max(0, len(c.preemptor.path)-2)], c.candidates.ofKind(kind)
	for i := 0; list.at(i) != nil; i++ {
		for v := list.at(i); !v.Exhausted() && !state.IncludesWhole(v.Asker, c.chosen); {
			if !c.preemptor.isEligible(v, noShareRule) {
				c.passedOver = true
				break
			}
			c.chosen = c.takeOne(v, c.chosen)
			if c.fits() {
				return enough
			}
			if c.passedOver && side.Contains(v.Asker.Held.Queue) {
				return again
			}
		}
	}
	return exhausted
}
