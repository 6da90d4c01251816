// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing"
)

// TestRefusals: each kind of refusal is a stage of its own, and all wait for better times.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]status.Stage{
		queueing.ReasonExceedsQuota: status.ExceedsQuota, queueing.ReasonQueueHeld: status.Deactivated, queueing.ReasonFlavorMismatch: status.FlavorMismatch,
	} {
		if got := refusal(reason); got != want || !got.Waiting() || !got.Blocked() {
			t.Errorf("refused for %s: stage %s, want %s", reason, got, want)
		}
	}
}

// TestRefusalIsAWarning: a refusal is announced as the stage that follows from it, so that no other event of the stage is recorded beside it.
func TestRefusalIsAWarning(t *testing.T) {
	t.Parallel()
	app := leaving(status.Queued, 1, nil)
	app.Status.Times.Queued = &metav1.Time{Time: time.Unix(1_700_000_000, 0)}
	d := Decide(Observation{Now: time.Unix(1_700_000_100, 0), App: app, SameTemplate: true, Plan: &Plan{Queue: "q"},
		Verdict: &queueing.Verdict{State: queueing.Refused, Reason: queueing.ReasonQueueHeld, Message: "was deactivated"}})
	if len(d.Events) != 1 || !d.Events[0].Warning || d.Events[0].Reason != v1alpha1.DeactivatedReason {
		t.Errorf("events %+v", d.Events)
	}
}

// TestNothingIsHeldInAPause: an operator may have ended between the write of a failure and the release of its grant. The next one
// releases, although the pause continues.
func TestNothingIsHeldInAPause(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	app := leaving(status.AttemptFailed, 2, &v1alpha1.AttemptStatus{Run: 2, Attempt: 1, Outcome: v1alpha1.OutcomeFailed})
	app.Status.Times.Retry = &metav1.Time{Time: now.Add(time.Minute)}
	d := Decide(Observation{Now: now, App: app, SameTemplate: true})
	if !slices.ContainsFunc(d.After, func(a Action) bool { return a.Kind == ReleaseGrant }) {
		t.Errorf("actions %+v", d.After)
	}
}
