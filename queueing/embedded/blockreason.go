// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"

	"github.com/sparkgate/sparkgate/queueing"
)

// queueBlockReason returns why the queue admits no ask at all, or the zero value if nothing blocks the queue.
func queueBlockReason(q *queue) blockReason {
	if q.stoppedBy != nil {
		return blockReason{reason: queueing.ReasonQueueHeld, queue: q.stoppedBy}
	}
	if full := q.atMaxRunning(); full != nil {
		return blockReason{reason: queueing.ReasonMaxRunning, queue: full}
	}
	return blockReason{}
}

// head returns the class whose first ask is the head of the queue, or nil if nothing can be admitted. If maxRunning
// blocks the first class of a StrictFIFO queue, parts of what is admitted come before it, because it may be waiting for
// their owners to end.
func (q *queue) head() *equivalenceClass {
	if q.config == nil || len(q.admissible.items) == 0 {
		return nil
	}
	head := q.admissible.items[0]
	if !q.strict() || head.atMaxRunning() == nil {
		return head
	}
	var parts *equivalenceClass
	for _, class := range q.admissible.items {
		if class.part && (parts == nil || q.admissible.before(class, parts)) {
			parts = class
		}
	}
	return cmp.Or(parts, head)
}

// headUnlessBlocked returns the first ask if it waits for quota, or nil if there is none or stop blocks it.
func (q *queue) headUnlessBlocked(stop blockReason) *app {
	if head := q.head(); head != nil && !head.isBlockedBy(stop) {
		return head.first()
	}
	return nil
}

// blockReasonUnder returns why a class is pending; stop is the reason that blocks its queue, if any.
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

// blockedByQuota returns the limit that blocks the class. A reservation is named only if no limit blocked the class
// before. Which of the two blocks changes with every ask and every release, and each change would cost a write for
// every ask of the class.
func (class *equivalenceClass) blockedByQuota() blockReason {
	return blockReason{reason: queueing.ReasonWaitingForQuota, limit: class.blocked, reserved: class.reserved && class.blocked.Need == 0}
}

// atMaxRunning returns the queue whose maxRunning keeps a class from being admitted, or nil if there is none.
func (class *equivalenceClass) atMaxRunning() *queue {
	if class.part {
		return nil
	}
	return class.queue.atMaxRunning()
}

// isBlockedBy reports whether a reason that blocks the queue also blocks this class.
func (class *equivalenceClass) isBlockedBy(stop blockReason) bool {
	return stop.reason != "" && !(class.part && stop.reason == queueing.ReasonMaxRunning)
}
