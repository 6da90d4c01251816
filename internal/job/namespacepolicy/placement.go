// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package namespacepolicy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/nearest"
)

// defaultQueueField names the source of the queue when neither the application nor its namespace names one.
const defaultQueueField = "spec.queue.name (the default)"

// Placement is the gate and the queue of an application, and the field or annotation that named each, for messages.
type Placement struct {
	Gate              v1alpha1.GateType
	GateField         string
	Queue, QueueField string
}

// Defaults decide where neither an application nor its namespace names a gate or a queue.
type Defaults struct {
	// Gate is the operator's flag --default-gate. Default: Embedded.
	Gate v1alpha1.GateType
	// QueueLabel returns the label by which users of a gate's system name a queue; empty if they use none. A nil
	// function means that no gate has such a label.
	QueueLabel func(v1alpha1.GateType) string
}

// Place returns the gate and the queue of an application in the namespace, or, if app is nil, of pods without an
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

// placeInNamespace returns the gate and the queue for an object in the namespace that names neither.
func (p Policy) placeInNamespace(defaults Defaults) Placement {
	placed := Placement{
		Gate: defaults.Gate, GateField: "flag --default-gate of the operator",
		Queue: v1alpha1.DefaultQueue, QueueField: defaultQueueField,
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

// mayUse introduces, in a message, the queues that a namespace may use instead.
const mayUse = " may use "

// RefusedQueue returns the message for a queue that the gate refuses. It starts with the field that named the queue and
// the gate's own text (says), and suggests queues that admit the namespace. list returns the queues that the gate
// knows; known is false if the gate cannot list its queues.
//
// published is the application's current message. If it says the same and lists queues, it is returned unchanged: each
// change of a message is a write, and the list of queues changes often.
func (p Policy) RefusedQueue(placed Placement, says, published string, list func() (queues []string, known bool)) string {
	says = placed.QueueField + ": " + says
	if hint, same := strings.CutPrefix(published, says+"; "); same && strings.Contains(hint, mayUse) {
		return published
	}
	queues, known := list()
	usable := slices.DeleteFunc(slices.Clone(queues), func(name string) bool { return !p.Queues.Allows(name) })
	switch near := nearest.To(placed.Queue, usable); {
	case !known:
		return says
	case len(usable) == 0:
		return fmt.Sprintf("%s; no queue admits namespace %s: ask an administrator for one", says, p.Namespace)
	case near != "" && near != placed.Queue:
		return fmt.Sprintf("%s; did you mean %s? Namespace %s%s%s", says, near, p.Namespace, mayUse, firstNames(usable))
	default:
		return fmt.Sprintf("%s; namespace %s%s%s", says, p.Namespace, mayUse, firstNames(usable))
	}
}

// UnlimitedByDefault returns a message for an application that is in a queue without limits because nothing names a
// queue; empty if one was named.
func (p Placement) UnlimitedByDefault() string {
	if p.QueueField != defaultQueueField {
		return ""
	}
	return fmt.Sprintf("neither the application nor its namespace names a queue, so it is in queue %s, which has no limits: for one with a quota, "+
		"set spec.queue.name, or the annotation %s of the namespace", p.Queue, v1alpha1.DefaultQueueAnnotation)
}

// UnguardedGate returns the message for a gate that may not be used in a guarded namespace. In such a namespace all
// executors wait behind a scheduling gate, so the gate has to admit executors one by one; others are the gates that do.
func (p Policy) UnguardedGate(placed Placement, others []string) string {
	return fmt.Sprintf("gate %s (%s) is not allowed in namespace %s, which is guarded (label %s): set spec.queue.gate to %s",
		placed.Gate, placed.GateField, p.Namespace, v1alpha1.GuardedLabel, strings.Join(others, " or "))
}

// maxNamesListed is the largest number of queues that a message lists.
const maxNamesListed = 5

// firstNames joins the first maxNamesListed names and adds how many more there are.
func firstNames(names []string) string {
	if len(names) <= maxNamesListed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamesListed], ", "), len(names)-maxNamesListed)
}
