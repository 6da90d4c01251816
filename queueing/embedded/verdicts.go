// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// blockReason is why a line waits: what a verdict says, before it is put into words. Equal causes make equal words.
type blockReason struct {
	// reason is one of the reasons of package queueing.
	reason string
	// queue is the queue that is held or full.
	queue *queue
	// limit is the limit in the way, for WaitingForQuota.
	limit quota.Block
	// notHead: not the first in line of a StrictFIFO queue.
	notHead bool
	// reserved: there is room, and it is kept for those who have waited longer.
	reserved bool
}

// updateVerdicts gives everybody who waits in a queue a verdict, after a complete pass. It looks at lines only where something may have
// changed, writes sentences only where a cause has, and looks at single applications only where the sentence has, or they are new.
func (e *Engine) updateVerdicts(q *queue) {
	stop := queueBlockReason(q)
	before := q.strictHead
	e.updateHead(q, stop)
	if q.blockReason != stop {
		q.blockReason = stop
		for _, class := range q.classes {
			q.markVerdictStale(class)
		}
	}
	for _, class := range q.staleClasses {
		class.verdictStale = false
		if len(class.apps.items) > 0 {
			e.updateClassVerdict(class, class.blockReasonUnder(stop))
		}
	}
	clear(q.staleClasses)
	q.staleClasses = q.staleClasses[:0]
	if before != nil && before != q.strictHead && before.class != nil && before.claim == nil {
		e.setVerdict(before, before.class.verdict)
	}
	if q.strictHead != nil && q.strictHead.claim == nil {
		class := q.strictHead.class
		e.setVerdict(q.strictHead, e.newVerdict(class, class.blockedByQuota()))
	}
}

// queueBlockReason is the cause why nobody in the queue is admitted, whatever they need; the zero cause if there is none.
func queueBlockReason(q *queue) blockReason {
	if q.stoppedBy != nil {
		return blockReason{reason: queueing.ReasonQueueHeld, queue: q.stoppedBy}
	}
	if full := q.atMaxRunning(); full != nil {
		return blockReason{reason: queueing.ReasonMaxRunning, queue: full}
	}
	return blockReason{}
}

// headUnlessBlocked is the first of those who wait for room, or nil.
func (q *queue) headUnlessBlocked(stop blockReason) *app {
	if q.config == nil || len(q.admissible.items) == 0 || q.admissible.items[0].isBlockedBy(stop) {
		return nil
	}
	return q.admissible.items[0].first()
}

func (class *equivalenceClass) blockReasonUnder(stop blockReason) blockReason {
	switch {
	case class.isInadmissible():
		return blockReason{reason: class.inadmissible.Reason}
	case class.isBlockedBy(stop):
		return stop
	case class.queue.strict():
		return blockReason{reason: queueing.ReasonWaitingForQuota, notHead: true}
	}
	return class.blockedByQuota()
}

// blockedByQuota is the limit that is in the way. That room is kept for others is said only where no limit was in the way before: which of the two it
// is changes with everybody who comes and goes, and each change would be a write for all in line.
func (class *equivalenceClass) blockedByQuota() blockReason {
	return blockReason{reason: queueing.ReasonWaitingForQuota, limit: class.blocked, reserved: class.reserved && class.blocked.Need == 0}
}

// updateClassVerdict passes a cause on to those in a line who have not heard it, except the head of a StrictFIFO queue.
func (e *Engine) updateClassVerdict(class *equivalenceClass, c blockReason) {
	hear := class.arrived
	if class.verdict == nil || class.blockReason != c {
		class.blockReason, class.verdict = c, e.newVerdict(class, c)
		hear = class.apps.items
	}
	for _, a := range hear {
		if a.class == class && a != class.queue.strictHead && a.claim == nil {
			e.setVerdict(a, class.verdict)
		}
	}
	clear(class.arrived)
	class.arrived = class.arrived[:0]
}

// newVerdict is the verdict on a line for a cause.
func (e *Engine) newVerdict(class *equivalenceClass, c blockReason) *queueing.Verdict {
	v := queueing.Verdict{State: queueing.Waiting, Reason: c.reason}
	switch {
	case class.isInadmissible():
		v = class.inadmissible
	case c.reason == queueing.ReasonQueueHeld:
		v.Message = fmt.Sprintf("%s is held (stopPolicy %s)", named(c.queue, class.queue), c.queue.config.Stop)
	case c.reason == queueing.ReasonMaxRunning:
		v.Message = fmt.Sprintf("%s has reached its maxRunning of %d", named(c.queue, class.queue), *c.queue.config.MaxRunning)
	case c.notHead:
		v.Message = fmt.Sprintf("queue %s is StrictFIFO: an earlier application must start first", class.queue.name)
	case c.reserved:
		v.Message = e.reservedMessage(class)
	default:
		v.Message = e.quotaMessage(class, c.limit)
	}
	return &v
}

// quotaMessage names what is needed, whose limit is in the way and how high that is; never what is free at the moment.
func (e *Engine) quotaMessage(class *equivalenceClass, b quota.Block) string {
	limit := e.forest.Limit(b.Node, b.Cell)
	by := e.queues[e.forest.Name(b.Node)]
	others := ""
	if len(class.options) > 1 {
		others = "; no other flavor has enough free quota either"
	}
	return fmt.Sprintf("%s; %s may use at most %s and others hold the rest%s%s", needsText(class, b), named(by, class.queue),
		limitText(b.Cell.Resource, limit.Max(), limit, len(e.forest.Children(b.Node)) > 0), e.otherNeedsText(class, b), others)
}

// optionWith is the first option that needs what a limit keeps back.
func (class *equivalenceClass) optionWith(b quota.Block) *option {
	for i := range class.options {
		for _, f := range class.options[i].where {
			if f.Name == b.Cell.Flavor {
				return &class.options[i]
			}
		}
	}
	return &class.options[0]
}

// otherNeedsText names what else is needed of resources that are limited where the first one is. Whether there is room for it is not said:
// that moves with every decision.
func (e *Engine) otherNeedsText(class *equivalenceClass, first quota.Block) string {
	var more strings.Builder
	for _, b := range e.forest.Needs(class.queue.node, class.optionWith(first).minNeed) {
		most := e.forest.Limit(first.Node, b.Cell).Max()
		if b.Cell != first.Cell && most < quota.Unlimited {
			fmt.Fprintf(&more, "; it also needs %s %s of at most %s", b.Cell.Resource, amountText(b.Cell.Resource, b.Need), amountText(b.Cell.Resource, most))
		}
	}
	return more.String()
}
