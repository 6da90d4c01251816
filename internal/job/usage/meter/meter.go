// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package meter

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/usage"
)

// Meter sums the amounts of one application. The zero value is ready for use. It is not safe for concurrent use.
type Meter struct {
	attempt attempt
	queue   string
	// admitted is when the attempt was admitted, by its status; nil if the status does not say.
	admitted *metav1.Time
	// at is the time up to which the sums go; zero before the first attempt.
	at time.Time
	// holding and requesting are the amounts per second from at on.
	holding, requesting usage.Amounts
	// granted and requested are the sums, in seconds.
	granted, requested usage.Amounts
	// counted are the amounts of the attempt that metrics already include.
	counted amounts
	// begun reports whether Begun has returned the attempt.
	begun bool
}

type attempt struct{ run, attempt int64 }

// amounts are the amounts in a status.
type amounts struct{ granted, requested v1alpha1.ResourceSeconds }

// Active reports whether the meter sums for an attempt.
func (m *Meter) Active() bool { return m.attempt != attempt{} }

// Begun returns the queue of an attempt that the meter has started to sum for. It reports true once for each attempt.
func (m *Meter) Begun() (queue string, begun bool) {
	if !m.Active() || m.begun {
		return "", false
	}
	m.begun = true
	return m.queue, true
}

// Observe takes the application and its pods as a pass of the operator saw them at a time. It returns amounts that were
// written but are not counted yet: a write whose answer was lost may have ended the attempt.
func (m *Meter) Observe(app *v1alpha1.SparkApplication, records []*pods.Record, now time.Time) Count {
	s := &app.Status
	lost := m.settle(s)
	if s.Grant == nil {
		return lost
	}
	own := ofAttempt(app, records)
	if held := (attempt{s.Grant.Run, s.Grant.Attempt}); m.attempt != held {
		m.takeOver(s, own, now)
	}
	m.advance(now)
	m.holding, m.requesting = usage.OfGrant(s.Grant), requestsOf(own)
	return lost
}

// takeOver starts with an attempt that another process has observed so far, from the amounts in its status.
func (m *Meter) takeOver(s *v1alpha1.SparkApplicationStatus, own []*pods.Record, now time.Time) {
	*m = Meter{attempt: attempt{s.Grant.Run, s.Grant.Attempt}, queue: usage.QueueOf(s), admitted: s.Times.Admitted, at: now}
	written := s.Usage
	// The status was written by a version without usage.
	if written == nil {
		written = &v1alpha1.Usage{At: metav1.NewMicroTime(now)}
		if s.Times.Admitted != nil {
			written.At = metav1.NewMicroTime(s.Times.Admitted.Time)
		}
	}
	m.counted = amounts{written.Granted, written.Requested}
	unseen := now.Sub(written.At.Time).Seconds()
	m.granted = usage.FromStatus(written.Granted).Plus(usage.OfGrant(s.Grant).Times(unseen))
	m.requested = usage.FromStatus(written.Requested).Plus(missed(written, own, now))
}

// advance adds the amounts up to a time. If the clock was set back, it adds nothing.
func (m *Meter) advance(now time.Time) {
	passed := now.Sub(m.at).Seconds()
	m.granted = m.granted.Plus(m.holding.Times(passed))
	m.requested = m.requested.Plus(m.requesting.Times(passed))
	m.at = now
}

// Stamp writes the sums into a status (after) that is about to replace another one (before). If the attempt ends with
// that write, the sums go into its entry in the history.
func (m *Meter) Stamp(before, after *v1alpha1.SparkApplicationStatus, now time.Time) {
	after.Usage = nil
	if m.Active() && before.Grant != nil {
		m.advance(now)
		if sameAttempt(after.Grant, m.attempt) {
			after.Usage = &v1alpha1.Usage{
				At: metav1.NewMicroTime(now), Granted: m.granted.Status(), Requested: m.requested.Status(), Requesting: m.requesting.Status(),
			}
			return
		}
		m.enter(after.Attempts, now)
	}
	if after.Grant != nil {
		after.Usage = &v1alpha1.Usage{At: metav1.NewMicroTime(now)}
	}
}

// enter writes the sums of the attempt into its entry in the history, if it has one.
func (m *Meter) enter(history []v1alpha1.AttemptStatus, now time.Time) {
	entry := entryOf(history, m.attempt)
	if entry == nil {
		return
	}
	// The API server stores times in whole seconds.
	until := metav1.NewTime(now.Truncate(time.Second))
	since := until
	if m.admitted != nil {
		since = *m.admitted
	}
	entry.Usage = &v1alpha1.AttemptUsage{Queue: m.queue, Since: since, Until: &until, Granted: m.granted.Status(), Requested: m.requested.Status()}
}

func entryOf(history []v1alpha1.AttemptStatus, of attempt) *v1alpha1.AttemptStatus {
	for i := range history {
		if history[i].Run == of.run && history[i].Attempt == of.attempt {
			return &history[i]
		}
	}
	return nil
}

func sameAttempt(grant *v1alpha1.Grant, a attempt) bool {
	return grant != nil && grant.Run == a.run && grant.Attempt == a.attempt
}
