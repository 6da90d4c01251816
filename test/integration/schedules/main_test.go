// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schedules plays schedules through the operator. Its clock is set ahead, so the tests run one after the other.
package schedules

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// world is a namespace with an operator whose clock the test sets ahead.
type world struct {
	*harness.World
	t     *testing.T
	clock *harness.Clock
}

func newWorld(t *testing.T) *world {
	w := &world{World: harness.NewWorld(t, "", nil), t: t, clock: &harness.Clock{}}
	harness.StartOperator(t, harness.OperatorOptions{Clock: w.clock})
	return w
}

const day = 24 * time.Hour

// schedule returns the manifest of a schedule that runs the job of the other tests every day: none becomes due while the test
// continues.
func (w *world) schedule(name string, change func(*v1alpha1.ScheduledSparkApplication)) *v1alpha1.ScheduledSparkApplication {
	app := w.Pi("pi")
	app.Spec.Timeouts = &v1alpha1.Timeouts{ExecutorStart: &metav1.Duration{Duration: 100 * day}} // the test sets the clock ahead by days
	spec, err := json.Marshal(app.Spec)
	if err != nil {
		w.t.Fatal(err)
	}
	s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}}
	s.Spec.Schedule, s.Spec.TimeZone = "@every 24h", "Europe/Zurich"
	s.Spec.Template.Spec = runtime.RawExtension{Raw: spec}
	if change != nil {
		change(s)
	}
	return s
}

// apply creates a schedule and waits until it has been looked at.
func (w *world) apply(name string, change func(*v1alpha1.ScheduledSparkApplication)) *v1alpha1.ScheduledSparkApplication {
	w.t.Helper()
	s := w.schedule(name, change)
	harness.Create(w.t, s)
	w.observed(s)
	return s
}

// observed waits until the status speaks of the spec.
func (w *world) observed(s *v1alpha1.ScheduledSparkApplication) {
	w.t.Helper()
	w.becomes(s, "observed", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.ObservedGeneration == s.Generation })
}

func (w *world) becomes(s *v1alpha1.ScheduledSparkApplication, what string, wanted func(*v1alpha1.ScheduledSparkApplication) bool) {
	w.t.Helper()
	harness.Eventually(w.t, s, what, wanted)
}

// pass sets the clock ahead, and has the operator look at a schedule.
func (w *world) pass(s *v1alpha1.ScheduledSparkApplication, by time.Duration) {
	w.t.Helper()
	w.clock.Advance(by)
	w.look(s)
}

func (w *world) look(s *v1alpha1.ScheduledSparkApplication) {
	w.t.Helper()
	token := time.Now().Format(time.RFC3339Nano)
	harness.Change(w.t, s, func(s *v1alpha1.ScheduledSparkApplication) {
		metav1.SetMetaDataAnnotation(&s.ObjectMeta, "reconcile.fluxcd.io/requestedAt", token)
	})
	w.becomes(s, "looked at", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.LastHandledReconcileAt == token })
}

// children returns the applications of the namespace.
func (w *world) children() []v1alpha1.SparkApplication {
	w.t.Helper()
	list := &v1alpha1.SparkApplicationList{}
	if err := env.Client().List(w.t.Context(), list, client.InNamespace(w.Namespace)); err != nil {
		w.t.Fatal(err)
	}
	return list.Items
}

func condition(s *v1alpha1.ScheduledSparkApplication, name string) metav1.Condition {
	if c := apimeta.FindStatusCondition(s.Status.Conditions, name); c != nil {
		return *c
	}
	return metav1.Condition{}
}
