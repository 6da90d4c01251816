// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

// enter adds a class to the current tournament.
func (q *queue) enter(class *equivalenceClass) {
	class.tournament = q.tournament
	q.entered++
}

// leave removes the class that competes for the queue from the tournament.
func (q *queue) leave() {
	q.current().tournament = 0
	q.entered--
}

// current returns the class that competes for a queue. At least one class of the queue must be in the tournament, and
// the line must be up to date.
func (q *queue) current() *equivalenceClass {
	for q.line[q.at].tournament != q.tournament {
		q.at++
	}
	return q.line[q.at]
}

// enterHead adds the class with the head of a StrictFIFO queue to the tournament, whether it fits or not. If the head
// has a claim, no class is added, because nothing may start before the head.
func (q *queue) enterHead() {
	q.enteredHead = q.head()
	if head := q.enteredHead; head != nil && head.first().claim == nil {
		q.enter(head)
	}
}

// hasNewHeads reports whether parts (queueing.Ask.Part) have become heads of StrictFIFO queues and have not competed
// yet. That happens when maxRunning is reached during the cycle.
func (t *tree) hasNewHeads() bool {
	some := false
	for _, q := range t.pendingQueues {
		if q.config == nil || !q.strict() || q.stoppedBy != nil {
			continue
		}
		if head := q.head(); head != nil && head.part && head != q.enteredHead {
			q.settledAt, some = attempt{}, true
		}
	}
	return some
}

// notCompeting is the heap index of a queue that is not in the tournament.
const notCompeting = -1

// updateChild moves a child to the position among its siblings that its winner deserves.
func (q *queue) updateChild(child *queue) {
	switch competes := child.winner != nil; {
	case competes && child.heapIndex == notCompeting:
		q.competing.push(child)
	case competes:
		q.competing.fix(child.heapIndex)
	case child.heapIndex != notCompeting:
		q.competing.remove(child.heapIndex)
		child.heapIndex = notCompeting
	}
	if q.winner != q { // otherwise the queue itself competes: its former children were deleted and only hold grants
		q.winner = q.bestChild()
	}
}

// bestChild returns the winner of the first competing child, or nil.
func (q *queue) bestChild() *queue {
	if len(q.competing.items) == 0 {
		return nil
	}
	return q.competing.items[0].winner
}
