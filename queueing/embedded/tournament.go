// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "github.com/sparkgate/sparkgate/queueing/quota"

// tournament is the queues of a tree that may still be granted something in the running pass. Each node has a champion: the queue below
// it that goes first; that of the root goes first of all.
//
// Whether the first ask of a queue still fits is looked at when its turn has come: until then it can only stand too far in front.
// There are three exceptions. An ask that borrows, and does not fit any more, may hide a later one of its queue that stays within the
// quota and so goes before those of other queues; an ask that may be placed in several flavors may have to go to another one, without
// borrowing; and where shares are compared, an ask that does not fit may hold back its neighbours by the share that it would have.
// Queues in which that may be are doubtful: they are looked at after every grant.
type tournament struct {
	engine      *Engine
	root        *queue
	fairSharing bool // some node of the tree compares shares
	recheckList []*queue
}

// notCompeting is the place of a queue that is not in the contest.
const notCompeting = -1

func newTournament(e *Engine, t *tree) *tournament {
	c := &tournament{engine: e, root: e.queues[t.root]}
	e.tournaments++
	for _, q := range t.pendingQueues {
		for n := q; n != nil && n.tournament != e.tournaments; n = n.parent {
			n.tournament, n.heapIndex, n.winner = e.tournaments, notCompeting, nil
			n.competing.clear()
			c.fairSharing = c.fairSharing || n.fairSharing()
		}
	}
	if c.root != nil && c.root.tournament != e.tournaments {
		c.root = nil // nobody waits; its champion is that of an earlier pass, which was cut short
	}
	for _, q := range t.pendingQueues {
		q.recheckNeeded, q.inRecheckList = false, false
		q.entries.clear()
		c.enter(q)
		c.update(q)
	}
	return c
}

// enter puts the lines of a queue in the contest that have room now; of a StrictFIFO queue the first one, if that has. A line that had
// none is not tried again before there is more.
func (c *tournament) enter(q *queue) {
	switch {
	case q.config == nil || q.stoppedBy != nil:
	case q.strict():
		q.enterHead()
	default:
		full := q.atMaxRunning() != nil
		for _, class := range q.classes {
			if (!full || class.unmanagedExecutor) && !class.isInadmissible() && class.triedAt != q.tree.quotaVersion && c.engine.chooseOption(class) {
				q.entries.push(class.entry())
			}
		}
	}
}

// enterHead puts the first line of a queue in the contest, whether it has room or not.
func (q *queue) enterHead() {
	if len(q.admissible.items) > 0 {
		q.entries.push(q.admissible.items[0].entry())
	}
}

// fairSharing says that the children of a queue are ordered by their shares.
func (q *queue) fairSharing() bool { return q.config != nil && q.config.FairSharing }

func (q *queue) weight() int32 {
	if q.config == nil {
		return 1
	}
	return q.config.Weight
}

// childBefore is the order between two children of a queue: the smaller share if it is fair, then who stays within the own quota, then the
// first ask.
func (q *queue) childBefore(a, b *queue) bool {
	if q.fairSharing() {
		if order := quota.CompareShares(a.share, a.weight(), b.share, b.weight()); order != 0 {
			return order < 0
		}
	}
	if a.winner.borrows != b.winner.borrows {
		return b.winner.borrows
	}
	return a.winner.entries.items[0].before(b.winner.entries.items[0])
}

// first returns the queue whose turn it is, or nil.
func (c *tournament) first() *queue {
	for c.root != nil && c.root.winner != nil {
		q := c.root.winner
		if q.entries.items[0].class.atMaxRunning() == nil {
			return q
		}
		c.update(q) // a neighbour has used up what a queue above both may admit
	}
	return nil
}

// update brings the place of a queue in the contest up to date, and those of all above it.
func (c *tournament) update(q *queue) {
	q.winner = q.bestChild()
	if c.selectEntry(q) {
		q.winner = q
	}
	for n := q; n.parent != nil; n = n.parent {
		if n.winner != nil && n.parent.fairSharing() {
			n.share = c.shareWith(n, n.winner)
		}
		n.parent.updateChild(n)
	}
	if q.recheckNeeded && !q.inRecheckList {
		q.inRecheckList = true
		c.recheckList = append(c.recheckList, q)
	}
}

// updateChild gives a child the place among its siblings that its champion earns.
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
	if q.winner != q { // else all its children are gone and only held
		q.winner = q.bestChild()
	}
}

// bestChild is the champion of the child that goes first, or nil.
func (q *queue) bestChild() *queue {
	if len(q.competing.items) == 0 {
		return nil
	}
	return q.competing.items[0].winner
}

// shareWith is the share that a queue would have with the first ask of its champion.
func (c *tournament) shareWith(q, champion *queue) quota.Share {
	class := champion.entries.items[0].class
	need := class.options[class.choice].minNeed
	c.engine.forest.Add(champion.node, need)
	defer c.engine.forest.Remove(champion.node, need)
	return c.engine.forest.Share(q.node)
}

// selectEntry finds out with which ask a queue competes. It returns false if it has no more to win.
func (c *tournament) selectEntry(q *queue) bool {
	q.recheckNeeded = false
	full := q.atMaxRunning() != nil
	for len(q.entries.items) > 0 {
		if class := q.entries.items[0].class; (!full || class.unmanagedExecutor) && c.canCompete(q, class) {
			return true
		}
		q.dropEntry()
	}
	return false
}

// canCompete finds out how a queue competes with a line. It returns false if that was looked at and the line does not fit.
func (c *tournament) canCompete(q *queue, class *equivalenceClass) bool {
	early := c.fairSharing || len(class.options) > 1
	room := !early || c.engine.chooseOption(class)
	q.borrows = c.engine.forest.Borrows(q.node, class.options[class.choice].minNeed)
	if !early && (!q.borrows || q.strict() || len(q.entries.items) == 1) {
		return true
	}
	q.recheckNeeded = room && (early || c.engine.chooseOption(class))
	return q.recheckNeeded
}

// dropEntry takes the first line out of the contest: it does not fit. Nobody in a StrictFIFO queue comes before its first.
func (q *queue) dropEntry() { q.entries.remove(0) }

// recheck looks at the doubtful queues after a grant.
func (c *tournament) recheck() {
	kept := c.recheckList[:0]
	for _, q := range c.recheckList {
		if q.recheckNeeded && !c.placementUnchanged(q.entries.items[0].class) {
			c.update(q)
		}
		if q.recheckNeeded {
			kept = append(kept, q)
		} else {
			q.inRecheckList = false
		}
	}
	c.recheckList = kept
}

// placementUnchanged says that the first line of a doubtful queue would still be placed where it was.
func (c *tournament) placementUnchanged(class *equivalenceClass) bool {
	return len(class.options) == 1 && c.engine.chooseOption(class)
}

// atMaxRunning returns the queue, this one or one above it, that has as many applications as it may, or nil.
func (q *queue) atMaxRunning() *queue {
	for ; q != nil; q = q.parent {
		if q.config != nil && q.config.MaxRunning != nil && q.admitted >= *q.config.MaxRunning {
			return q
		}
	}
	return nil
}
