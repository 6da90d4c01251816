// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "github.com/sparkgate/sparkgate/queueing"

// PodCount counts pods that belong to no application.
type PodCount struct{ Pending, Admitted int32 }

// atMaxRunning returns the queue that keeps a line from being admitted, because it has as many applications as it may; nil if none does.
// Executors of an unmanaged driver do not wait for others to end: they would wait for their own driver.
func (class *equivalenceClass) atMaxRunning() *queue {
	if class.unmanagedExecutor {
		return nil
	}
	return class.queue.atMaxRunning()
}

// isBlockedBy says that a cause why nobody in the queue is admitted is one for this line, too.
func (class *equivalenceClass) isBlockedBy(stop blockReason) bool {
	return stop.reason != "" && !(class.unmanagedExecutor && stop.reason == queueing.ReasonMaxRunning)
}

// countAdmitted adds a holder to the counters of its queue and of all above it, or takes it away. What a deleted queue holds counts for
// those that were above it; what the children of a deleted queue hold does not.
func (a *app) countAdmitted(n int32) {
	cut := false
	for q := a.held.queue; q != nil && !cut; q = q.parent {
		if !a.held.grant.Part {
			q.admitted += n
		}
		if a.key.Kind == queueing.Pod {
			q.pods.Admitted += n
		}
		cut = q.config != nil && q.parent != nil && q.parent.config == nil
	}
}

// countPending adds one who waits to the counters of its queue and of all above it, or takes it away. Queues that do not exist have
// nobody waiting.
func (a *app) countPending(q *queue, n int32) {
	for ; q != nil && q.config != nil; q = q.parent {
		if !a.ask.unmanagedExecutor {
			q.pending += n
		}
		if a.key.Kind == queueing.Pod {
			q.pods.Pending += n
		}
	}
}
