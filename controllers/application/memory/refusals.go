// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
)

const (
	// refusalPause is the pause after the API server has first refused a status. It doubles with each further refusal,
	// up to maxRefusalPause, or up to maxHolderPause for an application that holds a grant, so that what has to
	// end does end.
	refusalPause    = 10 * time.Second
	maxRefusalPause = 10 * time.Minute
	maxHolderPause  = 30 * time.Second
)

// MaxConflicts is how many conflicts in a row a grant survives. A user who keeps changing an application could
// otherwise prevent its status from ever being written.
const MaxConflicts = 10

// Refusals records the status writes of an application that were refused in a row.
type Refusals struct {
	refusal
	// gaveUp is an attempt whose grant was released although the status still has it.
	gaveUp lifecycle.AttemptID
}

type refusal struct {
	// version is the resource version of the object that was refused; empty after conflicts.
	version   string
	at, until time.Time
	refused   int
	conflicts int
}

// Conflict counts another conflict in a row, and reports whether there are now too many to wait any longer.
func (r *Refusals) Conflict() (tooMany bool) {
	r.conflicts++
	return r.conflicts >= MaxConflicts
}

// Refuse records a refusal. It returns the pause that follows, and whether the refusal is the first in a row.
func (r *Refusals) Refuse(app *v1alpha1.SparkApplication, now time.Time, final bool) (pause time.Duration, first bool) {
	longest := maxRefusalPause
	if app.Status.Grant != nil {
		longest = maxHolderPause
	}
	first = r.refused == 0
	if pause = min(refusalPause<<min(r.refused, 10), longest); !final {
		pause /= 10
	}
	r.refused++
	r.at, r.until, r.version, r.conflicts = now, now.Add(pause), app.ResourceVersion, 0
	return pause, first
}

// Taken forgets the refusals, because a write has succeeded. An attempt that was given up stays given up.
func (r *Refusals) Taken() { r.refusal = refusal{} }

// Wait returns how long the application must not be reconciled because its status was refused. If it has changed since
// the refusal, only the first pause applies.
func (r *Refusals) Wait(version string, now time.Time) time.Duration {
	until := r.until
	if soon := r.at.Add(refusalPause); version != r.version && soon.Before(until) {
		until = soon
	}
	return max(0, until.Sub(now))
}

// GiveUp records an attempt whose grant was released although the status still has it.
func (r *Refusals) GiveUp(attempt lifecycle.AttemptID) { r.gaveUp = attempt }

// GaveUp reports whether GiveUp was called for this attempt.
func (r *Refusals) GaveUp(attempt lifecycle.AttemptID) bool { return r.gaveUp == attempt }
