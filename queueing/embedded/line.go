// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "slices"

// updateLine moves the classes in moved to their positions in the line.
func (q *queue) updateLine() {
	if len(q.moved) > maxMoved && 8*len(q.moved) > len(q.line) {
		q.sortLine()
	}
	for _, class := range q.moved { // remove all of them first: the line is only sorted by their old leads
		if class.moved = false; class.inLine {
			at, _ := slices.BinarySearchFunc(q.line, class.lead, leadsBefore)
			q.line = slices.Delete(q.line, at, at+1)
		}
	}
	for _, class := range q.moved {
		if class.inLine = class.updateLead(); class.inLine {
			at, _ := slices.BinarySearchFunc(q.line, class.lead, leadsBefore)
			q.line = slices.Insert(q.line, at, class)
		}
	}
	clear(q.moved)
	q.moved = q.moved[:0]
}

// sortLine builds the line again from all classes.
func (q *queue) sortLine() {
	for _, class := range q.moved {
		class.inLine, class.moved = false, false
	}
	clear(q.moved)
	clear(q.line)
	q.line, q.moved = q.line[:0], q.moved[:0]
	for _, class := range q.classes {
		if class.inLine = !class.isInadmissible() && class.updateLead(); class.inLine {
			q.line = append(q.line, class)
		}
	}
	slices.SortFunc(q.line, func(a, b *equivalenceClass) int { return a.lead.compare(b.lead) })
}

func leadsBefore(class *equivalenceClass, lead entry) int { return class.lead.compare(lead) }

// firstPreemptors returns the classes of a queue that are tried for preemption, in order.
func (q *queue) firstPreemptors() []*equivalenceClass {
	if q.preemptors == nil {
		q.preemptors = q.firstClasses(maxPreemptionAttempts)
	}
	return q.preemptors
}

// maxPreemptionAttempts is how many equivalence classes of one queue are tried per tournament.
const maxPreemptionAttempts = 8

// firstClasses returns the classes with the first asks of a queue, in order, skipping classes whose asks all have
// claims.
func (q *queue) firstClasses(limit int) []*equivalenceClass {
	out := make([]*equivalenceClass, 0, limit)
	for class := range q.admissible.inOrder() {
		if class.claims < len(class.apps.items) {
			out = append(out, class)
		}
		if len(out) == limit {
			break
		}
	}
	return out
}
