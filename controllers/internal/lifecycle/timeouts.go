// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"math"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Defaults of spec.timeouts and spec.retention.
const (
	DefaultDriverStart   = 10 * time.Minute
	DefaultExecutorStart = 30 * time.Minute // but none under the gate None
	DefaultTermination   = 5 * time.Minute
	DefaultRetention     = time.Hour
)

// sidecarGrace is how long other containers may run on after the Spark container has ended.
const sidecarGrace = 30 * time.Second

// referenceInterval is how often a missing reference is looked for.
const referenceInterval = 10 * time.Second

// deadlines are the times by which something has to have happened.
type deadlines struct {
	*state
}

// executorsReady is when an attempt is given up whose executors are not ready; zero if it is not, or they have been.
func (dl deadlines) executorsReady() time.Time {
	started := dl.s.Times.DriverStarted
	if started == nil || dl.s.Times.ExecutorsReady != nil {
		return time.Time{}
	}
	limit := dl.timeouts().ExecutorStart
	switch {
	case limit != nil:
		return started.Add(limit.Duration)
	case dl.queues():
		return started.Add(DefaultExecutorStart)
	}
	return time.Time{}
}

func (dl deadlines) driverStart() time.Duration {
	return orDefault(dl.timeouts().DriverStart, DefaultDriverStart)
}

// termination is how long pods may take to end.
func (dl deadlines) termination() time.Duration {
	return min(orDefault(dl.timeouts().Termination, DefaultTermination), dl.o.MaxTermination)
}

// heldUntil is when the attempt gives its grant back at the latest because it passed others for promising that; zero if it did not.
func (dl deadlines) heldUntil() time.Time {
	grant, admitted := dl.s.Grant, dl.s.Times.Admitted
	if grant == nil || grant.HoldsFor == nil || admitted == nil {
		return time.Time{}
	}
	return admitted.Add(grant.HoldsFor.Duration)
}

// stopBy is when the attempt has to be stopped so that it keeps that promise, its end included; zero if there is none.
func (dl deadlines) stopBy() time.Time {
	until := dl.heldUntil()
	if until.IsZero() {
		return until
	}
	return until.Add(-dl.termination())
}

// heldMessage says that timeouts which were raised, or removed, since the attempt passed others do not count for it; empty if none were.
func (dl deadlines) heldMessage() string {
	if dl.heldUntil().IsZero() {
		return ""
	}
	now, held := HoldsFor(dl.o.App, dl.o.MaxTermination), dl.s.Grant.HoldsFor.Duration
	if now > 0 && now <= held {
		return ""
	}
	return fmt.Sprintf("; timeouts raised since take effect with the next attempt: this one was admitted before others because it releases its quota within %s", held)
}

// run is when the current attempt has run for as long as it may, with the reason and what to say then; zero if nothing bounds it,
// or its driver does not run yet and nobody was promised anything.
func (dl deadlines) run() (at time.Time, reason v1alpha1.StopReason, message string) {
	t, started := dl.timeouts(), dl.s.Times.DriverStarted
	if at = dl.stopBy(); !at.IsZero() {
		reason = v1alpha1.StopDeadline
		message = fmt.Sprintf("the attempt was admitted before others because it releases its quota within %s, and that time is over; "+
			"timeouts raised since take effect with the next attempt",
			dl.s.Grant.HoldsFor.Duration)
	}
	if started == nil {
		return at, reason, message
	}
	if run := t.Run; run != nil && (at.IsZero() || !started.Add(run.Duration).After(at)) {
		at, reason = started.Add(run.Duration), v1alpha1.StopDeadline
		message = fmt.Sprintf("the driver ran longer than timeouts.run (%s); raise it, or shorten the job", t.Run.Duration)
	}
	if t.Total != nil {
		if total := started.Add(t.Total.Duration - dl.ran()); at.IsZero() || total.Before(at) {
			at, reason = total, v1alpha1.StopTotalDeadline
			message = fmt.Sprintf("the attempts of the run together ran longer than timeouts.total (%s); raise it, or shorten the job", t.Total.Duration)
		}
	}
	return at, reason, message
}

// admission is when the current wait for room is given up; zero if it is not, and while there is none.
func (dl deadlines) admission() time.Time {
	limit, since := dl.timeouts().Admission, dl.s.Times.Waiting
	if limit == nil || since == nil {
		return time.Time{}
	}
	return since.Add(limit.Duration)
}

// driverRunning is when a driver that does not run yet is given up.
func (dl deadlines) driverRunning() time.Time {
	if dl.s.Times.Admitted == nil {
		return dl.o.Now.Add(dl.driverStart())
	}
	return dl.s.Times.Admitted.Add(dl.driverStart())
}

// podsGone is when pods that were asked to end should have.
func (dl deadlines) podsGone() time.Time {
	switch {
	case !dl.o.App.DeletionTimestamp.IsZero():
		return dl.o.App.DeletionTimestamp.Add(dl.termination())
	case dl.s.Times.Stopping != nil:
		at := dl.s.Times.Stopping.Add(dl.termination())
		if until := dl.heldUntil(); !until.IsZero() && until.Before(at) {
			at = until // the timeout was raised since
		}
		return at
	}
	return dl.o.Now.Add(dl.termination())
}

func timeoutsOf(app *v1alpha1.SparkApplication) v1alpha1.Timeouts {
	if app.Spec.Timeouts == nil {
		return v1alpha1.Timeouts{}
	}
	return *app.Spec.Timeouts
}

// HoldsFor bounds how long an attempt holds its grant, from its start to the end of its pods on nodes that answer, which takes most at the
// longest; 0 without timeouts.run.
func HoldsFor(app *v1alpha1.SparkApplication, most time.Duration) time.Duration {
	t := timeoutsOf(app)
	if t.Run == nil {
		return 0
	}
	sum := time.Duration(0)
	for _, part := range []time.Duration{
		orDefault(t.DriverStart, DefaultDriverStart), t.Run.Duration, min(orDefault(t.Termination, DefaultTermination), most),
	} {
		sum += min(part, math.MaxInt64-sum) // each may be a hundred years and more
	}
	return max(sum, 1)
}

// Until is when the holder of a grant gives it back at the latest; zero if that is not known. A bound that has let it pass others stands,
// whatever the spec says since.
func Until(app *v1alpha1.SparkApplication, most time.Duration) time.Time {
	holds, grant, admitted := HoldsFor(app, most), app.Status.Grant, app.Status.Times.Admitted
	if grant != nil && grant.HoldsFor != nil && (holds == 0 || grant.HoldsFor.Duration < holds) {
		holds = grant.HoldsFor.Duration
	}
	if holds == 0 || admitted == nil {
		return time.Time{}
	}
	return admitted.Add(holds)
}

func orDefault(d *v1alpha1.Duration, otherwise time.Duration) time.Duration {
	if d == nil {
		return otherwise
	}
	return d.Duration
}
