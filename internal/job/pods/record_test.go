// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// requests adds a container with these requests.
func requests(cpu, memory string) change {
	return func(pod *corev1.Pod) {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: cpu + memory, Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)},
		}})
	}
}

func TestRecordOf(t *testing.T) {
	t.Parallel()
	plain := Record{
		Name: "pi-driver", UID: "pi-driver-uid", Version: 10, Role: Driver, Phase: corev1.PodPending, Node: "node-1",
	}
	tests := map[string]struct {
		changes []change
		want    func(*Record)
	}{
		"plain": {nil, func(*Record) {}},
		"requests that would wrap": {[]change{requests("500m", "9223372036854775807"), requests("1", "8Gi")},
			func(r *Record) { r.CPU, r.Memory = 1700, 1<<53 }},
		"requests of less than nothing": {[]change{requests("500m", "-16Gi"), requests("1", "8Gi")},
			func(r *Record) { r.CPU, r.Memory = 1700, 8<<30+896<<20 }},
		"executor": {[]change{executor}, func(r *Record) { r.Role = Executor }},
		"no labels": {[]change{func(pod *corev1.Pod) { pod.Labels = nil }}, func(r *Record) {
			r.Application, r.AppUID, r.Queue, r.Run, r.Attempt, r.Role = "", "", "", 0, 0, Other
		}},
		"labels that are no numbers": {[]change{label("sparkgate.io/run", "two"), label("sparkgate.io/attempt", "")},
			func(r *Record) { r.Run, r.Attempt = 0, 0 }},
		"an owner that is not the controller": {[]change{func(pod *corev1.Pod) { pod.OwnerReferences[0].Controller = nil }},
			func(r *Record) { r.OwnerUID = "" }},
		"being deleted": {[]change{deleting}, func(r *Record) { r.Deleting, r.EndsAt = true, uint32(deletedAt.Unix()) }},
		"being deleted in a while": {[]change{deleting, func(pod *corev1.Pod) { pod.DeletionGracePeriodSeconds = ptr.To[int64](1_000_000) }},
			func(r *Record) { r.Deleting, r.EndsAt, r.EndGrace = true, uint32(deletedAt.Unix()), 1_000_000 }},
		"deleted for a thousand years": {[]change{deleting, func(pod *corev1.Pod) { pod.DeletionGracePeriodSeconds = ptr.To[int64](1 << 40) }},
			func(r *Record) {
				r.Deleting, r.EndsAt, r.EndGrace = true, uint32(deletedAt.Unix()), math.MaxUint32
			}},
		"evicted": {[]change{phase(corev1.PodFailed), because("Evicted", "low on memory")},
			func(r *Record) { r.Phase, r.Reason, r.Message = corev1.PodFailed, "Evicted", "low on memory" }},
		"gated": {[]change{condition(corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonSchedulingGated)},
			func(r *Record) { r.SchedulingGated = true }},
		"unschedulable": {[]change{condition(corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonUnschedulable)},
			func(r *Record) { r.Waiting = Waiting{Reason: "Unschedulable", Message: "says Unschedulable"} }},
		"running": {[]change{phase(corev1.PodRunning), condition(corev1.PodScheduled, corev1.ConditionTrue, ""),
			condition(corev1.PodReady, corev1.ConditionTrue, ""), container(spark, runs())},
			func(r *Record) { r.Phase, r.Scheduled, r.Ready, r.Running = corev1.PodRunning, true, true, true }},
		"disrupted": {[]change{condition(corev1.DisruptionTarget, corev1.ConditionTrue, "PreemptionByScheduler")},
			func(r *Record) { r.DisruptedBy = "PreemptionByScheduler" }},
		"not disrupted after all":                 {[]change{condition(corev1.DisruptionTarget, corev1.ConditionFalse, "PreemptionByScheduler")}, func(*Record) {}},
		"ordinary start":                          {[]change{container(spark, waits("ContainerCreating"))}, func(*Record) {}},
		"ordinary start behind an init container": {[]change{initContainer("fetch", runs()), container(spark, waits("PodInitializing"))}, func(*Record) {}},
		"image cannot be pulled": {[]change{container(spark, waits("ErrImagePull"))},
			func(r *Record) {
				r.Waiting = Waiting{Reason: "ErrImagePull", Message: "says ErrImagePull", Image: "image-of-" + spark}
			}},
		"init container cannot start": {[]change{initContainer("fetch", waits("CrashLoopBackOff")), container(spark, waits("PodInitializing"))},
			func(r *Record) {
				r.Waiting = Waiting{Reason: "CrashLoopBackOff", Message: "says CrashLoopBackOff", Image: "image-of-fetch"}
			}},
		"the Spark container counts more than its neighbours": {[]change{container("sidecar", waits("ErrImagePull")), container(spark, waits("CreateContainerConfigError"))},
			func(r *Record) {
				r.Waiting = Waiting{Reason: "CreateContainerConfigError", Message: "says CreateContainerConfigError", Image: "image-of-" + spark}
			}},
		"a neighbour cannot start": {[]change{container("sidecar", waits("ErrImagePull")), container(spark, runs())},
			func(r *Record) {
				r.Running, r.Waiting = true, Waiting{Reason: "ErrImagePull", Message: "says ErrImagePull", Image: "image-of-sidecar"}
			}},
		"ended beside a neighbour that runs": {[]change{phase(corev1.PodRunning), container("sidecar", runs()), container(spark, ended(3, "Error"))},
			func(r *Record) { r.Phase, r.Ended = corev1.PodRunning, &Ended{ExitCode: 3, Reason: "Error"} }},
		"a neighbour ended":           {[]change{container("sidecar", ended(1, "Error")), container(spark, runs())}, func(r *Record) { r.Running = true }},
		"a version that is no number": {[]change{func(pod *corev1.Pod) { pod.ResourceVersion = "x" }}, func(r *Record) { r.Version = 0 }},
		"sidecars count": {[]change{func(pod *corev1.Pod) {
			pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: "sidecar", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}}})
			pod.Spec.Overhead = corev1.ResourceList{"memory": resource.MustParse("128Mi")}
		}}, func(r *Record) { r.CPU, r.Memory = 1200, 1024<<20 }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := plain
			want.Trouble = &Trouble{}
			want.Origin = &Origin{
				Namespace: "default", OwnerUID: "pi-uid", Application: "pi", AppUID: "pi-uid", Queue: "team-a", Run: 2, Attempt: 1,
				CPU: 200, Memory: 896 << 20,
			}
			tc.want(&want)
			if diff := cmp.Diff(&want, RecordOf(podOf("pi-driver", tc.changes...))); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSparkContainer(t *testing.T) {
	t.Parallel()
	names := func(all ...string) change {
		return func(pod *corev1.Pod) {
			pod.Spec.Containers = nil
			for _, name := range all {
				pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: name})
			}
		}
	}
	annotated := func(name string) change {
		return func(pod *corev1.Pod) {
			pod.Annotations = map[string]string{"kubectl.kubernetes.io/default-container": name}
		}
	}
	with := func(variable string, at int) change {
		return func(pod *corev1.Pod) { pod.Spec.Containers[at].Env = []corev1.EnvVar{{Name: "A"}, {Name: variable}} }
	}
	tests := map[string]struct {
		changes []change
		want    string
	}{
		"Spark's own name":                    {[]change{names("a", "spark-kubernetes-driver", "b")}, "spark-kubernetes-driver"},
		"of an executor":                      {[]change{names("spark-kubernetes-executor", "b")}, "spark-kubernetes-executor"},
		"the last one":                        {[]change{names("a", "b")}, "b"},
		"by the address to bind to":           {[]change{names("mine", "a"), with("SPARK_DRIVER_BIND_ADDRESS", 0)}, "mine"},
		"by the number of the executor":       {[]change{names("mine", "a"), with("SPARK_EXECUTOR_ID", 0)}, "mine"},
		"another with Spark's name":           {[]change{names("spark-kubernetes-driver", "mine"), with("SPARK_DRIVER_BIND_ADDRESS", 1)}, "mine"},
		"two that could be: the last":         {[]change{names("a", "mine"), with("SPARK_DRIVER_BIND_ADDRESS", 0), with("SPARK_DRIVER_BIND_ADDRESS", 1)}, "mine"},
		"an annotation that points elsewhere": {[]change{names("a", "spark-kubernetes-driver", "b"), annotated("b")}, "spark-kubernetes-driver"},
		"an annotation that points nowhere":   {[]change{names("mine", "a"), with("SPARK_DRIVER_BIND_ADDRESS", 0), annotated("none")}, "mine"},
		"a pod with no inside":                {[]change{names()}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := SparkContainer(podOf("pod", tc.changes...)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestActive(t *testing.T) {
	t.Parallel()
	for p, want := range map[corev1.PodPhase]bool{
		corev1.PodPending: true, corev1.PodRunning: true, corev1.PodUnknown: true, "": true, corev1.PodSucceeded: false, corev1.PodFailed: false,
	} {
		if got := RecordOf(podOf("pod", phase(p))).Active(); got != want {
			t.Errorf("a pod in the phase %q is active: %t, want %t", p, got, want)
		}
	}
}

// TestTroubleIsShared by all pods that have none, and a pod that gets into trouble is news.
func TestTroubleIsShared(t *testing.T) {
	t.Parallel()
	first, second := RecordOf(podOf("pi-exec-1")), RecordOf(podOf("pi-exec-2"))
	if first.Trouble != second.Trouble {
		t.Error("pods without trouble do not share it")
	}
	evicted := RecordOf(podOf("pi-exec-2", func(pod *corev1.Pod) { pod.Status.Reason = "Evicted" }))
	if evicted.Trouble == second.Trouble || second.Reason != "" || same(second, evicted) {
		t.Errorf("evicted: %+v, before: %+v", evicted.Trouble, second.Trouble)
	}
}
