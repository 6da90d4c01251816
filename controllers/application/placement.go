// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/queueing"
)

// placement says which gate and queue a start asks, and what administrators allow it there.
type placement struct {
	*state
	// policy of the namespace, as of the plan of the pass.
	policy namespacepolicy.Policy
	// gateField is where the gate of the plan was named.
	gateField string
	// queueField is where the queue of the plan was named.
	queueField string
	// target is the gate that the plan of the pass asks.
	target targetGate
}

// targetGate is the gate that a start asks, whether the namespace is guarded, and all settings of the namespace.
type targetGate struct {
	name     string
	guarded  bool
	settings string
}

// gateOf returns spec.queue.gate, else the namespace's annotation, else the operator's default. It is asked for each start anew, so nothing
// that was let in is touched when one of them changes.
func (pl *placement) gateOf(policy namespacepolicy.Policy) v1alpha1.GateType {
	if q := pl.app.Spec.Queue; q != nil && q.Gate != "" {
		return q.Gate
	}
	if policy.DefaultGate != "" {
		return v1alpha1.GateType(policy.DefaultGate)
	}
	return pl.DefaultGate
}

// gateField returns where the gate of a start was named, for messages.
func gateField(app *v1alpha1.SparkApplication, policy namespacepolicy.Policy) string {
	switch {
	case app.Spec.Queue != nil && app.Spec.Queue.Gate != "":
		return "spec.queue.gate"
	case policy.DefaultGate != "":
		return fmt.Sprintf("annotation %s of namespace %s", v1alpha1.DefaultGateAnnotation, policy.Namespace)
	}
	return "flag --default-gate of the operator"
}

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
