// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/queueing"
)

// placement chooses the gate and queue of a start, and checks what administrators allow the application there.
type placement struct {
	*state
	// policy is the namespace's policy at the time of planning.
	policy namespacepolicy.Policy
	// placed is the gate and queue of the plan. They are chosen anew for each start, so changing a default does not
	// affect an attempt that was already admitted.
	placed namespacepolicy.Placement
	// target is the gate that the plan asks, and what it depends on.
	target memory.Target
}

// explain adds to a verdict's message what the gate does not know: where the queue was named, and what administrators
// allow in the namespace.
func (pl *placement) explain(verdict *queueing.Verdict, ask *queueing.Ask) {
	gate := string(pl.placed.Gate)
	switch {
	case verdict.State == queueing.Granted && verdict.Message == "" && pl.Gates.Unlimited(gate, ask.Queue):
		verdict.Message = pl.placed.UnlimitedByDefault()
	case verdict.State != queueing.Waiting:
	case verdict.Reason == queueing.ReasonReferenceNotFound, verdict.Reason == queueing.ReasonNamespaceNotAllowed:
		where := v1alpha1.ReadyCondition
		if verdict.Reason == queueing.ReasonNamespaceNotAllowed {
			where = v1alpha1.AdmittedCondition // Ready may contain more than this message
		}
		published := ""
		if c := apimeta.FindStatusCondition(pl.app.Status.Conditions, where); c != nil {
			published = c.Message
		}
		verdict.Message = pl.policy.RefusedQueue(pl.placed, verdict.Message, published, func() ([]string, bool) {
			// The list of allowed queues already says which of them may be without limits.
			return pl.Gates.QueuesFor(gate, ask.NamespaceLabels, pl.policy.Guarded && !pl.policy.Queues.Set)
		})
	}
}
