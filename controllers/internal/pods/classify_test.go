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
		"evicted": {[]change{failed, because("Evicted", "The node was low on resource: memory.\nMore of it.")},
			&Outcome{Reason: "Evicted", Cause: v1alpha1.CauseInfrastructure, Message: "driver pod was evicted (Evicted): The node was low on resource: memory."}},
		"evicted, with an exit code": {[]change{failed, because("Evicted", ""), container(spark, ended(143, "Error"))},
			&Outcome{Reason: "Evicted", Cause: v1alpha1.CauseInfrastructure, ExitCode: ptr.To[int32](143), Message: "driver pod was evicted (Evicted)"}},
		"preempted by the scheduler": {[]change{failed, condition(corev1.DisruptionTarget, corev1.ConditionTrue, "PreemptionByScheduler"), container(spark, ended(143, "Error"))},
			&Outcome{Reason: "PreemptionByScheduler", Cause: v1alpha1.CauseInfrastructure, ExitCode: ptr.To[int32](143),
				Message: "driver pod was evicted (PreemptionByScheduler)"}},
		"marked for disruption, but it ended well before": {[]change{succeeded, condition(corev1.DisruptionTarget, corev1.ConditionTrue, "PreemptionByScheduler"), container(spark, ended(0, "Completed"))},
			&Outcome{Succeeded: true, Reason: "Succeeded", ExitCode: ptr.To[int32](0), Message: "driver ended with exit code 0"}},
		"node shut down": {[]change{failed, because("Terminated", "Pod was terminated in response to imminent node shutdown.")},
			&Outcome{Reason: "Terminated", Cause: v1alpha1.CauseInfrastructure,
				Message: "driver pod failed (Terminated): Pod was terminated in response to imminent node shutdown."}},
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
			StartProblem{"InvalidImageName", `image name "image-of-spark-kubernetes-driver" is not valid (InvalidImageName); correct spec.image`, true}},
		"not on the node": {container(spark, waits("ErrImageNeverPull")),
			StartProblem{"ErrImageNeverPull", `image "image-of-spark-kubernetes-driver" is not on the node and imagePullPolicy is Never (ErrImageNeverPull)`, false}},
		"unschedulable": {condition(corev1.PodScheduled, corev1.ConditionFalse, "Unschedulable"),
			StartProblem{"Unschedulable", "no node takes the driver pod (Unschedulable)", false}},
		"missing secret": {container(spark, waits("CreateContainerConfigError")),
			StartProblem{"CreateContainerConfigError", "driver's container cannot start (CreateContainerConfigError): says CreateContainerConfigError", false}},
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

// TestPullErrorsAreOne: the kubelet alternates between the two; what is written to the status must not.
func TestPullErrorsAreOne(t *testing.T) {
	t.Parallel()
	first := WhyNotStarted(RecordOf(podOf("driver", container(spark, waits("ErrImagePull")))))
	second := WhyNotStarted(RecordOf(podOf("driver", container(spark, waits("ImagePullBackOff")))))
	if diff := cmp.Diff(first, second); diff != "" || first.Reason != "ImagePullBackOff" {
		t.Errorf("%+v; the two differ:\n%s", first, diff)
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
	want := Counts{Active: 5, Ready: 1, Pending: 2, Gated: 1, Failed: 2}
	if diff := cmp.Diff(want, Count(records)); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}
