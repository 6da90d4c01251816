// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing/quota"
)

// obstacle is a limit that blocked classes of a queue when they were last tried. While it leaves less than a class
// needs, the class need not be tried again.
type obstacle struct {
	node quota.NodeID
	cell quota.Cell
	// headroom is what the limit leaves to the queue, computed at the tree's quotaVersion checkedAt. It only falls
	// until quota is released.
	headroom  int64
	checkedAt uint64
	// left is what the limit leaves during a tournament, with all claims charged, computed at holderVersion leftAt.
	left   int64
	leftAt uint64
	// future is what the limit leaves once the terminating holders are gone. own is what the quota of the queue, or of
	// a queue above it except the root, leaves then. Both are computed at holderVersion futureAt.
	future, own int64
	futureAt    uint64
}

// obstacleHolds reports, during a tournament, whether the limit that blocked a class when it was last tried still does.
func (class *equivalenceClass) obstacleHolds(forest *quota.Forest) bool {
	o, q := class.obstacle, class.queue
	if o == nil {
		return false
	}
	if o.leftAt != q.tree.holderVersion {
		o.left, o.leftAt = forest.Account(q.node, o.cell).Headroom(o.node), q.tree.holderVersion
	}
	return class.blocked.Need > o.left
}

// updateObstacles recomputes, once after each release of quota, what the limits leave that blocked classes of the
// queue.
func (q *queue) updateObstacles(forest *quota.Forest) {
	if q.obstaclesAt == q.tree.quotaVersion {
		return
	}
	q.obstaclesAt = q.tree.quotaVersion
	for _, o := range q.obstacles {
		o.headroom, o.checkedAt = forest.Account(q.node, o.cell).Headroom(o.node), q.tree.quotaVersion
	}
}

// noteObstacle records the limit that blocks a class that was tried in vain. It records none if the class has several
// placements or is blocked by a reservation, because then it may fit as soon as anything changes.
func (class *equivalenceClass) noteObstacle() {
	b := class.blocked
	if len(class.options) != 1 || class.placements != nil || class.reserved || b.Node == quota.None || b.Need == 0 {
		class.obstacle = nil
		return
	}
	if o := class.obstacle; o != nil && o.node == b.Node && o.cell == b.Cell {
		return
	}
	q := class.queue
	at := slices.IndexFunc(q.obstacles, func(o *obstacle) bool { return o.node == b.Node && o.cell == b.Cell })
	if at < 0 {
		at = len(q.obstacles)
		q.obstacles = append(q.obstacles, &obstacle{node: b.Node, cell: b.Cell})
	}
	class.obstacle = q.obstacles[at]
}

// didNotFit reports whether a class does not fit, judging by what is known since the last release of quota.
func (class *equivalenceClass) didNotFit() bool {
	now, o := class.queue.tree.quotaVersion, class.obstacle
	return class.triedAt == now || o != nil && o.checkedAt == now && class.blocked.Need > o.headroom
}
