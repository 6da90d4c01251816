// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/internal/tick"
)

const (
	normal  = corev1.EventTypeNormal
	warning = corev1.EventTypeWarning
)

// maxActive bounds the names in status.active.
const maxActive = 20

// publish writes the status if it differs. The write fails with a conflict if the schedule has changed since it was
// read.
func (p *pass) publish(ctx context.Context) error {
	p.countRefused()
	p.settleSuperseded()
	after := p.schedule.DeepCopy()
	p.fill(&after.Status)
	if equality.Semantic.DeepEqual(p.schedule.Status, after.Status) {
		return nil
	}
	after.Status.Operator = p.Operators.Name()
	p.expected.forgetPast(p.schedule.Status.RunFor, after.Status.RunFor)
	p.expected.recording = recording{n: len(p.expected.superseded), total: countOf(&after.Status, v1alpha1.MissedSuperseded)}
	patch := client.MergeFromWithOptions(p.schedule, client.MergeFromWithOptimisticLock{})
	if err := p.Client.Status().Patch(ctx, after, patch, client.FieldOwner(v1alpha1.FieldOwner)); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("write status: %w", err))
	}
	p.expected.version = after.ResourceVersion
	p.announce(after)
	p.countRecorded()
	p.supersededRecorded()
	p.schedule = after
	return nil
}

// fill computes the status. It records the decision as far as it was carried out.
func (p *pass) fill(s *v1alpha1.ScheduledSparkApplicationStatus) {
	s.ObservedGeneration = p.schedule.Generation
	if token := status.ReconcileToken(p.schedule.Annotations); token != "" {
		s.LastHandledReconcileAt = token
	}
	p.fillHandled(s)
	s.NextRunTime = ""
	if p.o.Times != nil && !p.schedule.Spec.Suspend {
		s.NextRunTime = rfc3339(p.o.Times.Next(p.followedUntil(s)))
	}
	p.fillChildren(s)
	s.Conditions = status.ScheduleConditions(s.Conditions, p.view(s), metav1.NewTime(p.o.Now))
}

// followedUntil returns the time until which all runs are handled. It is later than now if the clock was set back.
func (p *pass) followedUntil(s *v1alpha1.ScheduledSparkApplicationStatus) time.Time {
	if s.Handled != nil && s.Handled.Until.After(p.o.Now) {
		return s.Handled.Until.Time
	}
	return p.o.Now
}

// fillHandled records how far the schedule was followed. It records nothing while time passes without a run being due.
func (p *pass) fillHandled(s *v1alpha1.ScheduledSparkApplicationStatus) {
	d := p.decision
	switch {
	case p.refused == "", d.Create != nil && d.Create.Requested(): // such a run handles no tick
		s.Handled = &d.Handled
	case len(d.Passed) > 0: // only the ticks before the refused one are handled
		d.Handled.Until = metav1.NewTime(d.Passed[len(d.Passed)-1].At.UTC())
		s.Handled = &d.Handled
	}
	p.fillRun(s)
	for _, passed := range d.Passed {
		miss(s, passed.Reason, passed.At)
	}
	for _, c := range p.expected.superseded {
		at := c.Due
		if at.IsZero() {
			at = p.local(c.Created)
		}
		miss(s, v1alpha1.MissedSuperseded, at)
	}
}

// fillRun records the run of the decision, unless it was refused, and the request for past times.
func (p *pass) fillRun(s *v1alpha1.ScheduledSparkApplicationStatus) {
	run := p.decision.Create
	if run == nil || run.Request == "" || p.refused == "" { // else its time is still pending
		s.RunFor = p.decision.RunFor
	}
	switch {
	case run == nil, p.refused != "":
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
func (p *pass) fillChildren(s *v1alpha1.ScheduledSparkApplicationStatus) {
	children := slices.SortedFunc(slices.Values(p.o.Children), func(a, b tick.Child) int { return a.Created.Compare(b.Created) })
	s.Active, s.ActiveCount = nil, 0
	for _, c := range children {
		if !c.Finished || c.Deleting {
			if s.ActiveCount++; len(s.Active) < maxActive {
				s.Active = append(s.Active, c.Name)
			}
		}
		switch run := p.runOf(c); {
		case !c.Finished:
		case c.Succeeded && isLater(run, s.LastSuccessfulRun):
			s.LastSuccessfulRun = run
		case !c.Succeeded && isLater(run, s.LastFailedRun):
			s.LastFailedRun = run
		}
	}
}

// runOf returns the result of an application, or nil if it has not ended.
func (p *pass) runOf(c tick.Child) *v1alpha1.ScheduledRun {
	if c.Ended.IsZero() {
		return nil
	}
	return &v1alpha1.ScheduledRun{Name: c.Name, Time: rfc3339(p.local(c.Ended)), Message: status.Truncate(c.Message)}
}

// local returns a time in the time zone of the schedule, if that is known.
func (p *pass) local(at time.Time) time.Time {
	if p.o.Times == nil {
		return at
	}
	return p.o.Times.In(at)
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
func (p *pass) view(s *v1alpha1.ScheduledSparkApplicationStatus) status.ScheduleView {
	v := status.ScheduleView{
		Generation: p.schedule.Generation, Mistake: p.mistake, Refused: cmp.Or(p.refused, p.stillRefused()), Suspended: p.schedule.Spec.Suspend,
		Rule:         fmt.Sprintf("runs at %q in time zone %s", p.schedule.Spec.Schedule, zoneOf(p.schedule)),
		NeedsSuccess: p.schedule.Spec.ReadyWhen == v1alpha1.ReadyWhenLastRunSucceeded,
	}
	if waits := p.decision.Waits; waits != nil {
		v.Waits = "a run that is due waits until " + waits.Name + " has finished"
		switch {
		case p.decision.PastWaits:
			v.Waits = "a run that was requested for a past time waits until " + waits.Name + " has finished, or is deleted"
		case p.o.Token != "": // the requested run comes first
			v.Waits = "a run that was requested waits until " + waits.Name + " has finished"
		}
	}
	switch ok, failed := s.LastSuccessfulRun, s.LastFailedRun; {
	case failed != nil && p.failedLast(s):
		v.LastRun = &status.LastRun{Name: failed.Name, Message: failed.Message}
	case ok != nil:
		v.LastRun = &status.LastRun{Name: ok.Name, Succeeded: true}
	}
	return v
}

// failedLast reports whether the last run that ended has failed. If a failed and a successful run ended in the same
// second, the one that was observed later counts, or the failed one if both are observed now.
func (p *pass) failedLast(s *v1alpha1.ScheduledSparkApplicationStatus) bool {
	ok, failed, before := s.LastSuccessfulRun, s.LastFailedRun, &p.schedule.Status
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

// stillRefused returns why the application that was requested could not be created. It keeps the message while a tick is
// handled before the next attempt.
func (p *pass) stillRefused() string {
	run := p.decision.Create
	switch {
	case run == nil || run.Requested():
	case p.o.Token != "" && p.expected.refusedRequest.run == tick.RequestedName(p.schedule.Name, p.o.Token):
		return p.expected.refusedRequest.message
	case p.decision.RunFor != nil && len(p.decision.RunFor.Pending) > 0:
		return p.stillRefusedPast(p.decision.RunFor.Pending[0])
	}
	return ""
}

func zoneOf(s *v1alpha1.ScheduledSparkApplication) string {
	if s.Spec.TimeZone == "" {
		return "UTC"
	}
	return s.Spec.TimeZone
}

// announce records events: one for the run that this process has created, one for all missed runs, and one for a new
// mistake or refusal.
func (p *pass) announce(after *v1alpha1.ScheduledSparkApplication) {
	ready := apimeta.FindStatusCondition(after.Status.Conditions, v1alpha1.ReadyCondition)
	before := apimeta.FindStatusCondition(p.schedule.Status.Conditions, v1alpha1.ReadyCondition)
	if (p.mistake != "" || p.refused != "") && (before == nil || before.Message != ready.Message) {
		p.event(warning, ready.Reason, "%s", ready.Message)
	}
	if run := p.decision.Create; run != nil && p.refused == "" && p.expected.last.is(run) {
		p.event(normal, "Created", "created application %s", run.Name)
	}
	p.announceMissed()
	p.announceRunFor(after.Status.RunFor)
}

// whyMissed explains the reasons for which runs are missed, and names the field or action that prevents it.
var whyMissed = map[string]string{
	v1alpha1.MissedOperatorDown:             "no operator was running; spec.catchUp says which of such runs are started later",
	v1alpha1.MissedConcurrencyForbidden:     "another application of the schedule had not finished; with spec.startingDeadline a run waits for it",
	v1alpha1.MissedStartingDeadlineExceeded: "it could not start within spec.startingDeadline; raise it, or remove it",
	v1alpha1.MissedNameTaken:                "an application of the same name does not belong to the schedule; delete it",
	v1alpha1.MissedReplaced:                 "the next run was due before it could start, and spec.concurrencyPolicy is Replace",
	v1alpha1.MissedCreateFailed:             "the API server refused the application until the next run was due; the condition Ready said why",
	v1alpha1.MissedInvalidSpec:              "the schedule had a mistake, as the condition Ready said; sparkctl schedule run --for runs it now",
	v1alpha1.MissedScheduleChanged:          "it had not started when the schedule or its time zone was changed; sparkctl schedule run --for runs it now, if the changed schedule has that time",
	v1alpha1.MissedNotFollowed:              "more than ten were due at once, because a clock was set ahead or the operator could not follow the schedule; sparkctl schedule run --for runs it now",
}

// announceMissed records a single event for all missed runs.
func (p *pass) announceMissed() {
	passed := p.decision.Passed
	if len(passed) == 0 {
		return
	}
	first, last := rfc3339(passed[0].At), rfc3339(passed[len(passed)-1].At)
	if reason := passed[0].Reason; len(passed) == 1 {
		p.event(warning, "MissedRun", "the run that was due at %s was not started (%s): %s", first, reason, whyMissed[reason])
		return
	}
	counts := map[string]int{}
	for _, one := range passed {
		counts[one.Reason]++
	}
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d with the reason %s (%s)", counts[reason], reason, whyMissed[reason]))
	}
	p.event(warning, "MissedRuns", "%d runs that were due from %s to %s were not started: %s", len(passed), first, last, strings.Join(parts, ", "))
}

// event records an event, and notifies other systems of a warning.
func (p *pass) event(kind, reason, format string, args ...any) {
	p.Recorder.Eventf(p.schedule, nil, kind, reason, reason, format, args...)
	if p.Notifier != nil && kind == warning {
		p.Notifier.NotifySchedule(p.schedule, reason, fmt.Sprintf(format, args...))
	}
}
