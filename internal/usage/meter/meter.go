// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package meter

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/usage"
)

// Meter sums for one application. The zero value is ready. Not safe for concurrent use.
type Meter struct {
	attempt attempt
	queue   string
	// admitted is when the attempt was, as its status says; nil if it does not say.
	admitted *metav1.Time
	// at is until when the sums go; zero before the first attempt.
	at                  time.Time
	holding, requesting usage.Amounts // for each second from at on
	granted, requested  usage.Amounts // in seconds
	// counted is what the metrics have of the attempt.
	counted amounts
	// begun says that it was told that the attempt is counted.
	begun bool
}

type attempt struct{ run, attempt int64 }

// amounts are what is in a status.
type amounts struct{ granted, requested v1alpha1.ResourceSeconds }

// Active reports whether the meter sums for an attempt.
func (m *Meter) Active() bool { return m.attempt != attempt{} }

// Begun returns the queue of an attempt that is counted from now on. It reports so once for each attempt.
func (m *Meter) Begun() (queue string, begun bool) {
	if !m.Active() || m.begun {
		return "", false
	}
	m.begun = true
	return m.queue, true
}

// Observe takes what a pass has seen at a time: the application as it is written, and its pods. It returns what was
// written and is not counted yet: a write whose answer was lost may have ended the attempt.
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

// takeOver begins with an attempt that another process has looked after, from where its status has got to.
func (m *Meter) takeOver(s *v1alpha1.SparkApplicationStatus, own []*pods.Record, now time.Time) {
	*m = Meter{attempt: attempt{s.Grant.Run, s.Grant.Attempt}, queue: usage.QueueOf(s), admitted: s.Times.Admitted, at: now}
	written := s.Usage
	if written == nil { // by a version that knew no usage
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

// advance sums up to a time. A clock that was set back adds nothing.
func (m *Meter) advance(now time.Time) {
	passed := now.Sub(m.at).Seconds()
	m.granted = m.granted.Plus(m.holding.Times(passed))
	m.requested = m.requested.Plus(m.requesting.Times(passed))
	m.at = now
}

// Stamp puts the sums into a status that is about to be written at a time in place of another one. Attempts that end
// with it get theirs in the history.
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

// enter puts the sums of the attempt into its entry in the history, if it has one.
func (m *Meter) enter(history []v1alpha1.AttemptStatus, now time.Time) {
	entry := entryOf(history, m.attempt)
	if entry == nil {
		return
	}
	until := metav1.NewTime(now.Truncate(time.Second)) // as it is stored
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
