// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// run and attempt of every pod: it asks once.
const run, attempt = 1, 1

// pod is what is remembered of a Spark pod that belongs to no application. It is never changed.
type pod struct {
	*pods.Record
	// requests are what a node reserves for it, "pods": 1 included.
	requests queueing.Resources
	// invalid says which of its requests cannot be counted, and why; empty if all can. Then requests are the nearest
	// that can.
	invalid  string
	priority int32
	// class is its PriorityClass; empty if it has none.
	class   string
	created time.Time
	// owner is the uid of the pod that owns it; empty if none does.
	owner string
	// unlabelled: it has no label at all.
	unlabelled bool
	// claimed: it has the labels of an application and cannot be attributed to it. What its labels say proves nothing.
	claimed bool
}

// recordOf reduces a pod; nil if it is none of Spark's. Behind the gate everything is Spark's: the guard has put it
// there.
func recordOf(p *corev1.Pod) *pod {
	_, role := p.Labels[v1alpha1.SparkRoleLabel]
	_, charged := p.Labels[v1alpha1.QueueLabel]
	selector := p.Labels[v1alpha1.SparkSelectorLabel]
	out := &pod{
		Record: pods.RecordOf(p), created: p.CreationTimestamp.Time,
		class: p.Spec.PriorityClassName, unlabelled: len(p.Labels) == 0,
	}
	if out.SchedulingGate == nil && !role && !charged && selector == "" {
		return nil
	}
	var err error
	if out.requests, err = amounts.OfPod(p); err != nil {
		out.requests, out.invalid = amounts.ClampPod(p), err.Error()
	}
	if p.Spec.Priority != nil {
		out.priority = *p.Spec.Priority
	}
	for i := range p.OwnerReferences {
		if p.OwnerReferences[i].Kind == "Pod" {
			out.owner = string(p.OwnerReferences[i].UID)
		}
	}
	return out
}

// same reports whether two states of a pod lead to the same decisions.
func (p *pod) same(other *pod) bool {
	return p.UID == other.UID && p.Active() == other.Active() && p.Deleting == other.Deleting && p.EndGrace == other.EndGrace && p.Queue == other.Queue && p.Flavor == other.Flavor &&
		(p.SchedulingGate == nil) == (other.SchedulingGate == nil) && (p.SchedulingGate == nil || p.Version == other.Version)
}

// concerned reports whether the pod holds quota or waits for some: it has not ended, and is not one that never ran and
// never will.
func (p *pod) concerned() bool { return p.Active() && (p.SchedulingGate == nil || !p.Deleting) }

// admittedDriver reports whether the pod is a driver that was let in and has not ended.
func (p *pod) admittedDriver() bool {
	return p.Role == pods.Driver && p.SchedulingGate == nil && p.Active() && !p.Deleting && !p.claimed
}

// set returns the name of the pod set that the pod is.
func (p *pod) set() string {
	if p.Role == pods.Driver || p.Role == pods.Other && p.owner == "" {
		return v1alpha1.DriverPodSet
	}
	return v1alpha1.ExecutorPodSet
}

// isExecutor reports whether a driver has created the pod: the driver counts as an application, what it creates does
// not.
func (p *pod) isExecutor() bool { return p.set() != v1alpha1.DriverPodSet }

func (p *pod) key() queueing.Key {
	return queueing.Key{Kind: queueing.Pod, Namespace: p.Namespace, Name: p.Name, UID: string(p.UID)}
}

// grant returns what the pod is charged in a queue, now that it runs: in the flavor of its label. One that was never
// let in has none, and that of a claimed pod proves nothing.
func (p *pod) grant(gate, queue string) queueing.Grant {
	flavor := p.Flavor
	if flavor == "" || p.claimed {
		flavor = v1alpha1.DefaultFlavor
	}
	return queueing.Grant{
		Run: run, Attempt: attempt, Gate: gate, Queue: queue, Part: p.isExecutor(),
		PodSets: []queueing.PodSetGrant{{Name: p.set(), Flavor: flavor, Count: 1, Requests: p.requests}},
	}
}
