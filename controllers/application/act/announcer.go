// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/fairqueue"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
)

// Announcer records events, and forwards them to the receivers of notifications.
type Announcer struct {
	Recorder events.EventRecorder
	// Notifier sends the same events to other systems; nil sends none.
	Notifier Notifier
	// FewEvents leaves out the events about stages and successes.
	FewEvents bool
	// StageEvents limits the rate of events about stages, by namespace.
	StageEvents *fairqueue.Budget
}

// Notifier sends events about applications to other systems. It must not block.
type Notifier interface {
	Notify(app *v1alpha1.SparkApplication, warning bool, reason, message string)
}

// eventsPerSecond is the number of events about stages that are recorded per second for one namespace; eventBurst is
// the burst after a quiet time. Events about failures and ends do not count.
const (
	eventsPerSecond = 20
	eventBurst      = 500
)

// NewStageEvents returns an unused budget of events about stages.
func NewStageEvents(c clock.Clock) *fairqueue.Budget {
	return fairqueue.NewBudget(c, eventsPerSecond, eventBurst)
}

// Announce records an event and notifies the receivers of notifications. With FewEvents, no event is recorded for the
// success of a run.
func (an *Announcer) Announce(app *v1alpha1.SparkApplication, a lifecycle.Event) {
	kind := corev1.EventTypeNormal
	if a.Warning {
		kind = corev1.EventTypeWarning
	}
	if !an.FewEvents || a.Reason != v1alpha1.SucceededReason {
		an.Recorder.Eventf(app, nil, kind, a.Reason, a.Reason, "%s", status.Truncate(redact.Visible(a.Message))) // the API server refuses longer messages
	}
	if an.Notifier != nil {
		an.Notifier.Notify(app, a.Warning, a.Reason, a.Message)
	}
}

// RecordStage records an event for a stage that was entered, unless it was announced already or the namespace has used
// up its budget. Without a budget thousands of events would keep the API server busy, because the recorder writes them
// concurrently and without a limit.
func (an *Announcer) RecordStage(before, app *v1alpha1.SparkApplication, announced []lifecycle.Event) {
	was, is := apimeta.FindStatusCondition(before.Status.Conditions, v1alpha1.ReadyCondition), apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.ReadyCondition)
	if an.FewEvents || is == nil || (was != nil && was.Reason == is.Reason && before.Status.Run == app.Status.Run && before.Status.Attempt == app.Status.Attempt) {
		return
	}
	reported := slices.ContainsFunc(announced, func(a lifecycle.Event) bool { return a.Reason == is.Reason })
	if !reported && an.StageEvents.Turn(app.Namespace, 0) == 0 {
		an.StageEvents.Spend(app.Namespace, 1)
		reason, message := status.StageEvent(app.Status.Conditions)
		an.Recorder.Eventf(app, nil, corev1.EventTypeNormal, reason, reason, "%s", message)
	}
}

// LeftOut records an event about annotations that the Service of an attempt was created without. Events with the same
// reason and action are one series, which shows only the first message.
func (an *Announcer) LeftOut(app *v1alpha1.SparkApplication, refused []expose.Refusal) {
	if len(refused) > 0 {
		an.Recorder.Eventf(app, nil, corev1.EventTypeWarning, expose.CreateFailedReason, "CreateService", "%s", status.Truncate(redact.Visible(expose.Join(refused))))
	}
}
