// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package restart

import (
	"context"
	"math"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// tolerance is the allowed relative difference from the sums of the account. Hours pass between two events on the
// test's clock, while the operator's delays are milliseconds of the system clock.
const tolerance = 0.001

// day is a day on the test's clock, with operators that come and go, an independent account, and the applications.
type day struct {
	*harness.World
	t        *testing.T
	clock    *harness.Clock
	account  *harness.Account
	operator *harness.Operator
}

func newDay(t *testing.T) *day {
	t.Helper()
	d := &day{t: t, clock: &harness.Clock{}}
	d.World = harness.NewWorld(t, "3Gi", &harness.Kubelet{Run: harness.Manual, Clock: d.clock})
	d.account = harness.StartAccount(t, d.Namespace, d.clock)
	d.begin()
	return d
}

// begin starts an operator.
func (d *day) begin() {
	d.operator = harness.StartOperator(d.t, harness.OperatorOptions{Clock: d.clock})
}

// running runs an application with both its executors until they count as ready, some seconds after their start.
func (d *day) running(app *v1alpha1.SparkApplication) (driver *corev1.Pod, executors []*corev1.Pod) {
	d.t.Helper()
	driver = d.Run(app)
	executors = d.Kubelet.Executors(d.t.Context(), driver, 2)
	d.clock.Advance(10 * time.Second)
	harness.Eventually(d.t, app, "with its executors ready", func(a *v1alpha1.SparkApplication) bool { return a.Status.Times.ExecutorsReady != nil })
	d.pass(app, 3, 0)
	return driver, executors
}

// pass lets hours pass once the account and the operator have seen that an application holds its grant and has so many pods.
func (d *day) pass(app *v1alpha1.SparkApplication, pods int, hours time.Duration) {
	d.t.Helper()
	harness.Eventually(d.t, app, "with its pods counted", func(a *v1alpha1.SparkApplication) bool {
		_, _, holds, requests := d.account.Of(a.Name)
		return a.Status.Grant != nil && a.Status.Usage != nil && a.Status.Usage.Requesting.MilliCPUSeconds == int64(200*pods) &&
			math.Abs(requests.Cores-0.2*float64(pods)) < 0.001 && math.Abs(holds.Cores-0.6) < 0.001
	})
	d.clock.Advance(hours * time.Hour)
}

// near reports whether two sums are the same within the tolerance.
func near(got, want float64) bool { return math.Abs(got-want) <= tolerance*want }

// sums compares the status of an application with the account and with the audit log, and returns its core-seconds by outcome.
func (d *day) sums(audit *harness.Audit, app *v1alpha1.SparkApplication) map[usage.Outcome]float64 {
	d.t.Helper()
	var granted, requested usage.Amounts
	outcomes := map[usage.Outcome]float64{}
	for _, r := range usage.RecordsOf(app, d.clock.Now()) {
		granted, requested = granted.Plus(r.Granted), requested.Plus(r.Requested)
		outcomes[r.Outcome] += r.Granted.CPU
	}
	held, asked, _, _ := d.account.Of(app.Name)
	d.same(app.Name+" by the account", granted, held)
	d.same(app.Name+": requests by the account", requested, asked)
	held, asked = audit.Of(app.Name)
	d.same(app.Name+" by the audit log", granted, held)
	d.same(app.Name+": requests by the audit log", requested, asked)
	return outcomes
}

// same compares a sum of the product, in seconds, with an independent one.
func (d *day) same(what string, got usage.Amounts, want harness.Seconds) {
	d.t.Helper()
	if !near(got.CPU, want.Cores) || !near(got.Memory, want.GiB) || want.Cores == 0 {
		d.t.Errorf("%s: %v core-seconds and %v GiB-seconds, want %v and %v", what, got.CPU, got.Memory, want.Cores, want.GiB)
	}
	d.t.Logf("%s: %.3f core-seconds, %.6f %% off", what, got.CPU, 100*(got.CPU-want.Cores)/want.Cores)
}

// report compares what `sparkctl usage` says of the day, for the queue and in all, with the audit log.
func (d *day) report(audit *harness.Audit, apps ...*v1alpha1.SparkApplication) {
	d.t.Helper()
	now := d.clock.Now()
	var records []usage.Record
	for _, app := range apps {
		records = append(records, usage.RecordsOf(app, now)...)
	}
	r := usage.Summarize(records, usage.Window{From: now.Add(-48 * time.Hour), Until: now}, usage.ByQueue, nil)
	if len(r.Rows) != 1 || r.Rows[0].Key != d.Queue.Name || r.Rows[0].Granted != r.Total.Granted {
		d.t.Errorf("the report is not that of one queue: %+v", r)
	}
	held, asked := audit.Of("")
	d.same("report", r.Total.Granted.Times(3600), held)
	d.same("report of requests", r.Total.Requested.Times(3600), asked)
}

// measured waits until a metric of the namespace is near what is wanted.
func (d *day) measured(want float64, name, label string) {
	d.t.Helper()
	got := 0.0
	err := wait.PollUntilContextTimeout(d.t.Context(), env.Interval, env.Patience, true, func(context.Context) (bool, error) {
		got = harness.Measured(d.t, name, "namespace="+d.Namespace, "queue="+d.Queue.Name, label)
		return near(got, want), nil
	})
	if err != nil {
		d.t.Errorf("%s{%s} is %v, want %v", name, label, got, want)
	}
}

// TestUsageOfADay: what the status of applications, the report and the metrics say was held and requested is what an account of its own
// has, and what the audit log of the API server adds up to, over a success, a failure, a preemption, executors that come and go, and operators that are stopped in between.
func TestUsageOfADay(t *testing.T) {
	d := newDay(t)
	succeeds := d.Apply("succeeds")
	driver, executors := d.running(succeeds)
	d.pass(succeeds, 3, 2)
	d.Kubelet.End(t.Context(), executors[0].Name)
	d.pass(succeeds, 2, 1)
	d.operator.Stop()
	d.clock.Advance(3 * time.Hour) // no operator looks
	d.begin()
	d.Kubelet.End(t.Context(), executors[1].Name)
	d.pass(succeeds, 1, 1)
	d.operator.Stop()
	d.begin()
	d.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	d.Reach(succeeds, v1alpha1.SucceededReason)

	fails := d.Apply("fails")
	driver, _ = d.running(fails)
	d.pass(fails, 3, 4)
	d.Kubelet.Finish(t.Context(), driver, 5, "Error")
	d.Reach(fails, "Failed")

	again := d.Apply("preempted")
	d.running(again)
	d.pass(again, 3, 5)
	harness.Change(t, d.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyHoldAndDrain })
	harness.Eventually(t, again, "preempted", harness.InStage(v1alpha1.PreemptedReason))
	d.clock.Advance(6 * time.Hour) // waits, and holds nothing
	harness.Change(t, d.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyNone })
	driver, _ = d.running(again)
	d.pass(again, 3, 1)
	d.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	d.Reach(again, v1alpha1.SucceededReason)

	audit := harness.ReadAudit(t, d.clock, succeeds, fails, again)
	d.report(audit, succeeds, fails, again)
	d.sums(audit, succeeds)
	if failed := d.sums(audit, fails)[usage.Failed]; !near(failed, 4*3600*0.6) {
		t.Errorf("failed: %v core-seconds", failed)
	}
	if preempted := d.sums(audit, again)[usage.Preempted]; !near(preempted, 5*3600*0.6) {
		t.Errorf("preempted: %v core-seconds", preempted)
	}
	held, asked, _, _ := d.account.Of("")
	d.measured(held.Cores, "sparkgate_usage_cpu_core_seconds_total", "basis=granted")
	d.measured(asked.Cores, "sparkgate_usage_cpu_core_seconds_total", "basis=requested")
	d.measured(held.GiB*(1<<30), "sparkgate_usage_memory_byte_seconds_total", "basis=granted")
	d.measured(4*3600*0.6, "sparkgate_attempt_cpu_core_seconds_total", "outcome=Failed")
	d.measured(5*3600*0.6, "sparkgate_attempt_cpu_core_seconds_total", "outcome=Preempted")
	d.measured(held.Cores-9*3600*0.6, "sparkgate_attempt_cpu_core_seconds_total", "outcome=Succeeded")
}
