// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import (
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Resources are amounts by resource name: cpu in thousandths of a core, everything else in its base unit (bytes,
// pieces). Amounts are never negative.
type Resources map[string]int64

// Clone returns a copy that shares nothing with r.
func (r Resources) Clone() Resources { return maps.Clone(r) }

// PodSet is a number of equal pods.
type PodSet struct {
	// Name is unique within an Ask: "driver" or "executor".
	Name string
	// Count of pods asked for.
	Count int32
	// MinCount is the least number that the ask can start with; 0 means Count. At most one pod set of an ask has it.
	MinCount int32
	// Requests of each pod, "pods": 1 included.
	Requests Resources
	// Flavors that the pods may be placed in; empty means any.
	Flavors []string
	// Tolerations and NodeSelector (NodeLabels) of the pods, for matching flavors.
	Tolerations  []corev1.Toleration
	NodeSelector map[string]string
}

// Least returns the smallest number of pods that the set can start with.
func (p PodSet) Least() int32 {
	if p.MinCount > 0 && p.MinCount < p.Count {
		return p.MinCount
	}
	return p.Count
}

// Ask is what one attempt of an application wants before its driver may exist. Asks are values: a changed ask of the
// same key replaces the earlier one unless that was granted already.
type Ask struct {
	Key Key
	// Run and Attempt distinguish one start of the application from another.
	Run, Attempt int64
	// Queue that is asked.
	Queue string
	// NamespaceLabels are matched by the queue's namespace selector.
	NamespaceLabels map[string]string
	// NeedsLimits says that the ask may use a queue without any quota only if the queue's selector names its namespace.
	NeedsLimits bool
	// Priority: higher goes first.
	Priority int32
	// QueuedAt orders asks of equal priority; older goes first, then the smaller UID.
	QueuedAt time.Time
	// HoldsFor bounds how long the grant is held, from start to end of the attempt; 0 means no bound. With it the ask
	// may pass one for which quota is reserved, if it releases its own in time.
	HoldsFor time.Duration
	// SchedulingGated: executors are created behind a scheduling gate, and the grant may grow and shrink while it is
	// held (interface Resizer).
	SchedulingGated bool
	// Part says that the ask is for a part of something that has been admitted already, such as an executor whose
	// driver asked for itself. It counts neither as an application nor against the number of applications that a queue
	// admits.
	Part bool
	// Inputs identifies everything that the ask was derived from. A gate compares it with nothing; the grant repeats it.
	Inputs string
	// PodSets are all granted together or not at all.
	PodSets []PodSet
	// Objects is what a gate needs that describes the attempt to another system; empty for the gates Embedded and None.
	Objects Objects
}

// Objects describe the objects that a gate creates for an attempt in the attempt's namespace.
type Objects struct {
	// Name is unique in the namespace for the attempt: a DNS label of at most 52 characters.
	Name string
	// Owner is the controller of the objects.
	Owner metav1.OwnerReference
	// Labels of all objects that belong to the attempt.
	Labels map[string]string
	// UserLabels and UserAnnotations are the application's own.
	UserLabels, UserAnnotations map[string]string
	// Templates are the pods by pod set, as they will be created: final requests, and labels and annotations as their
	// only metadata. They are shared: copy one before you change it.
	Templates map[string]*corev1.PodTemplateSpec
	// PriorityClass that the application names; empty if none.
	PriorityClass string
	// StartEarly says that the driver may be created before there is quota, for a scheduler whose capacity grows with
	// the pods that wait.
	StartEarly bool
}

// Broken names the first negative number of the ask; empty if there is none. Callers read amounts so that there cannot be
// one. A gate that finds one refuses the ask, because a negative need would hide that of others.
func (a Ask) Broken() string { return BrokenPodSets(a.PodSets) }

// BrokenPodSets returns Ask.Broken for the pod sets alone.
func BrokenPodSets(podSets []PodSet) string {
	for i := range podSets {
		p := &podSets[i]
		if p.Count < 0 {
			return fmt.Sprintf("count %d of pod set %s", p.Count, p.Name)
		}
		if p.MinCount < 0 {
			return fmt.Sprintf("minimum count %d of pod set %s", p.MinCount, p.Name)
		}
		least := ""
		for name, amount := range p.Requests {
			if amount < 0 && (least == "" || name < least) {
				least = name
			}
		}
		if amount := p.Requests[least]; amount < 0 {
			return fmt.Sprintf("%s %d of pod set %s", least, amount, p.Name)
		}
	}
	return ""
}

// String returns application, run and attempt, for messages.
func (a Ask) String() string { return fmt.Sprintf("%s run %d attempt %d", a.Key, a.Run, a.Attempt) }
