// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
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

// HoldsFor bounds how long an attempt holds its grant, from its start to the end of its pods on nodes that answer; 0 without
// timeouts.run.
func HoldsFor(app *v1alpha1.SparkApplication) time.Duration {
	t := timeoutsOf(app)
	if t.Run == nil {
		return 0
	}
	return orDefault(t.DriverStart, DefaultDriverStart) + t.Run.Duration + orDefault(t.Termination, DefaultTermination)
}

// runDeadline is when the current attempt has run for as long as it may, with the reason and what to say then; zero if nothing bounds it,
// or its driver does not run yet.
func (d *decider) runDeadline() (at time.Time, reason v1alpha1.StopReason, message string) {
	t, started := d.timeouts(), d.s.Times.DriverStarted
	if started == nil {
		return at, "", ""
	}
	if t.Run != nil {
		at, reason = started.Add(t.Run.Duration), v1alpha1.StopDeadline
		message = fmt.Sprintf("the driver ran longer than timeouts.run (%s); raise it, or make the job shorter", t.Run.Duration)
	}
	if t.Total != nil {
		if total := started.Add(t.Total.Duration - d.ran()); at.IsZero() || total.Before(at) {
			at, reason = total, v1alpha1.StopTotalDeadline
			message = fmt.Sprintf("the attempts of the run together ran longer than timeouts.total (%s); raise it, or make the job shorter", t.Total.Duration)
		}
	}
	return at, reason, message
}

// ran is how long the drivers of earlier attempts of the run ran.
func (d *decider) ran() time.Duration {
	if d.s.Times.Ran == nil {
		return 0
	}
	return d.s.Times.Ran.Duration
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
		return d.s.Times.Stopping.Add(d.termination())
	}
	return d.o.Now.Add(d.termination())
}

func orDefault(d *v1alpha1.Duration, otherwise time.Duration) time.Duration {
	if d == nil {
		return otherwise
	}
	return d.Duration
}
