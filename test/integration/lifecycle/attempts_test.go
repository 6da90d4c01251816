// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// fails returns a kubelet whose drivers end with exit code 1.
func fails() *harness.Kubelet {
	return &harness.Kubelet{Run: func(ctx context.Context, k *harness.Kubelet, driver *corev1.Pod) {
		k.Start(ctx, driver)
		k.Finish(ctx, driver, 1, "Error")
	}}
}

func seconds(n int) *metav1.Duration {
	return &metav1.Duration{Duration: time.Duration(n) * time.Second}
}

// TestRetries: a job that fails is tried again after a pause in which it holds nothing, until no attempt is left. The log of each attempt
// is kept, and goes when its time is over.
func TestRetries(t *testing.T) {
	clock := &harness.Clock{}
	w := harness.NewWorld(t, "8Gi", fails())
	first := harness.StartOperator(t, harness.OperatorOptions{Clock: clock})
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure,
			Backoff: &v1alpha1.Backoff{Initial: seconds(1000), Max: seconds(100_000)}}
	})
	w.Reach(app, "AttemptFailed")
	pause := app.Status.Times.Retry.Sub(app.Status.Attempts[0].FinishedAt.Time)
	w.Unused()
	w.NothingRuns()
	first.Stop() // the pause survives the operator
	harness.StartOperator(t, harness.OperatorOptions{Clock: clock})
	clock.Advance(time.Until(app.Status.Times.Retry.Time))
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"look": "again"} })
	harness.Eventually(t, app, "failed again", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == v1alpha1.AttemptFailedReason && a.Status.Attempt == 3
	})
	if second := app.Status.Times.Retry.Sub(app.Status.Attempts[1].FinishedAt.Time); second < 3*pause/2 {
		t.Errorf("the first pause was %s, the second is %s", pause, second)
	}
	clock.Advance(40 * time.Minute)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"look": "once-more"} })
	w.Reach(app, "RetriesExceeded")
	for _, word := range []string{"failed 3 times", "maxAttempts is 3", "exit code 1"} {
		if !strings.Contains(harness.Message(app), word) {
			t.Errorf("the message does not have %q: %s", word, harness.Message(app))
		}
	}
	if diff := cmp.Diff(map[string]int{"1/1": 1, "1/2": 1, "1/3": 1}, w.Kubelet.Created(app.UID)); diff != "" {
		t.Errorf("drivers (-want +got):\n%s", diff)
	}
	if app.Status.Failures != 3 || len(app.Status.Attempts) != 3 {
		t.Errorf("%d failures, attempts %+v", app.Status.Failures, app.Status.Attempts)
	}
	w.Unused()
	clock.Advance(24 * time.Hour)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"look": "at-the-end"} })
	drivers := &corev1.PodList{}
	if err := env.Client().List(t.Context(), drivers, client.InNamespace(w.Namespace)); err != nil {
		t.Fatal(err)
	}
	for i := range drivers.Items {
		harness.Gone(t, &drivers.Items[i])
	}
	nothingMade(t, w)
}

// TestRetention: what is kept goes by outcome, and by an edit after the end.
func TestRetention(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		policy v1alpha1.RetentionPolicy
		code   int32
		kept   bool
	}{
		"on failure, succeeds": {v1alpha1.RetentionOnFailure, 0, false},
		"on failure, fails":    {v1alpha1.RetentionOnFailure, 1, true},
		"never":                {v1alpha1.RetentionNever, 1, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Retention = &v1alpha1.Retention{Policy: tc.policy} })
			driver := w.Run(app)
			w.Kubelet.Finish(t.Context(), driver, tc.code, "")
			harness.Eventually(t, app, "ended", func(a *v1alpha1.SparkApplication) bool { return a.Status.Times.Finished != nil })
			w.Unused()
			if tc.kept {
				if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(driver), driver); err != nil || driver.DeletionTimestamp != nil {
					t.Fatalf("the driver pod is not kept: %v", err)
				}
				harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Retention.Duration = seconds(0) })
			}
			harness.Gone(t, driver) // the last of them
			nothingMade(t, w)
		})
	}
}

// TestReadyWhenRunning: a stream is Ready once driver and executors run; it is started again when it ends.
func TestReadyWhenRunning(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	app := w.Apply("stream", func(a *v1alpha1.SparkApplication) {
		a.Spec.ReadyWhen = v1alpha1.ReadyWhenRunning
		a.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartAlways, Backoff: &v1alpha1.Backoff{Initial: seconds(1)}}
	})
	driver := w.Run(app)
	if harness.Met(app, v1alpha1.ReadyCondition) {
		t.Errorf("Ready without executors: %s", harness.Show(app))
	}
	executors := w.Kubelet.Executors(t.Context(), driver, 2)
	harness.Eventually(t, app, "ready", func(a *v1alpha1.SparkApplication) bool { return harness.Met(a, v1alpha1.ReadyCondition) })
	for _, e := range executors {
		w.Kubelet.Finish(t.Context(), e, 0, "Completed")
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	harness.Eventually(t, app, "in its second attempt", func(a *v1alpha1.SparkApplication) bool {
		return a.Status.Attempt == 2 && harness.Stage(a) == v1alpha1.SubmittingReason
	})
	if harness.Met(app, v1alpha1.ReadyCondition) {
		t.Errorf("Ready although nothing runs: %s", harness.Show(app))
	}
}

// TestExecutorStart: an attempt whose executors find no place on the cluster releases its quota to others and comes back.
func TestExecutorStart(t *testing.T) {
	clock := &harness.Clock{}
	w := harness.NewWorld(t, "3Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{Clock: clock})
	app := w.Apply("pi")
	w.Run(app)
	other := w.Apply("other")
	clock.Advance(30 * time.Minute)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"look": "again"} })
	harness.Eventually(t, app, "sent back", func(a *v1alpha1.SparkApplication) bool { return a.Status.Requeues == 1 })
	if app.Status.Failures != 0 || app.Status.Attempts[0].Outcome != v1alpha1.OutcomeStopped || app.Status.Times.Retry == nil {
		t.Errorf("sent back as %s, attempt %+v", harness.Show(app), app.Status.Attempts[0])
	}
	driver := w.Run(other)
	w.Kubelet.Executors(t.Context(), driver, 2)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	clock.Advance(2 * time.Minute)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"look": "once-more"} })
	w.Run(app)
	if app.Status.Attempt != 2 {
		t.Errorf("runs as attempt %d", app.Status.Attempt)
	}
}

// TestTimeToLive: an application goes after its end, unless Flux or Argo CD would bring it back.
func TestTimeToLive(t *testing.T) {
	t.Parallel()
	ends := func(t *testing.T, labels map[string]string) *v1alpha1.SparkApplication {
		t.Helper()
		w := harness.NewWorld(t, "8Gi", nil)
		operator.Use(t)
		app := w.Apply("pi", func(a *v1alpha1.SparkApplication) {
			a.Labels, a.Spec.TTLAfterFinished = labels, seconds(2)
		})
		w.Kubelet.Finish(t.Context(), w.Run(app), 0, "Completed")
		return app
	}
	t.Run("goes", func(t *testing.T) {
		t.Parallel()
		harness.Gone(t, ends(t, nil))
	})
	t.Run("stays", func(t *testing.T) {
		t.Parallel()
		app := ends(t, map[string]string{"kustomize.toolkit.fluxcd.io/name": "jobs"})
		harness.Eventually(t, app, "ended", harness.InStage(v1alpha1.SucceededReason))
		if !strings.Contains(harness.Message(app), "ttlAfterFinished is not honoured: Flux would create this object again") {
			t.Errorf("the message does not tell: %s", harness.Message(app))
		}
	})
}
