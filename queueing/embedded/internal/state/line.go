// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import "slices"

// UpdateLine moves the classes in moved to their positions in the line.
func (q *Queue) UpdateLine() {
	if len(q.Asks.moved) > maxMoved && 8*len(q.Asks.moved) > len(q.Asks.Line) {
		q.sortLine()
	}
	for _, class := range q.Asks.moved { // remove all of them first: the line is only sorted by their old leads
		if class.moved = false; class.inLine {
			at, _ := slices.BinarySearchFunc(q.Asks.Line, class.Lead, leadsBefore)
			q.Asks.Line = slices.Delete(q.Asks.Line, at, at+1)
		}
	}
	for _, class := range q.Asks.moved {
		if class.inLine = class.updateLead(); class.inLine {
			at, _ := slices.BinarySearchFunc(q.Asks.Line, class.Lead, leadsBefore)
			q.Asks.Line = slices.Insert(q.Asks.Line, at, class)
		}
	}
	clear(q.Asks.moved)
	q.Asks.moved = q.Asks.moved[:0]
}

// sortLine builds the line again from all classes.
func (q *Queue) sortLine() {
	for _, class := range q.Asks.moved {
		class.inLine, class.moved = false, false
	}
	clear(q.Asks.moved)
	clear(q.Asks.Line)
	q.Asks.Line, q.Asks.moved = q.Asks.Line[:0], q.Asks.moved[:0]
	for _, class := range q.Asks.Classes {
		if class.inLine = !class.IsInadmissible() && class.updateLead(); class.inLine {
			q.Asks.Line = append(q.Asks.Line, class)
		}
	}
	slices.SortFunc(q.Asks.Line, func(a, b *Class) int { return a.Lead.compare(b.Lead) })
}

func leadsBefore(class *Class, lead entry) int { return class.Lead.compare(lead) }

// FirstPreemptors returns the classes of a queue that are tried for preemption, in order.
func (q *Queue) FirstPreemptors() []*Class {
	if q.Asks.preemptors == nil {
		q.Asks.preemptors = q.firstClasses(maxPreemptionAttempts)
	}
	return q.Asks.preemptors
}

// maxPreemptionAttempts is how many equivalence classes of one queue are tried per tournament.
const maxPreemptionAttempts = 8

// firstClasses returns the classes with the first asks of a queue, in order, skipping classes whose asks all have
// claims.
func (q *Queue) firstClasses(limit int) []*Class {
	out := make([]*Class, 0, limit)
	for class := range q.Asks.Admissible.InOrder() {
		if class.Claims < len(class.Askers.Items) {
			out = append(out, class)
		}
		if len(out) == limit {
			break
		}
	}
	return out
}
