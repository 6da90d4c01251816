// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package namespacepolicy

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Placement is the gate and the queue that decide on something, and where each was named, for messages.
type Placement struct {
	Gate              v1alpha1.GateType
	GateField         string
	Queue, QueueField string
}

// Defaults say what decides where neither an application nor its namespace names anything.
type Defaults struct {
	// Gate is the operator's flag. Default: Embedded.
	Gate v1alpha1.GateType
	// QueueLabel returns the label by which users of a gate's system name a queue; empty if they use none. Nil: no
	// gate has such a label.
	QueueLabel func(v1alpha1.GateType) string
}

// Place returns what decides on an application in the namespace, or, if app is nil, on what belongs to no
// application. The gate is that of spec.queue.gate, else of the namespace's annotation, else the operator's default.
// The queue is that of spec.queue.name, else of the gate's label, else of the namespace's annotation, else the queue
// default.
func (p Policy) Place(app *v1alpha1.SparkApplication, defaults Defaults) Placement {
	placed := p.placeInNamespace(defaults)
	if app == nil {
		return placed
	}
	q := app.Spec.Queue
	if q != nil && q.Gate != "" {
		placed.Gate, placed.GateField = q.Gate, "spec.queue.gate"
	}
	if q != nil && q.Name != "" {
		placed.Queue, placed.QueueField = q.Name, "spec.queue.name"
		return placed
	}
	if defaults.QueueLabel != nil {
		if label := defaults.QueueLabel(placed.Gate); label != "" && app.Labels[label] != "" {
			placed.Queue, placed.QueueField = app.Labels[label], "label "+label
		}
	}
	return placed
}

// placeInNamespace returns what decides in the namespace on what names nothing itself.
func (p Policy) placeInNamespace(defaults Defaults) Placement {
	placed := Placement{
		Gate: defaults.Gate, GateField: "flag --default-gate of the operator",
		Queue: v1alpha1.DefaultQueue, QueueField: "spec.queue.name (the default)",
	}
	if placed.Gate == "" {
		placed.Gate = v1alpha1.GateEmbedded
	}
	if p.DefaultGate != "" {
		placed.Gate = v1alpha1.GateType(p.DefaultGate)
		placed.GateField = fmt.Sprintf("annotation %s of namespace %s", v1alpha1.DefaultGateAnnotation, p.Namespace)
	}
	if p.DefaultQueue != "" {
		placed.Queue = p.DefaultQueue
		placed.QueueField = fmt.Sprintf("annotation %s of namespace %s", v1alpha1.DefaultQueueAnnotation, p.Namespace)
	}
	return placed
}
