// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observability

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestNothingIsCountedTwice: another operator takes over after every step of two lives, and what each has counted adds up to the truth.
func TestNothingIsCountedTwice(t *testing.T) {
	w := harness.NewWorld(t, "8Gi", nil)
	operator := harness.StartOperator(t, harness.OperatorOptions{})
	another := func() {
		operator.Stop()
		operator = harness.StartOperator(t, harness.OperatorOptions{})
	}
	good, bad := w.Apply("good"), w.Apply("bad")
	drivers := map[*v1alpha1.SparkApplication]*corev1.Pod{}
	for _, app := range []*v1alpha1.SparkApplication{good, bad} {
		drivers[app] = w.Run(app)
	}
	namespace := "namespace=" + w.Namespace
	harness.MeasuredSoon(t, 2, "sparkgate_stage_transitions_total", namespace, "stage=Running")
	another()
	harness.MeasuredSoon(t, 2, "sparkgate_applications", namespace, "stage=Running")
	w.Kubelet.Finish(t.Context(), drivers[good], 0, "Completed")
	w.Kubelet.Finish(t.Context(), drivers[bad], 137, "OOMKilled")
	w.Reach(good, "Succeeded")
	w.Reach(bad, "Failed")
	harness.MeasuredSoon(t, 2, "sparkgate_runs_total", namespace)
	another()
	w.Succeed(w.Apply("last"))
	harness.MeasuredSoon(t, 3, "sparkgate_runs_total", namespace)

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
		if got := harness.Measured(t, want.name, labels...); got != want.n {
			t.Errorf("%s%v is %v, want %v", want.name, want.labels, got, want.n)
		}
	}
}

// TestWritesAreCounted: the driver pods of this package are the only ones that the operator makes, and each status write is one.
func TestWritesAreCounted(t *testing.T) {
	w := harness.NewWorld(t, "8Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{})
	pods := func() float64 {
		return harness.Measured(t, "sparkgate_api_writes_total", "verb=create", "resource=pods", "code=201")
	}
	statuses := func() float64 {
		return harness.Measured(t, "sparkgate_api_writes_total", "verb=patch", "resource=sparkapplications/status", "code=200")
	}
	madeBefore, writtenBefore := pods(), statuses()
	w.Succeed(w.Apply("pi"))
	if made := pods() - madeBefore; made != 1 {
		t.Errorf("%v pods were made, want 1", made)
	}
	if written := statuses() - writtenBefore; written < 2 || written > 5 {
		t.Errorf("%v status writes, want a few", written)
	}
	if read := harness.Measured(t, "sparkgate_api_writes_total", "verb=get"); read != 0 {
		t.Errorf("%v reads are counted", read)
	}
	for _, name := range []string{"workqueue_adds_total", "rest_client_requests_total", "controller_runtime_reconcile_total"} {
		if harness.Measured(t, name) == 0 {
			t.Errorf("there is no metric %s", name)
		}
	}
}

// TestSeriesOfQueues: names that a tenant invents are one value of the label, and what was counted for a queue goes with it.
func TestSeriesOfQueues(t *testing.T) {
	w := harness.NewWorld(t, "8Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{})
	namespace := "namespace=" + w.Namespace
	w.Succeed(w.Apply("real"))
	for i := range 10 {
		w.Apply(fmt.Sprintf("waits-%d", i), func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Name = fmt.Sprintf("invented-%d", i) })
		w.Apply(fmt.Sprintf("runs-%d", i), func(a *v1alpha1.SparkApplication) {
			a.Spec.Queue.Gate, a.Spec.Queue.Name = v1alpha1.GateNone, fmt.Sprintf("invented-%d", i)
		})
	}
	harness.MeasuredSoon(t, 10, "sparkgate_admission_wait_seconds", namespace, "queue=unknown")
	harness.MeasuredSoon(t, 20, "sparkgate_applications", namespace, "queue=unknown")
	for i := range 10 {
		for _, name := range queueMetrics {
			if n := harness.Measured(t, name, fmt.Sprintf("queue=invented-%d", i)); n != 0 {
				t.Errorf("%s counts %v for a queue that never existed", name, n)
			}
		}
	}
	for _, name := range []string{"sparkgate_runs_total", "sparkgate_queue_wait_seconds"} {
		harness.MeasuredSoon(t, 1, name, "queue="+w.Queue.Name)
	}
	if err := env.Client().Delete(t.Context(), w.Queue); err != nil {
		t.Fatal(err)
	}
	for _, name := range queueMetrics {
		harness.MeasuredSoon(t, 0, name, "queue="+w.Queue.Name)
	}
}

// queueMetrics are those that something is counted in for a queue in TestSeriesOfQueues.
var queueMetrics = []string{
	"sparkgate_stage_transitions_total", "sparkgate_runs_total", "sparkgate_attempts_total", "sparkgate_admission_wait_seconds",
	"sparkgate_driver_start_seconds", "sparkgate_attempt_duration_seconds", "sparkgate_applications", "sparkgate_queue_wait_seconds",
	"sparkgate_queue_nominal",
}
