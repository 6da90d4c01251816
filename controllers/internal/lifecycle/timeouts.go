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

// timeouts are those of the spec.
func (d *decider) timeouts() v1alpha1.Timeouts { return timeoutsOf(d.o.App) }

func timeoutsOf(app *v1alpha1.SparkApplication) v1alpha1.Timeouts {
	if app.Spec.Timeouts == nil {
		return v1alpha1.Timeouts{}
	}
	return *app.Spec.Timeouts
}

func (d *decider) driverStart() time.Duration {
	return orDefault(d.timeouts().DriverStart, DefaultDriverStart)
}

// termination is how long pods may take to end.
func (d *decider) termination() time.Duration {
	return min(orDefault(d.timeouts().Termination, DefaultTermination), d.o.MaxTermination)
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

// heldUntil is when the attempt gives its grant back at the latest because it passed others for promising that; zero if it did not.
func (d *decider) heldUntil() time.Time {
	grant, admitted := d.s.Grant, d.s.Times.Admitted
	if grant == nil || grant.HoldsFor == nil || admitted == nil {
		return time.Time{}
	}
	return admitted.Add(grant.HoldsFor.Duration)
}

// stopBy is when the attempt has to be stopped so that it keeps that promise, its end included; zero if there is none.
func (d *decider) stopBy() time.Time {
	until := d.heldUntil()
	if until.IsZero() {
		return until
	}
	return until.Add(-d.termination())
}

// heldMessage says that timeouts which were raised, or removed, since the attempt passed others do not count for it; empty if none were.
func (d *decider) heldMessage() string {
	if d.heldUntil().IsZero() {
		return ""
	}
	now, held := HoldsFor(d.o.App, d.o.MaxTermination), d.s.Grant.HoldsFor.Duration
	if now > 0 && now <= held {
		return ""
	}
	return fmt.Sprintf("; timeouts raised since take effect with the next attempt: this one was admitted before others because it releases its quota within %s", held)
}

// runDeadline is when the current attempt has run for as long as it may, with the reason and what to say then; zero if nothing bounds it,
// or its driver does not run yet and nobody was promised anything.
func (d *decider) runDeadline() (at time.Time, reason v1alpha1.StopReason, message string) {
	t, started := d.timeouts(), d.s.Times.DriverStarted
	if at = d.stopBy(); !at.IsZero() {
		reason = v1alpha1.StopDeadline
		message = fmt.Sprintf("the attempt was admitted before others because it releases its quota within %s, and that time is over; "+
			"timeouts raised since take effect with the next attempt",
			d.s.Grant.HoldsFor.Duration)
	}
	if started == nil {
		return at, reason, message
	}
	if run := t.Run; run != nil && (at.IsZero() || !started.Add(run.Duration).After(at)) {
		at, reason = started.Add(run.Duration), v1alpha1.StopDeadline
		message = fmt.Sprintf("the driver ran longer than timeouts.run (%s); raise it, or shorten the job", t.Run.Duration)
	}
	if t.Total != nil {
		if total := started.Add(t.Total.Duration - d.ran()); at.IsZero() || total.Before(at) {
			at, reason = total, v1alpha1.StopTotalDeadline
			message = fmt.Sprintf("the attempts of the run together ran longer than timeouts.total (%s); raise it, or shorten the job", t.Total.Duration)
		}
	}
	return at, reason, message
}

// ran is how long the drivers of earlier attempts of the run ran.
func (d *decider) ran() time.Duration {
	if d.s.RunDuration == nil {
		return 0
	}
	return d.s.RunDuration.Duration
}

// admissionDeadline is when the current wait for room is given up; zero if it is not, and while there is none.
func (d *decider) admissionDeadline() time.Time {
	limit, since := d.timeouts().Admission, d.s.Times.Waiting
	if limit == nil || since == nil {
		return time.Time{}
	}
	return since.Add(limit.Duration)
}

// driverStartDeadline is when a driver that does not run yet is given up.
func (d *decider) driverStartDeadline() time.Time {
	if d.s.Times.Admitted == nil {
		return d.o.Now.Add(d.driverStart())
	}
	return d.s.Times.Admitted.Add(d.driverStart())
}

func (d *decider) requeueDriverStart() { d.requeue(d.driverStartDeadline()) }

// terminationDeadline is when pods that were asked to end should have.
func (d *decider) terminationDeadline() time.Time {
	switch {
	case !d.o.App.DeletionTimestamp.IsZero():
		return d.o.App.DeletionTimestamp.Add(d.termination())
	case d.s.Times.Stopping != nil:
		at := d.s.Times.Stopping.Add(d.termination())
		if until := d.heldUntil(); !until.IsZero() && until.Before(at) {
			at = until // the timeout was raised since
		}
		return at
	}
	return d.o.Now.Add(d.termination())
}

func orDefault(d *v1alpha1.Duration, otherwise time.Duration) time.Duration {
	if d == nil {
		return otherwise
	}
	return d.Duration
}
