// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"

	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/internal/priorityclass"
	"github.com/sparkgate/sparkgate/internal/finding"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/queueing"
)

// refusedByNamespace returns why the namespace does not allow the gate, the queue or the pod security of a plan. An
// unknown gate is reported elsewhere, and the gate None has no queues to check.
func (pl *placement) refusedByNamespace(policy namespacepolicy.Policy, plan *lifecycle.Plan) []finding.Finding {
	var found []finding.Finding
	if pl.Gates.Known(plan.Gate) {
		found = withRefusal(found, policy.Gate(plan.Gate, pl.placed.GateField, pl.AllowedGates))
	}
	if pl.Gates.Capabilities(plan.Gate).Queues {
		found = withRefusal(found, policy.Queue(plan.Queue, pl.placed.QueueField))
	}
	return withRefusal(found, policy.PodSecurity(pl.app.Spec.PodSecurity, !pl.ForbidPodSecurityNone))
}

// withRefusal appends a finding with this message, unless the message is empty.
func withRefusal(found []finding.Finding, message string) []finding.Finding {
	if message == "" {
		return found
	}
	return append(found, finding.Finding{Reason: v1alpha1.InvalidSpecReason, Message: message})
}

// forbidden returns findings about the service accounts, the priority classes and the gate of a start that
// administrators do not allow.
func (pl *placement) forbidden(ctx context.Context, policy namespacepolicy.Policy, plan *lifecycle.Plan, ready *memory.Prepared) ([]finding.Finding, error) {
	found := append(forbiddenAccounts(policy, ready.Accounts), pl.unguardedGate(policy)...)
	classes := ready.Classes
	if q := pl.app.Spec.Queue; q != nil && q.PriorityClassName != "" {
		classes = append([]memory.Named{{Name: q.PriorityClassName, By: "spec.queue.priorityClassName"}}, classes...)
	}
	for _, c := range classes {
		message, err := pl.classes(plan.Gate, plan.Queue).Refusal(ctx, c.Name, c.By)
		if err != nil {
			return nil, err
		}
		found = withRefusal(found, message)
	}
	return found, nil
}

// allowedClass reports whether the queue of a grant allows the PriorityClass that the application names now. If it does
// not, the class is ignored and the priority of the holder stays.
func (pl *placement) allowedClass(ctx context.Context, grant *v1alpha1.Grant) (bool, error) {
	q := pl.app.Spec.Queue
	if q == nil || q.PriorityClassName == "" {
		return true, nil
	}
	refusal, err := pl.classes(string(grant.Gate), grant.Queue).Refusal(ctx, q.PriorityClassName, "spec.queue.priorityClassName")
	return refusal == "", err
}

// classes returns the check of which PriorityClasses may be used under a gate in a queue.
func (pl *placement) classes(gate, queue string) priorityclass.Classes {
	if !pl.Gates.Capabilities(gate).SparkQueues {
		queue = "" // it names a queue of another system
	}
	return priorityclass.Classes{Reader: pl.Client, Queue: queue}
}

// classesOf returns the PriorityClasses that the pod templates of an attempt name. They must be allowed like
// spec.queue.priorityClassName, because the scheduler acts on them.
func classesOf(objects render.Objects) []memory.Named {
	var classes []memory.Named
	for _, c := range []memory.Named{
		{Name: objects.Pod.Spec.PriorityClassName, By: "spec.driver.template.spec.priorityClassName"},
		{Name: objects.ExecutorTemplate.Spec.PriorityClassName, By: "spec.executor.template.spec.priorityClassName"},
	} {
		if c.Name != "" {
			classes = append(classes, c)
		}
	}
	return classes
}

// choose returns a plan with the gate and queue of a start, and with findings if they are not allowed.
func (pl *placement) choose(policy namespacepolicy.Policy) *lifecycle.Plan {
	pl.placed = policy.Place(pl.app, namespacepolicy.Defaults{Gate: pl.DefaultGate, QueueLabel: func(gate v1alpha1.GateType) string {
		return pl.Gates.Capabilities(string(gate)).QueueLabel
	}})
	plan := &lifecycle.Plan{Gate: string(pl.placed.Gate), Queue: pl.placed.Queue}
	pl.target = memory.Target{Gate: plan.Gate, Guarded: policy.Guarded}
	plan.Findings = append(validate.Queue(pl.app, v1alpha1.GateType(plan.Gate)), pl.refusedByNamespace(policy, plan)...)
	return plan
}

// unguardedGate refuses a gate that cannot resize grants if the namespace is guarded. Executors of guarded namespaces
// are created with the scheduling gate, which such a gate would never have removed.
func (pl *placement) unguardedGate(policy namespacepolicy.Policy) []finding.Finding {
	gate := pl.placed.Gate
	if !policy.Guarded || !pl.Gates.Known(string(gate)) || pl.Gates.Capabilities(string(gate)).Resizes {
		return nil
	}
	allowed := pl.Gates.Names(func(can queueing.Capabilities) bool { return can.Resizes })
	return withRefusal(nil, policy.UnguardedGate(pl.placed, allowed))
}

// priority returns the priority of a start: the value of the class named in spec.queue, else of the cluster's default
// class, else 0. A class of the gate's own system takes precedence over a PriorityClass of the same name. If there is
// no such class, missing says so.
func (pl *placement) priority(ctx context.Context, gate string) (value int32, missing string, err error) {
	if q := pl.app.Spec.Queue; q != nil && q.PriorityClassName != "" {
		value, known, asked := pl.Gates.Priority(gate, q.PriorityClassName)
		if known {
			return value, "", nil
		}
		class := &schedulingv1.PriorityClass{}
		err := pl.Client.Get(ctx, types.NamespacedName{Name: q.PriorityClassName}, class)
		if apierrors.IsNotFound(err) {
			kinds := "PriorityClass"
			if asked {
				kinds = "WorkloadPriorityClass or PriorityClass"
			}
			return 0, fmt.Sprintf("%s %q named by spec.queue.priorityClassName does not exist", kinds, q.PriorityClassName), nil
		}
		return class.Value, "", err
	}
	classes := &schedulingv1.PriorityClassList{}
	if err := pl.Client.List(ctx, classes, client.UnsafeDisableDeepCopy); err != nil {
		return 0, "", fmt.Errorf("list priority classes: %w", err)
	}
	for i := range classes.Items {
		if classes.Items[i].GlobalDefault {
			value = classes.Items[i].Value
		}
	}
	return value, "", nil
}
