// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "github.com/sparkgate/sparkgate/queueing/quota"

// contest is the queues of a tree that may still be granted something in the running pass. Each node has a champion: the queue below
// it that goes first; that of the root goes first of all.
//
// Whether the first ask of a queue still fits is looked at when its turn has come: until then it can only stand too far in front.
// There are three exceptions. An ask that borrows, and does not fit any more, may hide a later one of its queue that stays within the
// quota and so goes before those of other queues; an ask that may be placed in several flavors may have to go to another one, without
// borrowing; and where shares are compared, an ask that does not fit may hold back its neighbours by the share that it would have.
// Queues in which that may be are doubtful: they are looked at after every grant.
type contest struct {
	engine   *Engine
	root     *queue
	shares   bool // some node of the tree compares shares
	doubtful []*queue
}

// outside is the place of a queue that is not in the contest.
const outside = -1

func newContest(e *Engine, t *tree) *contest {
	c := &contest{engine: e, root: e.queues[t.root]}
	e.passes++
	for _, q := range t.waiting {
		for n := q; n != nil && n.pass != e.passes; n = n.up {
			n.pass, n.seat, n.champion = e.passes, outside, nil
			n.rivals.clear()
			c.shares = c.shares || n.fair()
		}
	}
	if c.root != nil && c.root.pass != e.passes {
		c.root = nil // nobody waits; its champion is that of an earlier pass, which was cut short
	}
	for _, q := range t.waiting {
		q.doubtful, q.listed = false, false
		q.contest.clear()
		c.enter(q)
		c.update(q)
	}
	return c
}

// enter puts the lines of a queue in the contest that have room now; of a StrictFIFO queue the first one, if that has. A line that had
// none is not tried again before there is more.
func (c *contest) enter(q *queue) {
	switch {
	case q.config == nil || q.heldBy != nil:
	case q.strict():
		q.enterFirst()
	default:
		full := q.full() != nil
		for _, l := range q.order {
			if (!full || l.part) && !l.barred() && l.tried != q.tree.freed && c.engine.choose(l) {
				q.contest.push(l.entrant())
			}
		}
	}
}

// enterFirst puts the first line of a queue in the contest, whether it has room or not.
func (q *queue) enterFirst() {
	if len(q.ranked.items) > 0 {
		q.contest.push(q.ranked.items[0].entrant())
	}
}

// fair says that the children of a queue are ordered by their shares.
func (q *queue) fair() bool { return q.config != nil && q.config.FairSharing }

func (q *queue) weight() int32 {
	if q.config == nil {
		return 1
	}
	return q.config.Weight
}

// prefers is the order between two children of a queue: the smaller share if it is fair, then who stays within the own quota, then the
// first ask.
func (q *queue) prefers(a, b *queue) bool {
	if q.fair() {
		if order := quota.CompareShares(a.share, a.weight(), b.share, b.weight()); order != 0 {
			return order < 0
		}
	}
	if a.champion.borrows != b.champion.borrows {
		return b.champion.borrows
	}
	return a.champion.contest.items[0].before(b.champion.contest.items[0])
}

// first returns the queue whose turn it is, or nil.
func (c *contest) first() *queue {
	for c.root != nil && c.root.champion != nil {
		q := c.root.champion
		if q.contest.items[0].line.full() == nil {
			return q
		}
		c.update(q) // a neighbour has used up what a queue above both may admit
	}
	return nil
}

// update brings the place of a queue in the contest up to date, and those of all above it.
func (c *contest) update(q *queue) {
	q.champion = q.favourite()
	if c.rank(q) {
		q.champion = q
	}
	for n := q; n.up != nil; n = n.up {
		if n.champion != nil && n.up.fair() {
			n.share = c.shareWith(n, n.champion)
		}
		n.up.seatChild(n)
	}
	if q.doubtful && !q.listed {
		q.listed = true
		c.doubtful = append(c.doubtful, q)
	}
}

// seatChild gives a child the place among its siblings that its champion earns.
func (q *queue) seatChild(child *queue) {
	switch competes := child.champion != nil; {
	case competes && child.seat == outside:
		q.rivals.push(child)
	case competes:
		q.rivals.fix(child.seat)
	case child.seat != outside:
		q.rivals.remove(child.seat)
		child.seat = outside
	}
	if q.champion != q { // else all its children are gone and only held
		q.champion = q.favourite()
	}
}

// favourite is the champion of the child that goes first, or nil.
func (q *queue) favourite() *queue {
	if len(q.rivals.items) == 0 {
		return nil
	}
	return q.rivals.items[0].champion
}

// shareWith is the share that a queue would have with the first ask of its champion.
func (c *contest) shareWith(q, champion *queue) quota.Share {
	l := champion.contest.items[0].line
	need := l.options[l.choice].least
	c.engine.forest.Add(champion.node, need)
	defer c.engine.forest.Remove(champion.node, need)
	return c.engine.forest.Share(q.node)
}

// rank finds out with which ask a queue competes. It returns false if it has no more to win.
func (c *contest) rank(q *queue) bool {
	q.doubtful = false
	full := q.full() != nil
	for len(q.contest.items) > 0 {
		if l := q.contest.items[0].line; (!full || l.part) && c.competes(q, l) {
			return true
		}
		q.drop()
	}
	return false
}

// competes finds out how a queue competes with a line. It returns false if that was looked at and the line does not fit.
func (c *contest) competes(q *queue, l *line) bool {
	early := c.shares || len(l.options) > 1
	room := !early || c.engine.choose(l)
	q.borrows = c.engine.forest.Borrows(q.node, l.options[l.choice].least)
	if !early && (!q.borrows || q.strict() || len(q.contest.items) == 1) {
		return true
	}
	q.doubtful = room && (early || c.engine.choose(l))
	return q.doubtful
}

// drop takes the first line out of the contest: it does not fit. Nobody in a StrictFIFO queue comes before its first.
func (q *queue) drop() { q.contest.remove(0) }

// recheck looks at the doubtful queues after a grant.
func (c *contest) recheck() {
	kept := c.doubtful[:0]
	for _, q := range c.doubtful {
		if q.doubtful && !c.certain(q.contest.items[0].line) {
			c.update(q)
		}
		if q.doubtful {
			kept = append(kept, q)
		} else {
			q.listed = false
		}
	}
	c.doubtful = kept
}

// certain says that the first line of a doubtful queue would still be placed where it was.
func (c *contest) certain(l *line) bool { return len(l.options) == 1 && c.engine.choose(l) }

// full returns the queue, this one or one above it, that has as many applications as it may, or nil.
func (q *queue) full() *queue {
	for ; q != nil; q = q.up {
		if q.config != nil && q.config.MaxRunning != nil && q.admitted >= *q.config.MaxRunning {
			return q
		}
	}
	return nil
}
