// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// reservation keeps room for the first in line of a queue that has been first for longer than the queue's HeadTimeout without room for
// it: many small asks would otherwise pass a big one for ever. From then on others are admitted only if
//   - they come before it: in its own queue by the order there, in other queues by a higher priority;
//   - or they harm it not: see Engine.harms;
//   - or they give their room back before the time at which it has its room at the latest (back-fill). That is known if enough of those
//     who hold something when the reservation begins say until when (queueing.Standing.Until).
//
// So one whose need is within the quota of its queue (promised) starts, at the latest, when all have given back what they hold at the time
// when the reservation begins; those that come before it aside.
type reservation struct {
	app      *app
	ask      *ask
	queue    *queue
	need     quota.Vector
	promised bool
}

// mostKept is for how many in a tree room is kept at a time; the others follow.
const mostKept = 8

// keep finds out for whom room is kept in this pass.
func (e *Engine) keep(t *tree) {
	before := len(t.kept)
	t.kept = nil
	for _, q := range t.waiting {
		if a := q.first; a != nil && e.hasWaitedTooLong(q, a) {
			r := &reservation{app: a, ask: a.ask, queue: q}
			r.need, r.promised = e.ownNeed(a.line)
			t.kept = append(t.kept, r)
		}
	}
	slices.SortFunc(t.kept, func(a, b *reservation) int { return compareApps(a.app, b.app) })
	t.kept = t.kept[:min(len(t.kept), mostKept)]
	for _, r := range t.kept {
		if !r.ask.kept {
			r.ask.kept, r.ask.roomAt = true, e.foresee(r, t)
		}
	}
	if before+len(t.kept) > 0 {
		t.stir(true) // it is anybody's guess what that changes
	}
}

// hasWaitedTooLong says whether room is kept for the first in line of a queue, as of the last pass.
func (e *Engine) hasWaitedTooLong(q *queue, a *app) bool {
	if l := a.line; l == nil || l.queue != q || l.barred() || a.claim != nil || q.heldBy != nil || a.ask.stuck.IsZero() {
		return false
	}
	return !e.now.Before(a.ask.stuck.Add(q.headTimeout()))
}

func (q *queue) headTimeout() time.Duration {
	if q.config.HeadTimeout != nil {
		return *q.config.HeadTimeout
	}
	return DefaultHeadTimeout
}

// ownNeed is what a line needs in the first of its options that stays within the quota of its queue, else in the first of all.
func (e *Engine) ownNeed(l *line) (need quota.Vector, within bool) {
	for i := range l.options {
		beyond := slices.ContainsFunc(e.forest.Needs(l.queue.node, l.options[i].least), func(b quota.Block) bool {
			return b.Need > e.forest.Limit(l.queue.node, b.Cell).Nominal
		})
		if !beyond {
			return l.options[i].least, true
		}
	}
	return l.options[0].least, false
}

// foresee finds out when one has its room at the latest, from those who say until when they hold theirs; zero if that is not known.
func (e *Engine) foresee(r *reservation, t *tree) time.Time {
	if e.bounded == 0 {
		return time.Time{}
	}
	var leaving []*app
	for _, q := range t.holding() {
		for _, a := range q.holders {
			if !a.held.standing.Until.IsZero() {
				leaving = append(leaving, a)
			}
		}
	}
	slices.SortFunc(leaving, func(a, b *app) int { return a.held.standing.Until.Compare(b.held.standing.Until) })
	var at time.Time
	for i, a := range leaving {
		e.takeOut(a)
		if _, blocked := e.forest.Blocked(r.queue.node, r.need); !blocked {
			at, leaving = a.held.standing.Until, leaving[:i+1]
			break
		}
	}
	for _, a := range leaving {
		e.putBack(a)
	}
	return at
}

// hasRoom says whether there is room for a line's first ask, and that it is kept for nobody else.
func (e *Engine) hasRoom(l *line, need quota.Vector) bool {
	_, blocked := e.forest.Blocked(l.queue.node, need)
	return !blocked && !e.keptFrom(l, need)
}

// keptFrom says whether room is kept for somebody who would come off worse if the first of a line were admitted with that need.
func (e *Engine) keptFrom(l *line, need quota.Vector) bool { return e.keeper(l, need) != nil }

// keeper is the first reservation that is in the way of the first of a line with that need, or nil.
func (e *Engine) keeper(l *line, need quota.Vector) *reservation {
	return e.firstHarmed(l, need, false)
}

// backfills says that the first of a line may be admitted with that need only because it gives its room back in time.
func (e *Engine) backfills(l *line, need quota.Vector) bool {
	return e.firstHarmed(l, need, true) != nil
}

// firstHarmed is the first reservation that the first of a line would harm with that need, of those before whose time it has gone, or of
// the others; nil if there is none.
func (e *Engine) firstHarmed(l *line, need quota.Vector, inTime bool) *reservation {
	kept := l.queue.tree.kept
	if len(kept) == 0 || e.hasClaim(l) {
		return nil
	}
	own := false
	for _, r := range kept {
		own = own || r.app == l.first()
		if r.over() || r.app == l.first() || own && !r.promised {
			continue // it is this one, or it comes behind this one
		}
		if !r.comesBehind(l) && e.givesBackInTime(l, r) == inTime && e.harms(l.queue, r, need) {
			return r
		}
	}
	return nil
}

// over says that the ask is not waiting any more.
func (r *reservation) over() bool { return r.app.ask != r.ask }

// fulfilled says that one of those for whom room was kept has been admitted in this pass: what was kept from others may be theirs now.
func (t *tree) fulfilled() bool { return slices.ContainsFunc(t.kept, (*reservation).over) }

// hasClaim says that room is taken back for one in a line.
func (e *Engine) hasClaim(l *line) bool {
	return slices.ContainsFunc(e.claims, func(c *claim) bool { return c.app.line == l })
}

// comesBehind says that the first of a line goes before the one for whom room is kept.
func (r *reservation) comesBehind(l *line) bool {
	if l.queue == r.queue {
		return compareApps(l.first(), r.app) < 0
	}
	return l.first().ask.priority > r.ask.priority
}

// givesBackInTime says that the first of a line, if it is admitted now, will have gone when room is there for the other one.
func (e *Engine) givesBackInTime(l *line, r *reservation) bool {
	return l.holdsFor > 0 && !e.now.Add(l.holdsFor).After(r.ask.roomAt)
}

// harms says whether more would be in the way of the one for whom room is kept if a queue used that much more. To whom room is
// promised counts what is used beyond the quotas, whoever uses it: not what others use within theirs, but neither room that is free only
// because they do not. For one that has to borrow, the room counts that it lacks now; what stays within the quota of its own side, below
// the node that both queues are below, is no harm.
func (e *Engine) harms(q *queue, r *reservation, need quota.Vector) bool {
	state := e.forest.Lack
	if r.promised {
		state = e.forest.Broken
	}
	before := state(r.queue.node, r.need)
	e.forest.Add(q.node, need)
	defer e.forest.Remove(q.node, need)
	if !r.promised && q != r.queue && !e.forest.Over(q.sideFrom(r.queue).node, need) {
		return false
	}
	for i, after := range state(r.queue.node, r.need) {
		if after > before[i] {
			return true
		}
	}
	return false
}

// sideFrom is the uppermost queue from q upward that is not above another one.
func (q *queue) sideFrom(other *queue) *queue {
	for q.up != nil && !q.up.above(other) {
		q = q.up
	}
	return q
}

// above says that q is a queue or above it.
func (q *queue) above(other *queue) bool {
	for ; other != nil; other = other.up {
		if other == q {
			return true
		}
	}
	return false
}

// watchFirst notes who is first in line of a queue after a complete pass, and since when. Whoever comes to stand before the first takes
// over how long that one has waited: the queue is stuck all the same.
func (e *Engine) watchFirst(q *queue, stop cause) {
	before := q.first
	q.first, q.head = q.firstInLine(stop), nil
	if q.first == nil {
		return
	}
	if q.strict() {
		q.head = q.first
	}
	if !q.first.ask.stuck.IsZero() {
		return
	}
	q.first.ask.stuck = e.now
	if before != nil && before.line != nil && before.line.queue == q && !before.ask.stuck.IsZero() {
		q.first.ask.stuck = before.ask.stuck
	}
}

// keptText says that the room that there is is kept for others.
func (e *Engine) keptText(l *line) string {
	wants := "needs room"
	if needs := e.forest.Needs(l.queue.node, l.options[0].least); len(needs) > 0 {
		wants = needsText(l, needs[0])
	}
	return wants + "; the room that is free is kept for those that have been first in line for longer than the headTimeout of their queues"
}

// until is when a grant that is made now is given back at the latest; zero if that is not known.
func (e *Engine) until(a *ask) time.Time {
	if a.holdsFor == 0 || e.now.IsZero() {
		return time.Time{}
	}
	return e.now.Add(a.holdsFor)
}

// count adds to the number of grants of which it is known until when they are held.
func (e *Engine) count(s queueing.Standing, n int) {
	if !s.Until.IsZero() {
		e.bounded += n
	}
}

// keeperOf is the reservation that is in the way of the first of a line where there would be room for it, or nil.
func (e *Engine) keeperOf(l *line) *reservation {
	for i := range l.options {
		if _, blocked := e.forest.Blocked(l.queue.node, l.options[i].least); !blocked {
			if r := e.keeper(l, l.options[i].least); r != nil && !r.over() {
				return r
			}
		}
	}
	return nil
}
