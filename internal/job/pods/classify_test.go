// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

func TestDriverEnded(t *testing.T) {
	t.Parallel()
	failed, succeeded := phase(corev1.PodFailed), phase(corev1.PodSucceeded)
	tests := map[string]struct {
		changes []change
		want    *Outcome // nil: it has not ended
	}{
		"not started":              {nil, nil},
		"running":                  {[]change{phase(corev1.PodRunning), container(spark, runs())}, nil},
		"lost sight":               {[]change{phase(corev1.PodUnknown), container(spark, runs())}, nil},
		"being deleted, not ended": {[]change{deleting, phase(corev1.PodRunning), container(spark, runs())}, nil},
		"a neighbour ended":        {[]change{phase(corev1.PodRunning), container("sidecar", ended(1, "Error")), container(spark, runs())}, nil},
		"succeeded": {[]change{succeeded, container(spark, ended(0, "Completed"))},
			&Outcome{Succeeded: true, Reason: "Succeeded", ExitCode: ptr.To[int32](0), Message: "driver ended with exit code 0"}},
		"succeeded, its neighbour goes on": {[]change{phase(corev1.PodRunning), container("sidecar", runs()), container(spark, ended(0, "Completed"))},
			&Outcome{Succeeded: true, Reason: "Succeeded", ExitCode: ptr.To[int32](0), Message: "driver ended with exit code 0"}},
		"succeeded although a neighbour failed": {[]change{failed, container("sidecar", ended(1, "Error")), container(spark, ended(0, "Completed"))},
			&Outcome{Succeeded: true, Reason: "Succeeded", ExitCode: ptr.To[int32](0), Message: "driver ended with exit code 0"}},
		"succeeded without a container's word": {[]change{succeeded}, &Outcome{Succeeded: true, Reason: "Succeeded", Message: "driver ended"}},
		"failed": {[]change{failed, container(spark, ended(3, "Error"))},
			&Outcome{Reason: "Error", Cause: v1alpha1.CauseApplication, ExitCode: ptr.To[int32](3), Message: "driver ended with exit code 3 (Error)"}},
		"failed without a reason": {[]change{failed, container(spark, ended(1, ""))},
			&Outcome{Reason: "Error", Cause: v1alpha1.CauseApplication, ExitCode: ptr.To[int32](1), Message: "driver ended with exit code 1"}},
		"out of memory": {[]change{failed, container(spark, ended(137, "OOMKilled"))},
			&Outcome{Reason: "OOMKilled", Cause: v1alpha1.CauseApplication, ExitCode: ptr.To[int32](137),
				Message: "driver was killed with exit code 137: it used more memory than its limit; raise driver.memory or driver.memoryOverhead"}},
		"could not start": {[]change{failed, container(spark, ended(128, "StartError"))},
			&Outcome{Reason: "StartError", Cause: v1alpha1.CauseConfiguration, ExitCode: ptr.To[int32](128),
				Message: "driver's container could not start (exit code 128) (StartError)"}},
		"evicted": {[]change{failed, because("Evicted", "The node was low on resource: pids.\nMore of it.")},
			&Outcome{Reason: "Evicted", Cause: v1alpha1.CauseInfrastructure, Message: "driver pod was evicted (Evicted): The node was low on resource: pids."}},
		"deleted by somebody": {[]change{failed, deleting, container(spark, ended(143, "Error"))},
			&Outcome{Reason: "Deleted", Cause: v1alpha1.CauseInfrastructure, ExitCode: ptr.To[int32](143),
				Message: "driver pod was deleted by a user or another controller, and stopped with exit code 143 (Deleted)"}},
		"failed, then deleted by somebody": {[]change{failed, deleting, container(spark, ended(1, "Error"))},
			&Outcome{Reason: "Error", Cause: v1alpha1.CauseApplication, ExitCode: ptr.To[int32](1), Message: "driver ended with exit code 1 (Error)"}},
		"drained, its neighbour goes on": {[]change{phase(corev1.PodRunning), deleting, container("sidecar", runs()),
			condition(corev1.DisruptionTarget, corev1.ConditionTrue, "EvictionByEvictionAPI"), container(spark, ended(143, "Error"))},
			&Outcome{Reason: "EvictionByEvictionAPI", Cause: v1alpha1.CauseInfrastructure, ExitCode: ptr.To[int32](143),
				Message: "driver was evicted from node node-1 (EvictionByEvictionAPI): the node was drained, or the autoscaler wanted it"}},
		"to be drained, still running": {[]change{phase(corev1.PodRunning), deleting, container(spark, runs()),
			condition(corev1.DisruptionTarget, corev1.ConditionTrue, "EvictionByEvictionAPI")}, nil},
		"its node does not answer": {[]change{phase(corev1.PodRunning), deleting, because("NodeLost", "Node node-1 which was running pod driver is unresponsive"),
			container(spark, runs())}, nil},
		"failed without any word": {[]change{failed}, &Outcome{Reason: "Error", Cause: v1alpha1.CauseInfrastructure, Message: "driver pod failed"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := DriverEnded(RecordOf(podOf("driver", tc.changes...)))
			if ok != (tc.want != nil) {
				t.Fatalf("ended: %t, want %t", ok, tc.want != nil)
			}
			if tc.want == nil {
				return
			}
			if diff := cmp.Diff(*tc.want, got); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhyNotStarted(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change change
		want   StartProblem
	}{
		"nothing is wrong": {container(spark, waits("ContainerCreating")), StartProblem{}},
		"invalid image name": {container(spark, waits("InvalidImageName")),
			StartProblem{Reason: "InvalidImageName", Permanent: true,
				Message: `image name "image-of-spark-kubernetes-driver" is not valid (InvalidImageName); correct spec.image`}},
		"not on the node": {container(spark, waits("ErrImageNeverPull")),
			StartProblem{Reason: "ErrImageNeverPull",
				Message: `image "image-of-spark-kubernetes-driver" is not on the node and imagePullPolicy is Never (ErrImageNeverPull); load the image on the nodes, or set spec.imagePullPolicy to IfNotPresent`}},
		"unschedulable": {condition(corev1.PodScheduled, corev1.ConditionFalse, "Unschedulable"),
			StartProblem{Reason: "Unschedulable", Message: "the driver pod is unschedulable; kubectl describe pod shows the scheduler's reason", Detail: "says Unschedulable",
				Brief: "the driver pod is unschedulable"}},
		"missing secret": {container(spark, waitsBecause("CreateContainerConfigError", `secret "db" not found`)),
			StartProblem{Reason: "CreateContainerConfigError", Reference: true,
				Message: `driver's container cannot start (CreateContainerConfigError): secret "db" not found; create it, and the container starts automatically`}},
		"missing key": {container(spark, waitsBecause("CreateContainerConfigError", "couldn't find key user in ConfigMap default/db")),
			StartProblem{Reason: "CreateContainerConfigError", Reference: true,
				Message: "driver's container cannot start (CreateContainerConfigError): couldn't find key user in ConfigMap default/db; create it, and the container starts automatically"}},
		"root": {container(spark, waitsBecause("CreateContainerConfigError", "container has runAsNonRoot and image will run as root")),
			StartProblem{Reason: "CreateContainerConfigError", Permanent: true,
				Message: "driver's container cannot start (CreateContainerConfigError): container has runAsNonRoot and image will run as root; " +
					"set securityContext.runAsUser in driver.template to a user other than 0"}},
		"something else": {container(spark, waits("CreateContainerError")),
			StartProblem{Reason: "CreateContainerError", Message: "driver's container cannot start (CreateContainerError): says CreateContainerError"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, WhyNotStarted(RecordOf(podOf("driver", tc.change)))); diff != "" {
				t.Errorf("problem (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGivenUp: what is missing can also be created after the pod has gone, but that pod no longer starts.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change change
		want   string
	}{
		"missing secret": {container(spark, waitsBecause("CreateContainerConfigError", `secret "db" not found`)),
			`driver's container cannot start (CreateContainerConfigError): secret "db" not found; create it before the next attempt or run`},
		"nothing is missing": {container(spark, waits("CreateContainerError")), "driver's container cannot start (CreateContainerError): says CreateContainerError"},
		"nothing is wrong":   {container(spark, waits("ContainerCreating")), ""},
	} {
		if got := WhyNotStarted(RecordOf(podOf("driver", tc.change))).GivenUp(); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	record := RecordOf(podOf("driver", container(spark, waits("ContainerCreating"))))
	record.Trouble = &Trouble{Waiting: Waiting{Reason: corev1.PodReasonUnschedulable, Message: `0/3 nodes are available: persistentvolumeclaim "data" not found.`}}
	const want = `the driver pod is unschedulable: persistentvolumeclaim "data" not found; create it before the next attempt or run; ` +
		`last reported: 0/3 nodes are available: persistentvolumeclaim "data" not found.`
	if got := WhyNotStarted(record).GivenUp(); got != want {
		t.Errorf("missing claim: %q, want %q", got, want)
	}
}

// TestPullErrorsAreOne: the kubelet alternates between the two; what is written to the status must not. What is written once, when the
// wait is over, has the cause: kubelets from 1.33 on say it in both (pkg/kubelet/images).
func TestPullErrorsAreOne(t *testing.T) {
	t.Parallel()
	const cause = `failed to pull and unpack image "image-of-spark-kubernetes-driver": not found`
	first := WhyNotStarted(RecordOf(podOf("driver", container(spark, waitsBecause("ErrImagePull", cause)))))
	second := WhyNotStarted(RecordOf(podOf("driver", container(spark, waitsBecause("ImagePullBackOff", `Back-off pulling image "image-of-spark-kubernetes-driver": `+cause)))))
	if diff := cmp.Diff(first, second); diff != "" || first.Reason != "ImagePullBackOff" {
		t.Errorf("%+v; the two differ:\n%s", first, diff)
	}
	if want := first.Message + "; last reported: " + cause; first.GivenUp() != want {
		t.Errorf("all of it is %q, want %q", first.GivenUp(), want)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	ready := []change{executor, phase(corev1.PodRunning), condition(corev1.PodReady, corev1.ConditionTrue, ""), func(pod *corev1.Pod) {
		pod.Spec.Containers[0].Name = "spark-kubernetes-executor"
	}, container("spark-kubernetes-executor", runs())}
	pods := []*corev1.Pod{
		podOf("driver", phase(corev1.PodRunning), container(spark, runs())),
		podOf("ready", ready...),
		podOf("ready-and-leaving", append(ready, deleting)...),
		podOf("running-not-ready", executor, phase(corev1.PodRunning), container("spark-kubernetes-executor", runs())),
		podOf("pending", executor),
		podOf("gated", executor, condition(corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonSchedulingGated)),
		podOf("failed", executor, phase(corev1.PodFailed)),
		podOf("failed-and-leaving", executor, phase(corev1.PodFailed), deleting),
		podOf("succeeded", executor, phase(corev1.PodSucceeded)),
	}
	records := make([]*Record, 0, len(pods))
	for _, pod := range pods {
		records = append(records, RecordOf(pod))
	}
	want := Counts{Active: 5, Ready: 1, Pending: 2, SchedulingGated: 1}
	if diff := cmp.Diff(want, Count(records)); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestReasonsOfTheSchedulerAreToldWithoutNumbers(t *testing.T) {
	t.Parallel()
	const selector = "node(s) didn't match Pod's node affinity/selector"
	tests := map[string]struct{ says, want string }{
		"one": {"0/1 nodes are available: 1 " + selector + ". no new claims to deallocate, preemption: 0/1 nodes are available: " +
			"1 Preemption is not helpful for scheduling.", selector},
		"several, in an order that does not depend on the numbers": {"0/13 nodes are available: 12 " + selector + ", 1 Insufficient cpu, 3 Insufficient memory. preemption: 0/13 nodes",
			"Insufficient cpu, Insufficient memory, " + selector},
		"a taint": {"0/4 nodes are available: 2 node(s) had untolerated taint {example.org/dedicated: a}, 4 Too many pods.",
			"Too many pods, node(s) had untolerated taint {example.org/dedicated: a}"},
		"nodes that do not answer count for nothing": {"0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }.", "Insufficient cpu"},
		"only nodes that do not answer":              {"0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }.", ""},
		"Volcano":                                    {"0/1 nodes are unavailable: 1 Insufficient cpu.", "Insufficient cpu"},
		"cut off":                                    {"0/9 nodes are available: 1 Insufficient cpu, 3 node(s) had untol…", "Insufficient cpu"},
		"cut off in the first":                       {"0/9 nodes are available: 3 node(s) had untol…", ""},
		"no reason with a number":                    {"0/3 nodes are available: something else. preemption: 0/3", ""},
		"other words":                                {"pod group is not ready, 1 Pending, 3 minAvailable", ""},
		"nothing":                                    {"", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := schedulerReasons(tc.says); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestBothUnschedulable(t *testing.T) {
	t.Parallel()
	const driver, executor = "the driver pod is unschedulable", "the executor pod is unschedulable"
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{driver + ": Insufficient cpu", driver + "; " + seeScheduler, true},
		{driver, executor, false},
		{driver, "", false},
		{"", "", false},
	} {
		if got := BothUnschedulable(tc.a, tc.b); got != tc.want {
			t.Errorf("%q and %q: got %v", tc.a, tc.b, got)
		}
	}
}
