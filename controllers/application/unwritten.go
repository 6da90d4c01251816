// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

const (
	// statusRefused is the reason of the event that tells that the API server refuses the status of an application.
	statusRefused = "StatusRefused"
	// refusalPause is the pause after the first refusal of a status. It doubles with every further one, up to longestRefusalPause, or
	// longestHolderPause for an application that holds a grant: what it has to end, ends.
	refusalPause        = 10 * time.Second
	longestRefusalPause = 10 * time.Minute
	longestHolderPause  = 30 * time.Second
	// patientConflicts is how many conflicts in a row a grant waits for. Somebody who changes an application all the time may keep its
	// status from being written for ever.
	patientConflicts = 10
)

// unwritable reports whether the API server has refused a write and will refuse it again: it was not made, and will not be.
func unwritable(err error) bool {
	return refused(err) && !apierrors.IsNotFound(err) || tooLargeForStore(err)
}

// tooLargeForStore reports whether the store behind the API server has refused an object for its size, which the API server tells as an
// internal error: beyond 1.5 MiB by etcd, beyond 2 MiB by its client.
func tooLargeForStore(err error) bool {
	return strings.Contains(err.Error(), "request is too large") || strings.Contains(err.Error(), "trying to send message larger than max")
}

// unwritten deals with a decision that could not be written. If it certainly was not, what only this process knows of it goes back: a
// grant on its way to an application that never takes it would stand in the ledger for ever and slow down the others. The application is
// not looked at again before a pause that grows.
func (p *pass) unwritten(ctx context.Context, d lifecycle.Decision, err error) error {
	final := unwritable(err)
	if !final && !p.expectations.conflict(p.app, apierrors.IsConflict(err)) {
		return err
	}
	if final {
		// Pods may always be asked to end, whether that can be written or not: a status that cannot be written holds no quota.
		for _, a := range d.After {
			if a.Kind != lifecycle.DeletePod {
				continue
			}
			if err := p.do(ctx, a); err != nil {
				return err
			}
		}
	}
	if err := p.giveBack(ctx, d.Status.Grant, final); err != nil {
		return err
	}
	pause, first := p.expectations.refuse(p.app, p.Clock.Now(), final)
	if first && final {
		p.Recorder.Eventf(p.app, nil, corev1.EventTypeWarning, statusRefused, statusRefused, "%s", status.Truncate(fmt.Sprintf(
			"the API server refuses the status of this application, so it cannot start, and what runs is not reported: %s; if its size is the cause, reduce metadata or spec", err)))
	}
	return &retryLaterError{pause, "the status could not be written: " + err.Error()}
}

// giveBack returns what the gate holds for a status that was not written: a new grant, what a grant has grown by, and a grant that was
// to go back. wanted is the grant of that status.
func (p *pass) giveBack(ctx context.Context, wanted *v1alpha1.Grant, final bool) error {
	stored := p.app.Status.Grant
	switch {
	case stored == nil:
		if wanted == nil && !final {
			return nil
		}
		return p.Gates.Release(ctx, keyOf(p.app), queueing.Release{Reason: queueing.Requeued, Message: "the status could not be written"})
	case wanted == nil && final:
		return p.giveBackStored(ctx)
	case wanted != nil && wanted.Resizes > stored.Resizes:
		p.Gates.Declined(ctx, keyOf(p.app), convert.FromAPI(stored))
	}
	return nil
}

// giveBackStored releases a grant that stays in a status that cannot be written. Its attempt is over for this process: no driver is
// made under it any more. The next process charges it again, and comes here again.
func (p *pass) giveBackStored(ctx context.Context) error {
	for _, record := range p.o.Pods {
		if record.Active() {
			return nil
		}
	}
	if driver := p.app.Status.Driver; driver == nil || driver.UID == "" {
		absent, err := p.driverAbsent(ctx)
		if err != nil || !absent {
			return err
		}
	}
	p.expectations.giveUp(p.app, attempt{p.app.Status.Run, p.app.Status.Attempt})
	return p.Gates.Release(ctx, keyOf(p.app), queueing.Release{Reason: queueing.Abandoned})
}

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
