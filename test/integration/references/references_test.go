// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package references applies applications before the things that they name, as Git tools do.
package references

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// operator of all tests of the package. The time after which a missing reference counts as stalled is for test code to pass by.
var operator = harness.Shared{Options: harness.OperatorOptions{ReferenceTimeout: 2 * time.Second}}

// reference is something that an application names.
type reference struct {
	name func(app *v1alpha1.SparkApplication)
	// words of the message while it is missing.
	words []string
	make  func(t *testing.T, w *harness.World)
}

var kinds = map[string]reference{
	"service account": {
		func(app *v1alpha1.SparkApplication) { app.Spec.Driver.ServiceAccountName = "spark" },
		[]string{"ServiceAccount", `"spark"`, "spec.driver.serviceAccountName", "does not exist"},
		func(t *testing.T, w *harness.World) {
			harness.Create(t, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "spark"}})
		},
	},
	"config map": {
		func(app *v1alpha1.SparkApplication) { app.Spec.SparkConfigMap = "conf" },
		[]string{"ConfigMap", `"conf"`, "spec.sparkConfigMap", "does not exist"},
		func(t *testing.T, w *harness.World) {
			harness.Create(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "conf"},
				Data: map[string]string{"log4j2.properties": "rootLogger.level = warn\n"}})
		},
	},
	"secret": {
		fromSecret,
		[]string{"Secret", `"s3"`, "spec.sparkConfFrom[" + secretKey + "]", "does not exist"},
		func(t *testing.T, w *harness.World) {
			harness.Create(t, s3(w, map[string]string{"secret": secretValue}))
		},
	},
	"priority class": {
		func(app *v1alpha1.SparkApplication) { app.Spec.Queue.PriorityClassName = "of-" + app.Namespace },
		[]string{"PriorityClass", "spec.queue.priorityClassName", "does not exist"},
		func(t *testing.T, w *harness.World) {
			class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "of-" + w.Namespace}, Value: 7}
			harness.Create(t, class)
			t.Cleanup(func() { _ = env.Client().Delete(context.Background(), class) })
		},
	},
	"queue": {
		func(app *v1alpha1.SparkApplication) { app.Spec.Queue.Name = "late-" + app.Namespace },
		[]string{"spec.queue.name: queue late-", "does not exist", " may use "},
		func(t *testing.T, w *harness.World) { harness.Queue(t, "late-"+w.Namespace, "", "3Gi") },
	},
}

// misses waits until an application says what is missing: as something that may come, or as something that did not.
func misses(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication, words []string, stalled bool) {
	t.Helper()
	harness.Eventually(t, app, "missing something", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == "ReferenceNotFound" && apimeta.IsStatusConditionTrue(a.Status.Conditions, v1alpha1.StalledCondition) == stalled
	})
	for _, word := range words {
		if !strings.Contains(harness.Message(app), word) {
			t.Errorf("the message does not have %q: %s", word, harness.Message(app))
		}
	}
	if len(app.Finalizers) > 0 || len(w.Pods()) > 0 {
		t.Errorf("something was made: %s", harness.Show(app))
	}
}

// TestComesLate: the application waits, names what is missing, and continues automatically, also after the wait counted as stalled.
func TestComesLate(t *testing.T) {
	t.Parallel()
	for name, r := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			app := w.Apply("pi", r.name)
			misses(t, w, app, r.words, true)
			reconciling := false
			for _, v := range w.History.Versions(app) {
				reconciling = reconciling || apimeta.IsStatusConditionTrue(v.Status.Conditions, v1alpha1.ReconcilingCondition)
			}
			if !reconciling {
				t.Errorf("it was stalled from the beginning: %v", w.History.Stages(app))
			}
			if told := w.History.Messages(app, "ReferenceNotFound"); len(told) != 1 {
				t.Errorf("the message changes: %q", told)
			}
			r.make(t, w)
			w.Succeed(app)
			if app.Status.Run != 1 || app.Status.Attempt != 1 || app.Status.Times.ReferenceMissing != nil {
				t.Errorf("want the first attempt: %s", harness.Show(app))
			}
		})
	}
}

// TestAllMissing: all that is missing is reported at once, except the queue, which is asked when the rest is there.
func TestAllMissing(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", kinds["service account"].name, kinds["config map"].name, kinds["priority class"].name, kinds["queue"].name)
	misses(t, w, app, []string{"ServiceAccount", "ConfigMap", "PriorityClass"}, false)
	for _, kind := range []string{"config map", "service account", "priority class"} {
		kinds[kind].make(t, w)
	}
	harness.Eventually(t, app, "missing its queue only", func(a *v1alpha1.SparkApplication) bool {
		return strings.Contains(harness.Message(a), "queue late-") && !strings.Contains(harness.Message(a), "ServiceAccount")
	})
	kinds["queue"].make(t, w)
	w.Succeed(app)
}

// TestCorrected: the name was wrong; the corrected one continues at once.
func TestCorrected(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", kinds["config map"].name)
	misses(t, w, app, kinds["config map"].words, false)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.SparkConfigMap = "" })
	w.Succeed(app)
}

// TestGoneWhileQueued: what was there when the application queued is gone when its turn comes.
func TestGoneWhileQueued(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	r := kinds["config map"]
	r.make(t, w)
	first := w.Apply("first")
	driver := w.Run(first)
	app := w.Apply("pi", r.name)
	w.Reach(app, "Queued")
	if err := env.Client().Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "conf"}}); err != nil {
		t.Fatal(err)
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	misses(t, w, app, r.words, false)
	r.make(t, w)
	w.Succeed(app)
	w.Unused()
}

// TestConfigMapIsUsed: its files are in the driver's configuration, its spark-defaults.conf is below what the spec says; a contradiction
// in it is reported with its place, until it is corrected there.
func TestConfigMapIsUsed(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	conf := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "conf"}, Data: map[string]string{
		"log4j2.properties":   "rootLogger.level = warn\n",
		"spark-defaults.conf": "spark.sql.shuffle.partitions 7\nspark.executor.instances 9\n",
	}}
	harness.Create(t, conf)
	app := w.Apply("pi", kinds["config map"].name)
	w.Run(app)
	made := &corev1.ConfigMapList{}
	if err := env.Client().List(t.Context(), made, client.InNamespace(w.Namespace), client.HasLabels{v1alpha1.ApplicationLabel}); err != nil || len(made.Items) != 1 {
		t.Fatalf("config maps of the driver: %v %v", err, made.Items)
	}
	properties := made.Items[0].Data["spark.properties"]
	if !strings.Contains(properties, "spark.sql.shuffle.partitions=7") || !strings.Contains(properties, "spark.executor.instances=2") {
		t.Errorf("properties:\n%s", properties)
	}
	if made.Items[0].Data["log4j2.properties"] != conf.Data["log4j2.properties"] {
		t.Errorf("files: %v", made.Items[0].Data)
	}

	bad := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "bad"}, Data: map[string]string{
		"spark-defaults.conf": "spark.master local[*]\n",
	}}
	harness.Create(t, bad)
	wrong := w.Apply("wrong", func(a *v1alpha1.SparkApplication) { a.Spec.SparkConfigMap = "bad" })
	w.Reach(wrong, "InvalidSpec")
	if !strings.Contains(harness.Message(wrong), "spec.sparkConfigMap[spark.master]") || !strings.Contains(harness.Message(wrong), "local[*]") {
		t.Errorf("message: %s", harness.Message(wrong))
	}
	if err := env.Client().Get(t.Context(), types.NamespacedName{Namespace: w.Namespace, Name: "wrong"}, wrong); err != nil || wrong.Status.Grant != nil {
		t.Errorf("%v %s", err, harness.Show(wrong))
	}
	harness.Change(t, bad, func(c *corev1.ConfigMap) { c.Data["spark-defaults.conf"] = "spark.sql.shuffle.partitions 7\n" })
	w.Run(wrong) // nobody has touched it
}

// TestNamespaceIsNotAdmitted: an application whose queue does not admit its namespace counts as stalled after the timeout, says what it may use
// instead, and continues automatically.
func TestNamespaceIsNotAdmitted(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) {
		q.Spec.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": w.Namespace}}
	})
	harness.Eventually(t, w.Queue, "seen", func(q *v1alpha1.SparkQueue) bool { return q.Status.ObservedGeneration == q.Generation })
	usable := harness.Queue(t, "usable-by-"+w.Namespace, "", "8Gi")
	harness.Eventually(t, usable, "seen", func(q *v1alpha1.SparkQueue) bool { return q.Status.ObservedGeneration == q.Generation })
	app := w.Apply("pi")
	harness.Eventually(t, app, "stalled", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == "Queued" && apimeta.IsStatusConditionTrue(a.Status.Conditions, v1alpha1.StalledCondition)
	})
	message := harness.Message(app)
	for _, word := range []string{"spec.queue.name: queue " + w.Queue.Name + " admits namespaces with team=", "amespace " + w.Namespace + " may use "} { // after a name that may be meant, a new sentence begins
		if !strings.Contains(message, word) {
			t.Errorf("the message does not have %q: %s", word, message)
		}
	}
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.NamespaceSelector = &metav1.LabelSelector{} })
	w.Succeed(app)
	if app.Status.Run != 1 || app.Status.Attempt != 1 || app.Status.Times.ReferenceMissing != nil {
		t.Errorf("want the first attempt: %s", harness.Show(app))
	}
}
