// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// Executors creates executor pods as Spark's driver does, owned by the driver pod and of the same size, and runs them.
func (k *Kubelet) Executors(ctx context.Context, driver *corev1.Pod, count int) []*corev1.Pod {
	return k.ExecutorsFrom(ctx, driver, 1, count)
}

// ExecutorsFrom creates and runs so many executors as Executors does, with numbers from first on.
func (k *Kubelet) ExecutorsFrom(ctx context.Context, driver *corev1.Pod, first, count int) []*corev1.Pod {
	made := make([]*corev1.Pod, 0, count)
	for i := range count {
		pod := executorOf(driver, first+i)
		pod, err := k.client.CoreV1().Pods(k.namespace).Create(ctx, pod, metav1.CreateOptions{})
		if err != nil {
			if ctx.Err() == nil && !apierrors.IsForbidden(err) {
				k.t.Logf("spark: create executor: %v", err)
			}
			return made
		}
		k.Start(ctx, pod)
		made = append(made, pod)
	}
	return made
}

// RunUntil plays a driver with two executors, all of which succeed when done yields a value or is closed. It returns
// false if the test has ended before.
func (k *Kubelet) RunUntil(ctx context.Context, driver *corev1.Pod, done <-chan struct{}) bool {
	k.Start(ctx, driver)
	executors := k.Executors(ctx, driver, 2)
	select {
	case <-done:
	case <-ctx.Done():
		return false
	}
	for _, e := range executors {
		k.Finish(ctx, e, 0, "Completed")
	}
	k.Finish(ctx, driver, 0, "Completed")
	return true
}

// Gated creates the executors with these numbers as Spark does from a template with the quota's scheduling gate. They
// wait. When a gate is removed, the executor runs.
func (k *Kubelet) Gated(ctx context.Context, driver *corev1.Pod, numbers ...int) []*corev1.Pod {
	made := make([]*corev1.Pod, 0, len(numbers))
	for _, number := range numbers {
		pod := executorOf(driver, number)
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: v1alpha1.QuotaSchedulingGate}}
		pod, err := k.client.CoreV1().Pods(k.namespace).Create(ctx, pod, metav1.CreateOptions{})
		if err != nil {
			k.t.Logf("spark: create executor: %v", err)
			return made
		}
		made = append(made, pod)
	}
	return made
}

// LetIn waits until the scheduling gates of executors are removed.
func (k *Kubelet) LetIn(ctx context.Context, pods ...*corev1.Pod) {
	for _, pod := range pods {
		err := wait.PollUntilContextTimeout(ctx, interval, patience, true, func(ctx context.Context) (bool, error) {
			now, err := k.client.CoreV1().Pods(k.namespace).Get(ctx, pod.Name, metav1.GetOptions{})
			return err == nil && !isGated(now), nil
		})
		if err != nil && ctx.Err() == nil {
			k.t.Errorf("spark: executor %s is not admitted: %v", pod.Name, err)
		}
	}
}

// End deletes an executor, as a driver does that no longer needs it.
func (k *Kubelet) End(ctx context.Context, name string) {
	k.report(ctx, "end", k.client.CoreV1().Pods(k.namespace).Delete(ctx, name, metav1.DeleteOptions{}))
}

// LetGo is End for several.
func (k *Kubelet) LetGo(ctx context.Context, pods ...*corev1.Pod) {
	for _, pod := range pods {
		k.End(ctx, pod.Name)
	}
}

func executorOf(driver *corev1.Pod, number int) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: driver.Namespace, Name: fmt.Sprintf("%s-exec-%d", driver.Name, number), Labels: map[string]string{},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: "v1", Kind: "Pod", Name: driver.Name, UID: driver.UID, Controller: ptr.To(true),
		}},
	}}
	for name, value := range driver.Labels {
		pod.Labels[name] = value
	}
	pod.Labels[v1alpha1.SparkRoleLabel] = v1alpha1.SparkRoleExecutor
	pod.Labels["spark-exec-id"] = strconv.Itoa(number)
	main := &driver.Spec.Containers[0]
	pod.Spec = corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{
		Name: "spark-kubernetes-executor", Image: main.Image, Resources: main.Resources,
	}}}
	return pod
}

// Executor creates the executor with that number as Spark does: from the template that the driver was given, with the
// driver's size. It waits for a scheduler.
func Executor(t *testing.T, driver *corev1.Pod, number int) *corev1.Pod {
	t.Helper()
	template := executorTemplate(t, driver)
	pod := executorOf(driver, number)
	pod.Annotations, pod.Labels = template.Annotations, template.Labels
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels[v1alpha1.SparkRoleLabel] = v1alpha1.SparkRoleExecutor
	pod.Spec.SchedulerName, pod.Spec.SchedulingGates = template.Spec.SchedulerName, template.Spec.SchedulingGates
	pod.Spec.NodeSelector, pod.Spec.Tolerations = template.Spec.NodeSelector, template.Spec.Tolerations
	Create(t, pod)
	return pod
}

// executorTemplate returns the template that the driver reads from its ConfigMap.
func executorTemplate(t *testing.T, driver *corev1.Pod) *corev1.Pod {
	t.Helper()
	for _, volume := range driver.Spec.Volumes {
		if volume.Name != "pod-template-volume" {
			continue
		}
		config, template := &corev1.ConfigMap{}, &corev1.Pod{}
		if err := env.Client().Get(t.Context(), types.NamespacedName{Namespace: driver.Namespace, Name: volume.ConfigMap.Name}, config); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(config.Data[volume.ConfigMap.Items[0].Key]), template); err != nil {
			t.Fatalf("template of the executors: %v", err)
		}
		return template
	}
	t.Fatalf("driver %s mounts no template of executors", driver.Name)
	return nil
}
