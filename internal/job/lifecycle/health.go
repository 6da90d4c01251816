// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"slices"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cause"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// executorStatus returns the executor counts as they are observed now; nil if the driver needs no executors and has none.
func executorStatus(st *state) *v1alpha1.ExecutorStatus {
	if st.driverOnly() && noExecutorExists(st) {
		return nil
	}
	mine := st.currentPods()
	c := pods.Count(mine)
	wanted, refusals, peak := int32(0), int32(0), max(c.Ready, st.o.ReadyPeak.Count)
	if before := st.s.Executors; before != nil {
		wanted, refusals, peak = before.Wanted, before.Refusals, max(before.Peak, peak)
	}
	failed, failures := countFailures(st)
	return &v1alpha1.ExecutorStatus{Wanted: wanted, Ready: c.Ready, Pending: c.Pending, Gated: c.SchedulingGated, Peak: peak, Failed: failed,
		Refusals: refusals, Failures: failures, Problem: executorProblem(st, mine), Summary: summaryOf(c.Ready, executorsWanted(st, wanted, c))}
}

// executorsWanted returns how many executors the attempt wants at present: those of the base gang, or, under dynamic
// allocation once those were ready, as many as Spark has asked for.
func executorsWanted(st *state, base int32, c pods.Counts) int32 {
	asked := c.Ready + c.Pending + c.SchedulingGated
	if st.isElastic() && st.s.Times.ExecutorsReady != nil {
		return asked
	}
	return max(base, asked)
}

// summaryOf returns the printed column with the executor counts, as in "2/3".
func summaryOf(ready, of int32) string { return fmt.Sprintf("%d/%d", ready, of) }

// executorsRequired returns how many executors have to be ready for the attempt to count as ready. Gates that leave
// executors to a scheduler grant all that are requested but reserve only minExecutors, so that is the number for them.
func executorsRequired(st *state, now *v1alpha1.ExecutorStatus) int32 {
	q, g := st.o.App.Spec.Queue, st.s.Grant
	if q == nil || q.MinExecutors == nil || g == nil || !catalog.Of(g.Gate).LeavesRest {
		return now.Wanted
	}
	return min(now.Wanted, *q.MinExecutors)
}

// executorProblem returns what is wrong with the executors: that they exceed the grant, else what keeps the pending ones
// from starting, else the gated ones.
func executorProblem(st *state, mine []*pods.Record) string {
	if surplus := surplusMessage(st); surplus != "" {
		return surplus
	}
	if refused := refusedWorkers(st); refused != "" {
		return refused
	}
	if p := pods.WhyPending(mine); p.Message != "" {
		return p.Message
	}
	for _, r := range mine {
		if silent := silentNode(r); r.Role == pods.Executor && silent != "" {
			return silent
		}
	}
	if gated := whyGated(st); gated != "" {
		return gated
	}
	if unready := unreadyDriver(st); unready != "" {
		return unready
	}
	if refused := refusedExecutors(st); refused != "" {
		return refused
	}
	if unused := unusedMessage(st); unused != "" {
		return unused
	}
	return hangMessage(st)
}

// refusedExecutors returns how the API server refuses the executors, if none could be created; else it is empty.
func refusedExecutors(st *state) string {
	refused := ptr.Deref(st.o.LogCause, "")
	if !noExecutorExists(st) || !cause.RefusesPods(refused) {
		return ""
	}
	return "the API server refuses executors: " + cause.WithRemedy(refused, "executor", cause.MaxBytes)
}

// checkRefused stops a driver whose executors the API server refuses and will refuse in each attempt.
func checkRefused(st *state) stopFinding {
	if refused := refusedExecutors(st); refused != "" && cause.Lasts(ptr.Deref(st.o.LogCause, "")) {
		return stopFinding{v1alpha1.StopRejected, refused}
	}
	return stopFinding{}
}

// unreadyAfter is how long the driver pod may be unready before that is a problem of its executors.
const unreadyAfter = time.Minute

// unreadyDriver says that executors do not find the driver because one of its containers is not ready; empty if that is
// not so, or if its executors are ready nevertheless.
func unreadyDriver(st *state) string {
	driver := st.driver()
	if driver == nil || !driver.Running || driver.Unready == "" || st.s.Times.DriverStarted == nil ||
		st.o.Now.Before(st.s.Times.DriverStarted.Add(unreadyAfter)) || slices.ContainsFunc(st.currentPods(), (*pods.Record).CountsAsReady) {
		return ""
	}
	return fmt.Sprintf("driver pod %s is not ready (%s), so its Service has no address and executors do not find it: correct the readiness probe of that container",
		driver.Name, driver.Unready)
}

// executorsPendingReason is the reason of the event about executors that do not start.
const executorsPendingReason = "ExecutorsPending"

// executorsNote begins the message of an attempt whose executors do not start with what keeps them, and with what comes
// next if they never do; empty if nothing is known to. It says what the status does, so it changes no more often.
func executorsNote(st *state) string {
	e := ptr.Deref(st.s.Executors, v1alpha1.ExecutorStatus{})
	if e.Problem == "" || quotaNote(st) != "" {
		return ""
	}
	wanted := executorsWanted(st, e.Wanted, pods.Counts{Ready: e.Ready, Pending: e.Pending, SchedulingGated: e.Gated})
	note := fmt.Sprintf("%d of %d executors are ready: %s; ", e.Ready, wanted, e.Problem)
	switch at := executorsReadyBy(st); {
	case at.IsZero():
	case st.queues():
		note += fmt.Sprintf("without them, the attempt releases its quota at %s and asks again; ", at.UTC().Format(time.RFC3339))
	default:
		note += fmt.Sprintf("without them, the attempt fails at %s; ", at.UTC().Format(time.RFC3339))
	}
	return note
}

// whyGated returns why executors wait behind the scheduling gate; empty if none does, or if the reason is not known.
func whyGated(st *state) string {
	if !st.isElastic() {
		return ""
	}
	c := newExecutors(st)
	if len(c.tooLarge) > 0 {
		r := c.tooLarge[0]
		return fmt.Sprintf("executor %s stays behind its scheduling gate: it requests %s; set the size of executors in the spec, not in the program",
			r.Name, tooLarge(r, amounts.ClampAll(c.base.Requests)))
	}
	if len(c.gated) == 0 || st.o.Allocation == nil || st.o.Allocation.Why == "" {
		return ""
	}
	return "executors above the base gang wait for quota: " + st.o.Allocation.Why
}

// readySince returns when the driver and all executors of the base gang were first ready together; zero if this process
// has not seen that. While the driver runs, executors do not count that may still fail at their start; and once one has
// failed, only those that run now do. When their deadline has passed, an attempt that has had executors and has none pending counts as
// ready: it has all that Spark wants. This is decided only then, because Spark may ask for more at any time.
func readySince(st *state) time.Time {
	now, starting := executorStatus(st), int32(0)
	if now == nil {
		return st.o.Now
	}
	if st.driverRuns() {
		starting, _ = pods.Starting(st.currentPods(), st.o.Now)
	}
	switch required := executorsRequired(st, now); {
	case starting == 0 && now.Failed == 0 && st.o.ReadyPeak.Count >= required && !st.o.ReadyPeak.Since.IsZero():
		return st.o.ReadyPeak.Since
	case now.Ready-starting >= required, executorsDue(st) && now.Peak > 0 && now.Pending == 0:
		return st.o.Now
	}
	return time.Time{}
}

// newlyReady reports whether the executors of the base gang are ready and the status does not say so yet.
func newlyReady(st *state) bool {
	return st.s.Times.DriverStarted != nil && st.s.Times.ExecutorsReady == nil && !readySince(st).IsZero()
}

// readyMatters reports whether more than a printed count depends on the executors being ready: the condition Ready, a
// grant that may shrink from then on, what the gate reports to its system, or whether the attempt is stopped.
func readyMatters(st *state) bool {
	return st.o.App.Spec.ReadyWhen == v1alpha1.ReadyWhenRunning || st.isElastic() || st.s.Grant == nil ||
		catalog.Of(st.s.Grant.Gate).ShowsProgress || executorsDue(st)
}

// recordReady records since when the executors have been ready, if they are or were. The attempt counts as ready from
// then on, even if it loses executors later.
func recordReady(st *state) {
	if !newlyReady(st) {
		return
	}
	since := metav1.NewTime(readySince(st).Truncate(time.Second))
	st.s.Times.ExecutorsReady = &since
}

// executorsDue reports whether the deadline for the executors of the base gang to be ready has passed.
func executorsDue(st *state) bool {
	at := executorsReadyBy(st)
	return !at.IsZero() && !st.o.Now.Before(at)
}

// executorsOverdue reports whether that deadline has passed and the executors have not been ready.
func executorsOverdue(st *state) bool { return executorsDue(st) && readySince(st).IsZero() }

// noExecutorExists reports whether the attempt has no executor pod and, as far as is known, never had one. Spark could
// not create any.
func noExecutorExists(st *state) bool {
	failed, _ := countFailures(st)
	before := ptr.Deref(st.s.Executors, v1alpha1.ExecutorStatus{})
	return before.Peak == 0 && st.o.ReadyPeak.Count == 0 && failed == 0 &&
		!slices.ContainsFunc(st.currentPods(), func(r *pods.Record) bool { return r.Role == pods.Executor })
}

// whyNoExecutorExists returns the likely cause if Spark could not create executor pods. Only the driver's log has the
// real one.
func whyNoExecutorExists(st *state) string {
	const none = ": there is no executor pod; "
	switch found := ptr.Deref(st.o.LogCause, ""); found {
	case "":
	case cause.LocalMode:
		return none + found
	default:
		return none + "the driver's log says: " + found
	}
	return none + "a ResourceQuota, an admission policy or a right that the driver's service account lacks may forbid them"
}

// executorStartMessage returns how many executors were ready in time, and what keeps the others from being ready.
func executorStartMessage(st *state) string {
	now := executorStatus(st)
	limit := orDefault(st.timeouts().ExecutorStart, DefaultExecutorStart)
	return fmt.Sprintf("%d of %d executors were ready within timeouts.executorStart (%s)%s", now.Ready, now.Wanted, limit, whyExecutorsPend(st))
}

// whyExecutorsPend returns why the first executor with a known problem does not run, or why Spark could not create
// executors; empty if there is no such executor.
func whyExecutorsPend(st *state) string {
	if noExecutorExists(st) {
		return whyNoExecutorExists(st)
	}
	for _, r := range st.o.Pods {
		if r.Role != pods.Executor || !st.current(r) || !r.Active() || r.Running {
			continue
		}
		switch problem := pods.WhyNotStarted(r); {
		case r.SchedulingGate != nil:
			return fmt.Sprintf(": pod %s waits behind its scheduling gate: %s", r.Name, whyGated(st))
		case problem.Reason != "":
			return fmt.Sprintf(": pod %s: %s", r.Name, problem.GivenUp())
		case !r.Scheduled:
			return fmt.Sprintf(": pod %s has no node; the queue has quota, but the cluster lacks capacity", r.Name)
		}
	}
	return ""
}

// latchReady decides whether the attempt is ready: its driver pod is, and its executors were. An attempt that was ready
// loses that with the readiness of its driver, but not with its executors, which come and go. A cluster needs those of
// its base gang at its master; it is unknown whether it is ready while the master does not say that it has them.
func latchReady(st *state) {
	if st.s.Times.ExecutorsReady == nil {
		return
	}
	ready := apimeta.FindStatusCondition(st.o.App.Status.Conditions, v1alpha1.ReadyCondition)
	was := st.was == status.Running && ready != nil && ready.Status != metav1.ConditionUnknown
	problem, unknown := clusterProblem(st)
	is := driverReady(st) && problem == ""
	st.view.ReadyLatched, st.view.ReadyLost = (is || was) && !unknown, was && !is
}

// driverReady reports whether the driver pod is ready, on a node that answers.
func driverReady(st *state) bool {
	driver := st.driver()
	return driver != nil && driver.Ready && !driverEndOverdue(st) && silentNode(driver) == ""
}
