// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// health reports how many executors of the attempt are ready, pending or gated, and why. Failed ones are counted by
// failures.
type health struct {
	*state
	deadlines deadlines
	failures  failures
}

// status returns the executor counts as they are observed now.
func (eh health) status() *v1alpha1.ExecutorStatus {
	mine := eh.currentPods()
	c := pods.Count(mine)
	wanted, peak := int32(0), max(c.Ready, eh.o.ReadyPeak.Count)
	if before := eh.s.Executors; before != nil {
		wanted, peak = before.Wanted, max(before.Peak, peak)
	}
	failed, failures := eh.failures.count()
	return &v1alpha1.ExecutorStatus{Wanted: wanted, Ready: c.Ready, Pending: c.Pending, Gated: c.SchedulingGated, Peak: peak, Failed: failed,
		Failures: failures, Problem: eh.problem(mine), Summary: summaryOf(c.Ready, eh.wantedNow(wanted, c))}
}

// wantedNow returns how many executors the attempt wants at present: those of the base gang, or, under dynamic
// allocation once those were ready, as many as Spark has asked for.
func (eh health) wantedNow(base int32, c pods.Counts) int32 {
	asked := c.Ready + c.Pending + c.SchedulingGated
	if eh.isElastic() && eh.s.Times.ExecutorsReady != nil {
		return asked
	}
	return max(base, asked)
}

// summaryOf returns the printed column with the executor counts, as in "2/3".
func summaryOf(ready, of int32) string { return fmt.Sprintf("%d/%d", ready, of) }

// required returns how many executors have to be ready for the attempt to count as ready. Gates that leave executors to
// a scheduler grant all that are requested but reserve only minExecutors, so that is the number for them.
func (eh health) required(now *v1alpha1.ExecutorStatus) int32 {
	q, g := eh.o.App.Spec.Queue, eh.s.Grant
	if q == nil || q.MinExecutors == nil || g == nil || !catalog.Of(g.Gate).LeavesExecutors {
		return now.Wanted
	}
	return min(now.Wanted, *q.MinExecutors)
}

// problem returns what keeps executors from starting: the problem of the pending ones or, if they have none, of the
// gated ones.
func (eh health) problem(mine []*pods.Record) string {
	if p := pods.WhyPending(mine); p.Message != "" {
		return p.Message
	}
	return eh.whyGated()
}

// whyGated returns why executors wait behind the scheduling gate; empty if none does, or if the reason is not known.
func (eh health) whyGated() string {
	if !eh.isElastic() {
		return ""
	}
	c := newExecutors(eh.state)
	if len(c.tooLarge) > 0 {
		r := c.tooLarge[0]
		return fmt.Sprintf("executor %s stays behind its scheduling gate: it requests %s; set the size of executors in the spec, not in the program",
			r.Name, tooLarge(r, amounts.ClampAll(c.base.Requests)))
	}
	if len(c.gated) == 0 || eh.o.Allocation == nil || eh.o.Allocation.Why == "" {
		return ""
	}
	return "executors above the base gang wait for quota: " + eh.o.Allocation.Why
}

// readySince returns when the driver and all executors of the base gang were first ready together; zero if this process
// has not seen that. When their deadline has passed, an attempt that has had executors and has none pending counts as
// ready: it has all that Spark wants. This is decided only then, because Spark may ask for more at any time.
func (eh health) readySince() time.Time {
	now := eh.status()
	switch required := eh.required(now); {
	case eh.o.ReadyPeak.Count >= required && !eh.o.ReadyPeak.Since.IsZero():
		return eh.o.ReadyPeak.Since
	case now.Ready >= required, eh.startDue() && now.Peak > 0 && now.Pending == 0:
		return eh.o.Now
	}
	return time.Time{}
}

// newlyReady reports whether the executors of the base gang are ready and the status does not say so yet.
func (eh health) newlyReady() bool {
	return eh.s.Times.DriverStarted != nil && eh.s.Times.ExecutorsReady == nil && !eh.readySince().IsZero()
}

// readyMatters reports whether more than a printed count depends on the executors being ready: the condition Ready, a
// grant that may shrink from then on, what the gate reports to its system, or whether the attempt is stopped.
func (eh health) readyMatters() bool {
	return eh.o.App.Spec.ReadyWhen == v1alpha1.ReadyWhenRunning || eh.isElastic() || eh.s.Grant == nil ||
		catalog.Of(eh.s.Grant.Gate).ShowsProgress || eh.startDue()
}

// recordReady records since when the executors have been ready, if they are or were. The attempt counts as ready from
// then on, even if it loses executors later.
func (eh health) recordReady() {
	if !eh.newlyReady() {
		return
	}
	since := metav1.NewTime(eh.readySince().Truncate(time.Second))
	eh.s.Times.ExecutorsReady = &since
}

// startDue reports whether the deadline for the executors of the base gang to be ready has passed.
func (eh health) startDue() bool {
	at := eh.deadlines.executorsReady()
	return !at.IsZero() && !eh.o.Now.Before(at)
}

// startOverdue reports whether that deadline has passed and the executors have not been ready.
func (eh health) startOverdue() bool { return eh.startDue() && eh.readySince().IsZero() }

// noneExist reports whether the attempt has no executor pod and, as far as is known, never had one. Spark could not
// create any.
func (eh health) noneExist() bool {
	now := eh.status()
	return now.Peak == 0 && now.Failed == 0 && !slices.ContainsFunc(eh.currentPods(), func(r *pods.Record) bool { return r.Role == pods.Executor })
}

// whyNoneExist returns the likely cause if Spark could not create executor pods. Only the driver's log has the real
// one.
func (eh health) whyNoneExist() string {
	const none = ": there is no executor pod; "
	if eh.o.LogCause != "" {
		return none + "the driver's log says: " + eh.o.LogCause
	}
	why := none + "a ResourceQuota, an admission policy or a right that the driver's service account lacks may forbid them"
	if eh.o.LogTail != nil && *eh.o.LogTail != "" {
		why += "; the end of the driver's log is in status.attempts"
	}
	return why
}

// startMessage returns how many executors were ready in time, and what keeps the others from being ready.
func (eh health) startMessage() string {
	now := eh.status()
	limit := orDefault(eh.timeouts().ExecutorStart, DefaultExecutorStart)
	return fmt.Sprintf("%d of %d executors were ready within timeouts.executorStart (%s)%s", now.Ready, now.Wanted, limit, eh.whyPending())
}

// whyPending returns why the first executor with a known problem does not run, or why Spark could not create executors;
// empty if there is no such executor.
func (eh health) whyPending() string {
	if eh.noneExist() {
		return eh.whyNoneExist()
	}
	for _, r := range eh.o.Pods {
		if r.Role != pods.Executor || !eh.current(r) || !r.Active() || r.Running {
			continue
		}
		switch problem := pods.WhyNotStarted(r); {
		case r.SchedulingGate != nil:
			return fmt.Sprintf(": pod %s waits behind its scheduling gate: %s", r.Name, eh.whyGated())
		case problem.Reason != "":
			return fmt.Sprintf(": pod %s: %s", r.Name, problem.GivenUp())
		case !r.Scheduled:
			return fmt.Sprintf(": pod %s has no node; the queue has quota, but the cluster lacks capacity", r.Name)
		}
	}
	return ""
}
