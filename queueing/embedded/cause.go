// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// cause is why a line waits: what a verdict says, before it is put into words. Equal causes make equal words.
type cause struct {
	// reason is one of the reasons of package queueing.
	reason string
	// by is the queue that is held or full.
	by *queue
	// block is the limit in the way, for WaitingForQuota.
	block quota.Block
	// behind: not the first in line of a StrictFIFO queue.
	behind bool
	// kept: there is room, and it is kept for those who have waited longer.
	kept bool
}

// tellQueue gives everybody who waits in a queue a verdict, after a complete pass. It looks at lines only where something may have
// changed, writes sentences only where a cause has, and looks at single applications only where the sentence has, or they are new.
func (e *Engine) tellQueue(q *queue) {
	stop := stopOf(q)
	before := q.head
	e.watchFirst(q, stop)
	if q.stop != stop {
		q.stop = stop
		for _, l := range q.order {
			q.markStale(l)
		}
	}
	for _, l := range q.stale {
		l.stale = false
		if len(l.apps.items) > 0 {
			e.tellLine(l, l.causeUnder(stop))
		}
	}
	clear(q.stale)
	q.stale = q.stale[:0]
	if before != nil && before != q.head && before.line != nil && before.claim == nil {
		e.tell(before, before.line.told)
	}
	if q.head != nil && q.head.claim == nil {
		l := q.head.line
		e.tell(q.head, e.sentence(l, l.lacks()))
	}
}

// stopOf is the cause why nobody in the queue is admitted, whatever they need; the zero cause if there is none.
func stopOf(q *queue) cause {
	if q.heldBy != nil {
		return cause{reason: queueing.ReasonQueueHeld, by: q.heldBy}
	}
	if full := q.full(); full != nil {
		return cause{reason: queueing.ReasonMaxRunning, by: full}
	}
	return cause{}
}

// firstInLine is the first of those who wait for room, or nil.
func (q *queue) firstInLine(stop cause) *app {
	if q.config == nil || len(q.ranked.items) == 0 || q.ranked.items[0].stopped(stop) {
		return nil
	}
	return q.ranked.items[0].first()
}

func (l *line) causeUnder(stop cause) cause {
	switch {
	case l.barred():
		return cause{reason: l.bar.Reason}
	case l.stopped(stop):
		return stop
	case l.queue.strict():
		return cause{reason: queueing.ReasonWaitingForQuota, behind: true}
	}
	return l.lacks()
}

// lacks is the limit that is in the way. That room is kept for others is said only where no limit was in the way before: which of the two it
// is changes with everybody who comes and goes, and each change would be a write for all in line.
func (l *line) lacks() cause {
	return cause{reason: queueing.ReasonWaitingForQuota, block: l.blocked, kept: l.kept && l.blocked.Need == 0}
}

// tellLine passes a cause on to those in a line who have not heard it, except the head of a StrictFIFO queue.
func (e *Engine) tellLine(l *line, c cause) {
	hear := l.fresh
	if l.told == nil || l.cause != c {
		l.cause, l.told = c, e.sentence(l, c)
		hear = l.apps.items
	}
	for _, a := range hear {
		if a.line == l && a != l.queue.head && a.claim == nil {
			e.tell(a, l.told)
		}
	}
	clear(l.fresh)
	l.fresh = l.fresh[:0]
}

// sentence is the verdict on a line for a cause.
func (e *Engine) sentence(l *line, c cause) *queueing.Verdict {
	v := queueing.Verdict{State: queueing.Waiting, Reason: c.reason}
	switch {
	case l.barred():
		v = l.bar
	case c.reason == queueing.ReasonQueueHeld:
		v.Message = fmt.Sprintf("%s is held (stopPolicy %s)", named(c.by, l.queue), c.by.config.Stop)
	case c.reason == queueing.ReasonMaxRunning:
		v.Message = fmt.Sprintf("%s is full: maxRunning is %d", named(c.by, l.queue), *c.by.config.MaxRunning)
	case c.behind:
		v.Message = fmt.Sprintf("queue %s is StrictFIFO: an earlier application has to start first", l.queue.name)
	case c.kept:
		v.Message = e.keptText(l)
	default:
		v.Message = e.lacksRoom(l, c.block)
	}
	return &v
}

// lacksRoom names what is needed, whose limit is in the way and how high that is; never what is free at the moment.
func (e *Engine) lacksRoom(l *line, b quota.Block) string {
	limit := e.forest.Limit(b.Node, b.Cell)
	by := e.queues[e.forest.Name(b.Node)]
	others := ""
	if len(l.options) > 1 {
		others = "; no other flavor has room either"
	}
	return fmt.Sprintf("%s; %s may use at most %s and others hold the rest%s%s", needsText(l, b), named(by, l.queue),
		limitText(b.Cell.Resource, limit.Most(), limit, len(e.forest.Children(b.Node)) > 0), e.needsMore(l, b), others)
}

// optionOf is the first option that needs what a limit keeps back.
func (l *line) optionOf(b quota.Block) *option {
	for i := range l.options {
		for _, f := range l.options[i].where {
			if f.Name == b.Cell.Flavor {
				return &l.options[i]
			}
		}
	}
	return &l.options[0]
}

// needsMore names what else is needed of resources that are limited where the first one is. Whether there is room for it is not said:
// that moves with every decision.
func (e *Engine) needsMore(l *line, first quota.Block) string {
	var more strings.Builder
	for _, b := range e.forest.Needs(l.queue.node, l.optionOf(first).least) {
		most := e.forest.Limit(first.Node, b.Cell).Most()
		if b.Cell != first.Cell && most < quota.Unlimited {
			fmt.Fprintf(&more, "; it also needs %s %s of at most %s", b.Cell.Resource, text(b.Cell.Resource, b.Need), text(b.Cell.Resource, most))
		}
	}
	return more.String()
}
