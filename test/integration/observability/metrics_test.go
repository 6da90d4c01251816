// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observability

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/actors"
)

// TestNothingIsCountedTwice: another operator takes over after every step of two lives, and what each has counted adds up to the truth.
func TestNothingIsCountedTwice(t *testing.T) {
	w := actors.NewWorld(t, "8Gi", nil)
	operator := actors.StartOperator(t, actors.OperatorOptions{})
	another := func() {
		operator.Stop()
		operator = actors.StartOperator(t, actors.OperatorOptions{})
	}
	good, bad := w.Apply("good"), w.Apply("bad")
	drivers := map[*v1alpha1.SparkApplication]*corev1.Pod{}
	for _, app := range []*v1alpha1.SparkApplication{good, bad} {
		drivers[app] = w.Run(app)
	}
	namespace := "namespace=" + w.Namespace
	actors.MeasuredSoon(t, 2, "sparkgate_stage_transitions_total", namespace, "stage=Running")
	another()
	actors.MeasuredSoon(t, 2, "sparkgate_applications", namespace, "stage=Running")
	w.Kubelet.Finish(t.Context(), drivers[good], 0, "Completed")
	w.Kubelet.Finish(t.Context(), drivers[bad], 137, "OOMKilled")
	w.Reach(good, "Succeeded")
	w.Reach(bad, "Failed")
	actors.MeasuredSoon(t, 2, "sparkgate_runs_total", namespace)
	another()
	w.Succeed(w.Apply("last"))
	actors.MeasuredSoon(t, 3, "sparkgate_runs_total", namespace)

	for _, want := range []struct {
		n      float64
		name   string
		labels []string
	}{
		{2, "sparkgate_runs_total", []string{"outcome=Succeeded"}},
		{1, "sparkgate_runs_total", []string{"outcome=Failed"}},
		{2, "sparkgate_attempts_total", []string{"outcome=Succeeded"}},
		{1, "sparkgate_attempts_total", []string{"outcome=Failed", "cause=Application", "reason=OOMKilled"}},
		{3, "sparkgate_stage_transitions_total", []string{"stage=Running"}},
		{3, "sparkgate_admission_wait_seconds", nil},
		{3, "sparkgate_driver_start_seconds", nil},
		{3, "sparkgate_attempt_duration_seconds", nil},
		{0, "sparkgate_applications", nil},
	} {
		labels := append(want.labels, namespace, "queue="+w.Queue.Name)
		if got := actors.Measured(t, want.name, labels...); got != want.n {
			t.Errorf("%s%v is %v, want %v", want.name, want.labels, got, want.n)
		}
	}
}

// TestWritesAreCounted: the driver pods of this package are the only ones that the operator makes, and each status write is one.
func TestWritesAreCounted(t *testing.T) {
	w := actors.NewWorld(t, "8Gi", nil)
	actors.StartOperator(t, actors.OperatorOptions{})
	pods := func() float64 {
		return actors.Measured(t, "sparkgate_api_writes_total", "verb=create", "resource=pods", "code=201")
	}
	statuses := func() float64 {
		return actors.Measured(t, "sparkgate_api_writes_total", "verb=patch", "resource=sparkapplications/status", "code=200")
	}
	madeBefore, writtenBefore := pods(), statuses()
	w.Succeed(w.Apply("pi"))
	if made := pods() - madeBefore; made != 1 {
		t.Errorf("%v pods were made, want 1", made)
	}
	if written := statuses() - writtenBefore; written < 2 || written > 5 {
		t.Errorf("%v status writes, want a few", written)
	}
	if read := actors.Measured(t, "sparkgate_api_writes_total", "verb=get"); read != 0 {
		t.Errorf("%v reads are counted", read)
	}
	for _, name := range []string{"workqueue_adds_total", "rest_client_requests_total", "controller_runtime_reconcile_total"} {
		if actors.Measured(t, name) == 0 {
			t.Errorf("there is no metric %s", name)
		}
	}
}
