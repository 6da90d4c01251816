// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package rerun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestWait: edits during a run wait for its end; the last one runs, once. The status speaks of the old generation until then.
func TestWait(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]int32{"the run succeeds": 0, "the run fails": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			app := w.Apply("pi")
			driver := w.Run(app)
			before := app.Generation
			harness.Change(t, app, arguments("5"))
			harness.Change(t, app, arguments("6"))
			harness.Eventually(t, app, "saying that another run follows", func(a *v1alpha1.SparkApplication) bool {
				return strings.HasSuffix(harness.Message(a), "; run 2 follows this one: the run template has changed")
			})
			if app.Status.ObservedGeneration != before || harness.Stage(app) != "Running" {
				t.Errorf("the edit is not to be observed yet: %s", harness.Show(app))
			}
			w.Kubelet.Finish(t.Context(), driver, code, "Error")
			harness.Eventually(t, app, "in run 2", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
			runs(t, w.Driver(app), "2", "6")
			w.Succeed(app)
			if diff := cmp.Diff(map[string]int{"1/1": 1, "2/1": 1}, w.Kubelet.Created(app.UID)); diff != "" {
				t.Errorf("drivers by attempt (-want +got):\n%s", diff)
			}
			for _, v := range w.History.Versions(app) {
				if apimeta.FindStatusCondition(v.Status.Conditions, v1alpha1.StalledCondition) != nil {
					t.Errorf("Stalled although a newer template waited: %s", harness.Show(v))
				}
			}
			w.Unused()
		})
	}
}

// TestRestart: an edit stops the run gracefully and starts the new one; that is not a failure.
func TestRestart(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	w.History.MemoryLimit = 3 << 30
	operator.Use(t)
	app := w.Apply("pi", onTemplateChange(v1alpha1.TemplateChangeRestart))
	w.Kubelet.Executors(t.Context(), w.Run(app), 2)
	harness.Change(t, app, arguments("5"))
	harness.Eventually(t, app, "in run 2", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
	runs(t, w.Driver(app), "2", "5")
	w.Succeed(app)
	if diff := cmp.Diff([]string{"1/1 Stopped", "2/1 Succeeded"}, outcomes(app)); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if first := app.Status.Attempts[0]; first.Reason != "TemplateChanged" || app.Status.Failures != 0 {
		t.Errorf("first attempt %+v, failures %d", first, app.Status.Failures)
	}
	if left := w.Pods(); len(left) > 0 {
		t.Errorf("%d pods are left", len(left))
	}
	w.Unused()
}

// TestIgnore: an edit changes nothing, and a condition says so. Only runID or a force token run the new template, after the run.
func TestIgnore(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(*v1alpha1.SparkApplication){
		"runID":    func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "2" },
		"annotate": func(a *v1alpha1.SparkApplication) { a.Annotations = map[string]string{forceAt: "x", requestedAt: "x"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			app := w.Apply("pi", onTemplateChange(v1alpha1.TemplateChangeIgnore))
			driver := w.Run(app)
			harness.Change(t, app, arguments("5"))
			harness.Eventually(t, app, "told that the template is ignored", func(a *v1alpha1.SparkApplication) bool {
				return apimeta.IsStatusConditionTrue(a.Status.Conditions, v1alpha1.TemplateIgnoredCondition)
			})
			if harness.Stage(app) != "Running" || app.Status.ObservedGeneration != app.Generation {
				t.Errorf("want Running with the new generation: %s", harness.Show(app))
			}
			w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			w.Reach(app, "Succeeded")
			if app.Status.Run != 1 || !apimeta.IsStatusConditionTrue(app.Status.Conditions, v1alpha1.TemplateIgnoredCondition) {
				t.Errorf("want the end of run 1 with TemplateIgnored: %s", harness.Show(app))
			}
			harness.Change(t, app, again)
			harness.Eventually(t, app, "in run 2", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
			runs(t, w.Driver(app), "2", "5")
			w.Succeed(app)
			if apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.TemplateIgnoredCondition) != nil {
				t.Errorf("TemplateIgnored although the template has run: %s", harness.Show(app))
			}
		})
	}
}

// TestForceDuringTheRun: several requests during one run give one more run, after it.
func TestForceDuringTheRun(t *testing.T) {
	t.Parallel()
	for _, policy := range []v1alpha1.TemplateChangePolicy{v1alpha1.TemplateChangeWait, v1alpha1.TemplateChangeIgnore, v1alpha1.TemplateChangeRestart} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			app := w.Apply("pi", onTemplateChange(policy))
			driver := w.Run(app)
			tokens := []string{"a", "b", "c"}
			if policy == v1alpha1.TemplateChangeRestart {
				tokens = tokens[2:] // each stops a run
			}
			for _, token := range tokens {
				harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
					a.Annotations = map[string]string{forceAt: token, requestedAt: token}
				})
			}
			if policy != v1alpha1.TemplateChangeRestart {
				w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			}
			harness.Eventually(t, app, "in run 2", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
			w.Succeed(app)
			if app.Status.Run != 2 || app.Status.LastHandledForceAt != "c" {
				t.Errorf("want run 2 for the last token: %s", harness.Show(app))
			}
		})
	}
}

// TestInvalidDuringTheRun: the run continues; at its end the mistake is reported; the correction runs.
func TestInvalidDuringTheRun(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	app := w.Apply("pi")
	driver := w.Run(app)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.MainClass = "org.example.Main" })
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "InvalidSpec")
	if diff := cmp.Diff([]string{"1/1 Succeeded"}, outcomes(app)); diff != "" || !strings.Contains(harness.Message(app), "spec.mainClass") {
		t.Errorf("attempts (-want +got):\n%s%s", diff, harness.Show(app))
	}
	w.Unused()
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.MainClass, a.Spec.Arguments = "", []string{"5"} })
	w.Succeed(app)
	if app.Status.Run != 2 {
		t.Errorf("want run 2: %s", harness.Show(app))
	}
}

// TestInvalidUnderRestart: a commit with a mistake does not stop a stream. Ready says what is wrong, a warning says it once, and the
// correction restarts the stream; taken back, nothing happens.
func TestInvalidUnderRestart(t *testing.T) {
	t.Parallel()
	for name, correct := range map[string]func(*v1alpha1.SparkApplication){
		"corrected":  func(a *v1alpha1.SparkApplication) { a.Spec.MainClass, a.Spec.Arguments = "", []string{"5"} },
		"taken back": func(a *v1alpha1.SparkApplication) { a.Spec.MainClass = "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			app := w.Apply("stream", func(a *v1alpha1.SparkApplication) { a.Spec.ReadyWhen = v1alpha1.ReadyWhenRunning })
			driver := w.Run(app)
			w.Kubelet.Executors(t.Context(), driver, 2)
			harness.Eventually(t, app, "ready", func(a *v1alpha1.SparkApplication) bool { return harness.Met(a, v1alpha1.ReadyCondition) })
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.MainClass = "org.example.Main" })
			harness.Eventually(t, app, "saying what is wrong", func(a *v1alpha1.SparkApplication) bool {
				return strings.Contains(harness.Message(a), "cannot begin yet, so this one continues: spec.mainClass")
			})
			if verdict, err := harness.Kstatus(app); harness.Stage(app) != "Running" || verdict != "Failed" || len(w.Pods()) != 3 {
				t.Errorf("want the stream with its two executors, and a failure for tools: %d pods, %s (%v), %s", len(w.Pods()), verdict, err, harness.Show(app))
			}
			harness.Change(t, app, correct)
			if name == "taken back" {
				harness.Eventually(t, app, "ready again", func(a *v1alpha1.SparkApplication) bool { return harness.Met(a, v1alpha1.ReadyCondition) })
				if app.Status.Run != 1 || app.Status.Attempt != 1 || len(app.Status.Attempts) != 0 {
					t.Errorf("something happened: %s", harness.Show(app))
				}
				return
			}
			harness.Eventually(t, app, "in run 2", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
			runs(t, w.Driver(app), "2", "5")
			if diff := cmp.Diff([]string{"1/1 Stopped"}, outcomes(app)); diff != "" {
				t.Errorf("attempts (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEditCorrectsTheImage: nothing has run of an attempt whose image cannot be pulled, so the correction does not wait for its timeout.
func TestEditCorrectsTheImage(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	w.History.MemoryLimit = 3 << 30
	operator.Use(t)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Image = "docker.io/sparkgate/spark:typo" })
	w.Kubelet.Wait(t.Context(), w.Driver(app), "ErrImagePull", "not found")
	w.Reach(app, "Starting")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Image = "docker.io/sparkgate/spark:4.1" })
	harness.Eventually(t, app, "in run 2", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
	w.Succeed(app)
	if diff := cmp.Diff([]string{"1/1 Stopped", "2/1 Succeeded"}, outcomes(app)); diff != "" || app.Status.Failures != 0 {
		t.Errorf("attempts (-want +got):\n%s%s", diff, harness.Show(app))
	}
	w.Unused()
}

// TestEditWhileQueued: nothing runs yet, so the new template takes the place of the old one, which never runs.
func TestEditWhileQueued(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	first := w.Apply("first")
	driver := w.Run(first)
	app := w.Apply("pi")
	w.Reach(app, "Queued")
	harness.Change(t, app, arguments("5"))
	w.Reach(app, "Queued")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.MainClass = "org.example.Main" })
	w.Reach(app, "InvalidSpec")
	harness.Eventually(t, w.Queue, "without anybody waiting", func(q *v1alpha1.SparkQueue) bool { return q.Status.Pending == 0 })
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.MainClass = "" })
	w.Reach(app, "Queued")
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(first, "Succeeded")
	driver = w.Driver(app)
	w.Succeed(app)
	runs(t, driver, driver.Labels[v1alpha1.RunLabel], "5")
	if created := w.Kubelet.Created(app.UID); len(created) != 1 {
		t.Errorf("drivers by attempt: %v, want one", created)
	}
	w.Unused()
}

// TestMoveWhileQueued: the queue is not part of the run template. A waiting application moves, and starts where it fits.
func TestMoveWhileQueued(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	other := harness.Queue(t, w.Namespace+"-b", "", "3Gi")
	operator.Use(t)
	w.Run(w.Apply("first"))
	app := w.Apply("pi")
	w.Reach(app, "Queued")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Name = other.Name })
	w.Succeed(app)
	if app.Status.Run != 1 || app.Status.Queue != other.Name {
		t.Errorf("want run 1 in queue %s: %s", other.Name, harness.Show(app))
	}
	harness.Eventually(t, w.Queue, "used by the first alone", func(q *v1alpha1.SparkQueue) bool { return q.Status.Admitted == 1 && q.Status.Pending == 0 })
}

// TestEditBetweenSubmittingAndTheDriver: the grant is there, the driver could not be created yet. The old template never runs.
func TestEditBetweenSubmittingAndTheDriver(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	w.History.MemoryLimit = 3 << 30
	operator.Use(t)
	foreign := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "my-driver"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "somebody", Image: "else"}}}}
	harness.Create(t, foreign)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Driver.PodName = "my-driver" })
	harness.Eventually(t, app, "kept from its driver", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == "Submitting" && strings.Contains(harness.Message(a), "belongs to another owner")
	})
	harness.Change(t, app, arguments("5"))
	harness.Eventually(t, app, "in run 2", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 && harness.Stage(a) == "Submitting" })
	if err := env.Client().Delete(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	runs(t, w.Driver(app), "2", "5")
	w.Succeed(app)
	if diff := cmp.Diff(map[string]int{"2/1": 1}, w.Kubelet.Created(app.UID)); diff != "" {
		t.Errorf("drivers by attempt (-want +got):\n%s", diff)
	}
	w.Unused()
}
