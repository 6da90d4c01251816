// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"time"

	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// change is a step in the making of a pod.
type change func(*corev1.Pod)

// podOf creates a driver pod of attempt 2/1 of the application pi, which runs as node-1's, with the given changes.
func podOf(name string, changes ...change) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID(name + "-uid"), ResourceVersion: "10",
			Labels: map[string]string{
				v1alpha1.ApplicationLabel: "pi", v1alpha1.ApplicationUIDLabel: "pi-uid", v1alpha1.QueueLabel: "team-a",
				v1alpha1.RunLabel: "2", v1alpha1.AttemptLabel: "1", v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleDriver,
			},
			OwnerReferences: []metav1.OwnerReference{{Kind: "SparkApplication", Name: "pi", UID: "pi-uid", Controller: ptr.To(true)}},
		},
		Spec: corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{
			Name: "spark-kubernetes-driver", Image: "spark:4.1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("200m"), "memory": resource.MustParse("896Mi")}},
		}}},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	for _, c := range changes {
		c(pod)
	}
	return pod
}

func executor(pod *corev1.Pod) { pod.Labels[v1alpha1.SparkRoleLabel] = v1alpha1.SparkRoleExecutor }

func at(version int) change {
	return func(pod *corev1.Pod) { pod.ResourceVersion = fmt.Sprint(version) }
}

func phase(p corev1.PodPhase) change {
	return func(pod *corev1.Pod) { pod.Status.Phase = p }
}

func because(reason, message string) change {
	return func(pod *corev1.Pod) { pod.Status.Reason, pod.Status.Message = reason, message }
}

var deletedAt = metav1.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func deleting(pod *corev1.Pod) { pod.DeletionTimestamp = &deletedAt }

func label(name, value string) change {
	return func(pod *corev1.Pod) { pod.Labels[name] = value }
}

// container adds a container with a status.
func container(name string, state corev1.ContainerState) change {
	return func(pod *corev1.Pod) {
		known := false
		for i := range pod.Spec.Containers {
			known = known || pod.Spec.Containers[i].Name == name
		}
		if !known {
			pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: name})
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: name, Image: "image-of-" + name, State: state})
	}
}

// initContainer adds the status of an init container.
func initContainer(name string, state corev1.ContainerState) change {
	return func(pod *corev1.Pod) {
		pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, corev1.ContainerStatus{Name: name, Image: "image-of-" + name, State: state})
	}
}

func condition(conditionType corev1.PodConditionType, status corev1.ConditionStatus, reason string) change {
	return func(pod *corev1.Pod) {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: conditionType, Status: status, Reason: reason, Message: "says " + reason})
	}
}

func runs() corev1.ContainerState {
	return corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
}

func waits(reason string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "says " + reason}}
}

func waitsBecause(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

func ended(code int32, reason string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}}
}

const spark = "spark-kubernetes-driver"
