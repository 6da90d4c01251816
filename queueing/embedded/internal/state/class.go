// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"fmt"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/heap"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/phrases"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Class holds the asks of one queue with the same needs, the first one at index 0.
type Class struct {
	key       string
	Queue     *Queue
	Signature *placement.Signature
	// HoldsFor bounds how long a grant is held; 0 means no bound.
	HoldsFor time.Duration
	// Part is true if the asks are for parts of what is already admitted (queueing.Ask.Part). They neither count for
	// maxRunning nor wait for other askers to end, because then they would wait for their own owner.
	Part bool
	// index is the index in Queue.Asks.Classes, heapIndex the one in Queue.Asks.Admissible.
	index, heapIndex int
	Askers           heap.Heap[*Asker]
	// Inadmissible is the verdict if no ask of this class can be admitted until the configuration changes, else
	// Undecided.
	Inadmissible queueing.Verdict
	// Options are the ways to place the pods in order of preference, except those that can never fit. Choice is the
	// index of the first one that fitted when the class was last tried.
	Options []placement.Option
	Choice  int
	// Placements searches for further options if not all of them are listed in options; else nil.
	Placements *placement.Search
	// Blocked is the limit that blocked the class when it was last tried. Reserved is true if there was enough free
	// quota, but it was reserved for others.
	Blocked  quota.Block
	Reserved bool
	// Obstacle is the limit that must change before the class can fit; nil if a limit is not what blocks it.
	Obstacle *Obstacle
	// TriedAt is the tree's quotaVersion at which the class did not fit. NoTargetsAt is the TargetVersion at which
	// NoTargetsFor had no targets; Plan is the last preemption plan that was found.
	TriedAt, NoTargetsAt uint64
	NoTargetsFor         *Asker
	Plan                 *PreemptionPlan
	// Claims counts the asks with a claim.
	Claims int
	// Lead is the entry that determines the class's position in the queue's line, if inLine. moved is true if that may
	// have changed. Tournament is the last tournament in which the class may be granted something.
	Lead          entry
	inLine, moved bool
	Tournament    uint64
	// VerdictStale is true if the class is in Queue.Asks.StaleClasses.
	VerdictStale bool
	// BlockReason is why the class is pending since the last cycle; Verdict has it in words.
	BlockReason BlockReason
	Verdict     *queueing.Verdict
	// Arrived are the asks that were added since.
	Arrived []*Asker
}

// NewClass returns a class for an ask and others like it. It is empty.
func NewClass(key string, q *Queue, a *Ask) *Class {
	class := &Class{key: key, Queue: q, Signature: a.Signature, HoldsFor: a.HoldsFor, Part: a.Part}
	class.Askers.Before = func(a, b *Asker) bool { return CompareAskers(a, b) < 0 }
	class.Askers.Moved = func(a *Asker, place int) { a.heapIndex = place }
	return class
}

// IsInadmissible reports whether no ask of this class can be admitted until the configuration changes.
func (class *Class) IsInadmissible() bool {
	return class.Inadmissible.State != queueing.Undecided
}

// First returns the first ask of the class, which must not be empty.
func (class *Class) First() *Asker { return class.Askers.Items[0] }

// Next returns the first ask of the class without a claim, or nil if all have one.
func (class *Class) Next() *Asker {
	if first := class.First(); class.Claims == 0 || first.Claim == nil {
		return first
	}
	for a := range class.Askers.InOrder() {
		if a.Claim == nil {
			return a
		}
	}
	return nil
}

// CountClaims adds n to the number of asks with a claim.
func (class *Class) CountClaims(n int) {
	class.Claims += n
	class.asksChanged()
}

// asksChanged records that the pending asks of a class, or their claims, have changed.
func (class *Class) asksChanged() {
	q := class.Queue
	q.Asks.preemptors, q.Contest.SettledAt = nil, Attempt{}
	if class.moved || class.IsInadmissible() {
		return
	}
	class.moved, q.Asks.moved = true, append(q.Asks.moved, class)
	if len(q.Asks.moved) > maxMoved+2*len(q.Asks.Classes) {
		q.UpdateLine() // otherwise moved would grow without bound in a queue that holds no tournaments
	}
}

// maxMoved is how many classes of a queue may be in moved before asksChanged updates the line.
const maxMoved = 64

// updateLead sets lead to the first ask of the class without a claim, and reports whether there is one.
func (class *Class) updateLead() bool {
	if class.Claims == len(class.Askers.Items) {
		return false
	}
	class.Lead = entryOf(class.Next())
	return true
}

// Add adds an asker. If the class has other askers, it must be in its queue.
func (class *Class) Add(a *Asker) {
	opens := len(class.Askers.Items) == 0
	defer class.asksChanged()
	if a.Claim != nil {
		class.Claims++
	}
	class.Askers.Push(a)
	class.Arrived = append(class.Arrived, a)
	class.Queue.MarkVerdictStale(class)
	switch {
	case class.IsInadmissible():
	case opens:
		class.Queue.Asks.Admissible.Push(class)
	case class.First() == a:
		class.Queue.Asks.Admissible.Fix(class.heapIndex)
	}
}

// Remove removes an asker. A class without askers is dropped.
func (class *Class) Remove(a *Asker) {
	defer class.asksChanged()
	if a.Claim != nil {
		class.Claims--
	}
	if len(class.Askers.Items) == 1 {
		if !class.IsInadmissible() {
			class.Queue.Asks.Admissible.Remove(class.heapIndex)
		}
		class.Askers.Remove(a.heapIndex)
		class.Queue.dropClass(class)
		return
	}
	first := class.First() == a
	class.Askers.Remove(a.heapIndex)
	if first && !class.IsInadmissible() {
		class.Queue.Asks.Admissible.Fix(class.heapIndex)
	}
}

// NeedsText says what is needed and not available.
func NeedsText(class *Class, b quota.Block) string {
	least := ""
	if class.Signature.Elastic >= 0 {
		least = "at least "
	}
	return fmt.Sprintf("needs %s%s %s of flavor %s", least, b.Cell.Resource, phrases.Amount(b.Cell.Resource, b.Need), b.Cell.Flavor)
}
