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

// Clone returns a deep copy.
func (r Resources) Clone() Resources { return maps.Clone(r) }

// PodSet is a number of equal pods.
type PodSet struct {
	// Name is unique within an Ask.
	Name string `json:"name"`
	// Count is the number of pods asked for.
	Count int32 `json:"count"`
	// MinCount is the smallest number of pods with which the ask can start; 0 means Count. At most one pod set of an
	// ask sets it.
	MinCount int32 `json:"minCount,omitempty"`
	// Requests are the requests of each pod, including "pods": 1.
	Requests Resources `json:"requests,omitempty"`
	// Flavors are those in which the pods may be placed; empty means any.
	Flavors []string `json:"flavors,omitempty"`
	// Tolerations and NodeSelector are those of the pods (see NodeLabels), for matching flavors.
	Tolerations  []corev1.Toleration `json:"tolerations,omitempty"`
	NodeSelector map[string]string   `json:"nodeSelector,omitempty"`
}

// Least returns the smallest number of pods with which the set can start.
func (p PodSet) Least() int32 {
	if p.MinCount > 0 && p.MinCount < p.Count {
		return p.MinCount
	}
	return p.Count
}

// Ask is what one attempt of an asker requests before its first pod may be created. Asks are values: a changed ask of
// the same key replaces the earlier one, unless that was already granted.
type Ask struct {
	Key Key `json:"key"`
	// Run and Attempt identify one start of the asker.
	Run     int64 `json:"run"`
	Attempt int64 `json:"attempt"`
	// Queue is the queue that is asked.
	Queue string `json:"queue"`
	// NamespaceLabels are matched by the queue's namespace selector.
	NamespaceLabels map[string]string `json:"namespaceLabels,omitempty"`
	// NeedsLimits is true if the ask may use a queue without any quota only if the queue's selector names its
	// namespace.
	NeedsLimits bool `json:"needsLimits,omitempty"`
	// Priority orders asks: a higher one comes first.
	Priority int32 `json:"priority,omitempty"`
	// QueuedAt orders asks of equal priority: an older one comes first, then the smaller UID.
	QueuedAt time.Time `json:"queuedAt,omitzero"`
	// HoldsFor bounds how long the grant is held, from start to end of the attempt; 0 means no bound. With a bound the
	// ask may overtake one for which quota is reserved, if it releases its own quota in time.
	HoldsFor time.Duration `json:"holdsFor,omitempty"`
	// Part is true if the ask is for a part of something already admitted, such as a pod whose owner has asked for
	// itself. It counts neither as pending or admitted, nor against the number of asks that a queue admits.
	Part bool `json:"part,omitempty"`
	// Inputs identifies everything that the ask was derived from. Gates do not interpret it; they copy it into the
	// grant.
	Inputs string `json:"inputs,omitempty"`
	// PodSets are granted together or not at all.
	PodSets []PodSet `json:"podSets,omitempty"`
	// Lead names the pod set without which the others are of no use; empty if there is none.
	Lead string `json:"lead,omitempty"`
	// Elastic names the pod set whose pods are created with a scheduling gate, so that the grant may grow and shrink
	// while it is held (interface Resizer). It is empty if the grant keeps its size.
	Elastic string `json:"elastic,omitempty"`
	// Objects describes the attempt for gates that represent it in another system; empty for the gates Embedded and
	// None.
	Objects Objects `json:"-"`
}

// Objects describes the objects that a gate creates for an attempt, in the attempt's namespace.
type Objects struct {
	// Name is unique for the attempt in its namespace: a DNS label of at most 52 characters.
	Name string
	// Owner is the controlling owner of the objects.
	Owner metav1.OwnerReference
	// Labels are the labels of all objects that belong to the attempt.
	Labels map[string]string
	// UserLabels and UserAnnotations are those of the asker.
	UserLabels, UserAnnotations map[string]string
	// Templates are the pods by pod set as they will be created, with final requests, and with labels and annotations
	// as the only metadata. They are shared: copy a template before modifying it.
	Templates map[string]*corev1.PodTemplateSpec
	// PriorityClass is the class that the asker names; empty if it names none.
	PriorityClass string
	// StartEarly is true if pods may be created before there is quota, for a scheduler whose capacity grows with the
	// number of pending pods.
	StartEarly bool
}

// Broken describes the first negative number in the ask, or returns the empty string if there is none. Callers read
// amounts in a way that excludes negative ones. A gate must refuse an ask that has one, because a negative need would
// hide the needs of others.
func (a Ask) Broken() string { return BrokenPodSets(a.PodSets) }

// BrokenPodSets is Ask.Broken for pod sets.
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

// String returns asker, run and attempt, for messages.
func (a Ask) String() string { return fmt.Sprintf("%s run %d attempt %d", a.Key, a.Run, a.Attempt) }
