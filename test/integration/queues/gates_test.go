// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func gate(name v1alpha1.GateType) func(*v1alpha1.SparkApplication) {
	return func(app *v1alpha1.SparkApplication) { app.Spec.Queue = &v1alpha1.QueueReference{Gate: name} }
}

// TestGateNone: no gate is asked, no queue has to exist, nothing is charged; the life is the same.
func TestGateNone(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	w.Run(w.Apply("queued"))
	app := w.Apply("pi", gate(v1alpha1.GateNone))
	w.Run(app)
	admitted := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.AdmittedCondition)
	if admitted == nil || admitted.Status != "True" || admitted.Reason != "DelegatedToScheduler" || admitted.Message == "" {
		t.Errorf("Admitted: %+v, want True/DelegatedToScheduler", admitted)
	}
	if g := app.Status.Grant; g == nil || g.Gate != "None" || g.Queue != "" || len(g.PodSets) != 2 {
		t.Errorf("grant: %+v", g)
	}
	counted(t, w.Queue, 1, 0)
	finish(t, w, app)
}

// TestDriverWithoutExecutors: whatever the gate, a driver that runs the tasks itself asks for itself alone, is ready when it runs, and has
// no executors in its status.
func TestDriverWithoutExecutors(t *testing.T) {
	t.Parallel()
	for _, name := range []v1alpha1.GateType{v1alpha1.GateEmbedded, v1alpha1.GateNone, v1alpha1.GateYuniKorn} {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "1Gi", nil)
			operator.Use(t)
			app := w.Apply("pi", func(app *v1alpha1.SparkApplication) {
				app.Spec.Queue.Gate, app.Spec.ReadyWhen = name, v1alpha1.ReadyWhenRunning
				app.Spec.SparkConf = map[string]string{"spark.kubernetes.driver.master": "local[2]"}
			})
			w.Run(app)
			harness.Eventually(t, app, "ready", func(a *v1alpha1.SparkApplication) bool {
				return apimeta.IsStatusConditionTrue(a.Status.Conditions, v1alpha1.ReadyCondition)
			})
			if sets := app.Status.Grant.PodSets; len(sets) != 1 || sets[0].Name != v1alpha1.DriverPodSet {
				t.Errorf("granted: %+v", sets)
			}
			finish(t, w, app)
			if e := app.Status.Executors; e != nil {
				t.Errorf("executors: %+v", e)
			}
		})
	}
}

// TestGateOfTheNamespace: an annotation decides where the application says nothing. One that names no gate is reported.
func TestGateOfTheNamespace(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	annotate(t, w.Namespace, v1alpha1.DefaultGateAnnotation, "Door")
	app := w.Apply("pi")
	waits(t, app, "GateNotInstalled", "annotation sparkgate.io/default-gate of namespace "+w.Namespace, `"Door"`, "YuniKorn or None")
	annotate(t, w.Namespace, v1alpha1.DefaultGateAnnotation, "None")
	w.Run(app)
	if app.Status.Grant.Gate != "None" {
		t.Errorf("grant: %+v", app.Status.Grant)
	}
	finish(t, w, app)
}

// TestGateOfTheNamespaceChanges: what runs is not touched, what waits moves, and the next run asks the new gate.
func TestGateOfTheNamespaceChanges(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	running := w.Apply("running")
	w.Run(running)
	waiting := w.Apply("waiting")
	waits(t, waiting, "WaitingForQuota")
	before := running.ResourceVersion
	annotate(t, w.Namespace, v1alpha1.DefaultGateAnnotation, "None")
	w.Run(waiting)
	counted(t, w.Queue, 1, 0)
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(running), running); err != nil {
		t.Fatal(err)
	}
	if running.ResourceVersion != before || running.Status.Grant.Gate != v1alpha1.GateEmbedded {
		t.Errorf("the one that runs was touched: %s", harness.Show(running))
	}
	finish(t, w, running)
	w.Unused()
	harness.Change(t, running, func(app *v1alpha1.SparkApplication) { app.Spec.RunID = "again" })
	w.Run(running)
	if running.Status.Run != 2 || running.Status.Grant.Gate != v1alpha1.GateNone {
		t.Errorf("the next run: %s", harness.Show(running))
	}
	finish(t, w, running)
	finish(t, w, waiting)
}

// TestGateNotInstalled: the application waits for a system that is not there, and says what to install; it may choose another gate.
func TestGateNotInstalled(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", gate(v1alpha1.GateVolcano))
	waits(t, app, "GateNotInstalled", "PodGroup", "install Volcano", "queue.gate")
	w.Succeed(w.Apply("other"))
	harness.Change(t, app, gate(v1alpha1.GateNone))
	w.Succeed(app)
}

// TestGateYuniKorn: everything is let in at once, with the marks by which the scheduler knows the pods; the wait for a node is the wait
// for admission.
func TestGateYuniKorn(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", func(app *v1alpha1.SparkApplication) {
		app.Annotations = map[string]string{"yunikorn.apache.org/schedulingPolicyParameters": "gangSchedulingStyle=Hard"}
		app.Spec.Queue = &v1alpha1.QueueReference{Name: "root.spark", Gate: v1alpha1.GateYuniKorn}
	})
	driver := w.Driver(app)
	id := driver.Labels[v1alpha1.SparkSelectorLabel]
	for key, want := range map[string]string{"applicationId": id, "yunikorn.apache.org/app-id": id, "queue": "root.spark", "yunikorn.apache.org/queue": "root.spark"} {
		if got := driver.Labels[key]; got != want || want == "" {
			t.Errorf("label %s of the driver: %q, want %q", key, got, want)
		}
	}
	groups := driver.Annotations["yunikorn.apache.org/task-groups"]
	if !hasAll(groups, []string{`"name":"spark-driver","minMember":1`, `"name":"spark-executor","minMember":2`, `"memory":"896Mi"`}) ||
		driver.Annotations["yunikorn.apache.org/schedulingPolicyParameters"] != "gangSchedulingStyle=Hard" || driver.Spec.SchedulerName != "yunikorn" {
		t.Errorf("scheduler %q, annotations %v", driver.Spec.SchedulerName, driver.Annotations)
	}
	admitted := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.AdmittedCondition)
	if admitted == nil || admitted.Reason != "DelegatedToScheduler" || app.Status.Times.Waiting == nil {
		t.Errorf("Admitted: %+v, waiting since %v", admitted, app.Status.Times.Waiting)
	}
	w.Reach(app, v1alpha1.StartingReason)
	w.Run(app)
	if app.Status.Times.Waiting != nil {
		t.Errorf("still waiting since %v", app.Status.Times.Waiting)
	}
	finish(t, w, app)
}

// TestSchedulerAdmitsInTimeOrNever: timeouts.admission bounds the wait for a node.
func TestSchedulerAdmitsInTimeOrNever(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", func(app *v1alpha1.SparkApplication) {
		app.Spec.Queue = &v1alpha1.QueueReference{Gate: v1alpha1.GateYuniKorn}
		app.Spec.Timeouts = &v1alpha1.Timeouts{Admission: &metav1.Duration{Duration: time.Second}}
	})
	w.Reach(app, v1alpha1.AdmissionTimeoutReason)
	if !hasAll(harness.Message(app), []string{"timeouts.admission (1s)", "no node"}) {
		t.Errorf("message: %s", harness.Message(app))
	}
	w.NothingRuns()
}

// TestGateChangesWhileQueued: an application that leaves the queue for another gate no longer asks there.
func TestGateChangesWhileQueued(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	first := w.Apply("first")
	w.Run(first)
	app := w.Apply("pi")
	waits(t, app, "WaitingForQuota")
	harness.Change(t, app, gate(v1alpha1.GateNone))
	w.Run(app)
	counted(t, w.Queue, 1, 0)
	finish(t, w, first)
	second := w.Apply("second")
	w.Run(second)
	finish(t, w, second)
	w.Unused()
	finish(t, w, app)
}
