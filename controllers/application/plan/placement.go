// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/queueing"
)

// Placer chooses the gate and queue of a start, and checks what administrators allow the application there.
type Placer struct {
	// Cache has the PriorityClasses and queues.
	Cache client.Reader
	Gates reservation.Gates
	// DefaultGate is used where neither the application nor its namespace names a gate; AllowedGates are those that
	// namespaces may use without an annotation of their own.
	DefaultGate  v1alpha1.GateType
	AllowedGates []v1alpha1.GateType
	// ForbidPodSecurityNone refuses applications with podSecurity None.
	ForbidPodSecurityNone bool
}

// placement is where a start asks. It is chosen anew for each start, so changing a default does not affect an attempt
// that was already admitted.
type placement struct {
	// policy is the namespace's policy at the time of planning.
	policy namespacepolicy.Policy
	placed namespacepolicy.Placement
	// target is the gate that the plan asks, and what it depends on.
	target memory.Target
}

// explain adds to a verdict's message what the gate does not know: where the queue was named, and what administrators
// allow in the namespace.
func (pl *Placer) explain(app *v1alpha1.SparkApplication, at placement, verdict *queueing.Verdict, ask *queueing.Ask) {
	gate := string(at.placed.Gate)
	switch {
	case verdict.State == queueing.Granted && verdict.Message == "" && pl.Gates.Unlimited(gate, ask.Queue):
		verdict.Message = at.placed.UnlimitedByDefault()
	case verdict.State != queueing.Waiting:
	case verdict.Reason == queueing.ReasonReferenceNotFound, verdict.Reason == queueing.ReasonNamespaceNotAllowed:
		where := v1alpha1.ReadyCondition
		if verdict.Reason == queueing.ReasonNamespaceNotAllowed {
			where = v1alpha1.AdmittedCondition // Ready may contain more than this message
		}
		published := ""
		if c := apimeta.FindStatusCondition(app.Status.Conditions, where); c != nil {
			published = c.Message
		}
		verdict.Message = at.policy.RefusedQueue(at.placed, verdict.Message, published, func() ([]string, bool) {
			// The list of allowed queues already says which of them may be without limits.
			return pl.Gates.QueuesFor(gate, ask.NamespaceLabels, at.policy.Guarded && !at.policy.Queues.Set)
		})
	}
}
