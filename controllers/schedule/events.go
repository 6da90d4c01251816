// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/events"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// Reasons of events about requests to run past times.
const (
	refusedEvent   = "RunForRefused"
	skippedEvent   = "RunForSkipped"
	withdrawnEvent = "RunForWithdrawn"
)

// announcer records events about a schedule, and notifies other systems of warnings.
type announcer struct {
	recorder events.EventRecorder
	notifier Notifier
	schedule *v1alpha1.ScheduledSparkApplication
}

// announce records events: one for the run that this process has created, one for all missed runs, and one for a new
// mistake or rejection.
func (an announcer) announce(out outcome, after *v1alpha1.ScheduledSparkApplicationStatus, last creation) {
	ready := apimeta.FindStatusCondition(after.Conditions, v1alpha1.ReadyCondition)
	before := apimeta.FindStatusCondition(an.schedule.Status.Conditions, v1alpha1.ReadyCondition)
	if (out.mistake != "" || out.refused != "") && (before == nil || before.Message != ready.Message) {
		an.warn(ready.Reason, "%s", ready.Message)
	}
	if run := out.decision.Create; run != nil && out.refused == "" && last.is(run) {
		an.recorder.Eventf(an.schedule, nil, corev1.EventTypeNormal, "Created", "Created", "created application %s", run.Name)
	}
	an.announceMissed(out.decision.Passed)
	an.announceRunFor(out.decision.Withdrawn, after.RunFor)
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
func (an announcer) announceMissed(passed []tick.Passed) {
	if len(passed) == 0 {
		return
	}
	first, last := rfc3339(passed[0].At), rfc3339(passed[len(passed)-1].At)
	if reason := passed[0].Reason; len(passed) == 1 {
		an.warn("MissedRun", "the run that was due at %s was not started (%s): %s", first, reason, whyMissed[reason])
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
	an.warn("MissedRuns", "%d runs that were due from %s to %s were not started: %s", len(passed), first, last, strings.Join(parts, ", "))
}

// announceRunFor records events about a request to run past times: pending times that are no longer requested, and the
// end of a request that was not carried out as a whole.
func (an announcer) announceRunFor(withdrawn []string, after *v1alpha1.RunForStatus) {
	if len(withdrawn) > 0 {
		an.warn(withdrawnEvent, "%d past times are no longer requested and are not run, the first of them %s: the annotation %s was changed or removed",
			len(withdrawn), withdrawn[0], v1alpha1.RunForAnnotation)
	}
	before := an.schedule.Status.RunFor
	if after == nil || after.Result == "" || before != nil && before.Request == after.Request && before.Result != "" {
		return
	}
	switch after.Result {
	case v1alpha1.RunForRefused:
		an.warn(refusedEvent, "past times are not run: %s", status.Truncate(after.Message))
	case v1alpha1.RunForSkipped:
		an.warn(skippedEvent, "past times were skipped: %s", status.Truncate(after.Message))
	case v1alpha1.RunForCreated:
	}
}

// announceSuperseded records a single event for applications that were deleted for the next run, because
// their number is up to users.
func (an announcer) announceSuperseded(apps []tick.Child) {
	if len(apps) == 0 {
		return
	}
	first := apps[0]
	what := "application " + first.Name
	switch others := len(apps) - 1; {
	case others == 1:
		what += " and another one"
	case others > 1:
		what = fmt.Sprintf("%s and %d others", what, others)
	}
	note := fmt.Sprintf("deleted %s, which could not start, for the next run: %s", what, first.Message)
	an.warn(v1alpha1.MissedSuperseded, "%s", status.Truncate(note))
}

// warn records a warning, and notifies other systems of it.
func (an announcer) warn(reason, format string, args ...any) {
	an.recorder.Eventf(an.schedule, nil, corev1.EventTypeWarning, reason, reason, format, args...)
	if an.notifier != nil {
		an.notifier.NotifySchedule(an.schedule, reason, fmt.Sprintf(format, args...))
	}
}
