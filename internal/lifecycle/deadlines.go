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

// referenceInterval is how often a missing reference is looked up.
const referenceInterval = 10 * time.Second

// longestInterval is the longest pause between two checks of an obstacle outside of an application.
const longestInterval = 2 * time.Minute

// lookAgainAfter returns the pause before an obstacle outside of an application is checked again: part, which is a share of the time that it has
// existed, but at least referenceInterval and at most longestInterval.
func lookAgainAfter(part time.Duration) time.Duration {
	return min(max(referenceInterval, part), longestInterval)
}

// strayInterval is how often a driver that has to end is read live if no watch shows it.
const strayInterval = 2 * time.Second

// deadlines computes the times by which steps have to be done.
type deadlines struct {
	*state
}

// executorsReady returns when an attempt is stopped whose executors are not ready; zero if it is not, or if they have
// been ready.
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

// driverStart returns timeouts.driverStart with its default.
func (dl deadlines) driverStart() time.Duration {
	return orDefault(dl.timeouts().DriverStart, DefaultDriverStart)
}

// termination returns how long pods may take to end.
func (dl deadlines) termination() time.Duration {
	return min(orDefault(dl.timeouts().Termination, DefaultTermination), dl.o.MaxTermination)
}

// heldUntil returns when the attempt releases its grant at the latest, if it was admitted before others because of
// that bound; else zero.
func (dl deadlines) heldUntil() time.Time {
	grant, admitted := dl.s.Grant, dl.s.Times.Admitted
	if grant == nil || grant.HoldsFor == nil || admitted == nil {
		return time.Time{}
	}
	return admitted.Add(grant.HoldsFor.Duration)
}

// stopBy returns when the attempt has to be stopped to release its grant by heldUntil, its termination included; zero
// if there is no such bound.
func (dl deadlines) stopBy() time.Time {
	until := dl.heldUntil()
	if until.IsZero() {
		return until
	}
	return until.Add(-dl.termination())
}

// heldMessage says that timeouts raised or removed since the attempt was admitted before others do not apply to it;
// empty if none were.
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

// run returns when the current attempt is stopped because it has run for as long as it may, and why; zero if nothing bounds
// it, or if its driver does not run yet and it was not admitted before others.
func (dl deadlines) run() (at time.Time, found stopFinding) {
	t, started := dl.timeouts(), dl.s.Times.DriverStarted
	if at = dl.stopBy(); !at.IsZero() {
		found.reason = v1alpha1.StopDeadline
		found.message = fmt.Sprintf("the attempt was admitted before others because it releases its quota within %s, and that time has passed; "+
			"timeouts raised since take effect with the next attempt", dl.s.Grant.HoldsFor.Duration)
	}
	if started == nil {
		return at, found
	}
	if run := t.Run; run != nil && (at.IsZero() || !started.Add(run.Duration).After(at)) {
		at, found.reason = started.Add(run.Duration), v1alpha1.StopDeadline
		found.message = fmt.Sprintf("the driver ran longer than timeouts.run (%s); raise it, or shorten the job", t.Run.Duration)
	}
	if t.Total != nil {
		if total := started.Add(t.Total.Duration - dl.ran()); at.IsZero() || total.Before(at) {
			at, found.reason = total, v1alpha1.StopTotalDeadline
			found.message = fmt.Sprintf("the attempts of the run together ran longer than timeouts.total (%s); raise it, or shorten the job", t.Total.Duration)
		}
	}
	return at, found
}

// admission returns when the current wait for quota is given up; zero if it is not, or if the application does not
// wait.
func (dl deadlines) admission() time.Time {
	limit, since := dl.timeouts().Admission, dl.s.Times.Waiting
	if limit == nil || since == nil {
		return time.Time{}
	}
	return since.Add(limit.Duration)
}

// driverRunning returns when a driver that does not run yet is given up.
func (dl deadlines) driverRunning() time.Time {
	if dl.s.Times.Admitted == nil {
		return dl.o.Now.Add(dl.driverStart())
	}
	return dl.s.Times.Admitted.Add(dl.driverStart())
}

// podsGone returns when pods that have to end should have ended: by the first of what they have to end for.
func (dl deadlines) podsGone() time.Time {
	stopping, deleted := dl.s.Times.Stopping, dl.o.App.DeletionTimestamp
	if stopping == nil && deleted.IsZero() {
		return dl.o.Now.Add(dl.termination())
	}
	if stopping == nil || !deleted.IsZero() && deleted.Before(stopping) {
		return deleted.Add(dl.termination())
	}
	at := stopping.Add(dl.termination())
	if until := dl.heldUntil(); !until.IsZero() && until.Before(at) {
		at = until // the timeout was raised since
	}
	return at
}

// HoldsFor bounds how long an attempt holds its grant, from its start to the end of its pods on nodes that answer.
// most bounds the termination. It is 0 without timeouts.run.
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

// ReleasedBy returns when the holder of a grant releases it at the latest; zero if that is not known. The bound because of which
// it was admitted before others applies whatever the spec says now.
func ReleasedBy(app *v1alpha1.SparkApplication, most time.Duration) time.Time {
	holds, grant, admitted := HoldsFor(app, most), app.Status.Grant, app.Status.Times.Admitted
	if grant != nil && grant.HoldsFor != nil && (holds == 0 || grant.HoldsFor.Duration < holds) {
		holds = grant.HoldsFor.Duration
	}
	if holds == 0 || admitted == nil {
		return time.Time{}
	}
	return admitted.Add(holds)
}

// orDefault returns a duration of the spec, or otherwise if it is not set.
func orDefault(d *v1alpha1.Duration, otherwise time.Duration) time.Duration {
	if d == nil {
		return otherwise
	}
	return d.Duration
}
