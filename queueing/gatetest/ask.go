// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gatetest

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// The gang of NewAsk: a lead pod and two others.
const (
	leadCPU, otherCPU = 200, 300
	others            = 2
	podMemory         = 512 << 20
	// GangCPU is the CPU that the gang needs, in thousandths of a core.
	GangCPU = leadCPU + others*otherCPU
	// GangMemory is the memory that the gang needs, in bytes.
	GangMemory = (1 + others) * podMemory
)

// asked counts asks, so that each is for a new asker.
var asked atomic.Int64

// NewAsk returns the first ask of a new asker in a namespace, as a SparkApplication would make it. It makes the name
// unique.
func NewAsk(namespace, name, queue string) queueing.Ask {
	n := asked.Add(1)
	name = fmt.Sprintf("%s-%d", name, n)
	uid := fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
	yes := true
	ask := queueing.Ask{
		Key: queueing.Key{Kind: v1alpha1.SparkApplicationKind, Namespace: namespace, Name: name, UID: uid}, Run: 1, Attempt: 1, Queue: queue, Inputs: "v1:a",
		NamespaceLabels: map[string]string{"kubernetes.io/metadata.name": namespace},
		QueuedAt:        time.Date(2026, 1, 1, 12, 0, int(n), 0, time.UTC),
		PodSets: []queueing.PodSet{
			{Name: v1alpha1.DriverPodSet, Count: 1, Requests: requests(leadCPU)},
			{Name: v1alpha1.ExecutorPodSet, Count: others, Requests: requests(otherCPU)},
		},
		Lead: v1alpha1.DriverPodSet,
		Objects: queueing.Objects{
			Name: name + "-1-1",
			Owner: metav1.OwnerReference{
				APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SparkApplicationKind, Name: name, UID: types.UID(uid), Controller: &yes, BlockOwnerDeletion: &yes,
			},
			Labels: map[string]string{
				v1alpha1.ApplicationLabel: name, v1alpha1.ApplicationUIDLabel: uid, v1alpha1.RunLabel: "1", v1alpha1.AttemptLabel: "1", v1alpha1.QueueLabel: queue,
			},
			Templates: map[string]*corev1.PodTemplateSpec{
				v1alpha1.DriverPodSet: template(v1alpha1.DriverPodSet, leadCPU), v1alpha1.ExecutorPodSet: template(v1alpha1.ExecutorPodSet, otherCPU),
			},
		},
	}
	return ask
}

func requests(cpu int64) queueing.Resources {
	return queueing.Resources{"cpu": cpu, "memory": podMemory, "pods": 1}
}

func template(role string, cpu int64) *corev1.PodTemplateSpec {
	return &corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1alpha1.SparkRoleLabel: strings.ToLower(role)}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "spark-kubernetes-" + role, Image: "docker.io/apache/spark:4.1.4",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU:    *resource.NewMilliQuantity(cpu, resource.DecimalSI),
				corev1.ResourceMemory: *resource.NewQuantity(podMemory, resource.BinarySI),
			}},
		}}},
	}
}
