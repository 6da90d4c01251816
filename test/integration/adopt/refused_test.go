// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// annotation sets the annotation sparkgate.io/spec.
func annotation(text string) func(*unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{"sparkgate.io/spec": text}) }
}

// TestRefused: what cannot run has failed at once, and the message names the field of the manifest.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "4Gi", nil)
	long := strings.Repeat("a", 64)
	for name, tc := range map[string]struct {
		change func(*unstructured.Unstructured)
		words  []string
	}{
		"client":      {with("client", "spec", "mode"), []string{`spec.mode: value "client"`}},
		"elastic":     {with(true, "spec", "dynamicAllocation", "enabled"), []string{"spec.dynamicAllocation.maxExecutors", "sparkgate.io/spec"}},
		"file":        {with("job.py", "spec", "mainApplicationFile"), []string{"spec.mainApplicationFile"}},
		long:          {with("cluster", "spec", "mode"), []string{"metadata.name", long}},
		"do.tted":     {with("cluster", "spec", "mode"), []string{"metadata.name", "do.tted"}},
		"forbidden":   {annotation("image: x"), []string{"metadata.annotations[sparkgate.io/spec].image"}},
		"typo":        {annotation("queue: {nam: x}"), []string{"metadata.annotations[sparkgate.io/spec].queue.nam", "unknown field"}},
		"no-yaml":     {annotation("queue"), []string{"metadata.annotations[sparkgate.io/spec]: write fields"}},
		"gone":        {annotation("retention: {policy: Never}"), []string{"metadata.annotations[sparkgate.io/spec].retention"}},
		"wrong-value": {annotation("timeouts: {run: soon}"), []string{"soon"}},
		"no-gate":     {annotation("queue: {gate: Door}"), []string{"metadata.annotations[sparkgate.io/spec].queue.gate", "Door"}},
		"too-large":   {with("5000m", "spec", "driver", "memory"), []string{"4Gi"}},
		"big":         {with(strings.Repeat("x", 300<<10), "spec", "sparkConf", "spark.x"), []string{"spec.sparkConf"}},
	} {
		theirs := w.apply(called(name), tc.change)
		w.fails(theirs, tc.words...)
		w.noOurs(theirs)
	}
	w.Unused()
}

// TestBroken: a spec that becomes wrong ends what runs, and one that becomes right again runs.
func TestBroken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", nil)
	theirs := w.apply()
	w.Driver(w.ours(theirs))
	harness.Change(t, theirs, with("client", "spec", "mode"))
	w.fails(theirs, "spec.mode")
	w.noOurs(theirs)
	w.NothingRuns()
	harness.Change(t, theirs, with("cluster", "spec", "mode"))
	w.Succeed(w.ours(theirs))
	w.reach(theirs, "COMPLETED")
}

// TestNameIsTaken: an application of a user stays as it is, and the job of the same name says what to do.
func TestNameIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", nil)
	own := w.Apply("pi")
	w.Driver(own)
	theirs := w.apply()
	w.fails(theirs, `metadata.name: value "pi"`)
	w.Succeed(own)
	w.get(own)
	if len(own.OwnerReferences) > 0 || own.Status.Run != 1 {
		t.Errorf("the application was changed: %+v", own)
	}
}

// TestDeletedByHand: a job whose application a user deletes has failed, and is not run again.
func TestDeletedByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", nil)
	theirs := w.apply()
	ours := w.ours(theirs)
	w.Driver(ours)
	w.reach(theirs, "SUBMITTED")
	if err := env.Client().Delete(t.Context(), ours); err != nil {
		t.Fatal(err)
	}
	w.fails(theirs, "was deleted")
	w.noOurs(theirs)
}

// TestNotAdopted: without the label nothing happens, with another value of it an event says so, and with the right one the job runs. A label
// that goes away leaves what runs.
func TestNotAdopted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", nil)
	w.namespace(func(n *corev1.Namespace) { n.Labels["sparkgate.io/adopt"] = "kubflow" })
	theirs := w.apply()
	w.says(theirs, `value "kubflow" is not known`)
	w.namespace(func(n *corev1.Namespace) { delete(n.Labels, "sparkgate.io/adopt") })
	w.get(theirs)
	if theirs.Object["status"] != nil {
		t.Errorf("the status is %v", theirs.Object["status"])
	}
	w.namespace(func(n *corev1.Namespace) { n.Labels["sparkgate.io/adopt"] = "kubeflow" })
	driver := w.Driver(w.ours(theirs))
	w.namespace(func(n *corev1.Namespace) { delete(n.Labels, "sparkgate.io/adopt") })
	w.Kubelet.Start(t.Context(), driver)
	w.reach(theirs, "RUNNING")
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.reach(theirs, "COMPLETED")
}

// TestOfTheOtherOperator: what kubeflow's operator has ended is not run again until its spec changes, and what it runs is left to it.
func TestOfTheOtherOperator(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", nil)
	w.namespace(func(n *corev1.Namespace) { delete(n.Labels, "sparkgate.io/adopt") })
	ended, runs := w.apply(called("ended")), w.apply(called("runs"))
	for u, state := range map[*unstructured.Unstructured]string{ended: "COMPLETED", runs: "RUNNING"} {
		with(map[string]any{"submissionID": "3b0c", "driverInfo": map[string]any{}, "applicationState": map[string]any{"state": state}}, "status")(u)
		if err := env.Client().Status().Update(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	w.namespace(func(n *corev1.Namespace) { n.Labels["sparkgate.io/adopt"] = "kubeflow" })
	w.says(runs, "is of another operator")
	harness.Eventually(t, ended, "seen", func(u *unstructured.Unstructured) bool {
		return strings.HasPrefix(text(u, "submissionID"), "sparkgate-")
	})
	list := &v1alpha1.SparkApplicationList{}
	if err := env.Client().List(t.Context(), list, inNamespace(w)); err != nil || len(list.Items) > 0 {
		t.Errorf("%d applications: %v", len(list.Items), err)
	}
	harness.Change(t, ended, with([]any{"5"}, "spec", "arguments"))
	w.Succeed(w.ours(ended))
	w.reach(ended, "COMPLETED")
}
