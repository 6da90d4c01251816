// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// maxActive bounds the names in status.active.
const maxActive = 20

// fill computes the status. It records the decision as far as it was carried out.
func fill(s *v1alpha1.ScheduledSparkApplicationStatus, out outcome, known *record) {
	s.ObservedGeneration = out.o.Schedule.Generation
	if token := status.ReconcileToken(out.o.Schedule.Annotations); token != "" {
		s.LastHandledReconcileAt = token
	}
	fillHandled(s, out, known.superseded.apps)
	s.NextRunTime = ""
	if out.o.Times != nil && !out.o.Schedule.Spec.Suspend {
		s.NextRunTime = rfc3339(out.o.Times.Next(followedUntil(s, out.o.Now)))
	}
	fillChildren(s, out.o)
	s.Conditions = status.ScheduleConditions(s.Conditions, view(s, out, known), metav1.NewTime(out.o.Now))
}

// followedUntil returns the time until which all runs are handled. It is later than now if the clock was set back.
func followedUntil(s *v1alpha1.ScheduledSparkApplicationStatus, now time.Time) time.Time {
	if s.Handled != nil && s.Handled.Until.After(now) {
		return s.Handled.Until.Time
	}
	return now
}

// fillHandled records how far the schedule was followed. It records nothing while time passes without a run being due.
func fillHandled(s *v1alpha1.ScheduledSparkApplicationStatus, out outcome, superseded []tick.Child) {
	d := out.decision
	switch {
	case out.refused == "", d.Create != nil && d.Create.Requested(): // such a run handles no tick
		s.Handled = &d.Handled
	case len(d.Passed) > 0: // only the ticks before the refused one are handled
		d.Handled.Until = metav1.NewTime(d.Passed[len(d.Passed)-1].At.UTC())
		s.Handled = &d.Handled
	}
	fillRun(s, out)
	for _, passed := range d.Passed {
		miss(s, passed.Reason, passed.At)
	}
	for _, c := range superseded {
		at := c.Due
		if at.IsZero() {
			at = local(out.o.Times, c.Created)
		}
		miss(s, v1alpha1.MissedSuperseded, at)
	}
}

// fillRun records the run of the decision, unless it was refused, and the request for past times.
func fillRun(s *v1alpha1.ScheduledSparkApplicationStatus, out outcome) {
	run := out.decision.Create
	if run == nil || run.Request == "" || out.refused == "" { // else its time is still pending
		s.RunFor = out.decision.RunFor
	}
	switch {
	case run == nil, out.refused != "":
	case run.Token != "":
		s.LastHandledForceAt = run.Token
	case run.Request == "":
		s.LastRunTime = rfc3339(run.At)
	}
}

// miss counts a missed run.
func miss(s *v1alpha1.ScheduledSparkApplicationStatus, reason string, at time.Time) {
	i := slices.IndexFunc(s.Missed, func(m v1alpha1.MissedRuns) bool { return m.Reason == reason })
	if i < 0 {
		s.Missed, i = append(s.Missed, v1alpha1.MissedRuns{Reason: reason}), len(s.Missed)
	}
	s.Missed[i].Count++
	s.Missed[i].Last = rfc3339(at)
}

// fillChildren records which applications have not finished and how the others ended, including one that is being
// deleted, which may be gone by the next pass.
func fillChildren(s *v1alpha1.ScheduledSparkApplicationStatus, o tick.Observation) {
	children := slices.SortedFunc(slices.Values(o.Children), func(a, b tick.Child) int { return a.Created.Compare(b.Created) })
	s.Active, s.ActiveCount = nil, 0
	for _, c := range children {
		if !c.Finished || c.Deleting {
			if s.ActiveCount++; len(s.Active) < maxActive {
				s.Active = append(s.Active, c.Name)
			}
		}
		switch run := runOf(o.Times, c); {
		case !c.Finished:
		case c.Succeeded && isLater(run, s.LastSuccessfulRun):
			s.LastSuccessfulRun = run
		case !c.Succeeded && isLater(run, s.LastFailedRun):
			s.LastFailedRun = run
		}
	}
}

// runOf returns the result of an application, or nil if it has not ended.
func runOf(times *cron.Schedule, c tick.Child) *v1alpha1.ScheduledRun {
	if c.Ended.IsZero() {
		return nil
	}
	return &v1alpha1.ScheduledRun{Name: c.Name, Time: rfc3339(local(times, c.Ended)), Message: status.Truncate(c.Message)}
}

// local returns a time in the time zone of the schedule, if that is known.
func local(times *cron.Schedule, at time.Time) time.Time {
	if times == nil {
		return at
	}
	return times.In(at)
}

// isLater reports whether a run ended after another one, or at the same time. Both may be nil.
func isLater(run, other *v1alpha1.ScheduledRun) bool {
	return run != nil && (other == nil || !instantOf(run).Before(instantOf(other)))
}

// instantOf returns when a run ended.
func instantOf(run *v1alpha1.ScheduledRun) time.Time {
	at, _ := time.Parse(time.RFC3339, run.Time)
	return at
}

// rfc3339 formats a time; the zero time is "".
func rfc3339(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.RFC3339)
}

// view returns what the conditions are computed from.
func view(s *v1alpha1.ScheduledSparkApplicationStatus, out outcome, known *record) status.ScheduleView {
	v := status.ScheduleView{
		Generation: out.o.Schedule.Generation, Mistake: out.mistake, Refused: cmp.Or(out.refused, stillRejected(out, &known.rejected)), Suspended: out.o.Schedule.Spec.Suspend,
		Rule:         fmt.Sprintf("runs at %q in time zone %s", out.o.Schedule.Spec.Schedule, cmp.Or(out.o.Schedule.Spec.TimeZone, "UTC")),
		NeedsSuccess: out.o.Schedule.Spec.ReadyWhen == v1alpha1.ReadyWhenLastRunSucceeded,
	}
	if waits := out.decision.Waits; waits != nil {
		v.Waits = "a run that is due waits until " + waits.Name + " has finished"
		switch {
		case out.decision.PastWaits:
			v.Waits = "a run that was requested for a past time waits until " + waits.Name + " has finished, or is deleted"
		case out.o.Token != "": // the requested run comes first
			v.Waits = "a run that was requested waits until " + waits.Name + " has finished"
		}
	}
	switch ok, failed := s.LastSuccessfulRun, s.LastFailedRun; {
	case failed != nil && failedLast(s, &out.o.Schedule.Status):
		v.LastRun = &status.LastRun{Name: failed.Name, Message: failed.Message}
	case ok != nil:
		v.LastRun = &status.LastRun{Name: ok.Name, Succeeded: true}
	}
	return v
}

// failedLast reports whether the last run that ended has failed. If a failed and a successful run ended in the same
// second, the one that was observed later counts, or the failed one if both are observed now.
func failedLast(s, before *v1alpha1.ScheduledSparkApplicationStatus) bool {
	ok, failed := s.LastSuccessfulRun, s.LastFailedRun
	if ok == nil || !instantOf(ok).Equal(instantOf(failed)) {
		return isLater(failed, ok)
	}
	known := func(run, was *v1alpha1.ScheduledRun) bool { return was != nil && was.Name == run.Name }
	okKnown, failedKnown := known(ok, before.LastSuccessfulRun), known(failed, before.LastFailedRun)
	if okKnown && failedKnown {
		return apimeta.IsStatusConditionFalse(before.Conditions, v1alpha1.LastRunSucceededCondition)
	}
	return okKnown || !failedKnown
}

// stillRejected returns why the application that was requested could not be created. It keeps the message while a tick
// is handled before the next attempt.
func stillRejected(out outcome, refused *rejections) string {
	name, run, past := out.o.Schedule.Name, out.decision.Create, out.decision.RunFor
	switch {
	case run == nil || run.Requested():
	case out.o.Token != "" && refused.request.run == tick.RequestedName(name, out.o.Token):
		return refused.request.message
	case past != nil && len(past.Pending) > 0:
		if at, err := time.Parse(time.RFC3339, past.Pending[0]); err == nil && refused.past.run == tick.Name(name, at) {
			return refused.past.message
		}
	}
	return ""
}

// countOf returns how many runs were missed for a reason.
func countOf(s *v1alpha1.ScheduledSparkApplicationStatus, reason string) int64 {
	for _, m := range s.Missed {
		if m.Reason == reason {
			return m.Count
		}
	}
	return 0
}
