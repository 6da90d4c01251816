// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package verdicts puts into words, after a complete cycle of a tree, why asks are pending.
package verdicts

import (
	"fmt"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/reservations"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Writer puts into words, after a complete cycle of a tree, why asks are pending.
type Writer struct {
	hierarchy    *state.Hierarchy
	registry     *state.Registry
	reservations *reservations.Book
}

// New returns the writer of an engine.
func New(hr *state.Hierarchy, rg *state.Registry, rs *reservations.Book) *Writer {
	return &Writer{hr, rg, rs}
}

// reservedMessage says that the free quota is reserved for others.
func (vs *Writer) reservedMessage(class *state.Class) string {
	wants := "needs quota"
	if needs := vs.hierarchy.Forest.Needs(class.Queue.Node, class.Options[0].MinNeed); len(needs) > 0 {
		wants = state.NeedsText(class, needs[0])
	}
	return wants + "; free quota is reserved for asks that have headed their queue for longer than its headTimeout"
}

// Update sets the verdicts of all pending asks of a queue after a complete cycle. To save work, it visits only
// classes in which something may have changed, builds a message only if the reason has changed, and visits single
// askers only if the message has changed or they are new.
func (vs *Writer) Update(q *state.Queue) {
	stop := state.QueueBlockReason(q)
	before := q.Asks.StrictHead
	vs.reservations.UpdateHead(q, stop)
	if q.Asks.BlockReason != stop {
		q.Asks.BlockReason = stop
		for _, class := range q.Asks.Classes {
			q.MarkVerdictStale(class)
		}
	}
	for _, class := range q.Asks.StaleClasses {
		class.VerdictStale = false
		if len(class.Askers.Items) > 0 {
			vs.updateClassVerdict(class, class.BlockReasonUnder(stop))
		}
	}
	clear(q.Asks.StaleClasses)
	q.Asks.StaleClasses = q.Asks.StaleClasses[:0]
	if before != nil && before != q.Asks.StrictHead && before.Class != nil && before.Claim == nil {
		vs.registry.SetVerdict(before, before.Class.Verdict)
	}
	if q.Asks.StrictHead != nil && q.Asks.StrictHead.Claim == nil {
		class := q.Asks.StrictHead.Class
		vs.registry.SetVerdict(q.Asks.StrictHead, vs.newVerdict(class, class.BlockedByQuota()))
	}
}

// updateClassVerdict sets the verdict on those asks of a class that do not have it yet, except on the head of a
// StrictFIFO queue.
func (vs *Writer) updateClassVerdict(class *state.Class, c state.BlockReason) {
	toUpdate := class.Arrived
	if class.Verdict == nil || class.BlockReason != c {
		class.BlockReason, class.Verdict = c, vs.newVerdict(class, c)
		toUpdate = class.Askers.Items
	}
	for _, a := range toUpdate {
		if a.Class == class && a != class.Queue.Asks.StrictHead && a.Claim == nil {
			vs.registry.SetVerdict(a, class.Verdict)
		}
	}
	clear(class.Arrived)
	class.Arrived = class.Arrived[:0]
}

// newVerdict returns the verdict on a class in words.
func (vs *Writer) newVerdict(class *state.Class, c state.BlockReason) *queueing.Verdict {
	v := queueing.Verdict{State: queueing.Waiting, Reason: c.Reason}
	switch {
	case class.IsInadmissible():
		v = class.Inadmissible
	case c.Reason == queueing.ReasonQueueHeld:
		v.Message = state.StopText(c.Queue, class.Queue)
	case c.Reason == queueing.ReasonMaxRunning:
		v.Message = fmt.Sprintf("%s has reached its maxRunning of %d", state.Named(c.Queue, class.Queue), *c.Queue.Config.MaxRunning)
	case c.NotHead:
		v.Message = fmt.Sprintf("queue %s is StrictFIFO: an earlier ask must start first", class.Queue.Name)
	case c.Reserved:
		v.Message = vs.reservedMessage(class)
	default:
		v.Message = vs.quotaMessage(class, c.Limit)
	}
	return &v
}

// quotaMessage says what is needed, whose limit blocks it, and how high that limit is. It never says what is free at
// the moment, and names only the first limit: whether the others leave enough changes with every cycle.
func (vs *Writer) quotaMessage(class *state.Class, b quota.Block) string {
	others := ""
	if len(class.Options) > 1 {
		others = "; no other flavor has enough free quota either"
	}
	return state.NeedsText(class, b) + "; " + vs.hierarchy.HoldersText(class.Queue, b) + others
}
