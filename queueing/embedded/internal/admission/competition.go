// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package admission

import "github.com/sparkgate/sparkgate/queueing/embedded/internal/state"

// enter adds a class to the current tournament.
func enter(q *state.Queue, class *state.Class) {
	class.Tournament = q.Contest.Tournament
	q.Contest.Entered++
}

// leave removes the class that competes for the queue from the tournament.
func leave(q *state.Queue) {
	current(q).Tournament = 0
	q.Contest.Entered--
}

// current returns the class that competes for a queue. At least one class of the queue must be in the tournament, and
// the line must be up to date.
func current(q *state.Queue) *state.Class {
	for q.Asks.Line[q.Contest.At].Tournament != q.Contest.Tournament {
		q.Contest.At++
	}
	return q.Asks.Line[q.Contest.At]
}

// enterHead adds the class with the head of a StrictFIFO queue to the tournament, whether it fits or not. If the head
// has a claim, no class is added, because nothing may start before the head.
func enterHead(q *state.Queue) {
	q.Contest.EnteredHead = q.Head()
	if head := q.Contest.EnteredHead; head != nil && head.First().Claim == nil {
		enter(q, head)
	}
}

// HasNewHeads reports whether parts (queueing.Ask.Part) have become heads of StrictFIFO queues and have not competed
// yet. That happens when maxRunning is reached during the cycle.
func HasNewHeads(t *state.Tree) bool {
	some := false
	for _, q := range t.PendingQueues {
		if q.Config == nil || !q.Strict() || q.StoppedBy != nil {
			continue
		}
		if head := q.Head(); head != nil && head.Part && head != q.Contest.EnteredHead {
			q.Contest.SettledAt, some = state.Attempt{}, true
		}
	}
	return some
}

// notCompeting is the heap index of a queue that is not in the tournament.
const notCompeting = -1

// updateChild moves a child to the position among its siblings that its winner deserves.
func updateChild(q, child *state.Queue) {
	switch competes := child.Contest.Winner != nil; {
	case competes && child.Contest.HeapIndex == notCompeting:
		q.Contest.Competing.Push(child)
	case competes:
		q.Contest.Competing.Fix(child.Contest.HeapIndex)
	case child.Contest.HeapIndex != notCompeting:
		q.Contest.Competing.Remove(child.Contest.HeapIndex)
		child.Contest.HeapIndex = notCompeting
	}
	if q.Contest.Winner != q { // otherwise the queue itself competes: its former children were deleted and only hold grants
		q.Contest.Winner = bestChild(q)
	}
}

// bestChild returns the winner of the first competing child, or nil.
func bestChild(q *state.Queue) *state.Queue {
	if len(q.Contest.Competing.Items) == 0 {
		return nil
	}
	return q.Contest.Competing.Items[0].Contest.Winner
}
