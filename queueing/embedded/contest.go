// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

// contest is the queues of a tree that may still be granted something in the running pass, the one that goes first at place 0.
//
// Whether the first ask of a queue still fits is looked at when its turn has come: until then it can only stand too far in front.
// There are two exceptions. An ask that borrows, and does not fit any more, may hide a later one of its queue that stays within the
// quota and so goes before those of other queues; and an ask that may be placed in several flavors may have to go to another one,
// without borrowing. Queues in which that may be are doubtful: they are looked at after every grant.
type contest struct {
	engine   *Engine
	queues   heap[*queue]
	doubtful []*queue
}

// outside is the place of a queue that is not in the contest.
const outside = -1

func newContest(e *Engine, t *tree) *contest {
	c := &contest{engine: e, queues: heap[*queue]{before: goesFirst, moved: func(q *queue, place int) { q.entry = place }}}
	for _, q := range t.waiting {
		q.entry, q.doubtful, q.listed = outside, false, false
		q.contest.clear()
		for _, l := range q.order {
			if !l.barred() {
				q.contest.push(l.entrant())
			}
		}
		c.update(q)
	}
	return c
}

// goesFirst is the order between queues.
func goesFirst(a, b *queue) bool {
	if a.borrows != b.borrows {
		return b.borrows
	}
	return a.contest.items[0].before(b.contest.items[0])
}

// first returns the queue whose turn it is, or nil.
func (c *contest) first() *queue {
	for len(c.queues.items) > 0 {
		q := c.queues.items[0]
		if q.full() == nil {
			return q
		}
		c.update(q) // a neighbour has used up what a queue above both may admit
	}
	return nil
}

// update brings the place of a queue in the contest up to date.
func (c *contest) update(q *queue) {
	switch competes := c.rank(q); {
	case competes && q.entry == outside:
		c.queues.push(q)
	case competes:
		c.queues.fix(q.entry)
	case q.entry != outside:
		c.queues.remove(q.entry)
		q.entry = outside
	}
	if q.doubtful && !q.listed {
		q.listed = true
		c.doubtful = append(c.doubtful, q)
	}
}

// rank finds out with which ask a queue competes. It returns false if it has no more to win.
func (c *contest) rank(q *queue) bool {
	q.doubtful = false
	if q.heldBy != nil || q.full() != nil {
		return false
	}
	for len(q.contest.items) > 0 {
		l := q.contest.items[0].line
		several := len(l.options) > 1
		room := !several || c.engine.choose(l)
		q.borrows = c.engine.forest.Borrows(q.node, l.options[l.choice].least)
		if !several && (!q.borrows || q.strict() || len(q.contest.items) == 1) {
			return true
		}
		if room && (several || c.engine.choose(l)) {
			q.doubtful = true
			return true
		}
		q.drop()
	}
	return false
}

// drop takes the first line out of the contest: it does not fit. Nobody in a StrictFIFO queue comes before its first.
func (q *queue) drop() {
	q.contest.remove(0)
	if q.strict() {
		q.contest.clear()
	}
}

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
