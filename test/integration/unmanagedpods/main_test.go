// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package unmanagedpods runs the operator with the guard installed: pods that belong to no application wait for quota in the queue of their
// namespace beside applications.
package unmanagedpods

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// operator of all parallel tests of the package.
var operator harness.Shared

var installed sync.Once

// enrol creates a world whose namespace is guarded and has the world's queue, with the guard in force.
func enrol(t *testing.T, memory string) *harness.World {
	t.Helper()
	installed.Do(func() {
		harness.Create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "sparkgate-system"}})
		if _, err := env.Kubectl(t, "apply", "-k", filepath.Join(env.Root(), "config", "guard")); err != nil {
			t.Fatal(err)
		}
	})
	w := harness.NewWorld(t, memory, nil)
	namespace(t, w, func(n *corev1.Namespace) {
		n.Labels[v1alpha1.GuardedLabel] = "true"
		n.Annotations = map[string]string{v1alpha1.DefaultQueueAnnotation: w.Queue.Name}
	})
	env.Until(t, "the guard is in force", func() bool {
		p := driver(w, "probe")
		err := env.Client().Create(t.Context(), p, client.DryRunAll)
		return err == nil && len(p.Spec.SchedulingGates) > 0
	})
	return w
}

func namespace(t *testing.T, w *harness.World, change func(*corev1.Namespace)) {
	t.Helper()
	harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, change)
}

// driver returns what spark-submit makes. Like all pods of these tests it requests 1Gi.
func driver(w *harness.World, name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name, Labels: map[string]string{
			v1alpha1.SparkRoleLabel: "driver", v1alpha1.SparkSelectorLabel: "spark-" + name,
		}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "spark-kubernetes-driver", Image: "docker.io/sparkgate/spark:4.1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}},
		}}},
	}
}

// executor returns what the program in a driver makes.
func executor(driver *corev1.Pod, number int) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: driver.Namespace, Name: fmt.Sprintf("%s-exec-%d", driver.Name, number),
			Labels: map[string]string{v1alpha1.SparkRoleLabel: "executor", v1alpha1.SparkSelectorLabel: driver.Labels[v1alpha1.SparkSelectorLabel]},
		},
		Spec: *driver.Spec.DeepCopy(),
	}
	p.Spec.SchedulingGates, p.Spec.Containers[0].Name = nil, "spark-kubernetes-executor"
	if driver.UID != "" {
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: driver.Name, UID: driver.UID, Controller: ptr.To(true)}}
	}
	return p
}

// apply makes pods.
func apply(t *testing.T, pods ...*corev1.Pod) {
	t.Helper()
	for _, p := range pods {
		harness.Create(t, p)
		if !gated(p) {
			t.Fatalf("pod %s is not gated", p.Name)
		}
	}
}

func gated(p *corev1.Pod) bool {
	return slices.Contains(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: v1alpha1.QuotaSchedulingGate})
}

// awaitUngated waits until pods are ungated, in the queue of the world.
func awaitUngated(t *testing.T, w *harness.World, pods ...*corev1.Pod) {
	t.Helper()
	for _, p := range pods {
		harness.Eventually(t, p, "ungated", func(p *corev1.Pod) bool { return !gated(p) })
		if p.Labels[v1alpha1.QueueLabel] != w.Queue.Name || p.Labels[v1alpha1.FlavorLabel] != v1alpha1.DefaultFlavor {
			t.Errorf("pod %s has labels %v", p.Name, p.Labels)
		}
	}
}

// told waits until an event on a pod says something, with all the words.
func told(t *testing.T, p *corev1.Pod, reason string, words ...string) {
	t.Helper()
	var last []string
	env.Until(t, p.Name+" is told "+reason+" "+strings.Join(words, ", "), func() bool {
		list := &eventsv1.EventList{}
		if err := env.Client().List(t.Context(), list, client.InNamespace(p.Namespace)); err != nil {
			t.Fatal(err)
		}
		last = nil
		for _, e := range list.Items {
			missing := func(word string) bool { return !strings.Contains(e.Note, word) }
			if e.Regarding.UID == p.UID && e.Reason == reason && !slices.ContainsFunc(words, missing) {
				return true
			}
			last = append(last, e.Reason+": "+e.Note)
		}
		return false
	})
}

// counts are how many hold something and how many wait, of applications and of pods that belong to none.
type counts struct{ applications, pods [2]int32 }

// counted waits until the queue of a world has these counts.
func counted(t *testing.T, w *harness.World, want counts) {
	t.Helper()
	harness.Eventually(t, w.Queue, fmt.Sprintf("counting %+v", want), func(q *v1alpha1.SparkQueue) bool {
		got := counts{applications: [2]int32{q.Status.Admitted, q.Status.Pending}}
		if pods := q.Status.UnmanagedPods; pods != nil {
			got.pods = [2]int32{pods.Admitted, pods.Pending}
		}
		return got == want
	})
}

// remove deletes pods at once.
func remove(t *testing.T, pods ...*corev1.Pod) {
	t.Helper()
	for _, p := range pods {
		if err := env.Client().Delete(t.Context(), p, client.GracePeriodSeconds(0)); err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
	}
}

// ungate is what an administrator does by hand.
func ungate(t *testing.T, p *corev1.Pod) {
	t.Helper()
	harness.Change(t, p, func(p *corev1.Pod) { p.Spec.SchedulingGates = nil })
}
