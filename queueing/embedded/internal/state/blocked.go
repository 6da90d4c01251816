// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"cmp"
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// BlockReason is why a class is pending: the content of a verdict before it is put into words. Equal reasons give equal
// messages.
type BlockReason struct {
	// Reason is one of the reasons of package queueing.
	Reason string
	// Queue is the queue that is stopped or full.
	Queue *Queue
	// Limit is the limit that blocks, if the reason is WaitingForQuota.
	Limit quota.Block
	// NotHead is true if the class does not contain the head of its StrictFIFO queue.
	NotHead bool
	// Reserved is true if there is enough free quota, but it is reserved for asks that have waited longer.
	Reserved bool
}

// QueueBlockReason returns why the queue admits no ask at all, or the zero value if nothing blocks the queue.
func QueueBlockReason(q *Queue) BlockReason {
	if q.StoppedBy != nil {
		return BlockReason{Reason: queueing.ReasonQueueHeld, Queue: q.StoppedBy}
	}
	if full := q.AtMaxRunning(); full != nil {
		return BlockReason{Reason: queueing.ReasonMaxRunning, Queue: full}
	}
	return BlockReason{}
}

// Head returns the class whose first ask is the head of the queue, or nil if nothing can be admitted. If maxRunning
// blocks the first class of a StrictFIFO queue, parts of what is admitted come before it, because it may be waiting for
// their owners to end.
func (q *Queue) Head() *Class {
	if q.Config == nil || len(q.Asks.Admissible.Items) == 0 {
		return nil
	}
	head := q.Asks.Admissible.Items[0]
	if !q.Strict() || head.AtMaxRunning() == nil {
		return head
	}
	var parts *Class
	for _, class := range q.Asks.Admissible.Items {
		if class.Part && (parts == nil || q.Asks.Admissible.Before(class, parts)) {
			parts = class
		}
	}
	return cmp.Or(parts, head)
}

// HeadUnlessBlocked returns the first ask if it waits for quota, or nil if there is none or stop blocks it.
func (q *Queue) HeadUnlessBlocked(stop BlockReason) *Asker {
	if head := q.Head(); head != nil && !head.isBlockedBy(stop) {
		return head.First()
	}
	return nil
}

// BlockReasonUnder returns why a class is pending; stop is the reason that blocks its queue, if any.
func (class *Class) BlockReasonUnder(stop BlockReason) BlockReason {
	switch {
	case class.IsInadmissible():
		return BlockReason{Reason: class.Inadmissible.Reason}
	case class.isBlockedBy(stop):
		return stop
	case class.Queue.Strict():
		return BlockReason{Reason: queueing.ReasonWaitingForQuota, NotHead: true}
	}
	return class.BlockedByQuota()
}

// BlockedByQuota returns the limit that blocks the class. A reservation is named only if no limit blocked the class
// before. Which of the two blocks changes with every ask and every release, and each change would cost a write for
// every ask of the class.
func (class *Class) BlockedByQuota() BlockReason {
	return BlockReason{Reason: queueing.ReasonWaitingForQuota, Limit: class.Blocked, Reserved: class.Reserved && class.Blocked.Need == 0}
}

// AtMaxRunning returns the queue whose maxRunning keeps a class from being admitted, or nil if there is none.
func (class *Class) AtMaxRunning() *Queue {
	if class.Part {
		return nil
	}
	return class.Queue.AtMaxRunning()
}

// isBlockedBy reports whether a reason that blocks the queue also blocks this class.
func (class *Class) isBlockedBy(stop BlockReason) bool {
	return stop.Reason != "" && !(class.Part && stop.Reason == queueing.ReasonMaxRunning)
}

// Obstacle is a limit that blocked classes of a queue when they were last tried. While it leaves less than a class
// needs, the class need not be tried again.
type Obstacle struct {
	Node quota.NodeID
	Cell quota.Cell
	// headroom is what the limit leaves to the queue, computed at the tree's quotaVersion checkedAt. It only falls
	// until quota is released.
	headroom  int64
	checkedAt uint64
	// left is what the limit leaves during a tournament, with all claims charged, computed at HolderVersion leftAt.
	left   int64
	leftAt uint64
	// Future is what the limit leaves once the terminating holders are gone. Own is what the quota of the queue, or of
	// a queue above it except the root, leaves then. Both are computed at HolderVersion FutureAt.
	Future, Own int64
	FutureAt    uint64
}

// ObstacleHolds reports, during a tournament, whether the limit that blocked a class when it was last tried still does.
func (class *Class) ObstacleHolds(forest *quota.Forest) bool {
	o, q := class.Obstacle, class.Queue
	if o == nil {
		return false
	}
	if o.leftAt != q.Tree.HolderVersion {
		o.left, o.leftAt = forest.Account(q.Node, o.Cell).Headroom(o.Node), q.Tree.HolderVersion
	}
	return class.Blocked.Need > o.left
}

// UpdateObstacles recomputes, once after each release of quota, what the limits leave that blocked classes of the
// queue.
func (q *Queue) UpdateObstacles(forest *quota.Forest) {
	if q.Asks.obstaclesAt == q.Tree.quotaVersion {
		return
	}
	q.Asks.obstaclesAt = q.Tree.quotaVersion
	for _, o := range q.Asks.obstacles {
		o.headroom, o.checkedAt = forest.Account(q.Node, o.Cell).Headroom(o.Node), q.Tree.quotaVersion
	}
}

// NoteObstacle records the limit that blocks a class that was tried in vain. It records none if the class has several
// placements or is blocked by a reservation, because then it may fit as soon as anything changes.
func (class *Class) NoteObstacle() {
	b := class.Blocked
	if len(class.Options) != 1 || class.Placements != nil || class.Reserved || b.Node == quota.None || b.Need == 0 {
		class.Obstacle = nil
		return
	}
	if o := class.Obstacle; o != nil && o.Node == b.Node && o.Cell == b.Cell {
		return
	}
	q := class.Queue
	at := slices.IndexFunc(q.Asks.obstacles, func(o *Obstacle) bool { return o.Node == b.Node && o.Cell == b.Cell })
	if at < 0 {
		at = len(q.Asks.obstacles)
		q.Asks.obstacles = append(q.Asks.obstacles, &Obstacle{Node: b.Node, Cell: b.Cell})
	}
	class.Obstacle = q.Asks.obstacles[at]
}

// DidNotFit reports whether a class does not fit, judging by what is known since the last release of quota.
func (class *Class) DidNotFit() bool {
	now, o := class.Queue.Tree.quotaVersion, class.Obstacle
	return class.TriedAt == now || o != nil && o.checkedAt == now && class.Blocked.Need > o.headroom
}

// NoteMisfit records that the class does not fit until quota is released.
func (class *Class) NoteMisfit() {
	t := class.Queue.Tree
	if class.TriedAt = t.quotaVersion; class.Reserved {
		t.ReservedFrom = append(t.ReservedFrom, class)
	}
	class.Queue.MarkVerdictStale(class)
}
