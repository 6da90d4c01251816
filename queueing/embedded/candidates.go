// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "cmp"

// candidateKind is what is preempted, and where: kinds that come first are preempted first.
type candidateKind int

const (
	podsOfOthers candidateKind = iota // pods above base gangs
	ownPods
	wholeOfOthers // whole applications
	wholeOwn
	// candidateKinds is how many there are.
	candidateKinds
)

func (k candidateKind) whole() bool    { return k == wholeOfOthers || k == wholeOwn }
func (k candidateKind) ofOthers() bool { return k == podsOfOthers || k == wholeOfOthers }

// candidates is everything in a tree that an ask may have to preempt. They are found one by one: most searches need
// only the first few.
type candidates struct {
	search *targetSearch
	lists  [candidateKinds]*candidateList
}

// candidateList holds the candidates of one kind in the order of compareTargets.
type candidateList struct {
	sources []candidateSource
	// found so far, and the sources that have more, each with its next candidate, which comes first at place 0.
	found []*target
	next  heap[*candidateSource]
	begun bool
}

// candidateSource yields the candidates of one kind in one queue, in order.
type candidateSource struct {
	search *targetSearch
	queue  *queue
	whole  bool
	// side is the place, on the path of the search, of the ask's side below the lowest queue that is above both; 0 for its
	// own queue.
	side int
	// found so far, and how many holders have not been looked at: the first ones of the queue's ranking.
	found []*target
	left  int
	// merged counts those that were found in the list, too.
	merged int
}

// ofKind returns the candidates of one kind. Nothing is charged to another queue during a search: one that has not
// borrowed what is short, on every level, when it is first looked at has not later either, and is left out.
func (cs *candidates) ofKind(kind candidateKind) *candidateList {
	if cs.lists[kind] == nil {
		cs.lists[kind] = &candidateList{sources: cs.sources(kind)}
	}
	return cs.lists[kind]
}

func (cs *candidates) sources(kind candidateKind) []candidateSource {
	p := cs.search
	if !kind.ofOthers() {
		return p.appendSource(nil, p.class.queue, kind)
	}
	out := make([]candidateSource, 0, 8)
	for _, q := range p.class.queue.tree.queues {
		if q != p.class.queue {
			out = p.appendSource(out, q, kind)
		}
	}
	return out
}

// appendSource appends the candidates of one kind in a queue, unless there are none.
func (p *targetSearch) appendSource(out []candidateSource, q *queue, kind candidateKind) []candidateSource {
	if len(q.holders) == 0 || !kind.whole() && q.grown == 0 || !p.mayHoldTargets(q) {
		return out
	}
	return append(out, candidateSource{search: p, queue: q, side: p.sideBeside(q), whole: kind.whole(), left: len(q.ranked)})
}

func (l *candidateList) begin() {
	l.begun = true
	l.next.before = func(a, b *candidateSource) bool { return compareTargets(a.at(a.merged), b.at(b.merged)) < 0 }
	l.next.moved = func(*candidateSource, int) {}
	for i := range l.sources {
		if s := &l.sources[i]; s.at(0) != nil {
			l.next.push(s)
		}
	}
}

// at returns the i-th candidate; nil if there are fewer.
func (l *candidateList) at(i int) *target {
	if !l.begun {
		l.begin()
	}
	for i >= len(l.found) {
		if len(l.next.items) == 0 {
			return nil
		}
		first := l.next.items[0]
		l.found = append(l.found, first.at(first.merged))
		if first.merged++; first.at(first.merged) == nil {
			l.next.remove(0)
		} else {
			l.next.fix(0)
		}
	}
	return l.found[i]
}

// at returns the i-th candidate; nil if there are fewer.
func (s *candidateSource) at(i int) *target {
	for i >= len(s.found) {
		if s.left == 0 {
			return nil
		}
		s.left--
		a := s.queue.ranked[s.left]
		switch {
		case a.held.isTerminating() || a.held.serial < s.search.oldest || a.held.serial >= s.search.newest:
		case s.whole:
			s.found = append(s.found, s.search.wholeTargets(a)...)
		default:
			s.found = append(s.found, s.search.podTargets(a)...)
		}
	}
	return s.found[i]
}

// compareTargets orders candidates of one kind: lower priority first, then the newest grant.
func compareTargets(a, b *target) int {
	return cmp.Or(cmp.Compare(a.app.held.standing.Priority, b.app.held.standing.Priority), cmp.Compare(b.app.held.serial, a.app.held.serial))
}

// collection takes candidates until the ask fits.
type collection struct {
	*targetSearch
	candidates *candidates
	chosen     []*target
	// passedOver: a candidate was passed over that was not eligible.
	passedOver bool
}

// progress is what came of taking candidates of one kind.
type progress int

const (
	// exhausted: all that are eligible are taken.
	exhausted progress = iota
	// again: what was taken may have made others eligible that were passed over.
	again
	// enough: the ask fits.
	enough
)

// collectTargets takes candidates in order until the ask fits; of pods above a base gang it takes as many as are
// needed. If the ask does not fit without any of them, it reverts all. A target in the queue of the ask, or beside it
// below the root, may bring the ask within the quota of its side, which makes more candidates eligible: then it begins
// again with the first one.
func (p *targetSearch) collectTargets() []*target {
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
		v.undoRelease(p.preemption.hierarchy.forest)
	}
	return nil
}

// take takes candidates of one kind.
func (c *collection) take(kind candidateKind) progress {
	if kind.ofOthers() && !c.mayReclaim() {
		c.passedOver = true
		return exhausted
	}
	side, list := c.path[max(0, len(c.path)-2)], c.candidates.ofKind(kind)
	for i := 0; list.at(i) != nil; i++ {
		for v := list.at(i); !v.exhausted() && !includesWhole(v.app, c.chosen); {
			if !c.isEligible(v, noShareRule) {
				c.passedOver = true
				break
			}
			c.chosen = c.takeOne(v, c.chosen)
			if c.fits() {
				return enough
			}
			if c.passedOver && side.contains(v.app.held.queue) {
				return again
			}
		}
	}
	return exhausted
}
