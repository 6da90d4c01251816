// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/fake"
)

// appIn returns the application pi of the namespace spark in a stage.
func appIn(stage, message string) *v1alpha1.SparkApplication {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "spark", Name: "pi", UID: "1"}}
	app.Status = v1alpha1.SparkApplicationStatus{
		Run: 2, Attempt: 1, Conditions: []metav1.Condition{{Type: v1alpha1.ReadyCondition, Status: metav1.ConditionUnknown, Reason: stage, Message: message}},
	}
	return app
}

// TestLookForPods: pods are listed often while one may appear, and not while the run waits, because the watch reports
// the end of the wait.
func TestLookForPods(t *testing.T) {
	t.Parallel()
	for stage, want := range map[string]time.Duration{
		v1alpha1.RunningReason: lookEvery, v1alpha1.SubmittingReason: lookEvery,
		v1alpha1.QueuedReason: lookAtRestEvery, v1alpha1.AttemptFailedReason: lookAtRestEvery, v1alpha1.SuspendedReason: lookAtRestEvery,
	} {
		app := appIn(stage, "")
		if got := (&LogFollower{}).lookAfter(app); got != want {
			t.Errorf("%s: after %s, want %s", stage, got, want)
		}
	}
}

// TestAwaitNextRun: while the earlier run continues, the notes say so, with and without the log.
func TestAwaitNextRun(t *testing.T) {
	t.Parallel()
	for how, wait := range map[string]func(Awaited, context.Context, io.Writer) error{"--wait": Awaited.untilOver, "--logs": Awaited.untilBegun} {
		next := appIn(v1alpha1.SucceededReason, "run 3 succeeded")
		next.Status.Run = 3
		c := fake.Cluster(t, map[string][]any{
			fake.Namespaced + "sparkapplications/pi": {appIn(v1alpha1.RunningReason, "the driver runs")},
			fake.Namespaced + "sparkapplications":    {next},
		})
		a := Awaited{Cluster: c, Name: "pi", Begun: func(app *v1alpha1.SparkApplication) bool { return app.Status.Run == 3 }}
		var notes strings.Builder
		err := wait(a, t.Context(), &notes)
		if want := "waiting for the new run to begin; run 2, attempt 1: Running: the driver runs\n"; err != nil || !strings.HasPrefix(notes.String(), want) {
			t.Errorf("%s: %v, %q, want %q", how, err, notes.String(), want)
		}
	}
}
