// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanaged_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods/unmanaged"
	"github.com/sparkgate/sparkgate/queueing"
)

// driver returns a driver of no application behind the gate.
func driver() *corev1.Pod {
	requests := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m"), "nvidia.com/gpu": resource.MustParse("2")}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: "submit", UID: "submit", Labels: map[string]string{v1alpha1.SparkRoleLabel: "driver", v1alpha1.SparkSelectorLabel: "spark-1"},
		},
		Spec: corev1.PodSpec{
			SchedulingGates: []corev1.PodSchedulingGate{{Name: v1alpha1.QuotaSchedulingGate}},
			Containers:      []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: requests}}},
		},
	}
}

// TestPodWithTooMuch: a pod of which not all that counts is remembered is not admitted, and says why.
func TestPodWithTooMuch(t *testing.T) {
	t.Parallel()
	p := driver()
	p.Spec.Tolerations = make([]corev1.Toleration, 10_000)
	got := unmanaged.PodOf(p)
	if !strings.HasPrefix(got.Invalid, "spec.tolerations has more than") || len(got.SchedulingGate.Tolerations) > 0 {
		t.Errorf("said %q, and %d tolerations are kept", got.Invalid, len(got.SchedulingGate.Tolerations))
	}
	p = driver()
	p.Spec.SchedulingGates = nil
	for i := range 10_000 {
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceName(fmt.Sprintf("example.com/%d", i))] = resource.MustParse("1")
	}
	if n := len(unmanaged.PodOf(p).Requests); n > 100 {
		t.Errorf("of a pod that runs, requests of %d resources are kept", n)
	}
}

// A pod whose requests cannot be counted says so; what it is charged if it runs anyway is the nearest that can.
func TestRequestsThatCannotBeCounted(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		memory, wrong string
		want          int64
	}{
		"a sum that would wrap": {"9223372036854775807", `spec.containers[1].resources.requests.memory: value "9223372036854775807" is above 8Pi, the most that is counted: set less`, 1 << 53},
		"less than nothing":     {"-8Gi", `spec.containers[1].resources.requests.memory: value "-8Gi" is negative: set a quantity of zero or more`, 0},
		"plenty":                {"1Ti", "", 1 << 40},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := driver()
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(tt.memory)},
			}})
			got := unmanaged.PodOf(p)
			if got.Invalid != tt.wrong {
				t.Errorf("said %q, want %q", got.Invalid, tt.wrong)
			}
			want := queueing.Resources{"cpu": 500, "nvidia.com/gpu": 2, "memory": tt.want, "pods": 1}
			if diff := cmp.Diff(want, got.Grant("Embedded", "team").PodSets[0].Requests); diff != "" {
				t.Errorf("charged (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSeen(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*corev1.Pod)
		spark  bool
		set    string
	}{
		"a driver":              {func(*corev1.Pod) {}, true, "driver"},
		"an executor":           {func(p *corev1.Pod) { p.Labels[v1alpha1.SparkRoleLabel] = "executor" }, true, "executor"},
		"gated without a label": {func(p *corev1.Pod) { p.Labels = nil }, true, "driver"},
		"gated, owned by a pod": {func(p *corev1.Pod) {
			p.Labels, p.OwnerReferences = nil, []metav1.OwnerReference{{Kind: "Pod", UID: "driver"}}
		}, true, "executor"},
		"let in, its labels forgotten": {func(p *corev1.Pod) {
			p.Spec.SchedulingGates, p.Labels = nil, map[string]string{v1alpha1.QueueLabel: "team-a"}
		}, true, "driver"},
		"no gate, no label": {func(p *corev1.Pod) { p.Spec.SchedulingGates, p.Labels = nil, nil }, false, ""},
		"another gate":      {func(p *corev1.Pod) { p.Spec.SchedulingGates[0].Name, p.Labels = "example.org/other", nil }, false, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := driver()
			tt.change(p)
			got := unmanaged.PodOf(p)
			if (got != nil) != tt.spark {
				t.Fatalf("seen as one of Spark's: %t", got != nil)
			}
			if got == nil {
				return
			}
			if got.PodSet() != tt.set {
				t.Errorf("it is of the pod set %s, want %s", got.PodSet(), tt.set)
			}
			if diff := cmp.Diff(queueing.Resources{"cpu": 500, "nvidia.com/gpu": 2, "pods": 1}, got.Requests); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// TestConcerned: a pod that was deleted behind the gate neither holds nor wants anything.
func TestConcerned(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*corev1.Pod)
		want   bool
	}{
		"waits":                   {func(*corev1.Pod) {}, true},
		"deleted behind the gate": {func(p *corev1.Pod) { p.DeletionTimestamp = ptr.To(metav1.NewTime(time.Unix(1, 0))) }, false},
		"being stopped": {func(p *corev1.Pod) {
			p.Spec.SchedulingGates, p.DeletionTimestamp, p.Spec.NodeName = nil, ptr.To(metav1.NewTime(time.Unix(1, 0))), "node-1"
		}, true},
		"deleted without a node": {func(p *corev1.Pod) {
			p.Spec.SchedulingGates, p.DeletionTimestamp = nil, ptr.To(metav1.NewTime(time.Unix(1, 0)))
		}, false},
		"ended": {func(p *corev1.Pod) { p.Spec.SchedulingGates, p.Status.Phase = nil, corev1.PodFailed }, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := driver()
			tt.change(p)
			if got := unmanaged.PodOf(p).HoldsOrAwaitsQuota(); got != tt.want {
				t.Errorf("concerned %t, want %t", got, tt.want)
			}
		})
	}
}

// TestAdmittedAt: a pod that has waited behind the gate for days is not older than one that was let in before it.
func TestAdmittedAt(t *testing.T) {
	t.Parallel()
	created, bound := time.Unix(1_700_000_000, 0), time.Unix(1_700_300_000, 0)
	for name, tt := range map[string]struct {
		node      string
		scheduled time.Time
		want      time.Time
	}{
		"bound days after it was created": {"a", bound, bound},
		"bound, and nothing says when":    {"a", time.Time{}, created},
		"bound before it was created":     {"a", created.Add(-time.Hour), created},
		"let in and not bound yet":        {"", time.Time{}, unmanaged.Youngest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := driver()
			p.CreationTimestamp, p.Spec.SchedulingGates, p.Spec.NodeName = metav1.NewTime(created), nil, tt.node
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(tt.scheduled)}}
			if got := unmanaged.PodOf(p).AdmittedAt(); !got.Equal(tt.want) {
				t.Errorf("let in at %s, want %s", got, tt.want)
			}
		})
	}
}
