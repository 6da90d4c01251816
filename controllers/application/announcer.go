// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/redact"
	"github.com/sparkgate/sparkgate/internal/status"
)

// announcer records events, and forwards them to the receivers of notifications.
type announcer struct{ *state }

// announce records an event and notifies the receivers of notifications. With FewEvents, no event is recorded for the
// success of a run.
func (an *announcer) announce(a lifecycle.Event) {
	kind := corev1.EventTypeNormal
	if a.Warning {
		kind = corev1.EventTypeWarning
	}
	if !an.FewEvents || a.Reason != v1alpha1.SucceededReason {
		an.Recorder.Eventf(an.app, nil, kind, a.Reason, a.Reason, "%s", status.Truncate(redact.Visible(a.Message))) // the API server refuses longer messages
	}
	if an.Notifier != nil {
		an.Notifier.Notify(an.app, a.Warning, a.Reason, a.Message)
	}
}

// recordStage records an event for a stage that was entered, unless it was announced already or the namespace has used
// up its budget. Without a budget thousands of events would keep the API server busy, because the recorder writes them
// concurrently and without a limit.
func (an *announcer) recordStage(before *v1alpha1.SparkApplication, announced []lifecycle.Event) {
	was, is := apimeta.FindStatusCondition(before.Status.Conditions, v1alpha1.ReadyCondition), apimeta.FindStatusCondition(an.app.Status.Conditions, v1alpha1.ReadyCondition)
	if an.FewEvents || is == nil || (was != nil && was.Reason == is.Reason && before.Status.Run == an.app.Status.Run && before.Status.Attempt == an.app.Status.Attempt) {
		return
	}
	reported := slices.ContainsFunc(announced, func(a lifecycle.Event) bool { return a.Reason == is.Reason })
	if !reported && an.stageEvents.Turn(an.app.Namespace, 0) == 0 {
		an.stageEvents.Spend(an.app.Namespace, 1)
		reason, message := status.StageEvent(an.app.Status.Conditions)
		an.Recorder.Eventf(an.app, nil, corev1.EventTypeNormal, reason, reason, "%s", message)
	}
}
