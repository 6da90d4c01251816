// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package unmanaged computes what a Spark pod that belongs to no application asks of its queue, and what it is charged.
// The operator uses it to ungate such pods, and plans use it to predict that. All functions are pure.
package unmanaged

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// Selector selects the pods that belong to no application.
const Selector = "!" + v1alpha1.ApplicationUIDLabel

// run and attempt are those of every unmanaged pod, because it asks only once.
const run, attempt = 1, 1

// Pod is what the operator remembers of a Spark pod that belongs to no application. It never changes.
type Pod struct {
	*pods.Record
	// Requests are the requests that a node reserves for the pod, including "pods": 1.
	Requests queueing.Resources
	// Invalid is a message about the requests that cannot be counted; empty if all can. Requests then has the nearest
	// amounts that can be counted.
	Invalid  string
	Priority int32
	// Class is the name of its PriorityClass; empty if it has none.
	Class   string
	Created time.Time
	// Owner is the uid of the pod that owns it; empty if no pod does.
	Owner string
	// Unlabelled reports that the pod has no label at all.
	Unlabelled bool
	// Unattributed reports that the pod has the labels of an application but cannot be attributed to it. Then its
	// labels prove nothing.
	Unattributed bool
}

// PodOf returns the record of a pod, nil if it is not a Spark pod. A pod behind the operator's scheduling gate always
// is one, because the guard has put the gate on it.
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
	out.Requests = pods.CapResources(out.Requests)
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

// HoldsOrAwaitsQuota reports whether the pod holds quota or waits for it. A pod that has ended, or was deleted before
// it could run, does neither.
func (p *Pod) HoldsOrAwaitsQuota() bool {
	return p.Active() && (p.SchedulingGate == nil || !p.Deleting)
}

// AdmittedDriver reports whether the pod is a driver that was ungated and has not ended.
func (p *Pod) AdmittedDriver() bool {
	return p.Role == pods.Driver && p.SchedulingGate == nil && p.Active() && !p.Deleting && !p.Unattributed
}

// PodSet returns the name of the pod set that the pod forms.
func (p *Pod) PodSet() string {
	if p.Role == pods.Driver || p.Role == pods.Other && p.Owner == "" {
		return v1alpha1.DriverPodSet
	}
	return v1alpha1.ExecutorPodSet
}

// IsExecutor reports whether a driver has created the pod. Only drivers count as applications in their queue.
func (p *Pod) IsExecutor() bool { return p.PodSet() != v1alpha1.DriverPodSet }

// Key returns the key under which the pod asks.
func (p *Pod) Key() queueing.Key {
	return queueing.Key{Kind: v1alpha1.PodKind, Namespace: p.Namespace, Name: p.Name, UID: string(p.UID)}
}

// Grant returns what a running pod is charged in a queue. The flavor is the one of its label if the operator ungated it
// in that queue. Otherwise the label could be forged, and the grant has no flavor.
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

// Ask returns what a pod behind the scheduling gate asks of its queue. queuedAt is its place in the queue (QueuedAt).
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

// QueuedAt returns since when the pod counts as waiting. For an executor that is when its driver was created, if its
// owner reference names the uid of an admitted driver in the same namespace; for every other pod it is its own
// creation. Labels are no proof of a driver, and a driver that still waits has no place to pass on. owner is the pod
// whose uid is p.Owner, nil if there is none in the namespace.
func (p *Pod) QueuedAt(owner *Pod) time.Time {
	if owner == nil || !owner.AdmittedDriver() || owner.Created.After(p.Created) {
		return p.Created
	}
	return owner.Created
}

// Youngest is later than any other time.
var Youngest = time.Unix(math.MaxInt32, 0)

// AdmittedAt returns when a pod without a scheduling gate was ungated, which is about when it was bound to its node.
// Its creation would not tell, because it may have waited for days. A pod without a node is Youngest, because it loses
// no work if it is ended.
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

// QueueOf returns the queue for the unmanaged pods of a namespace.
func QueueOf(namespace metav1.Object) string {
	return namespacepolicy.Of(namespace).Place(nil, namespacepolicy.Defaults{}).Queue
}

// LabelledQueue returns the queue in the label of an ungated pod if an operator may have ungated it in that queue. It
// is empty if only the queue of the namespace can be charged.
func (p *Pod) LabelledQueue(namespace metav1.Object) string {
	if p.Unattributed || p.Queue == QueueOf(namespace) || !namespacepolicy.Of(namespace).Queues.Allows(p.Queue) {
		return ""
	}
	return p.Queue
}

// ChargedTo returns the queue that an ungated pod is charged to if nothing has been recorded about it, as after a
// restart. That is the queue in its label if its namespace may use it, else the queue of the namespace: labels of a pod
// that was created before its namespace was guarded may be forged, and must not charge a queue of other users or one
// that does not exist. named is the queue in the label, nil if it does not exist.
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
