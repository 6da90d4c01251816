// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"io"
	"strconv"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// WriteSchedules writes schedules as a table.
func WriteSchedules(out io.Writer, schedules []v1alpha1.ScheduledSparkApplication, o ListOptions) error {
	rows := [][]string{scheduleColumns(o, "NAMESPACE", "NAME", "SCHEDULE", "ZONE", "LAST", "ENDED", "NEXT", "ACTIVE", "MISSED", "MESSAGE")}
	for i := range schedules {
		s := &schedules[i]
		missed := int64(0)
		for _, m := range s.Status.Missed {
			missed += m.Count
		}
		rows = append(rows, scheduleColumns(o, s.Namespace, s.Name, s.Spec.Schedule, Zone(&s.Spec), s.Status.LastRunTime, lastEnd(s), s.Status.NextRunTime,
			strconv.Itoa(int(s.Status.ActiveCount)), strconv.FormatInt(missed, 10), scheduleMessage(s)))
	}
	return writeTable(out, rows, o.Width)
}

// scheduleColumns leaves out the namespace unless the options ask for it.
func scheduleColumns(o ListOptions, all ...string) []string {
	if o.Namespaces {
		return all
	}
	return all[1:]
}

// lastEnd returns the result of the last run that has ended; empty if none has.
func lastEnd(s *v1alpha1.ScheduledSparkApplication) string {
	last := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.LastRunSucceededCondition)
	switch {
	case last == nil:
		return ""
	case last.Status == metav1.ConditionTrue:
		return v1alpha1.SucceededReason
	}
	return v1alpha1.FailedReason
}

// scheduleMessage returns the reason why a schedule runs nothing; empty if it does run.
func scheduleMessage(s *v1alpha1.ScheduledSparkApplication) string {
	ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition)
	switch {
	case ready == nil || s.Status.ObservedGeneration != s.Generation:
		return "the operator has not looked at it yet"
	case ready.Status == metav1.ConditionFalse:
		return ready.Reason + ": " + oneLine(ready.Message)
	case s.Spec.Suspend:
		return oneLine(ready.Message)
	}
	return ""
}
