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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/pods/unmanaged"
	"github.com/sparkgate/sparkgate/queueing"
)

var day = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

// spark returns a gated Spark pod that was created at a second of the day.
func spark(name, role, group string, second int) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "team", Name: name, UID: types.UID(name), ResourceVersion: strconv.Itoa(100 + second),
			CreationTimestamp: metav1.NewTime(day.Add(time.Duration(second) * time.Second)),
			Labels:            map[string]string{v1alpha1.SparkRoleLabel: role, v1alpha1.SparkSelectorLabel: group},
		},
		Spec: corev1.PodSpec{
			SchedulingGates: []corev1.PodSchedulingGate{{Name: v1alpha1.QuotaSchedulingGate}},
			Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("500m"), "nvidia.com/gpu": resource.MustParse("2"),
			}}}},
		},
	}
}

// TestGrant: a running pod is charged to the queue in its label if its namespace may use that queue, and otherwise to
// the queue of its namespace.
func TestGrant(t *testing.T) {
	t.Parallel()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	queue := func(name, team string, limited bool) *v1alpha1.SparkQueue {
		q := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if q.Spec.NamespaceSelector = (&metav1.LabelSelector{}); team != "" {
			q.Spec.NamespaceSelector.MatchLabels = map[string]string{"team": team}
		}
		if limited {
			q.Spec.Flavors = []v1alpha1.FlavorQuota{{Name: v1alpha1.DefaultFlavor}}
		}
		return q
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(queue("before", "a", true), queue("team-b", "b", true), queue("unlimited", "", false)).Build()
	for label, want := range map[string]string{
		"": "own", "own": "own", "before": "before", "team-b": "own", "unlimited": "own", "does-not-exist": "own", "Not A Name": "own",
	} {
		for _, unattributed := range []bool{false, true} {
			pod := spark("submit", "driver", "spark-1", 0)
			pod.Labels[v1alpha1.QueueLabel], pod.Labels[v1alpha1.FlavorLabel] = label, "spot"
			namespace := &metav1.ObjectMeta{Name: "jobs", Labels: map[string]string{v1alpha1.GuardedLabel: "true", "team": "a"},
				Annotations: map[string]string{v1alpha1.DefaultQueueAnnotation: "own"}}
			p, flavor := unmanaged.PodOf(pod), ""
			if p.Unattributed = unattributed; unattributed {
				want = "own"
			} else if want == label {
				flavor = "spot" // only who was let into the queue has a flavor there
			}
			for name, reader := range map[string]client.Reader{"cache": c, "list": &queuesRead{Reader: c}} {
				got, err := chargedTo(t.Context(), reader, namespace, p)
				if g := p.Grant("Embedded", got); err != nil || g.Queue != want || g.PodSets[0].Flavor != flavor {
					t.Errorf("label %q, unattributed %t, by %s: charged to %s/%s, %v, want %s/%s", label, unattributed, name, g.Queue, g.PodSets[0].Flavor, err, want, flavor)
				}
			}
			namespace.Annotations[v1alpha1.AllowedQueuesAnnotation] = "own"
			if got, err := chargedTo(t.Context(), c, namespace, p); err != nil || got != "own" {
				t.Errorf("label %q: charged to %s, %v, although the namespace may use own only", label, got, err)
			}
		}
	}
}

// TestSince: an executor is as old as the admitted driver that owns it. Neither labels nor a waiting pod nor a pod of
// another kind make it older.
func TestSince(t *testing.T) {
	t.Parallel()
	s := newStore(func(types.NamespacedName) {})
	in := s.open("team")
	do := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	owned := func(by string, second int) *corev1.Pod {
		p := spark("exec-of-"+by, "executor", "spark-1", second)
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "Pod", UID: types.UID(by)}}
		return p
	}
	admitted := func(name, role string, second int) *corev1.Pod {
		p := spark(name, role, "spark-1", second)
		p.Spec.SchedulingGates = nil
		return p
	}
	ending, ended, elsewhere := admitted("ending", "driver", 0), admitted("ended", "driver", 0), admitted("elsewhere", "driver", 0)
	ending.Spec.NodeName, ending.DeletionTimestamp = "node-1", ptr.To(metav1.NewTime(day))
	ended.Status.Phase = corev1.PodSucceeded
	elsewhere.Namespace = "other-team"
	do(s.open("other-team").Add(elsewhere))
	alone := spark("alone", "driver", "", 7)
	delete(alone.Labels, v1alpha1.SparkSelectorLabel)
	for _, p := range []*corev1.Pod{
		admitted("driver", "driver", 2), owned("driver", 5), admitted("later", "driver", 9), owned("later", 3),
		spark("gated", "driver", "spark-1", 0), owned("gated", 6), owned("ending", 7), owned("ended", 8), owned("nobody", 8), owned("elsewhere", 9),
		admitted("executor", "executor", 0), owned("executor", 10), spark("same-label", "executor", "spark-1", 11), ending, ended, alone,
	} {
		do(in.Add(p))
	}
	since := func(name string) int {
		return int(s.since(s.get(types.NamespacedName{Namespace: "team", Name: name})).Sub(day).Seconds())
	}
	for name, want := range map[string]int{
		"driver": 2, "exec-of-driver": 2, "exec-of-later": 3, "gated": 0, "exec-of-gated": 6, "exec-of-ending": 7, "exec-of-ended": 8,
		"exec-of-nobody": 8, "exec-of-elsewhere": 9, "exec-of-executor": 10, "same-label": 11, "alone": 7,
	} {
		if got := since(name); got != want {
			t.Errorf("%s waits since second %d, want %d", name, got, want)
		}
	}
	again := admitted("driver", "driver", 12)
	again.UID = "another"
	do(in.Add(again))
	if got := since("exec-of-driver"); got != 5 {
		t.Errorf("with another pod of its driver's name the executor waits since second %d, want 5", got)
	}
	do(in.Delete(again))
	if known := s.of("team"); len(in.byUID) != len(known) {
		t.Errorf("%d uids for %d pods", len(in.byUID), len(known))
	}
}

// TestStore: an older version of a pod changes nothing, and only relevant changes are reported.
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
	at := func(p *corev1.Pod, version string, change func(*corev1.Pod)) *corev1.Pod {
		p = p.DeepCopy()
		p.ResourceVersion = version
		if change != nil {
			change(p)
		}
		return p
	}
	p := spark("a", "driver", "spark-1", 0)
	v := s.open("team")
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
	if left := s.of("team"); len(left) != 0 || len(v.byUID) != 0 {
		t.Errorf("left are %v, %v", left, v.byUID)
	}
}

// TestClaimed: a pod whose application is gone is charged for all of its requests, including GPUs.
func TestClaimed(t *testing.T) {
	t.Parallel()
	p := unattributedPod(pods.RecordOf(spark("exec", "executor", "spark-1", 0)))
	grant := p.Grant("Embedded", "own")
	if diff := cmp.Diff(queueing.Resources{"cpu": 500, "memory": 0, "nvidia.com/gpu": 2, "pods": 1}, grant.PodSets[0].Requests); diff != "" {
		t.Errorf("charged (-want +got):\n%s", diff)
	}
}
