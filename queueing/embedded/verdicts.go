// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// verdicts puts into words, after a complete cycle of a tree, why asks are pending.
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
	return wants + "; free quota is reserved for asks that have headed their queue for longer than its headTimeout"
}

// updateVerdicts sets the verdicts of all pending asks of a queue after a complete cycle. To save work, it visits only
// classes in which something may have changed, builds a message only if the reason has changed, and visits single
// askers only if the message has changed or they are new.
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

// updateClassVerdict sets the verdict on those asks of a class that do not have it yet, except on the head of a
// StrictFIFO queue.
func (vs *verdicts) updateClassVerdict(class *equivalenceClass, c blockReason) {
	toUpdate := class.arrived
	if class.verdict == nil || class.blockReason != c {
		class.blockReason, class.verdict = c, vs.newVerdict(class, c)
		toUpdate = class.apps.items
	}
	for _, a := range toUpdate {
		if a.class == class && a != class.queue.strictHead && a.claim == nil {
			vs.registry.setVerdict(a, class.verdict)
		}
	}
	clear(class.arrived)
	class.arrived = class.arrived[:0]
}

// newVerdict returns the verdict on a class in words.
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
		v.Message = fmt.Sprintf("queue %s is StrictFIFO: an earlier ask must start first", class.queue.name)
	case c.reserved:
		v.Message = vs.reservedMessage(class)
	default:
		v.Message = vs.quotaMessage(class, c.limit)
	}
	return &v
}

// quotaMessage says what is needed, whose limit blocks it, and how high that limit is. It never says what is free at
// the moment.
func (vs *verdicts) quotaMessage(class *equivalenceClass, b quota.Block) string {
	limit := vs.hierarchy.forest.Account(b.Node, b.Cell).Limit()
	by := vs.hierarchy.queues[vs.hierarchy.forest.At(b.Node).Name]
	others := ""
	if len(class.options) > 1 {
		others = "; no other flavor has enough free quota either"
	}
	return fmt.Sprintf("%s; %s may use at most %s and others hold the rest%s%s", needsText(class, b), named(by, class.queue),
		limitText(b.Cell.Resource, limit.Max(), limit, len(vs.hierarchy.forest.At(b.Node).Children) > 0), vs.otherNeedsText(class, b), others)
}

// optionWith returns the first option that needs what a limit blocks.
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

// otherNeedsText lists the other needs that are limited by the same queue. It does not say whether they fit, which
// changes with every cycle.
func (vs *verdicts) otherNeedsText(class *equivalenceClass, first quota.Block) string {
	var more strings.Builder
	for _, b := range vs.hierarchy.forest.Needs(class.queue.node, class.optionWith(first).minNeed) {
		most := vs.hierarchy.forest.Account(first.Node, b.Cell).Limit().Max()
		if b.Cell != first.Cell && most < quota.Unlimited {
			fmt.Fprintf(&more, "; it also needs %s %s of at most %s", b.Cell.Resource, amountText(b.Cell.Resource, b.Need), amountText(b.Cell.Resource, most))
		}
	}
	return more.String()
}
