// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const (
	// refusalPause is the pause after the API server has first refused a status. It doubles with each further refusal,
	// up to maxRefusalPause, or up to maxHolderPause for an application that holds a grant, so that what has to
	// end does end.
	refusalPause    = 10 * time.Second
	maxRefusalPause = 10 * time.Minute
	maxHolderPause  = 30 * time.Second
	// maxConflicts is how many conflicts in a row a grant survives. A user who keeps changing an application could
	// otherwise prevent its status from ever being written.
	maxConflicts = 10
)

// refusal describes the status writes of an application that were refused in a row.
type refusal struct {
	// version is the resource version of the object that was refused; empty after conflicts.
	version   string
	at, until time.Time
	refused   int
	conflicts int
}

// wait returns how long an application must not be reconciled yet. If it has changed since the refusal, only the first
// pause applies.
func (r refusal) wait(version string, now time.Time) time.Duration {
	until := r.until
	if soon := r.at.Add(refusalPause); version != r.version && soon.Before(until) {
		until = soon
	}
	return max(0, until.Sub(now))
}

// refusals records for which applications the API server has refused the status. Only those have an entry. It is safe
// for concurrent use.
type refusals struct{ perApp[unwrittenStatus] }

// unwrittenStatus is what is known about an application whose status was refused.
type unwrittenStatus struct {
	refusal
	// gaveUp is an attempt whose grant was released although the status still has it.
	gaveUp attempt
}

func newRefusals() *refusals { return &refusals{newPerApp[unwrittenStatus]()} }

// conflict counts another conflict in a row, and reports whether there are now too many to wait any longer.
func (f *refusals) conflict(app *v1alpha1.SparkApplication) (tooMany bool) {
	f.update(app, func(r *unwrittenStatus) {
		r.conflicts++
		tooMany = r.conflicts >= maxConflicts
	})
	return tooMany
}

// refuse records a refusal. It returns the pause that follows, and whether the refusal is the first in a row.
func (f *refusals) refuse(app *v1alpha1.SparkApplication, now time.Time, final bool) (pause time.Duration, first bool) {
	longest := maxRefusalPause
	if app.Status.Grant != nil {
		longest = maxHolderPause
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

// taken forgets the refusals of an application, because a write has succeeded. An attempt that was given up stays given
// up.
func (f *refusals) taken(app *v1alpha1.SparkApplication) {
	if f.get(app) != (unwrittenStatus{}) {
		f.update(app, func(r *unwrittenStatus) { r.refusal = refusal{} })
	}
}

// refusedFor returns how long an application must not be reconciled because its status was refused.
func (f *refusals) refusedFor(app *v1alpha1.SparkApplication, now time.Time) time.Duration {
	return f.get(app).wait(app.ResourceVersion, now)
}

// giveUp records an attempt whose grant was released although the status still has it.
func (f *refusals) giveUp(app *v1alpha1.SparkApplication, a attempt) {
	f.update(app, func(r *unwrittenStatus) { r.gaveUp = a })
}

// gaveUp reports whether giveUp was called for this attempt.
func (f *refusals) gaveUp(app *v1alpha1.SparkApplication, a attempt) bool {
	return f.get(app).gaveUp == a
}
