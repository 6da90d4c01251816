// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

var day = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

// spark is a gated Spark pod, made at a second of the day.
func spark(name, role, group string, second int) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: name, UID: types.UID(name), ResourceVersion: strconv.Itoa(100 + second),
			CreationTimestamp: metav1.NewTime(day.Add(time.Duration(second) * time.Second)),
			Labels:            map[string]string{v1alpha1.SparkRoleLabel: role, v1alpha1.SparkSelectorLabel: group},
		},
		Spec: corev1.PodSpec{
			SchedulingGates: []corev1.PodSchedulingGate{{Name: v1alpha1.QuotaGate}},
			Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("500m"), "nvidia.com/gpu": resource.MustParse("2"),
			}}}},
		},
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
			p := spark("submit", "driver", "spark-1", 0)
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(tt.memory)},
			}})
			got := seen(p)
			if got.wrong != tt.wrong {
				t.Errorf("said %q, want %q", got.wrong, tt.wrong)
			}
			want := queueing.Resources{"cpu": 500, "nvidia.com/gpu": 2, "memory": tt.want, "pods": 1}
			if diff := cmp.Diff(want, got.grant("team").PodSets[0].Requests); diff != "" {
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
			p := spark("submit", "driver", "spark-1", 0)
			tt.change(p)
			got := seen(p)
			if (got != nil) != tt.spark {
				t.Fatalf("seen as one of Spark's: %t", got != nil)
			}
			if got == nil {
				return
			}
			if got.set() != tt.set {
				t.Errorf("it is of the pod set %s, want %s", got.set(), tt.set)
			}
			if diff := cmp.Diff(queueing.Resources{"cpu": 500, "nvidia.com/gpu": 2, "pods": 1}, got.requests); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGrant: what runs is charged where its labels say, else where its namespace says.
func TestGrant(t *testing.T) {
	t.Parallel()
	p := spark("submit", "driver", "spark-1", 0)
	for _, want := range []string{"team-b/default", "team-a/spot"} {
		g := seen(p).grant("team-b")
		if got := g.Queue + "/" + g.PodSets[0].Flavor; got != want {
			t.Errorf("charged to %s, want %s", got, want)
		}
		p.Labels[v1alpha1.QueueLabel], p.Labels[v1alpha1.FlavorLabel] = "team-a", "spot"
	}
}

// TestSince: executors are as old as the oldest of those that they were made with.
func TestSince(t *testing.T) {
	t.Parallel()
	s := newStore(func(types.NamespacedName) {})
	s.open("team")
	stray := spark("stray", "executor", "", 9)
	delete(stray.Labels, v1alpha1.SparkSelectorLabel)
	stray.OwnerReferences = []metav1.OwnerReference{{Kind: "Pod", UID: "driver"}}
	alone := spark("alone", "driver", "", 7)
	delete(alone.Labels, v1alpha1.SparkSelectorLabel)
	for _, p := range []*corev1.Pod{
		spark("driver", "driver", "spark-1", 1), spark("exec-1", "executor", "spark-1", 5), spark("other", "driver", "spark-2", 0),
		spark("notebook-exec-2", "executor", "spark-3", 4), spark("notebook-exec-1", "executor", "spark-3", 3), stray, alone,
	} {
		s.put("team", p)
	}
	for name, want := range map[string]int{"driver": 1, "exec-1": 1, "other": 0, "notebook-exec-2": 3, "stray": 1, "alone": 7} {
		if got := s.since(s.get(types.NamespacedName{Namespace: "team", Name: name})).Sub(day); got != time.Duration(want)*time.Second {
			t.Errorf("%s waits since %s, want second %d", name, got, want)
		}
	}
	s.remove("team", spark("driver", "driver", "spark-1", 1))
	if got := s.since(s.get(types.NamespacedName{Namespace: "team", Name: "exec-1"})).Sub(day); got != 5*time.Second {
		t.Errorf("without its driver exec-1 waits since %s", got)
	}
}

// TestStore: what is older than what is known changes nothing, and only what matters is reported.
func TestStore(t *testing.T) {
	t.Parallel()
	var told []string
	s := newStore(func(name types.NamespacedName) { told = append(told, name.Name) })
	hears := func(what string, want ...string) {
		t.Helper()
		slices.Sort(told)
		if !slices.Equal(told, want) {
			t.Errorf("%s: told %v, want %v", what, told, want)
		}
		told = nil
	}
	v := view{s, "team"}
	at := func(p *corev1.Pod, version string, change func(*corev1.Pod)) *corev1.Pod {
		p = p.DeepCopy()
		p.ResourceVersion = version
		if change != nil {
			change(p)
		}
		return p
	}
	p := spark("a", "driver", "spark-1", 0)
	_ = v.Replace([]any{p}, "100")
	hears("a namespace that nobody follows")
	s.open("team")
	_ = v.Replace([]any{at(p, "90", nil), at(spark("b", "driver", "spark-2", 0), "95", nil), at(p, "80", func(p *corev1.Pod) {
		p.Name, p.Labels, p.Spec.SchedulingGates = "web", nil, nil
	})}, "100")
	hears("the first list", "a", "b")
	_ = v.Add(at(spark("gone", "driver", "spark-3", 0), "99", nil))
	hears("older than the list")
	released := at(p, "110", func(p *corev1.Pod) { p.Spec.SchedulingGates = nil })
	_ = v.Update(released)
	hears("let in", "a")
	_ = v.Update(at(p, "105", nil))
	hears("older than what is known")
	_ = v.Update(at(released, "111", func(p *corev1.Pod) { p.Annotations = map[string]string{"x": "y"} }))
	hears("nothing that matters")
	_ = v.Update(at(released, "112", func(p *corev1.Pod) { p.Labels[v1alpha1.SparkSelectorLabel] = "spark-9" }))
	_ = v.Update(at(released, "113", func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }))
	hears("ended", "a")
	_ = v.Replace([]any{at(spark("b", "driver", "spark-2", 0), "95", nil)}, "112")
	hears("a list that is older than a") // a is at 113
	_ = v.Delete(at(p, "120", func(p *corev1.Pod) { p.UID = "another" }))
	hears("another pod of that name")
	_ = v.Delete(at(p, "121", nil))
	_ = v.Replace(nil, "130")
	hears("both gone", "a", "b")
	if left := s.of("team"); len(left) != 0 || len(s.spaces["team"].groups) != 0 {
		t.Errorf("left are %v, %v", left, s.spaces["team"].groups)
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
		"deleted behind the gate": {func(p *corev1.Pod) { p.DeletionTimestamp = ptr.To(metav1.NewTime(day)) }, false},
		"being stopped": {func(p *corev1.Pod) {
			p.Spec.SchedulingGates, p.DeletionTimestamp, p.Spec.NodeName = nil, ptr.To(metav1.NewTime(day)), "node-1"
		}, true},
		"deleted without a node": {func(p *corev1.Pod) {
			p.Spec.SchedulingGates, p.DeletionTimestamp = nil, ptr.To(metav1.NewTime(day))
		}, false},
		"ended": {func(p *corev1.Pod) { p.Spec.SchedulingGates, p.Status.Phase = nil, corev1.PodFailed }, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := spark("a", "driver", "spark-1", 0)
			tt.change(p)
			if got := seen(p).concerned(); got != tt.want {
				t.Errorf("concerned %t, want %t", got, tt.want)
			}
		})
	}
}
