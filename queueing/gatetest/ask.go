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

// The gang of NewAsk: a driver and two executors.
const (
	driverCPU, executorCPU = 200, 300
	executors              = 2
	podMemory              = 512 << 20
	// GangCPU is the CPU that the gang needs, in thousandths of a core.
	GangCPU = driverCPU + executors*executorCPU
	// GangMemory is the memory that the gang needs, in bytes.
	GangMemory = (1 + executors) * podMemory
)

// asked counts asks, so that each is for a new application.
var asked atomic.Int64

// NewAsk returns the first ask of a new application in a namespace, as a SparkApplication would make it. It makes the
// name unique.
func NewAsk(namespace, application, queue string) queueing.Ask {
	n := asked.Add(1)
	application = fmt.Sprintf("%s-%d", application, n)
	uid := fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
	yes := true
	ask := queueing.Ask{
		Key: queueing.Key{Namespace: namespace, Name: application, UID: uid}, Run: 1, Attempt: 1, Queue: queue, Inputs: "v1:a",
		NamespaceLabels: map[string]string{"kubernetes.io/metadata.name": namespace},
		QueuedAt:        time.Date(2026, 1, 1, 12, 0, int(n), 0, time.UTC),
		PodSets: []queueing.PodSet{
			{Name: v1alpha1.DriverPodSet, Count: 1, Requests: requests(driverCPU)},
			{Name: v1alpha1.ExecutorPodSet, Count: executors, Requests: requests(executorCPU)},
		},
		Objects: queueing.Objects{
			Name: application + "-1-1",
			Owner: metav1.OwnerReference{
				APIVersion: v1alpha1.GroupVersion.String(), Kind: "SparkApplication", Name: application, UID: types.UID(uid), Controller: &yes, BlockOwnerDeletion: &yes,
			},
			Labels: map[string]string{
				v1alpha1.ApplicationLabel: application, v1alpha1.ApplicationUIDLabel: uid, v1alpha1.RunLabel: "1", v1alpha1.AttemptLabel: "1", v1alpha1.QueueLabel: queue,
			},
			Templates: map[string]*corev1.PodTemplateSpec{
				v1alpha1.DriverPodSet: template(v1alpha1.DriverPodSet, driverCPU), v1alpha1.ExecutorPodSet: template(v1alpha1.ExecutorPodSet, executorCPU),
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
