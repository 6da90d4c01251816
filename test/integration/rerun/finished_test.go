// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package rerun

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

const (
	forceAt     = "reconcile.fluxcd.io/forceAt"
	requestedAt = "reconcile.fluxcd.io/requestedAt"
)

func attempt(run, attempt int64) string { return fmt.Sprintf("%d/%d", run, attempt) }

// TestEditAfterSuccess: a changed run template, or only another runID, runs the job again. From the edit to the end of the new run
// no client can take the old success for the new one.
func TestEditAfterSuccess(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*v1alpha1.SparkApplication){
		"arguments": arguments("5"),
		"runID":     func(app *v1alpha1.SparkApplication) { app.Spec.RunID = "again" },
		"image":     func(app *v1alpha1.SparkApplication) { app.Spec.Image = "docker.io/sparkgate/spark:4.1-next" },
		"memory":    func(app *v1alpha1.SparkApplication) { app.Spec.Executor.Memory = "600m" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			app := w.Apply("pi")
			w.Succeed(app)
			harness.Change(t, app, edit)
			edited := app.Generation
			w.Succeed(app)
			if app.Status.Run != 2 || app.Status.ObservedGeneration != edited {
				t.Errorf("want run 2 with generation %d: %s", edited, harness.Show(app))
			}
			if diff := cmp.Diff([]string{"1/1 Succeeded", "2/1 Succeeded"}, outcomes(app)); diff != "" {
				t.Errorf("attempts (-want +got):\n%s", diff)
			}
			unmetUntilTheEnd(t, w.History.Versions(app), edited)
			w.Unused()
		})
	}
}

// unmetUntilTheEnd checks that `kubectl wait` for Ready or Finished met nothing between an edit and the end of the run that follows,
// and that Ready was Unknown from the moment that the operator had seen the edit.
func unmetUntilTheEnd(t *testing.T, versions []*v1alpha1.SparkApplication, edited int64) {
	t.Helper()
	for _, v := range versions {
		if v.Generation < edited || v.Status.Run == 2 && harness.Stage(v) == "Succeeded" {
			continue
		}
		if harness.Met(v, v1alpha1.ReadyCondition) || harness.Met(v, v1alpha1.FinishedCondition) {
			t.Errorf("kubectl wait returns before the new run has ended: %s", harness.Show(v))
		}
		ready := apimeta.FindStatusCondition(v.Status.Conditions, v1alpha1.ReadyCondition)
		if v.Status.ObservedGeneration == edited && ready.Status != metav1.ConditionUnknown {
			t.Errorf("Ready is %s while the new run goes on: %s", ready.Status, harness.Show(v))
		}
	}
}

// TestEditAfterFailure: a failed job whose template is corrected runs again, and its old failure is no longer shown.
func TestEditAfterFailure(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	app := w.Apply("pi")
	w.Kubelet.Finish(t.Context(), w.Run(app), 1, "Error")
	w.Reach(app, "Failed")
	harness.Change(t, app, arguments("5"))
	runs(t, w.Driver(app), "2", "5")
	w.Succeed(app)
	if apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.StalledCondition) != nil {
		t.Errorf("still Stalled: %s", harness.Show(app))
	}
	if diff := cmp.Diff([]string{"1/1 Failed", "2/1 Succeeded"}, outcomes(app)); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}

// TestEditOfOtherFields: fields that Spark does not see change nothing about a finished run; the status follows the generation.
func TestEditOfOtherFields(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	app := w.Apply("pi")
	w.Succeed(app)
	edits := []func(*v1alpha1.SparkApplication){
		func(a *v1alpha1.SparkApplication) {
			a.Spec.Timeouts = &v1alpha1.Timeouts{DriverStart: &metav1.Duration{Duration: time.Minute}}
		},
		func(a *v1alpha1.SparkApplication) {
			a.Spec.Timeouts.Run = &metav1.Duration{Duration: time.Minute}
		},
		func(a *v1alpha1.SparkApplication) {
			a.Spec.Retention = &v1alpha1.Retention{Policy: v1alpha1.RetentionNever}
		},
		func(a *v1alpha1.SparkApplication) {
			a.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure}
		},
		func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true },
		func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false },
		func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Name = "another" },
		func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"team": "a"} },
		func(a *v1alpha1.SparkApplication) { a.Annotations = map[string]string{"note": "b"} },
	}
	for i, edit := range edits {
		harness.Change(t, app, edit)
		w.Reach(app, "Succeeded")
		if app.Status.Run != 1 || !harness.Met(app, v1alpha1.ReadyCondition) {
			t.Errorf("edit %d of a finished application: %s", i, harness.Show(app))
		}
	}
	if stages := w.History.Stages(app); stages[len(stages)-1] != "1/1 Succeeded" || len(w.Kubelet.Created(app.UID)) != 1 {
		t.Errorf("something happened: %v", stages)
	}
}

// TestForce: both of Flux's annotations with one token give exactly one more run. The token is echoed in the write that sets Ready to
// Unknown, so a client that waits for both cannot see the old success.
func TestForce(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	app := w.Apply("pi")
	w.Succeed(app)
	token := func(value string) func(*v1alpha1.SparkApplication) {
		return func(a *v1alpha1.SparkApplication) {
			a.Annotations = map[string]string{forceAt: value, requestedAt: value}
		}
	}
	harness.Change(t, app, token("first"))
	w.Driver(app)
	harness.Eventually(t, app, "in run 2", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
	for _, v := range w.History.Versions(app) {
		ready := apimeta.FindStatusCondition(v.Status.Conditions, v1alpha1.ReadyCondition)
		if echoed := v.Status.LastHandledForceAt == "first"; ready != nil && echoed != (v.Status.Run == 2) {
			t.Errorf("token echoed: %t, in run %d", echoed, v.Status.Run)
		} else if echoed && ready.Status == metav1.ConditionTrue {
			t.Errorf("the token is echoed beside the old success: %s", harness.Show(v))
		}
	}
	w.Succeed(app)

	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"token": "stays"} })
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Annotations[forceAt] = "alone" })
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Annotations[requestedAt] = "another" })
	harness.Eventually(t, app, "aware of the request", func(a *v1alpha1.SparkApplication) bool { return a.Status.LastHandledReconcileAt == "another" })
	if app.Status.Run != 2 {
		t.Errorf("annotations that do not match gave run %d", app.Status.Run)
	}
	harness.Change(t, app, token("second"))
	w.Succeed(app)
	if diff := cmp.Diff(map[string]int{"1/1": 1, "2/1": 1, "3/1": 1}, w.Kubelet.Created(app.UID)); diff != "" || app.Status.LastHandledForceAt != "second" {
		t.Errorf("drivers by attempt (-want +got):\n%s%s", diff, harness.Show(app))
	}
}

// TestQuickEdits: of edits in quick succession the last one is what runs in the end, and what ran before it ran once.
func TestQuickEdits(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	app := w.Apply("pi")
	w.Succeed(app)
	for i := range 10 {
		harness.Change(t, app, arguments(fmt.Sprint("edit-", i)))
	}
	for {
		driver := w.Run(app)
		w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
		harness.Eventually(t, app, "over", func(a *v1alpha1.SparkApplication) bool {
			return a.Status.Run > run(driver.Labels) || harness.Stage(a) == "Succeeded"
		})
		if harness.Stage(app) == "Succeeded" && app.Status.ObservedGeneration == app.Generation {
			runs(t, driver, fmt.Sprint(app.Status.Run), "edit-9")
			break
		}
	}
	for attempt, n := range w.Kubelet.Created(app.UID) {
		if n != 1 {
			t.Errorf("attempt %s had %d drivers", attempt, n)
		}
	}
	w.Unused()
}

func run(labels map[string]string) (n int64) {
	_, _ = fmt.Sscan(labels[v1alpha1.RunLabel], &n)
	return n
}

// TestInvalidAndBack: an edit to something that cannot work stalls the application with field, value and remedy; the edit back shows
// the end of the last run again, and runs nothing.
func TestInvalidAndBack(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		code   int32
		reason string
		end    string
	}{"after success": {0, "Completed", "Succeeded"}, "after failure": {4, "Error", "Failed"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			app := w.Apply("pi")
			w.Kubelet.Finish(t.Context(), w.Run(app), tc.code, tc.reason)
			w.Reach(app, tc.end)
			said := harness.Message(app)
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.MainClass = "org.example.Main" })
			w.Reach(app, "InvalidSpec")
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.MainClass = "" })
			w.Reach(app, tc.end)
			if app.Status.Run != 1 || harness.Message(app) != said || len(w.Kubelet.Created(app.UID)) != 1 {
				t.Errorf("want the end of run 1 again: %s", harness.Show(app))
			}
			harness.Change(t, app, arguments("5"))
			w.Succeed(app)
			if app.Status.Run != 2 {
				t.Errorf("want run 2: %s", harness.Show(app))
			}
		})
	}
}
