// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/queueing"
)

// placement says which gate and queue a start asks, and what administrators allow it there.
type placement struct {
	*state
	// policy of the namespace, as of the plan of the pass.
	policy namespacepolicy.Policy
	// placed are the gate and the queue of the plan. They are chosen for each start anew, so a change of a default affects no attempt that was
	// admitted.
	placed namespacepolicy.Placement
	// target is the gate that the plan of the pass asks.
	target targetGate
}

// targetGate is the gate that a start asks, whether the namespace is guarded, and all settings of the namespace.
type targetGate struct {
	name     string
	guarded  bool
	settings string
}

// explain adds to the message of a verdict what the gate does not know: where the queue was named, and what administrators allow in the namespace.
func (pl *placement) explain(verdict *queueing.Verdict, ask *queueing.Ask) {
	gate := string(pl.placed.Gate)
	switch {
	case verdict.State == queueing.Granted && verdict.Message == "" && pl.Gates.Unlimited(gate, ask.Queue):
		verdict.Message = pl.placed.UnlimitedByDefault()
	case verdict.State != queueing.Waiting:
	case verdict.Reason == queueing.ReasonReferenceNotFound, verdict.Reason == queueing.ReasonNamespaceNotAllowed:
		where := v1alpha1.ReadyCondition
		if verdict.Reason == queueing.ReasonNamespaceNotAllowed {
			where = v1alpha1.AdmittedCondition // Ready may say more
		}
		published := ""
		if c := apimeta.FindStatusCondition(pl.app.Status.Conditions, where); c != nil {
			published = c.Message
		}
		verdict.Message = pl.policy.RefusedQueue(pl.placed, verdict.Message, published, func() ([]string, bool) {
			// A list of allowed queues says itself which ones may be without limits.
			return pl.Gates.QueuesFor(gate, ask.NamespaceLabels, pl.policy.Guarded && !pl.policy.Queues.Set)
		})
	}
}
