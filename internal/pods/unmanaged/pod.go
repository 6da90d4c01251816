// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package unmanaged knows what a Spark pod that belongs to no application asks its queue for, and what it is charged:
// for the operator, which lets such pods in, and for plans. Everything is pure.
package unmanaged

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// Selector selects the pods of no application.
const Selector = "!" + v1alpha1.ApplicationUIDLabel

// run and attempt of every pod: it asks once.
const run, attempt = 1, 1

// Pod is what is remembered of a Spark pod that belongs to no application. It is never changed.
type Pod struct {
	*pods.Record
	// Requests are what a node reserves for it, "pods": 1 included.
	Requests queueing.Resources
	// Invalid says which of its requests cannot be counted, and why; empty if all can. Then requests are the nearest
	// that can.
	Invalid  string
	Priority int32
	// Class is its PriorityClass; empty if it has none.
	Class   string
	Created time.Time
	// Owner is the uid of the pod that owns it; empty if none does.
	Owner string
	// Unlabelled: it has no label at all.
	Unlabelled bool
	// Unattributed: it has the labels of an application and cannot be attributed to it. What its labels say proves nothing.
	Unattributed bool
}

// PodOf reduces a pod; nil if it is none of Spark's. Behind the gate everything is Spark's: the guard has put it
// there.
func PodOf(p *corev1.Pod) *Pod {
	_, role := p.Labels[v1alpha1.SparkRoleLabel]
	_, charged := p.Labels[v1alpha1.QueueLabel]
	selector := p.Labels[v1alpha1.SparkSelectorLabel]
	out := &Pod{
		Record: pods.RecordOf(p), Created: p.CreationTimestamp.Time,
		Class: p.Spec.PriorityClassName, Unlabelled: len(p.Labels) == 0,
	}
	if out.SchedulingGate == nil && !role && !charged && selector == "" {
		return nil
	}
	var err error
	if out.Requests, err = amounts.OfPod(p); err != nil {
		out.Requests, out.Invalid = amounts.ClampPod(p), err.Error()
	}
	out.Requests = pods.Few(out.Requests)
	if gate := out.SchedulingGate; gate != nil && gate.Excess != "" {
		out.Invalid = gate.Excess
	}
	if p.Spec.Priority != nil {
		out.Priority = *p.Spec.Priority
	}
	for i := range p.OwnerReferences {
		if p.OwnerReferences[i].Kind == "Pod" {
			out.Owner = string(p.OwnerReferences[i].UID)
		}
	}
	return out
}

// Same reports whether two states of a pod lead to the same decisions.
func (p *Pod) Same(other *Pod) bool {
	return p.UID == other.UID && p.Active() == other.Active() && p.Deleting == other.Deleting && p.EndGrace == other.EndGrace && p.Queue == other.Queue && p.Flavor == other.Flavor &&
		(p.SchedulingGate == nil) == (other.SchedulingGate == nil) && (p.SchedulingGate == nil || p.Version == other.Version)
}

// Concerned reports whether the pod holds quota or waits for some: it has not ended, and is not one that never ran and
// never will.
func (p *Pod) Concerned() bool { return p.Active() && (p.SchedulingGate == nil || !p.Deleting) }

// AdmittedDriver reports whether the pod is a driver that was let in and has not ended.
func (p *Pod) AdmittedDriver() bool {
	return p.Role == pods.Driver && p.SchedulingGate == nil && p.Active() && !p.Deleting && !p.Unattributed
}

// PodSet returns the name of the pod set that the pod is.
func (p *Pod) PodSet() string {
	if p.Role == pods.Driver || p.Role == pods.Other && p.Owner == "" {
		return v1alpha1.DriverPodSet
	}
	return v1alpha1.ExecutorPodSet
}

// IsExecutor reports whether a driver has created the pod: the driver counts as an application, what it creates does
// not.
func (p *Pod) IsExecutor() bool { return p.PodSet() != v1alpha1.DriverPodSet }

// Key is the name under which the pod asks.
func (p *Pod) Key() queueing.Key {
	return queueing.Key{Kind: queueing.Pod, Namespace: p.Namespace, Name: p.Name, UID: string(p.UID)}
}

// Grant returns what the pod is charged in a queue, now that it runs: in the flavor of its label, if it was let into that queue. Else the
// label is whatever its creator wrote, and that of an unattributed pod proves nothing: it has no flavor.
func (p *Pod) Grant(gate, queue string) queueing.Grant {
	flavor := p.Flavor
	if p.Queue != queue || p.Unattributed {
		flavor = ""
	}
	return queueing.Grant{
		Run: run, Attempt: attempt, Gate: gate, Queue: queue, Part: p.IsExecutor(),
		PodSets: []queueing.PodSetGrant{{Name: p.PodSet(), Flavor: flavor, Count: 1, Requests: p.Requests}},
	}
}

// Ask returns what a pod behind the gate asks its queue for. An executor is queued as of its driver.
func (p *Pod) Ask(namespace metav1.Object, queuedAt time.Time) queueing.Ask {
	queue := QueueOf(namespace)
	return queueing.Ask{
		Key: p.Key(), Run: run, Attempt: attempt, Queue: queue, NamespaceLabels: namespace.GetLabels(),
		NeedsLimits: namespacepolicy.Of(namespace).NeedsLimits(queue), Part: p.IsExecutor(), Priority: p.Priority, QueuedAt: queuedAt,
		PodSets: []queueing.PodSet{{
			Name: p.PodSet(), Count: 1, Requests: p.Requests, NodeSelector: p.SchedulingGate.NodeSelector, Tolerations: p.SchedulingGate.Tolerations,
		}},
	}
}

// QueuedAt returns the time from which a pod counts as waiting: an executor counts from when its driver was created, if
// an owner reference names the uid of an admitted driver of the same namespace; every other pod counts from its own
// creation. Labels prove nothing, and a driver that still waits has no seniority to pass on. The owner is the pod whose
// uid is p.Owner, nil if there is none in the namespace.
func (p *Pod) QueuedAt(owner *Pod) time.Time {
	if owner == nil || !owner.AdmittedDriver() || owner.Created.After(p.Created) {
		return p.Created
	}
	return owner.Created
}

// Youngest is a time after all others.
var Youngest = time.Unix(math.MaxInt32, 0)

// AdmittedAt returns when a pod without a scheduling gate was let in: when it was bound to its node, which comes next.
// Its creation says nothing of that, because it may have waited for days. One that has no node yet loses nothing, and is
// the youngest.
func (p *Pod) AdmittedAt() time.Time {
	if p.BoundAt == 0 {
		return Youngest
	}
	bound := time.Unix(int64(p.BoundAt), 0)
	if p.Created.After(bound) {
		return p.Created
	}
	return bound
}

// QueueOf returns the queue of the pods of a namespace.
func QueueOf(namespace metav1.Object) string {
	return namespacepolicy.Of(namespace).Place(nil, namespacepolicy.Defaults{}).Queue
}

// LabelledQueue returns the queue that the label of an ungated pod names, if it may count: an operator has let the pod in there.
// Empty where only the queue of the namespace can be charged.
func (p *Pod) LabelledQueue(namespace metav1.Object) string {
	if p.Unattributed || p.Queue == QueueOf(namespace) || !namespacepolicy.Of(namespace).Queues.Allows(p.Queue) {
		return ""
	}
	return p.Queue
}

// ChargedTo returns the queue that an ungated pod is charged to when nothing is recorded of it, as after a restart: the
// one that its label names, if its namespace may use that queue; named is that queue, nil if there is none.
// Else it is that of the namespace: labels of a pod that was created before its namespace was guarded are whatever its
// creator wrote, and must not charge a queue of others, or one that does not exist.
func (p *Pod) ChargedTo(namespace metav1.Object, named *v1alpha1.SparkQueue) string {
	own := QueueOf(namespace)
	if named == nil || p.LabelledQueue(namespace) == "" {
		return own
	}
	admits := convert.QueueConfig(named).Admits
	unlimited := len(named.Spec.Flavors) == 0 && namespacepolicy.Of(namespace).NeedsLimits(named.Name)
	if admits == nil || !admits(namespace.GetLabels()) || unlimited {
		return own
	}
	return named.Name
}
