// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const sparkExecutor = "spark-kubernetes-executor"

// executorWith returns an executor of attempt 2/1 of pi, as changed.
func executorWith(name string, version int, changes ...change) *corev1.Pod {
	inside := func(pod *corev1.Pod) { pod.Spec.Containers[0].Name = sparkExecutor }
	return podOf(name, append([]change{executor, inside, at(version)}, changes...)...)
}

// endsAt returns a container that has ended at a second.
func endsAt(second int64, code int32, reason string) change {
	state := ended(code, reason)
	state.Terminated.FinishedAt = metav1.Unix(second, 0)
	return container(sparkExecutor, state)
}

// failuresOf returns the failures that a store remembers of an attempt of pi, each with its reason and time.
func failuresOf(s *Store, run, attempt int64) string {
	var all []string
	for _, f := range s.Failures(types.NamespacedName{Namespace: "default", Name: "pi"}, "pi-uid", run, attempt) {
		all = append(all, fmt.Sprintf("%s %s %d", f.Pod, f.Reason, f.At))
	}
	return strings.Join(all, ", ")
}

func TestExecutorThatFailed(t *testing.T) {
	t.Parallel()
	failed, running := phase(corev1.PodFailed), phase(corev1.PodRunning)
	tests := map[string]struct {
		changes []change
		want    string // empty: it has not failed
	}{
		"runs":      {[]change{running, container(sparkExecutor, runs())}, ""},
		"succeeded": {[]change{phase(corev1.PodSucceeded), endsAt(60, 0, "Completed")}, ""},
		"failed":    {[]change{failed, endsAt(60, 1, "Error")}, "exec Error 60"},
		"killed for its memory, and deleted by Spark":  {[]change{failed, deleting, endsAt(60, 137, "OOMKilled")}, "exec OOMKilled 60"},
		"failed, and deleted by Spark":                 {[]change{failed, deleting, endsAt(60, 52, "Error")}, "exec Error 60"},
		"told to go by Spark":                          {[]change{failed, deleting, endsAt(60, 143, "Error")}, ""},
		"told to go, and decommissioned":               {[]change{failed, deleting, endsAt(60, 158, "Error")}, ""},
		"told to go by Spark, and took too long":       {[]change{failed, deleting, endsAt(60, 137, "Error")}, ""},
		"told to go by Spark before it had started":    {[]change{failed, deleting, endsAt(60, 137, "ContainerStatusUnknown")}, ""},
		"told to go, nobody said how it ended":         {[]change{failed, deleting}, ""},
		"drained":                                      {[]change{failed, deleting, drained, endsAt(60, 143, "Error")}, "exec EvictionByEvictionAPI 60"},
		"drained, and went in order":                   {[]change{phase(corev1.PodSucceeded), deleting, drained, endsAt(60, 0, "Completed")}, ""},
		"lost with its node, and nobody said when":     {[]change{failed, because("NodeLost", "")}, "exec NodeLost 0"},
		"evicted before its container's end was known": {[]change{failed, drained}, "exec EvictionByEvictionAPI 50"},
		"failed, another container goes on":            {[]change{running, endsAt(60, 1, "Error"), container("proxy", runs())}, "exec Error 60"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := storeUnderTest()
			do(t, s.Add(podOf("driver", at(1))))
			do(t, s.Add(executorWith("exec", 2, tc.changes...)))
			if got := failuresOf(s, 2, 1); got != tc.want {
				t.Errorf("remembers %q, want %q", got, tc.want)
			}
			again := ""
			for _, r := range s.Of(types.NamespacedName{Namespace: "default", Name: "pi"}) {
				if f, failed := FailureOf(r); failed {
					again += fmt.Sprintf("%s %s %d", f.Pod, f.Reason, f.At)
				}
			}
			if again != tc.want {
				t.Errorf("among the records is %q, want %q", again, tc.want)
			}
		})
	}
}

// drained has the eviction API end a pod.
func drained(pod *corev1.Pod) {
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
		Reason: "EvictionByEvictionAPI", LastTransitionTime: metav1.Unix(50, 0)})
}

// TestToldToGo: an executor that was asked to end while it ran has not failed, whatever its exit code is; one that was killed for its memory,
// or evicted, has.
func TestToldToGo(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		end  []change
		want string
	}{
		"it could not reach its driver": {[]change{endsAt(60, 1, "Error")}, ""},
		"it was killed for its memory":  {[]change{endsAt(60, 137, "OOMKilled")}, "exec OOMKilled 60"},
		"its node was drained":          {[]change{drained, endsAt(60, 143, "Error")}, "exec EvictionByEvictionAPI 60"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := storeUnderTest()
			do(t, s.Add(podOf("driver", at(1))))
			do(t, s.Add(executorWith("exec", 2, phase(corev1.PodRunning), container(sparkExecutor, runs()))))
			do(t, s.Update(executorWith("exec", 3, phase(corev1.PodRunning), deleting, container(sparkExecutor, runs()))))
			do(t, s.Update(executorWith("exec", 4, append([]change{phase(corev1.PodFailed), deleting}, tc.end...)...)))
			if got := failuresOf(s, 2, 1); got != tc.want {
				t.Errorf("remembers %q, want %q", got, tc.want)
			}
		})
	}
}

// TestFailuresAreRemembered: once each, also when the pod has gone, until the next attempt or until the application has no pods.
func TestFailuresAreRemembered(t *testing.T) {
	t.Parallel()
	s, _ := storeUnderTest()
	expect := func(when, want string) {
		t.Helper()
		if got := failuresOf(s, 2, 1); got != want {
			t.Errorf("%s: remembers %q, want %q", when, got, want)
		}
	}
	failed := phase(corev1.PodFailed)
	do(t, s.Add(podOf("driver", at(1))))
	do(t, s.Add(executorWith("exec-1", 2, phase(corev1.PodRunning), container(sparkExecutor, runs()))))
	expect("one runs", "")
	do(t, s.Update(executorWith("exec-1", 3, failed, endsAt(20, 1, "Error"))))
	do(t, s.Update(executorWith("exec-1", 4, failed, endsAt(20, 1, "Error"), deleting)))
	do(t, s.Delete(executorWith("exec-1", 5)))
	expect("one has failed and is gone", "exec-1 Error 20")
	do(t, s.Add(executorWith("exec-2", 6, failed, endsAt(10, 52, "Error"))))
	expect("another had failed before", "exec-2 Error 10, exec-1 Error 20")

	onNode := []change{phase(corev1.PodRunning), deleting, container(sparkExecutor, runs())}
	do(t, s.Add(executorWith("exec-3", 7, append(onNode, because("NodeLost", ""))...)))
	do(t, s.Add(executorWith("exec-4", 8, onNode...)))
	expect("a node does not answer", "exec-2 Error 10, exec-1 Error 20")
	do(t, s.Replace([]any{podOf("driver", at(1))}, "20"))
	expect("its pods are gone; of one nothing says why", "exec-3 NodeLost 0, exec-2 Error 10, exec-1 Error 20")

	do(t, s.Add(executorWith("exec-5", 21, label(v1alpha1.AttemptLabel, "2"), failed, endsAt(30, 1, "Error"))))
	if got := failuresOf(s, 2, 2); got != "exec-5 Error 30" {
		t.Errorf("remembers %q of the next attempt", got)
	}
	do(t, s.Add(executorWith("exec-6", 22, failed, endsAt(31, 1, "Error"))))
	expect("the attempt is over", "")
	do(t, s.Replace(nil, "30"))
	if got := failuresOf(s, 2, 2); got != "" || len(s.failed) != 0 {
		t.Errorf("remembers %q of an application without pods", got)
	}
}

// TestFailuresAreBounded: an application whose executors fail for months costs no more than others.
func TestFailuresAreBounded(t *testing.T) {
	t.Parallel()
	s, _ := storeUnderTest()
	do(t, s.Add(podOf("driver", at(1))))
	long := strings.Repeat("x", 5000)
	for i := range 100 {
		state := ended(1, "Error")
		state.Terminated.Message, state.Terminated.FinishedAt = long, metav1.Unix(int64(100+i), 0)
		do(t, s.Add(executorWith(fmt.Sprintf("exec-%d", i), 10+2*i, phase(corev1.PodFailed), container(sparkExecutor, state))))
		do(t, s.Delete(executorWith(fmt.Sprintf("exec-%d", i), 11+2*i)))
	}
	all := s.Failures(types.NamespacedName{Namespace: "default", Name: "pi"}, "pi-uid", 2, 1)
	if len(all) != maxFailures || all[len(all)-1].Pod != "exec-99" || len(all[0].Message) > maxFailureMessage {
		t.Errorf("%d are remembered, the last is %s, a message has %d bytes", len(all), all[len(all)-1].Pod, len(all[0].Message))
	}
}

// behind has a pod wait behind scheduling gates.
func behind(names ...string) change {
	return func(pod *corev1.Pod) {
		for _, name := range names {
			pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: name})
		}
		condition(corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonSchedulingGated)(pod)
	}
}

func TestWhyPending(t *testing.T) {
	t.Parallel()
	waiting := func(name string, changes ...change) *Record { return RecordOf(executorWith(name, 1, changes...)) }
	secret := container(sparkExecutor, waitsBecause("CreateContainerConfigError", `secret "db" not found`))
	noNode := condition(corev1.PodScheduled, corev1.ConditionFalse, "Unschedulable")
	const noSecret = `executor's container cannot start (CreateContainerConfigError): secret "db" not found; create it, and the container starts automatically`
	tests := map[string]struct {
		records []*Record
		want    string
	}{
		"none":         {nil, ""},
		"they start":   {[]*Record{waiting("a"), waiting("b", container(sparkExecutor, waits("ContainerCreating")))}, ""},
		"a reference":  {[]*Record{waiting("a"), waiting("b", secret)}, noSecret},
		"most of them": {[]*Record{waiting("a", noNode), waiting("b", secret), waiting("c", noNode)}, "the executor pod is unschedulable; kubectl describe pod shows the scheduler's reason"},
		"a claim": {[]*Record{waiting("a", func(pod *corev1.Pod) {
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable",
				Message: `0/3 nodes are available: persistentvolumeclaim "data" not found. not found`}}
		})}, `the executor pod is unschedulable: persistentvolumeclaim "data" not found; create it, and the pod starts automatically`},
		"a gate of another system": {[]*Record{waiting("a", behind("sparkgate.io/quota", "kueue.x-k8s.io/admission")), waiting("b", behind("example.org/licence"))},
			"the executor pod waits behind the scheduling gate example.org/licence, which another system has to remove"},
		"a claim without a volume": {[]*Record{waiting("a", func(pod *corev1.Pod) {
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable",
				Message: `0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found`}}
		})}, `the executor pod is unschedulable: a PersistentVolumeClaim that it names has no volume yet; kubectl describe pvc shows what it waits for`},
		"as many of each": {[]*Record{waiting("a", noNode), waiting("b", secret)}, noSecret},
		"not of those that go, wait for room, or run": {[]*Record{
			waiting("a", secret, deleting), waiting("b", condition(corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonSchedulingGated)),
			waiting("c", phase(corev1.PodRunning), container(sparkExecutor, runs()), container("proxy", waits("ErrImagePull"))),
			RecordOf(podOf("driver", noNode)), waiting("d", phase(corev1.PodFailed), noNode)}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, WhyPending(tc.records).Message); diff != "" {
				t.Errorf("why (-want +got):\n%s", diff)
			}
		})
	}
}
