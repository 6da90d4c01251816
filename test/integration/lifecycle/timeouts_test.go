// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestRunDeadline: a driver that runs for too long is stopped in order, also by an operator that was not there when it began.
func TestRunDeadline(t *testing.T) {
	tests := map[string]struct {
		timeouts v1alpha1.Timeouts
		stage    string
		words    string
	}{
		"one attempt":  {v1alpha1.Timeouts{Run: &metav1.Duration{Duration: time.Minute}}, "DeadlineExceeded", "timeouts.run (1m0s)"},
		"all attempts": {v1alpha1.Timeouts{Total: &metav1.Duration{Duration: time.Minute}}, "TotalDeadlineExceeded", "timeouts.total (1m0s)"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			clock := &harness.Clock{}
			w := harness.NewWorld(t, "8Gi", nil)
			first := harness.StartOperator(t, harness.OperatorOptions{Clock: clock})
			app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Timeouts = &tc.timeouts })
			w.Run(app)
			first.Stop()
			clock.Advance(time.Minute)
			harness.StartOperator(t, harness.OperatorOptions{Clock: clock})
			w.Reach(app, tc.stage)
			if !strings.Contains(harness.Message(app), tc.words) {
				t.Errorf("the message does not name %q: %s", tc.words, harness.Message(app))
			}
			last := app.Status.Attempts[len(app.Status.Attempts)-1]
			if last.Outcome != v1alpha1.OutcomeFailed || last.Reason != tc.stage || last.Cause != v1alpha1.CauseApplication {
				t.Errorf("attempt: %+v", last)
			}
			nothingMade(t, w)
			w.Unused()
		})
	}
}

// TestAdmissionTimeout: an application that waits for quota for too long gives up, and is not admitted afterwards.
func TestAdmissionTimeout(t *testing.T) {
	clock := &harness.Clock{}
	w := harness.NewWorld(t, "3Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{Clock: clock})
	running := w.Apply("running")
	w.Run(running)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Spec.Timeouts = &v1alpha1.Timeouts{Admission: &metav1.Duration{Duration: time.Hour}}
	})
	w.Reach(app, "Queued")
	clock.Advance(time.Hour)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"look": "again"} })
	w.Reach(app, "AdmissionTimeout")
	for _, word := range []string{"timeouts.admission (1h0m0s)", "memory 2.625Gi"} {
		if !strings.Contains(harness.Message(app), word) {
			t.Errorf("the message does not have %q: %s", word, harness.Message(app))
		}
	}
	w.Kubelet.Finish(t.Context(), w.Driver(running), 0, "Completed")
	w.Reach(running, "Succeeded")
	w.Unused()
	if made := w.Kubelet.Created(app.UID); len(made) > 0 {
		t.Errorf("drivers were made: %v", made)
	}
}
