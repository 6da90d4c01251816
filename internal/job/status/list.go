// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// MaxMessage is the maximum length of a condition's message in bytes. Longer messages are cut, because thousands of
// applications have them.
const MaxMessage = 1024

// conditionList collects the conditions of one object.
type conditionList struct {
	old        []metav1.Condition
	now        metav1.Time
	generation int64
	conditions []metav1.Condition
}

// add appends one condition. Its lastTransitionTime is kept if the status is the same as in old.
func (l *conditionList) add(conditionType string, s metav1.ConditionStatus, reason, message string) {
	c := metav1.Condition{
		Type:               conditionType,
		Status:             s,
		Reason:             reason,
		Message:            Truncate(message),
		ObservedGeneration: l.generation,
		LastTransitionTime: l.now,
	}
	if last := meta.FindStatusCondition(l.old, conditionType); last != nil && last.Status == s {
		c.LastTransitionTime = last.LastTransitionTime
	}
	l.conditions = append(l.conditions, c)
}

// addTrue appends a condition that exists only while it is True, with its type as the reason. If message is empty, it
// adds nothing.
func (l *conditionList) addTrue(conditionType, message string) {
	if message != "" {
		l.add(conditionType, metav1.ConditionTrue, conditionType, message)
	}
}

// addReadiness appends Ready with that reason and, depending on the readiness, Reconciling or Stalled, all with the
// same message.
func (l *conditionList) addReadiness(c readiness, reason, message string) {
	switch c {
	case unpublished:
	case inFlight:
		l.add(v1alpha1.ReadyCondition, metav1.ConditionUnknown, reason, message)
		l.add(v1alpha1.ReconcilingCondition, metav1.ConditionTrue, v1alpha1.ProgressingReason, message)
	case retrying:
		l.add(v1alpha1.ReadyCondition, metav1.ConditionFalse, reason, message)
		l.add(v1alpha1.ReconcilingCondition, metav1.ConditionTrue, v1alpha1.ProgressingWithRetryReason, message)
	case stalled:
		l.add(v1alpha1.ReadyCondition, metav1.ConditionFalse, reason, message)
		l.add(v1alpha1.StalledCondition, metav1.ConditionTrue, reason, message)
	case paused:
		l.add(v1alpha1.ReadyCondition, metav1.ConditionFalse, reason, message)
	case succeeded:
		l.add(v1alpha1.ReadyCondition, metav1.ConditionTrue, reason, message)
	}
}

// sorted returns the conditions in the order in which users and kstatus read them: Stalled, Reconciling, Ready, then by
// name.
func (l *conditionList) sorted() []metav1.Condition {
	slices.SortStableFunc(l.conditions, func(a, b metav1.Condition) int {
		return cmp.Or(cmp.Compare(rank(a.Type), rank(b.Type)), cmp.Compare(a.Type, b.Type))
	})
	return l.conditions
}

func rank(conditionType string) int {
	switch conditionType {
	case v1alpha1.StalledCondition:
		return 0
	case v1alpha1.ReconcilingCondition:
		return 1
	case v1alpha1.ReadyCondition:
		return 2
	}
	return 3
}

// Truncate shortens a message to MaxMessage bytes, at the boundary of a character, and ends it with an ellipsis.
// Control characters are replaced by their escapes first, such as \n. Other messages are returned unchanged.
func Truncate(message string) string {
	return redact.First(redact.Visible(message), MaxMessage)
}
