// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package preemption

import (
	"cmp"

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

// candidates holds, by kind and queue, everything in a tree that an ask may have to preempt. They are computed lazily,
// because most searches need only the first few.
type candidates struct {
	search *targetSearch
	lists  [candidateKinds][]candidateSource
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
}

// ofKind returns the candidates of one kind. A queue is left out if it has not borrowed what is short, on every level,
// when it is first evaluated: as nothing is charged to other queues during a search, that cannot change.
func (cs *candidates) ofKind(kind candidateKind) []candidateSource {
	if cs.lists[kind] != nil {
		return cs.lists[kind]
	}
	cs.lists[kind] = []candidateSource{}
	p := cs.search
	tree, queues := p.preemptor.queue.Tree, []*state.Queue{p.preemptor.queue}
	if kind.ofOthers() {
		queues = tree.Queues
	}
	for _, q := range queues {
		if (q == p.preemptor.queue) == kind.ofOthers() || len(q.Held.Holders) == 0 || kind.pods() && q.Held.Grown == 0 ||
			kind.unseen() && p.preemption.holders.Grants < tree.FirstUnseen || !p.preemptor.mayHoldTargets(q) {
			continue
		}
		cs.lists[kind] = append(cs.lists[kind], candidateSource{search: p, queue: q, side: p.preemptor.sideBeside(q), kind: kind, left: len(q.Held.Ranked)})
	}
	return cs.lists[kind]
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
