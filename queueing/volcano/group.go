// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package volcano

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

const (
	// Name is the name of the gate in the API.
	Name = "Volcano"
	// schedulerName is the default name of Volcano's scheduler in pods.
	schedulerName = "volcano"
	// taskAnnotation names the part of its group that a pod belongs to.
	taskAnnotation = "volcano.sh/task-spec"
	// earlyAnnotation marks a group whose pods do not wait for Volcano.
	earlyAnnotation = "sparkgate.io/started-early"
	// inputsAnnotation identifies the inputs of the ask. A group that was admitted for other inputs is released.
	inputsAnnotation = "sparkgate.io/inputs"
)

// groupFor returns the PodGroup of an ask.
//
// minMember is always 1: Volcano starts no pod of a group before minMember of its pods exist, and the other pods may
// exist only once the lead pod runs. minResources reserves capacity for the whole gang.
func groupFor(ask queueing.Ask) *v1beta1.PodGroup {
	least := leastResources(ask)
	group := &v1beta1.PodGroup{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: ask.Key.Namespace, Name: ask.Objects.Name,
			Labels: maps.Clone(ask.Objects.Labels), Annotations: map[string]string{},
			OwnerReferences: []metav1.OwnerReference{ask.Objects.Owner},
		},
		Spec: v1beta1.PodGroupSpec{
			MinMember: 1, MinResources: &least, Queue: ask.Queue, PriorityClassName: ask.Objects.PriorityClass,
		},
	}
	for key, value := range ask.Objects.UserAnnotations {
		if strings.HasPrefix(key, v1beta1.AnnotationPrefix) {
			group.Annotations[key] = value
		}
	}
	if ask.Inputs != "" {
		group.Annotations[inputsAnnotation] = ask.Inputs
	}
	group.Annotations[queueing.PlaceAnnotation] = ask.Place()
	if ask.Objects.StartEarly {
		group.Annotations[earlyAnnotation] = "true"
	}
	return group
}

// leastResources returns what the smallest gang of the ask requests, except for the number of pods, which Volcano's
// queues do not limit. Sums are capped at amounts.Max, which Volcano can still convert to thousandths.
func leastResources(ask queueing.Ask) corev1.ResourceList {
	sums := queueing.Resources{}
	for _, set := range ask.PodSets {
		for name, amount := range set.Requests {
			sums[name] = amounts.Plus(sums[name], amounts.Times(set.Least(), amount))
		}
	}
	list := corev1.ResourceList{}
	for name, amount := range sums {
		if name != string(corev1.ResourcePods) {
			list[corev1.ResourceName(name)] = amounts.Quantity(name, amount)
		}
	}
	return list
}

// sameSpec reports whether a group represents what is wanted, regardless of the place in the queue. Queues are compared
// by label, because Volcano's webhook replaces the queue default by one of the namespace.
func sameSpec(group, wanted *v1beta1.PodGroup) bool {
	for key, value := range wanted.Annotations {
		if key != queueing.PlaceAnnotation && group.Annotations[key] != value {
			return false
		}
	}
	return sameQueue(group, wanted) && group.Spec.PriorityClassName == wanted.Spec.PriorityClassName &&
		group.Annotations[earlyAnnotation] == wanted.Annotations[earlyAnnotation] &&
		equality.Semantic.DeepEqual(group.Spec.MinResources, wanted.Spec.MinResources)
}

// sameReservation reports whether a group reserves what it was admitted with. Volcano's webhook replaces the queue default
// by one of the namespace.
func sameReservation(group, wanted *v1beta1.PodGroup) bool {
	queue := wanted.Spec.Queue == v1alpha1.DefaultQueue || group.Spec.Queue == wanted.Spec.Queue
	return queue && group.Spec.MinMember == wanted.Spec.MinMember && equality.Semantic.DeepEqual(group.Spec.MinResources, wanted.Spec.MinResources)
}

// outdated reports whether a group differs from the wanted one.
func outdated(group, wanted *v1beta1.PodGroup) bool {
	return !sameSpec(group, wanted) || early(group, wanted)
}

// early reports whether a group that holds nothing waits for an earlier place in the queue than the wanted one.
func early(group, wanted *v1beta1.PodGroup) bool {
	return !holds(group) && queueing.LaterPlace(group.Annotations, wanted.Annotations)
}

func sameQueue(group, wanted *v1beta1.PodGroup) bool {
	return group.Labels[v1alpha1.QueueLabel] == wanted.Labels[v1alpha1.QueueLabel]
}

// holds reports whether Volcano reserves capacity for a group, or its pods may already exist.
func holds(group *v1beta1.PodGroup) bool {
	return admitted(group) || group.Annotations[earlyAnnotation] != ""
}

// admitted reports whether Volcano has admitted a group. A running group may return to Pending when its lead pod is
// lost, but then no asker still asks for it.
func admitted(group *v1beta1.PodGroup) bool {
	switch group.Status.Phase {
	case v1beta1.PodGroupInqueue, v1beta1.PodGroupRunning, v1beta1.PodGroupUnknown, v1beta1.PodGroupCompleted:
		return true
	case v1beta1.PodGroupPending:
	}
	return false
}

// Grant returns the grant for the pods of an admitted ask.
func Grant(ask queueing.Ask) *queueing.Grant {
	grant := &queueing.Grant{Run: ask.Run, Attempt: ask.Attempt, Gate: Name, Queue: ask.Queue, Inputs: ask.Inputs}
	for _, set := range ask.PodSets {
		granted := queueing.PodSetGrant{
			Name: set.Name, Count: set.Count, Requests: set.Requests.Clone(), SchedulerName: schedulerName,
			Annotations: map[string]string{v1beta1.KubeGroupNameAnnotationKey: ask.Objects.Name, taskAnnotation: set.Name},
		}
		if set.Name == ask.Lead {
			// The other pods are useless without the lead, and Volcano regards pods as preemptable unless they say
			// otherwise.
			granted.Annotations[v1beta1.PodPreemptable] = "false"
		}
		grant.PodSets = append(grant.PodSets, granted)
	}
	return grant
}
