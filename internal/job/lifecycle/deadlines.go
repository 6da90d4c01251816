// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Defaults of spec.timeouts and spec.retention. DefaultExecutorStart does not apply under the gate None, which has no
// default.
const (
	DefaultDriverStart   = 10 * time.Minute
	DefaultExecutorStart = 30 * time.Minute
	DefaultTermination   = 5 * time.Minute
	DefaultRetention     = time.Hour
	// DefaultFailedRetention lasts over a night, so that the log of what failed then can be read in the morning.
	DefaultFailedRetention = 24 * time.Hour
)

// sidecarGrace is how long other containers of the driver's pod may continue to run after the Spark container has
// ended.
const sidecarGrace = 30 * time.Second

// referenceInterval is how often the operator checks whether a missing reference exists now.
const referenceInterval = 10 * time.Second

// maxInterval is the longest pause between two checks of an obstacle outside of an application.
const maxInterval = 2 * time.Minute

// lookAgainAfter returns the pause before an obstacle outside of an application is checked again: part, which callers
// compute as a share of the time that the obstacle has existed, but at least referenceInterval and at most
// maxInterval.
func lookAgainAfter(part time.Duration) time.Duration {
	return min(max(referenceInterval, part), maxInterval)
}

// strayInterval is how often a driver that has to end is read live if the watch does not show it as the driver.
const strayInterval = 2 * time.Second

// executorsReadyBy returns the deadline by which the executors have to be ready; zero if there is none, if the driver
// does not run yet, or if they have been ready.
func executorsReadyBy(st *state) time.Time {
	started := st.s.Times.DriverStarted
	if started == nil || st.s.Times.ExecutorsReady != nil {
		return time.Time{}
	}
	limit := st.timeouts().ExecutorStart
	switch {
	case limit != nil:
		return started.Add(limit.Duration)
	case st.queues():
		return started.Add(DefaultExecutorStart)
	}
	return time.Time{}
}

// driverStartTimeout returns timeouts.driverStart or its default.
func driverStartTimeout(st *state) time.Duration {
	return orDefault(st.timeouts().DriverStart, DefaultDriverStart)
}

// terminationTimeout returns timeouts.termination or its default, but at most MaxTermination.
func terminationTimeout(st *state) time.Duration {
	return min(orDefault(st.timeouts().Termination, DefaultTermination), st.o.MaxTermination)
}

// mustReleaseBy returns when the attempt has to have released its grant, if it was admitted before others because it
// promised to; else zero.
func mustReleaseBy(st *state) time.Time {
	grant, admitted := st.s.Grant, st.s.Times.Admitted
	if grant == nil || grant.HoldsFor == nil || admitted == nil {
		return time.Time{}
	}
	return admitted.Add(grant.HoldsFor.Duration)
}

// stopBy returns when the attempt has to be stopped, so that its pods can end by mustReleaseBy; zero if it has promised
// nothing.
func stopBy(st *state) time.Time {
	until := mustReleaseBy(st)
	if until.IsZero() {
		return until
	}
	return until.Add(-terminationTimeout(st))
}

// heldNote returns a note that timeouts which were raised or removed since the attempt was admitted before others do
// not apply to it; empty if none were.
func heldNote(st *state) string {
	if mustReleaseBy(st).IsZero() {
		return ""
	}
	now, held := HoldsFor(st.o.App, st.o.MaxTermination), st.s.Grant.HoldsFor.Duration
	if now > 0 && now <= held {
		return ""
	}
	return fmt.Sprintf("; timeouts raised since take effect with the next attempt: this one was admitted before others because it releases its quota within %s", held)
}

// runDeadline returns the earliest of the deadlines for the running time of the attempt, and why it is stopped then:
// timeouts.run, timeouts.total, or the bound under which it was admitted before others. It returns zero values if
// nothing bounds it. Before the driver runs, only the last of the three applies.
func runDeadline(st *state) (at time.Time, found stopFinding) {
	t, started := st.timeouts(), st.s.Times.DriverStarted
	if at = stopBy(st); !at.IsZero() {
		found.reason = v1alpha1.StopDeadline
		found.message = fmt.Sprintf("the attempt was admitted before others because it releases its quota within %s, and that time has passed; "+
			"timeouts raised since take effect with the next attempt", st.s.Grant.HoldsFor.Duration)
	}
	if started == nil {
		return at, found
	}
	if run := t.Run; run != nil && (at.IsZero() || !started.Add(run.Duration).After(at)) {
		at, found.reason = started.Add(run.Duration), v1alpha1.StopDeadline
		found.message = fmt.Sprintf("the driver ran longer than timeouts.run (%s); %s", t.Run.Duration, shorten(st))
	}
	if t.Total != nil {
		if total := started.Add(t.Total.Duration - st.ran()); at.IsZero() || total.Before(at) {
			at, found.reason = total, v1alpha1.StopTotalDeadline
			found.message = fmt.Sprintf("the attempts of the run together ran longer than timeouts.total (%s); %s", t.Total.Duration, shorten(st))
		}
	}
	return at, found
}

// shorten says what to do about a job that takes too long.
func shorten(st *state) string { return cmp.Or(hangMessage(st), "raise it, or shorten the job") }

// admissionDeadline returns when timeouts.admission ends the current wait for quota; zero if there is no such timeout,
// or if the application does not wait.
func admissionDeadline(st *state) time.Time {
	limit, since := st.timeouts().Admission, st.s.Times.Waiting
	if limit == nil || since == nil {
		return time.Time{}
	}
	return since.Add(limit.Duration)
}

// driverRunningBy returns the deadline by which the driver has to run.
func driverRunningBy(st *state) time.Time {
	if st.s.Times.Admitted == nil {
		return st.o.Now.Add(driverStartTimeout(st))
	}
	asked := st.s.Times.Admitted.Time
	if driver := st.driver(); driver != nil && driver.CreatedAfter(asked) && !driver.CreatedAfter(st.o.Now) {
		asked = time.Unix(int64(driver.CreatedAt), 0) // no operator was there to create it before
	}
	return asked.Add(driverStartTimeout(st))
}

// podsGoneBy returns the deadline by which pods that have to end should be gone. It counts from the stop of the attempt
// or the deletion of the application, whichever was first.
func podsGoneBy(st *state) time.Time {
	stopping, deleted := st.s.Times.Stopping, st.o.App.DeletionTimestamp
	if stopping == nil && deleted.IsZero() {
		return st.o.Now.Add(terminationTimeout(st))
	}
	if stopping == nil || !deleted.IsZero() && deleted.Before(stopping) {
		return deleted.Add(terminationTimeout(st))
	}
	at := stopping.Add(terminationTimeout(st))
	if until := mustReleaseBy(st); !until.IsZero() && until.Before(at) {
		// timeouts.termination was raised after the attempt was admitted.
		at = until
	}
	return at
}

// HoldsFor returns the longest time that an attempt can hold its grant, from its admission to the end of its pods, on
// nodes that answer: the sum of timeouts.driverStart, timeouts.run and timeouts.termination, the last of which is at
// most maxTermination. It returns 0 if timeouts.run is not set.
func HoldsFor(app *v1alpha1.SparkApplication, maxTermination time.Duration) time.Duration {
	t := timeoutsOf(app)
	if t.Run == nil {
		return 0
	}
	sum := time.Duration(0)
	for _, part := range []time.Duration{
		orDefault(t.DriverStart, DefaultDriverStart), t.Run.Duration, min(orDefault(t.Termination, DefaultTermination), maxTermination),
	} {
		// Each of them may be a hundred years, so the sum could overflow.
		sum += min(part, math.MaxInt64-sum)
	}
	return max(sum, 1)
}

// ReleasedBy returns when the holder of a grant will have released it at the latest; zero if that is not known.
// maxTermination is the bound on the termination, as in HoldsFor. If the attempt was admitted before others because of
// a shorter bound, that bound applies whatever the spec says now.
func ReleasedBy(app *v1alpha1.SparkApplication, maxTermination time.Duration) time.Time {
	holds, grant, admitted := HoldsFor(app, maxTermination), app.Status.Grant, app.Status.Times.Admitted
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
