// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Outcome classifies how an attempt ended, and thereby whether what it used was wasted.
type Outcome string

// The outcomes. Failed and Preempted are waste: the work has to be done again, or was done for nothing.
const (
	Succeeded Outcome = "Succeeded"
	Failed    Outcome = "Failed"
	Preempted Outcome = "Preempted"
	// Stopped attempts ended for a reason that is not a failure: suspended, template changed, deleted.
	Stopped Outcome = "Stopped"
	Running Outcome = "Running"
)

// Ends returns the outcomes of attempts that have ended.
func Ends() []Outcome { return []Outcome{Succeeded, Failed, Preempted, Stopped} }

// OutcomeOf returns the outcome of an attempt that has ended.
func OutcomeOf(a *v1alpha1.AttemptStatus) Outcome {
	switch {
	case a.Outcome == v1alpha1.OutcomeSucceeded:
		return Succeeded
	case a.Outcome == v1alpha1.OutcomeFailed:
		return Failed
	case a.Reason == string(v1alpha1.StopPreempted):
		return Preempted
	}
	return Stopped
}

// Record is what one attempt used.
type Record struct {
	Namespace, Application, Queue string
	// Labels are the application's current labels.
	Labels map[string]string
	// Run and Attempt are the numbers of the attempt.
	Run, Attempt int64
	Outcome      Outcome
	// From is when the attempt was admitted, and Until when its grant was released, or now.
	From, Until time.Time
	// Granted and Requested are in seconds.
	Granted, Requested Amounts
}

// RecordsOf returns the records of the attempts in an application's history, and of the current one up to now.
func RecordsOf(app *v1alpha1.SparkApplication, now time.Time) []Record {
	var records []Record
	s := &app.Status
	blank := Record{Namespace: app.Namespace, Application: app.Name, Labels: app.Labels}
	for i := range s.Attempts {
		a := &s.Attempts[i]
		if a.Usage == nil {
			continue
		}
		r := blank
		r.Queue, r.Run, r.Attempt, r.Outcome = a.Usage.Queue, a.Run, a.Attempt, OutcomeOf(a)
		r.From, r.Until = a.Usage.Since.Time, a.Usage.Since.Time
		// Versions before this one did not write when the grant was released.
		for _, end := range []*metav1.Time{a.FinishedAt, a.Usage.Until} {
			if end != nil && end.After(r.Until) {
				r.Until = end.Time
			}
		}
		r.Granted, r.Requested = FromStatus(a.Usage.Granted), FromStatus(a.Usage.Requested)
		records = append(records, r)
	}
	if s.Grant != nil && s.Usage != nil {
		records = append(records, current(blank, s, now))
	}
	return records
}

// current completes the record of the current attempt: the amounts in the status, plus, for the time since they were
// written, what the attempt held and requested then.
func current(r Record, s *v1alpha1.SparkApplicationStatus, now time.Time) Record {
	r.Queue, r.Run, r.Attempt, r.Outcome = QueueOf(s), s.Grant.Run, s.Grant.Attempt, Running
	since := now.Sub(s.Usage.At.Time).Seconds()
	r.Granted = FromStatus(s.Usage.Granted).Plus(OfGrant(s.Grant).Times(since))
	r.Requested = FromStatus(s.Usage.Requested).Plus(FromStatus(s.Usage.Requesting).Times(since))
	r.From, r.Until = s.Usage.At.Time, now
	if s.Times.Admitted != nil {
		r.From = s.Times.Admitted.Time
	}
	if r.Until.Before(r.From) {
		r.Until = r.From
	}
	return r
}

// Window is a span of time.
type Window struct{ From, Until time.Time }

// clip returns the part of a record that lies in the window, in proportion to its time. It reports false if no part
// does.
func (w Window) clip(r Record) (Record, bool) {
	from, until := r.From, r.Until
	if from.Before(w.From) {
		from = w.From
	}
	if until.After(w.Until) {
		until = w.Until
	}
	switch length := r.Until.Sub(r.From); {
	case until.Before(from):
		return r, false
	case length > 0:
		share := until.Sub(from).Seconds() / length.Seconds()
		r.Granted, r.Requested = r.Granted.Times(share), r.Requested.Times(share)
	}
	r.From, r.Until = from, until
	return r, true
}

// ChargedTo returns an application's records that were charged to a queue up to now; those of all queues if queue is
// empty. cut reports whether records of the window may be missing: the status no longer has all attempts, and the
// application is, or was, in the queue.
func (w Window) ChargedTo(queue string, app *v1alpha1.SparkApplication, now time.Time) (records []Record, cut bool) {
	records = slices.DeleteFunc(RecordsOf(app, now), func(r Record) bool { return queue != "" && r.Queue != queue })
	return records, (queue == "" || app.Status.Queue == queue || len(records) > 0) && w.HistoryCut(app)
}

// HistoryCut reports whether the application may have had attempts in the window which are no longer in its status,
// because the status keeps only the last v1alpha1.AttemptsKept.
func (w Window) HistoryCut(app *v1alpha1.SparkApplication) bool {
	if len(app.Status.Attempts) == 0 {
		return false
	}
	oldest := &app.Status.Attempts[0]
	if oldest.Run == 1 && oldest.Attempt == 1 || len(app.Status.Attempts) < v1alpha1.AttemptsKept {
		return false
	}
	// That attempt was granted nothing. All earlier attempts had ended by then.
	before := oldest.FinishedAt
	if oldest.Usage != nil {
		before = &oldest.Usage.Since
	}
	return before != nil && before.After(w.From)
}
