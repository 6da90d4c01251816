// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"fmt"
	"slices"

	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/internal/priorityclass"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/queueing"
)

// refusedByNamespace returns why the namespace does not allow the gate, the queue or the pod security of a plan. An
// unknown gate is reported elsewhere, and the gate None has no queues to check.
func (pl *Placer) refusedByNamespace(app *v1alpha1.SparkApplication, at placement, plan *lifecycle.Plan) []finding.Finding {
	var found []finding.Finding
	if pl.Gates.Known(plan.Gate) {
		found = withRefusal(found, at.policy.Gate(plan.Gate, at.placed.GateField, pl.AllowedGates))
	}
	if pl.Gates.Capabilities(plan.Gate).Queues {
		found = withRefusal(found, at.policy.Queue(plan.Queue, at.placed.QueueField))
	}
	return withRefusal(found, at.policy.PodSecurity(app.Spec.PodSecurity, !pl.ForbidPodSecurityNone))
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
func (pl *Placer) forbidden(ctx context.Context, g *draft) ([]finding.Finding, error) {
	found := append(forbiddenAccounts(g.at.policy, g.ready.Accounts), pl.unguardedGate(g.at)...)
	classes := g.ready.Classes
	if q := g.app.Spec.Queue; q != nil && q.PriorityClassName != "" {
		classes = append([]memory.Named{{Name: q.PriorityClassName, By: "spec.queue.priorityClassName"}}, classes...)
	}
	for _, c := range classes {
		message, err := pl.classes(g.Plan.Gate, g.Plan.Queue).Refusal(ctx, c.Name, c.By)
		if err != nil {
			return nil, err
		}
		found = withRefusal(found, message)
	}
	return found, nil
}

// AllowedClass reports whether the queue of a grant allows the PriorityClass that the application names now. If it does
// not, the class is ignored and the priority of the holder stays.
func (pl *Placer) AllowedClass(ctx context.Context, app *v1alpha1.SparkApplication, grant *v1alpha1.Grant) (bool, error) {
	q := app.Spec.Queue
	if q == nil || q.PriorityClassName == "" {
		return true, nil
	}
	refusal, err := pl.classes(string(grant.Gate), grant.Queue).Refusal(ctx, q.PriorityClassName, "spec.queue.priorityClassName")
	return refusal == "", err
}

// classes returns the check of which PriorityClasses may be used under a gate in a queue.
func (pl *Placer) classes(gate, queue string) priorityclass.Classes {
	if !pl.Gates.Capabilities(gate).SparkQueues {
		queue = "" // it names a queue of another system
	}
	return priorityclass.Classes{Reader: pl.Cache, Queue: queue}
}

// classesOf returns the PriorityClasses that the pod templates of an attempt name. They must be allowed like
// spec.queue.priorityClassName, because the scheduler acts on them.
func classesOf(objects render.Objects) []memory.Named {
	return slices.DeleteFunc([]memory.Named{
		{Name: objects.Pod.Spec.PriorityClassName, By: "spec.driver.template.spec.priorityClassName"},
		{Name: objects.ExecutorTemplate.Spec.PriorityClassName, By: "spec.executor.template.spec.priorityClassName"},
	}, func(c memory.Named) bool { return c.Name == "" })
}

// choose returns where a start asks, and a plan with that gate and queue, which has findings if they are not allowed.
func (pl *Placer) choose(app *v1alpha1.SparkApplication, policy namespacepolicy.Policy) (placement, *lifecycle.Plan) {
	placed := policy.Place(app, namespacepolicy.Defaults{Gate: pl.DefaultGate, QueueLabel: func(gate v1alpha1.GateType) string {
		return pl.Gates.Capabilities(string(gate)).QueueLabel
	}})
	plan := &lifecycle.Plan{Gate: string(placed.Gate), Queue: placed.Queue}
	at := placement{policy, placed, memory.Target{Gate: plan.Gate, Guarded: policy.Guarded}}
	plan.Findings = append(validate.Queue(app, v1alpha1.GateType(plan.Gate)), pl.refusedByNamespace(app, at, plan)...)
	return at, plan
}

// unguardedGate refuses a gate that cannot resize grants if the namespace is guarded. Executors of guarded namespaces
// are created with the scheduling gate, which such a gate would never have removed.
func (pl *Placer) unguardedGate(at placement) []finding.Finding {
	gate := at.placed.Gate
	if !at.policy.Guarded || !pl.Gates.Known(string(gate)) || pl.Gates.Capabilities(string(gate)).Resizes {
		return nil
	}
	allowed := pl.Gates.Names(func(can queueing.Capabilities) bool { return can.Resizes })
	return withRefusal(nil, at.policy.UnguardedGate(at.placed, allowed))
}

// Priority returns the priority of a start: the value of the class named in spec.queue, else of the cluster's default
// class, else 0. A class of the gate's own system takes precedence over a PriorityClass of the same name. If there is
// no such class, missing says so.
func (pl *Placer) Priority(ctx context.Context, app *v1alpha1.SparkApplication, gate string) (value int32, missing string, err error) {
	if q := app.Spec.Queue; q != nil && q.PriorityClassName != "" {
		value, known, asked := pl.Gates.Priority(gate, q.PriorityClassName)
		if known {
			return value, "", nil
		}
		class := &schedulingv1.PriorityClass{}
		err := pl.Cache.Get(ctx, types.NamespacedName{Name: q.PriorityClassName}, class)
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
	if err := pl.Cache.List(ctx, classes, client.UnsafeDisableDeepCopy); err != nil {
		return 0, "", fmt.Errorf("list priority classes: %w", err)
	}
	for i := range classes.Items {
		if classes.Items[i].GlobalDefault {
			value = classes.Items[i].Value
		}
	}
	return value, "", nil
}
