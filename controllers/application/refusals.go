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
	// patientConflicts is how many conflicts in a row a grant waits for. Somebody who changes an application all the time may keep its
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

// conflict counts conflicts in a row, and reports whether they are too many to go on as if they would end.
func (m *Expectations) conflict(app *v1alpha1.SparkApplication, is bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !is {
		return false
	}
	r := &m.stateOf(app).refusal
	r.conflicts++
	return r.conflicts >= patientConflicts
}

// refuse notes a refusal. It returns the pause that follows, and whether it is the first in a row.
func (m *Expectations) refuse(app *v1alpha1.SparkApplication, now time.Time, final bool) (pause time.Duration, first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := &m.stateOf(app).refusal
	longest := longestRefusalPause
	if app.Status.Grant != nil {
		longest = longestHolderPause
	}
	first = r.refused == 0
	if pause = min(refusalPause<<min(r.refused, 10), longest); !final {
		pause /= 10
	}
	r.refused++
	r.at, r.until, r.version, r.conflicts = now, now.Add(pause), app.ResourceVersion, 0
	return pause, first
}

// taken forgets refusals: a write has succeeded.
func (m *Expectations) taken(app *v1alpha1.SparkApplication) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stateOf(app).refusal = refusal{}
}

// refusedFor returns how long an application is not looked at, because its status was refused.
func (m *Expectations) refusedFor(app *v1alpha1.SparkApplication, now time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stateOf(app).refusal.wait(app.ResourceVersion, now)
}

// giveUp notes an attempt whose grant went back although the status still has it; gaveUp reports whether it did.
func (m *Expectations) giveUp(app *v1alpha1.SparkApplication, a attempt) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stateOf(app).gaveUp = a
}

func (m *Expectations) gaveUp(app *v1alpha1.SparkApplication, a attempt) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stateOf(app).gaveUp == a
}
