// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/priorityclass"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/queueing"
)

// queueOf returns spec.queue.name, else the label by which users of the gate's system name a queue, else the namespace's annotation,
// else the queue default; and where it was named.
func queueOf(app *v1alpha1.SparkApplication, policy namespacepolicy.Policy, gate queueing.Capabilities) (queue, field string) {
	if q := app.Spec.Queue; q != nil && q.Name != "" {
		return q.Name, "spec.queue.name"
	}
	if label := gate.QueueLabel; label != "" && app.Labels[label] != "" {
		return app.Labels[label], "label " + label
	}
	if policy.DefaultQueue != "" {
		return policy.DefaultQueue, fmt.Sprintf("annotation %s of namespace %s", v1alpha1.DefaultQueueAnnotation, policy.Namespace)
	}
	return v1alpha1.DefaultQueue, "spec.queue.name (the default)"
}

// closedTo returns what the namespace says against the gate and the queue of a plan. A gate that does not exist is told otherwise; the gate None
// asks no queue.
func (p *pass) closedTo(policy namespacepolicy.Policy, plan *lifecycle.Plan) []lifecycle.Finding {
	var found []lifecycle.Finding
	if p.Gates.Known(plan.Gate) {
		found = withRefusal(found, policy.Gate(plan.Gate, p.gateField, p.AllowedGates))
	}
	if p.Gates.Capabilities(plan.Gate).Queues {
		found = withRefusal(found, policy.Queue(plan.Queue, p.queueField))
	}
	return withRefusal(found, policy.PodSecurity(p.app.Spec.PodSecurity, !p.ForbidPodSecurityNone))
}

// withRefusal adds what a message says; an empty one says nothing.
func withRefusal(found []lifecycle.Finding, message string) []lifecycle.Finding {
	if message == "" {
		return found
	}
	return append(found, lifecycle.Finding{Reason: v1alpha1.InvalidSpecReason, Message: message})
}

// forbidden returns what administrators do not let the pods of a plan have.
func (p *pass) forbidden(ctx context.Context, policy namespacepolicy.Policy, plan *lifecycle.Plan, ready *prepared) ([]lifecycle.Finding, error) {
	found := append(forbiddenAccounts(policy, ready.accounts), p.unguardedGate(policy)...)
	classes := ready.classes
	if q := p.app.Spec.Queue; q != nil && q.PriorityClassName != "" {
		classes = append([]class{{q.PriorityClassName, "spec.queue.priorityClassName"}}, classes...)
	}
	for _, c := range classes {
		message, err := p.classes(plan.Gate, plan.Queue).Refusal(ctx, c.name, c.field)
		if err != nil {
			return nil, err
		}
		found = withRefusal(found, message)
	}
	return found, nil
}

// allowedClass reports whether the queue of a grant still allows the class of its holder: one that it did not at the start raises nobody later.
func (p *pass) allowedClass(ctx context.Context, grant *v1alpha1.Grant) (bool, error) {
	q := p.app.Spec.Queue
	if q == nil || q.PriorityClassName == "" {
		return true, nil
	}
	refusal, err := p.classes(string(grant.Gate), grant.Queue).Refusal(ctx, q.PriorityClassName, "spec.queue.priorityClassName")
	return refusal == "", err
}

// classes returns the PriorityClasses that may be named under a gate in a queue.
func (p *pass) classes(gate, queue string) priorityclass.Classes {
	if !p.Gates.Capabilities(gate).SparkQueues {
		queue = "" // it is another system's
	}
	return priorityclass.Classes{Reader: p.Client, Queue: queue}
}

// class is a PriorityClass that pods of an attempt name.
type class struct{ name, field string }

// classesOf returns the PriorityClasses that the pods of an attempt name: what a template says counts for the scheduler as much as
// spec.queue.priorityClassName does for the queue.
func classesOf(objects render.Objects) []class {
	var classes []class
	for _, c := range []class{
		{objects.Pod.Spec.PriorityClassName, "spec.driver.template.spec.priorityClassName"},
		{objects.ExecutorTemplate.Spec.PriorityClassName, "spec.executor.template.spec.priorityClassName"},
	} {
		if c.name != "" {
			classes = append(classes, c)
		}
	}
	return classes
}
