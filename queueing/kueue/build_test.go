// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

var noon = metav1.NewTime(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))

// ask returns the ask of attempt 2 of run 3 of default/pi in the LocalQueue team-a, after some changes.
func ask(changes ...func(*queueing.Ask)) queueing.Ask {
	yes := true
	a := queueing.Ask{
		Key: queueing.Key{Kind: v1alpha1.SparkApplicationKind, Namespace: "default", Name: "pi", UID: "u-1"}, Run: 3, Attempt: 2, Queue: "team-a", Priority: 7,
		QueuedAt: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC),
		PodSets: []queueing.PodSet{
			{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 200, "memory": 1 << 30, "pods": 1}},
			{Name: "executor", Count: 5, Requests: queueing.Resources{"cpu": 1000, "memory": 2 << 30, "pods": 1}},
		},
		Objects: queueing.Objects{
			Name:            "pi-abcde-3-2",
			Owner:           metav1.OwnerReference{APIVersion: "sparkgate.io/v1alpha1", Kind: "SparkApplication", Name: "pi", UID: "u-1", Controller: &yes, BlockOwnerDeletion: &yes},
			Labels:          map[string]string{v1alpha1.ApplicationLabel: "pi", v1alpha1.ApplicationUIDLabel: "u-1", v1alpha1.RunLabel: "3", v1alpha1.AttemptLabel: "2"},
			UserLabels:      map[string]string{"team": "a"},
			UserAnnotations: map[string]string{"note": "mine", "provreq.kueue.x-k8s.io/maxRunDurationSeconds": "60"},
			Templates:       map[string]*corev1.PodTemplateSpec{"driver": template("200m", "1Gi"), "executor": template("1", "2Gi")},
		},
	}
	for _, change := range changes {
		change(&a)
	}
	return a
}

func template(cpu, memory string) *corev1.PodTemplateSpec {
	return &corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"spark-role": "any"}},
		Spec: corev1.PodSpec{
			NodeSelector: map[string]string{"arch": "arm"},
			Containers: []corev1.Container{{
				Name: "spark", Image: "spark:4", Args: []string{"driver"}, Env: []corev1.EnvVar{{Name: "PASSWORD", Value: "secret"}},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
				}},
			}},
		},
	}
}

// change is one thing that has happened to a Workload.
type change func(*kueuev1.Workload)

// made returns the Workload of ask, after some changes.
func made(changes ...change) *kueuev1.Workload {
	w := workloadOf(ask(), nil)
	w.UID, w.ResourceVersion, w.Generation = "w-1", "10", 1
	for _, c := range changes {
		c(w)
	}
	return w
}

func says(condition string, status metav1.ConditionStatus, reason, message string) change {
	return func(w *kueuev1.Workload) {
		apimeta.SetStatusCondition(&w.Status.Conditions, metav1.Condition{
			Type: condition, Status: status, Reason: reason, Message: message, LastTransitionTime: noon,
		})
	}
}

func hasQuota(w *kueuev1.Workload) {
	says(kueuev1.WorkloadQuotaReserved, metav1.ConditionTrue, "QuotaReserved", "Quota reserved in ClusterQueue all")(w)
	one, three := int32(1), int32(3)
	w.Status.Admission = &kueuev1.Admission{ClusterQueue: "all", PodSetAssignments: []kueuev1.PodSetAssignment{
		{Name: "driver", Count: &one, Flavors: map[corev1.ResourceName]kueuev1.ResourceFlavorReference{"cpu": "on-demand", "memory": "on-demand"}},
		{Name: "executor", Count: &three, Flavors: map[corev1.ResourceName]kueuev1.ResourceFlavorReference{"cpu": "spot", "memory": "spot"}},
	}}
}

func isAdmitted(w *kueuev1.Workload) {
	hasQuota(w)
	says(kueuev1.WorkloadAdmitted, metav1.ConditionTrue, "Admitted", "The workload is admitted")(w)
}

func isEvicted(reason, message string) change {
	return says(kueuev1.WorkloadEvicted, metav1.ConditionTrue, reason, message)
}

func isInactive(w *kueuev1.Workload) {
	no := false
	w.Spec.Active = &no
}

func isHeld(w *kueuev1.Workload) {
	isInactive(w)
	w.Annotations[heldAnnotation] = "true"
}

// flavorNamed returns one of the flavors on-demand and spot.
func flavorNamed(name string) *kueuev1.ResourceFlavor {
	f := &kueuev1.ResourceFlavor{ObjectMeta: metav1.ObjectMeta{Name: name}}
	switch name {
	case "on-demand":
		f.Spec.NodeLabels = map[string]string{"class": "on-demand"}
	case "spot":
		f.Spec.NodeLabels = map[string]string{"class": "spot"}
		f.Spec.Tolerations = []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}}
	default:
		return nil
	}
	return f
}

// open returns queues that admit.
func open(changes ...func(*surroundings)) surroundings {
	s := surroundings{
		localQueue:   &kueuev1.LocalQueue{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "team-a"}, Spec: kueuev1.LocalQueueSpec{ClusterQueue: "all"}},
		clusterQueue: &kueuev1.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: "all"}},
		flavor:       flavorNamed,
	}
	for _, c := range changes {
		c(&s)
	}
	return s
}
