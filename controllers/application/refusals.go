// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const (
	// refusalPause is the pause after the first refusal of a status. It doubles with every further one, up to longestRefusalPause, or
	// longestHolderPause for an application that holds a grant: what it has to end, ends.
	refusalPause        = 10 * time.Second
	longestRefusalPause = 10 * time.Minute
	longestHolderPause  = 30 * time.Second
	// patientConflicts is how many conflicts in a row a grant waits for. A user who changes an application all the time may keep its
	// status from being written for ever.
	patientConflicts = 10
)

// refusal is what is remembered of writes of a status that were refused in a row.
type refusal struct {
	// version of the object that was refused; empty after conflicts.
	version   string
	at, until time.Time
	refused   int
	conflicts int
}

// wait returns how long an object in this version is not looked at. Once it has changed, the first pause is enough.
func (r refusal) wait(version string, now time.Time) time.Duration {
	until := r.until
	if soon := r.at.Add(refusalPause); version != r.version && soon.Before(until) {
		until = soon
	}
	return max(0, until.Sub(now))
}

// refusals know which statuses the API server has refused: only applications to which that has happened are remembered. Safe for concurrent use.
type refusals struct{ perApp[unwrittenStatus] }

// unwrittenStatus is what is known of one application whose status was refused.
type unwrittenStatus struct {
	refusal
	// gaveUp is an attempt whose grant went back although the status still has it.
	gaveUp attempt
}

func newRefusals() *refusals { return &refusals{newPerApp[unwrittenStatus]()} }

// conflict counts one more conflict in a row, and reports whether there are too many to expect that they end.
func (f *refusals) conflict(app *v1alpha1.SparkApplication) (tooMany bool) {
	f.update(app, func(r *unwrittenStatus) {
		r.conflicts++
		tooMany = r.conflicts >= patientConflicts
	})
	return tooMany
}

// refuse notes a refusal. It returns the pause that follows, and whether it is the first in a row.
func (f *refusals) refuse(app *v1alpha1.SparkApplication, now time.Time, final bool) (pause time.Duration, first bool) {
	longest := longestRefusalPause
	if app.Status.Grant != nil {
		longest = longestHolderPause
	}
	f.update(app, func(r *unwrittenStatus) {
		first = r.refused == 0
		if pause = min(refusalPause<<min(r.refused, 10), longest); !final {
			pause /= 10
		}
		r.refused++
		r.at, r.until, r.version, r.conflicts = now, now.Add(pause), app.ResourceVersion, 0
	})
	return pause, first
}

// taken forgets refusals: a write has succeeded. An attempt that was given up stays so.
func (f *refusals) taken(app *v1alpha1.SparkApplication) {
	if f.get(app) != (unwrittenStatus{}) {
		f.update(app, func(r *unwrittenStatus) { r.refusal = refusal{} })
	}
}

// refusedFor returns how long an application is not looked at, because its status was refused.
func (f *refusals) refusedFor(app *v1alpha1.SparkApplication, now time.Time) time.Duration {
	return f.get(app).wait(app.ResourceVersion, now)
}

// giveUp notes an attempt whose grant went back although the status still has it.
func (f *refusals) giveUp(app *v1alpha1.SparkApplication, a attempt) {
	f.update(app, func(r *unwrittenStatus) { r.gaveUp = a })
}

// gaveUp reports whether the grant of an attempt went back although the status still has it.
func (f *refusals) gaveUp(app *v1alpha1.SparkApplication, a attempt) bool {
	return f.get(app).gaveUp == a
}
