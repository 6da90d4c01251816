// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	explainv1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/embedded/explain"
)

// View is what others may see of the queues. It is safe for concurrent use.
type View struct {
	admissions *admissions
	opened     chan struct{}
}

// Leads reports whether this process leads and has restored what is held. Other processes cannot explain anything.
func (v *View) Leads() bool {
	select {
	case <-v.opened:
		return true
	default:
		return false
	}
}

// Explain returns the live view of an asker, or false if it neither asks for nor holds anything here.
func (v *View) Explain(key queueing.Key) (explainv1.Application, bool) {
	v.admissions.mu.Lock()
	defer v.admissions.mu.Unlock()
	x, known := v.admissions.engine.Explain(key)
	if !known {
		return explainv1.Application{}, false
	}
	return convert.Explanation(x), true
}

// ExplainQueue returns the live view of a queue, or false if the queue is not configured.
func (v *View) ExplainQueue(queue string) (explainv1.Queue, bool) {
	v.admissions.mu.Lock()
	defer v.admissions.mu.Unlock()
	x, known := v.admissions.engine.Queues().Explain(queue)
	if !known {
		return explainv1.Queue{}, false
	}
	return convert.QueueExplanation(x), true
}

// State returns the state of a queue, or false if the queue is not configured.
func (v *View) State(queue string) (explain.QueueState, bool) {
	v.admissions.mu.Lock()
	defer v.admissions.mu.Unlock()
	return v.admissions.engine.Queues().State(queue)
}

// Names returns the names of all queues.
func (v *View) Names() []string {
	v.admissions.mu.Lock()
	defer v.admissions.mu.Unlock()
	return v.admissions.engine.Queues().Names()
}
