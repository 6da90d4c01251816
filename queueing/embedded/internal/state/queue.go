// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/heap"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Queue is a queue that is configured, or only named by an ask or a grant.
type Queue struct {
	Name string
	Tree *Tree
	// Parent is the queue to which the usage of this one is added. Ancestors are the names of the parent and of all
	// queues above it, as configured.
	Parent    *Queue
	Ancestors []string
	// Config is nil if the queue does not exist.
	Config *config.Queue
	// Node is quota.None if the queue is in no tree.
	Node quota.NodeID
	// StoppedBy is the nearest stopped queue, this one or one above it; DrainedBy is the nearest drained one.
	StoppedBy, DrainedBy *Queue
	// Flavors are those in which the queue may place pods. FlavorsOf is the queue that names them, this one or one
	// above it; nil if none does and Flavors is DefaultFlavor.
	Flavors   []string
	FlavorsOf *Queue
	// Limited is true if any queue of the tree has a quota. NoQuota is true if none has one and the root is not
	// unlimited.
	Limited, NoQuota bool

	Asks    pendingAsks
	Contest contest
	Held    heldGrants
	// Pending and Admitted count askers in this queue and those below it. Kinds has the same counts by kind, parts
	// included.
	Pending, Admitted int32
	Kinds             kindCounts
}

// pendingAsks are the pending asks of one queue.
type pendingAsks struct {
	// ClassByKey and Classes hold the pending asks by equivalence class, in no particular order. Admissible holds those
	// classes that are not inadmissible, with the class of the first ask at index 0.
	ClassByKey map[string]*Class
	Classes    []*Class
	Admissible heap.Heap[*Class]
	// obstacles are the limits that block the queue's classes, computed at the tree's quotaVersion obstaclesAt.
	obstacles   []*Obstacle
	obstaclesAt uint64
	// preemptors are the classes to try for preemption; nil if they must be determined again.
	preemptors []*Class
	// Line holds the classes that have asks without claims, ordered by the first of these asks, except for the classes
	// in moved, whose order may have changed.
	Line, moved []*Class
	// BlockReason is why the last verdicts say that no ask of the queue is admitted. StaleClasses are the classes whose
	// verdicts may need an update.
	BlockReason  BlockReason
	StaleClasses []*Class
	// BlockedHead is the head at the end of the last cycle if it did not fit; StrictHead is the same for a StrictFIFO
	// queue.
	BlockedHead, StrictHead *Asker
}

// contest is the part of one queue in a tournament (package admission).
type contest struct {
	// SettledAt are the versions at which the queue last entered a tournament; zero if asks were added or removed
	// since.
	SettledAt Attempt
	// EnteredHead is the class whose ask was the head of a StrictFIFO queue when it last entered a tournament.
	EnteredHead *Class
	// Entered is the number of classes of the queue's line that may still be granted something. The first of them
	// competes; it is at index at or later.
	At, Entered int
	// Lead is the first ask of the competing class.
	Lead entry
	// Distance is over how many levels that ask borrows (quota.Forest.BorrowingDistance). See admission.Tournament for
	// the other two.
	Distance                     int
	RecheckNeeded, InRecheckList bool
	// Winner is the queue that comes first in the tournament, this one or one below it; nil if none competes. Competing
	// holds the competing children, HeapIndex is the index among the siblings, FairRank is the rank that the queue would
	// have with the winner's first ask. All of these belong to the tournament with the number tournament.
	Winner     *Queue
	Competing  heap.Heap[*Queue]
	HeapIndex  int
	FairRank   FairRank
	Tournament uint64
}

// heldGrants are the grants that are charged to one queue itself.
type heldGrants struct {
	// Holders have the grants, and Ranked are the same in preemption order. leaving counts the holders that must release
	// something, Grown those that have pods above their base gangs.
	Holders        []*Asker
	Ranked         ranking
	leaving, Grown int
}

func newQueue(name string, t *Tree) *Queue {
	q := &Queue{Name: name, Tree: t, Node: quota.None, Asks: pendingAsks{ClassByKey: map[string]*Class{}}}
	q.Asks.Admissible.Before = func(a, b *Class) bool { return CompareAskers(a.First(), b.First()) < 0 }
	q.Asks.Admissible.Moved = func(class *Class, place int) { class.heapIndex = place }
	q.Contest.Competing.Before = q.childBefore
	q.Contest.Competing.Moved = func(child *Queue, place int) { child.Contest.HeapIndex = place }
	return q
}

// Root returns the topmost existing queue above this one, or the queue itself.
func (q *Queue) Root() *Queue {
	for q.Parent != nil && q.Parent.Config != nil {
		q = q.Parent
	}
	return q
}

// Access says whether an ask may use its queue.
type Access int

const (
	Allowed Access = iota
	// NotSelected means that the queue's selector does not match.
	NotSelected
	// WithoutLimits means that the queue has no quota, which the ask's namespace may not use.
	WithoutLimits
)

// Access returns whether an ask may use the queue.
func (q *Queue) Access(a *Ask) Access {
	switch {
	case q.Config == nil, q.Config.Admits == nil, !q.Config.Admits(a.Labels):
		return NotSelected
	case a.NeedsLimits && !q.Limited && !q.Config.NamesNamespaces:
		return WithoutLimits
	}
	return Allowed
}

// Strict reports whether nothing may start before the head of the queue.
func (q *Queue) Strict() bool { return q.Config.Strategy == config.StrictFIFO }

// FlavorsInOrder reports whether an ask gets the first flavor in which it fits.
func (q *Queue) FlavorsInOrder() bool {
	return q.Config.FlavorPreference != config.LeastBorrowing && q.Config.FlavorPreference != config.LeastPreemption
}

// AtMaxRunning returns the queue that has reached its maxRunning, this one or one above it, or nil.
func (q *Queue) AtMaxRunning() *Queue {
	for ; q != nil; q = q.Parent {
		if q.Config != nil && q.Config.MaxRunning != nil && q.Admitted >= *q.Config.MaxRunning {
			return q
		}
	}
	return nil
}

// FairSharing reports whether the children of the queue are ordered by their shares.
func (q *Queue) FairSharing() bool { return q.Config != nil && q.Config.FairSharing }

// Weight returns by what the share of the queue is divided; 1 for a queue that does not exist.
func (q *Queue) Weight() int32 {
	if q.Config == nil {
		return 1
	}
	return q.Config.Weight
}

// childBefore orders two children of the queue. If the queue uses fair sharing, a child that stays within its own quota
// comes first, then one with a smaller share. After that, the shorter borrowing distance and the first ask decide.
func (q *Queue) childBefore(a, b *Queue) bool {
	if q.FairSharing() {
		if order := a.Contest.FairRank.Compare(b.Contest.FairRank); order != 0 {
			return order < 0
		}
	}
	if a.Contest.Winner.Contest.Distance != b.Contest.Winner.Contest.Distance {
		return a.Contest.Winner.Contest.Distance < b.Contest.Winner.Contest.Distance
	}
	return a.Contest.Winner.Contest.Lead.compare(b.Contest.Winner.Contest.Lead) < 0
}

// Contains reports whether the other queue is q or below it.
func (q *Queue) Contains(other *Queue) bool {
	for ; other != nil; other = other.Parent {
		if other == q {
			return true
		}
	}
	return false
}

// SubtreeBeside returns the highest queue, from q upward, that is not an ancestor of the other queue.
func (q *Queue) SubtreeBeside(other *Queue) *Queue {
	for q.Parent != nil && !q.Parent.Contains(other) {
		q = q.Parent
	}
	return q
}

// HeadTimeout returns how long the head of the queue may be overtaken before quota is reserved for it.
func (q *Queue) HeadTimeout() time.Duration {
	if q.Config.HeadTimeout != nil {
		return *q.Config.HeadTimeout
	}
	return config.DefaultHeadTimeout
}

// KeepsOwnPart reports whether reservations of the queue keep only what is left of the queue's own quota.
func (q *Queue) KeepsOwnPart() bool { return q.Strict() && q.HeadTimeout() == 0 }

// Below returns the child of a queue above that contains q, or q itself if it is that queue.
func (q *Queue) Below(above *Queue) *Queue {
	for q != above && q.Parent != above {
		q = q.Parent
	}
	return q
}

// MarkVerdictStale records that the verdict of a class may need an update.
func (q *Queue) MarkVerdictStale(class *Class) {
	if !class.VerdictStale {
		class.VerdictStale = true
		q.Asks.StaleClasses = append(q.Asks.StaleClasses, class)
	}
}

// AddClass adds a class to the queue. The first class adds the queue to the pending queues of its tree.
func (q *Queue) AddClass(class *Class) {
	if len(q.Asks.Classes) == 0 {
		at, _ := slices.BinarySearchFunc(q.Tree.PendingQueues, q.Name, byName)
		q.Tree.PendingQueues = slices.Insert(q.Tree.PendingQueues, at, q)
	}
	q.Asks.ClassByKey[class.key] = class
	class.index = len(q.Asks.Classes)
	q.Asks.Classes = append(q.Asks.Classes, class)
}

func (q *Queue) dropClass(class *Class) {
	delete(q.Asks.ClassByKey, class.key)
	last := q.Asks.Classes[len(q.Asks.Classes)-1]
	q.Asks.Classes[class.index], last.index = last, class.index
	q.Asks.Classes[len(q.Asks.Classes)-1] = nil
	q.Asks.Classes = q.Asks.Classes[:len(q.Asks.Classes)-1]
	if len(q.Asks.Classes) == 0 {
		at, _ := slices.BinarySearchFunc(q.Tree.PendingQueues, q.Name, byName)
		q.Tree.PendingQueues = slices.Delete(q.Tree.PendingQueues, at, at+1)
	}
}

func byName(q *Queue, name string) int { return strings.Compare(q.Name, name) }

// Named returns a queue in words for an asker of the queue of, which is the same queue or one below it.
func Named(q, of *Queue) string {
	if q == of {
		return "queue " + q.Name
	}
	return fmt.Sprintf("queue %s, above %s,", q.Name, of.Name)
}

// StopText says that queue q is stopped, and how, for an asker of the queue of.
func StopText(q, of *Queue) string {
	how := "held"
	if q.Config.Stop == config.StopHoldAndDrain {
		how = "drained"
	}
	return fmt.Sprintf("%s is %s (stopPolicy %s)", Named(q, of), how, q.Config.Stop)
}
