// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods/unmanaged"
	"github.com/sparkgate/sparkgate/internal/tools/client/live"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// queueManifest is queue q with that many cpu, which preempts lower priorities of its own.
func queueManifest(cpu int) string {
	return fmt.Sprintf("apiVersion: sparkgate.io/v1alpha1\nkind: SparkQueue\nmetadata: {name: q}\nspec:\n  namespaceSelector: {}\n"+
		"  flavors: [{name: default, quotas: [{resource: cpu, nominal: \"%d\"}]}]\n  preemption: {withinQueue: LowerPriority}\n", cpu)
}

func queueOf(t *testing.T, cpu int) v1alpha1.SparkQueue {
	t.Helper()
	var queue v1alpha1.SparkQueue
	if err := yaml.UnmarshalStrict([]byte(queueManifest(cpu)), &queue); err != nil {
		t.Fatal(err)
	}
	return queue
}

// jobManifest returns a job of two cpu.
func jobManifest(queue string) string {
	return "apiVersion: sparkgate.io/v1alpha1\nkind: SparkApplication\nmetadata: {name: new, namespace: etl}\n" +
		"spec: {type: Python, sparkVersion: 4.1.4, image: spark, mainApplicationFile: \"local:///pi.py\", driver: {cores: 1, memory: 1g}, " +
		"executor: {cores: 1, instances: 1, memory: 1g}, queue: {name: q" + queue + "}}\n"
}

// TestPlanCountsUnmanagedPods: pods of guarded namespaces that belong to no application hold quota, wait for it, and are
// preempted.
func TestPlanCountsUnmanagedPods(t *testing.T) {
	t.Parallel()
	gated := func(p *corev1.Pod) {
		p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: v1alpha1.QuotaSchedulingGate}}
	}
	runs := func(p *corev1.Pod) { p.Labels[v1alpha1.QueueLabel], p.Spec.NodeName = "q", "node-1" }
	tests := map[string]struct {
		guarded bool
		pods    []func(*corev1.Pod) // of one cpu each
		files   []string
		want    []string
	}{
		"they hold what a job needs":  {true, []func(*corev1.Pod){runs, runs, runs}, []string{jobManifest("")}, []string{"new Created Absent→Waiting WaitingForQuota"}},
		"nobody guards them":          {false, []func(*corev1.Pod){runs, runs, runs}, []string{jobManifest("")}, []string{"new Created Absent→Admitted "}},
		"one ended":                   {true, []func(*corev1.Pod){runs, runs, func(p *corev1.Pod) { runs(p); p.Status.Phase = corev1.PodSucceeded }}, []string{jobManifest("")}, []string{"new Created Absent→Admitted "}},
		"a larger queue lets them in": {true, []func(*corev1.Pod){runs, runs, runs, runs, gated}, []string{queueManifest(5)}, []string{"pod-4  Waiting→Admitted "}},
		"they are preempted": {true, []func(*corev1.Pod){runs, runs, runs}, []string{jobManifest(", priorityClassName: urgent")},
			[]string{"new Created Absent→Admitted ", "pod-2  Admitted→Preempted Preempted"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			labels := map[string]string{}
			if tt.guarded {
				labels[v1alpha1.GuardedLabel] = "true"
			}
			cluster := offline.Live{
				Queues: []v1alpha1.SparkQueue{queueOf(t, 4)}, Priorities: map[string]int32{"urgent": 1000}, Now: now,
				Namespaces: map[string]metav1.ObjectMeta{"notebooks": {Name: "notebooks", Labels: labels, Annotations: map[string]string{v1alpha1.DefaultQueueAnnotation: "q"}}},
			}
			var pods []*unmanaged.Pod
			for i, change := range tt.pods {
				pods = append(pods, unmanagedPod(i, change))
			}
			cluster.Pods = live.Pods(&cluster, pods)
			plan, err := offline.NewPlan(cluster, []offline.File{{Name: "jobs.yaml", Text: []byte(strings.Join(tt.files, "---\n"))}}, offline.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range plan.Effects {
				got = append(got, fmt.Sprintf("%s %s %s→%s %s", e.Name, e.Change, e.Before, e.After, e.Reason))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q\n%+v", got, tt.want, plan.Effects)
			}
		})
	}
}

// unmanagedPod returns the driver of a raw spark-submit, younger the higher its number.
func unmanagedPod(number int, change func(*corev1.Pod)) *unmanaged.Pod {
	name := fmt.Sprintf("pod-%d", number)
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "notebooks", Name: name, UID: types.UID(name), Labels: map[string]string{v1alpha1.SparkRoleLabel: "driver"},
			CreationTimestamp: metav1.NewTime(now.Add(time.Duration(number) * time.Second)),
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}}}}},
	}
	change(p)
	return unmanaged.PodOf(p)
}
