// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// verdicts words why asks are pending, after a complete cycle of a tree.
type verdicts struct {
	hierarchy    *hierarchy
	registry     *registry
	reservations *reservations
}

// reservedMessage says that the free quota is reserved for others.
func (vs *verdicts) reservedMessage(class *equivalenceClass) string {
	wants := "needs quota"
	if needs := vs.hierarchy.forest.Needs(class.queue.node, class.options[0].minNeed); len(needs) > 0 {
		wants = needsText(class, needs[0])
	}
	return wants + "; free quota is reserved for applications that have headed their queue for longer than its headTimeout"
}

// updateVerdicts sets the verdicts of all pending asks of a queue after a complete cycle. It visits only classes
// where something may have changed, words a message only where the reason has changed, and visits single applications
// only where the message has changed or they have arrived since.
func (vs *verdicts) updateVerdicts(q *queue) {
	stop := queueBlockReason(q)
	before := q.strictHead
	vs.reservations.updateHead(q, stop)
	if q.blockReason != stop {
		q.blockReason = stop
		for _, class := range q.classes {
			q.markVerdictStale(class)
		}
	}
	for _, class := range q.staleClasses {
		class.verdictStale = false
		if len(class.apps.items) > 0 {
			vs.updateClassVerdict(class, class.blockReasonUnder(stop))
		}
	}
	clear(q.staleClasses)
	q.staleClasses = q.staleClasses[:0]
	if before != nil && before != q.strictHead && before.class != nil && before.claim == nil {
		vs.registry.setVerdict(before, before.class.verdict)
	}
	if q.strictHead != nil && q.strictHead.claim == nil {
		class := q.strictHead.class
		vs.registry.setVerdict(q.strictHead, vs.newVerdict(class, class.blockedByQuota()))
	}
}

// updateClassVerdict sets the verdict of the asks of a class that do not have it yet, except for the head of a
// StrictFIFO queue.
func (vs *verdicts) updateClassVerdict(class *equivalenceClass, c blockReason) {
	hear := class.arrived
	if class.verdict == nil || class.blockReason != c {
		class.blockReason, class.verdict = c, vs.newVerdict(class, c)
		hear = class.apps.items
	}
	for _, a := range hear {
		if a.class == class && a != class.queue.strictHead && a.claim == nil {
			vs.registry.setVerdict(a, class.verdict)
		}
	}
	clear(class.arrived)
	class.arrived = class.arrived[:0]
}

// newVerdict words the verdict on a class.
func (vs *verdicts) newVerdict(class *equivalenceClass, c blockReason) *queueing.Verdict {
	v := queueing.Verdict{State: queueing.Waiting, Reason: c.reason}
	switch {
	case class.isInadmissible():
		v = class.inadmissible
	case c.reason == queueing.ReasonQueueHeld:
		v.Message = stopText(c.queue, class.queue)
	case c.reason == queueing.ReasonMaxRunning:
		v.Message = fmt.Sprintf("%s has reached its maxRunning of %d", named(c.queue, class.queue), *c.queue.config.MaxRunning)
	case c.notHead:
		v.Message = fmt.Sprintf("queue %s is StrictFIFO: an earlier application must start first", class.queue.name)
	case c.reserved:
		v.Message = vs.reservedMessage(class)
	default:
		v.Message = vs.quotaMessage(class, c.limit)
	}
	return &v
}

// quotaMessage names what is needed, whose limit is in the way and how high that is; never what is free at the moment.
func (vs *verdicts) quotaMessage(class *equivalenceClass, b quota.Block) string {
	limit := vs.hierarchy.forest.Limit(b.Node, b.Cell)
	by := vs.hierarchy.queues[vs.hierarchy.forest.Name(b.Node)]
	others := ""
	if len(class.options) > 1 {
		others = "; no other flavor has enough free quota either"
	}
	return fmt.Sprintf("%s; %s may use at most %s and others hold the rest%s%s", needsText(class, b), named(by, class.queue),
		limitText(b.Cell.Resource, limit.Max(), limit, len(vs.hierarchy.forest.Children(b.Node)) > 0), vs.otherNeedsText(class, b), others)
}

// optionWith returns the first option that needs what a limit keeps back.
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

// otherNeedsText names the other needs that are limited where the first one is. Whether they fit is not said: that
// changes with every cycle.
func (vs *verdicts) otherNeedsText(class *equivalenceClass, first quota.Block) string {
	var more strings.Builder
	for _, b := range vs.hierarchy.forest.Needs(class.queue.node, class.optionWith(first).minNeed) {
		most := vs.hierarchy.forest.Limit(first.Node, b.Cell).Max()
		if b.Cell != first.Cell && most < quota.Unlimited {
			fmt.Fprintf(&more, "; it also needs %s %s of at most %s", b.Cell.Resource, amountText(b.Cell.Resource, b.Need), amountText(b.Cell.Resource, most))
		}
	}
	return more.String()
}
