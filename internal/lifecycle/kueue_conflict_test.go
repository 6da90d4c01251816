// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
)

// TestTakenByKueue: a driver that Kueue holds as a job of its own ends the run under the gate Kueue, also where failures are tried again.
// Under another gate a user may want just that.
func TestTakenByKueue(t *testing.T) {
	t.Parallel()
	for gate, want := range map[v1alpha1.GateType]string{
		v1alpha1.GateKueue: v1alpha1.GateConflictReason, v1alpha1.GateNone: v1alpha1.StartingReason,
	} {
		t.Run(string(gate), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.gate, w.app.Spec.RestartPolicy = string(gate), &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure}
			w.settle()
			w.change(w.driverName(), func(p *pods.Record) {
				p.KueueSchedulingGated, p.SchedulingGated, p.Scheduled = true, true, false
				p.Waiting = pods.Waiting{Reason: corev1.PodReasonSchedulingGated, Message: v1alpha1.KueueSchedulingGate}
			})
			w.settle()
			w.now = w.now.Add(startingDelay)
			w.settle()
			for _, name := range w.podNames() {
				if w.pods[name].Deleting {
					w.ended(name)
				}
			}
			w.settle()
			if got := stageOf(w); got != want {
				t.Errorf("stage %s, want %s\n%s", got, want, w.story())
			}
			if message := readyMessage(w.app); !strings.Contains(message, v1alpha1.KueueSchedulingGate) || !strings.Contains(message, "managedJobsNamespaceSelector") {
				t.Errorf("the message does not name the scheduling gate and the remedy: %s", message)
			}
		})
	}
}

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
