// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// ScheduleView is everything that the conditions of a schedule depend on, apart from its earlier conditions.
type ScheduleView struct {
	Generation int64
	// Mistake is what keeps the schedule from working; Refused is why an application cannot be created at the moment.
	// Both are usually empty.
	Mistake, Refused string
	Suspended        bool
	// Rule is a sentence about when the schedule runs.
	Rule string
	// Waits is what a run that is due waits for; empty if none waits.
	Waits string
	// LastRun is how the last run that has ended did end; nil if none has.
	LastRun *LastRun
	// NeedsSuccess reports that the schedule is ready only if the last run succeeded.
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

// IsScheduleReason reports whether the condition Ready of a schedule can have that reason.
func IsScheduleReason(reason string) bool {
	switch reason {
	case v1alpha1.ScheduledReason, v1alpha1.SuspendedReason, v1alpha1.InvalidSpecReason, createFailed, lastRunFailed:
		return true
	}
	return false
}

// ScheduleConditions returns all conditions of a schedule. None of them contains the time of the next run, because that
// changes with every run.
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
