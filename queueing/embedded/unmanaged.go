// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "github.com/sparkgate/sparkgate/queueing"

// PodCount counts pods that belong to no application.
type PodCount struct{ Pending, Admitted int32 }

// atMaxRunning returns the queue whose maxRunning keeps a class from being admitted; nil if there is none.
func (class *equivalenceClass) atMaxRunning() *queue {
	if class.unmanagedExecutor {
		return nil
	}
	return class.queue.atMaxRunning()
}

// isBlockedBy reports whether a reason that blocks the queue also blocks this class.
func (class *equivalenceClass) isBlockedBy(stop blockReason) bool {
	return stop.reason != "" && !(class.unmanagedExecutor && stop.reason == queueing.ReasonMaxRunning)
}
