// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// ScheduleView is what the conditions of a schedule depend on.
type ScheduleView struct {
	Generation int64
	// Mistake is what keeps it from working; Refused is why an application cannot be created at the moment. Both are
	// empty as a rule.
	Mistake, Refused string
	Suspended        bool
	// Rule says when it runs.
	Rule string
	// Waits says what a run that is due waits for; empty if none does.
	Waits string
	// LastRun is how the last run ended that has ended; nil if none has.
	LastRun *LastRun
	// NeedsSuccess says that the last run has to have succeeded for the schedule to be ready.
	NeedsSuccess bool
}

// LastRun is how a run ended.
type LastRun struct {
	Name      string
	Succeeded bool
	Message   string
}

// Reasons of conditions of a schedule.
const (
	lastRunFailed    = "LastRunFailed"
	lastRunSucceeded = "LastRunSucceeded"
	createFailed     = "CreateFailed"
)

// IsScheduleReason reports whether Ready of a schedule has that reason at times.
func IsScheduleReason(reason string) bool {
	switch reason {
	case v1alpha1.ScheduledReason, v1alpha1.SuspendedReason, v1alpha1.InvalidSpecReason, createFailed, lastRunFailed:
		return true
	}
	return false
}

// ScheduleConditions returns the conditions of a schedule. The time of the next run is in none of them: it would change
// with each run.
func ScheduleConditions(old []metav1.Condition, v ScheduleView, now metav1.Time) []metav1.Condition {
	l := &conditionList{old: old, now: now, generation: v.Generation}
	failed := v.LastRun != nil && !v.LastRun.Succeeded
	switch {
	case v.Mistake != "":
		l.addReadiness(stalled, v1alpha1.InvalidSpecReason, v.Mistake)
	case v.Refused != "":
		l.addReadiness(retrying, createFailed, v.Refused)
	case v.NeedsSuccess && failed:
		l.addReadiness(stalled, lastRunFailed, lastRunMessage(v.LastRun))
	case v.Suspended && v.Waits != "":
		l.addReadiness(succeeded, v1alpha1.SuspendedReason, "suspended: nothing is run at its times until spec.suspend is false; "+v.Waits)
	case v.Suspended:
		l.addReadiness(succeeded, v1alpha1.SuspendedReason, "suspended: nothing is run until spec.suspend is false")
	case v.Waits != "":
		l.addReadiness(succeeded, v1alpha1.ScheduledReason, v.Rule+"; "+v.Waits)
	default:
		l.addReadiness(succeeded, v1alpha1.ScheduledReason, v.Rule)
	}
	switch {
	case failed:
		l.add(v1alpha1.LastRunSucceededCondition, metav1.ConditionFalse, lastRunFailed, lastRunMessage(v.LastRun))
	case v.LastRun != nil:
		l.add(v1alpha1.LastRunSucceededCondition, metav1.ConditionTrue, lastRunSucceeded, v.LastRun.Name+" succeeded")
	}
	return l.sorted()
}

func lastRunMessage(r *LastRun) string { return r.Name + ": " + r.Message }
