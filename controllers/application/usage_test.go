// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/usage"
)

// holding returns a reconciler that counts for an application with a grant of two cores, of the given gate if any.
func holding(t *testing.T, namespace string, gate ...v1alpha1.GateType) (*Reconciler, *v1alpha1.SparkApplication, *testingclock.FakeClock) {
	t.Helper()
	clock := testingclock.NewFakeClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	r := New(Options{Series: metricseries.New(Series()...), Clock: clock})
	r.Series.Configure([]string{"team-a"})
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "pi", UID: "1"}}
	app.Status.Grant = &v1alpha1.Grant{Run: 1, Attempt: 1, Queue: "team-a", PodSets: []v1alpha1.PodSetGrant{
		{Name: "driver", Count: 1, Requests: map[corev1.ResourceName]resource.Quantity{"cpu": resource.MustParse("2")}},
	}}
	if len(gate) > 0 {
		app.Status.Grant.Gate = gate[0]
	}
	app.Status.Usage = &v1alpha1.Usage{At: metav1.NewMicroTime(clock.Now())}
	countUsage(r.Series, app.Namespace, &r.memory.Of(app).Usage, r.memory.Of(app).Usage.Observe(app, nil, clock.Now()))
	return r, app, clock
}

// TestLostApplicationIsCounted: the usage of an application is counted once, although another client removed its
// finalizer.
func TestLostApplicationIsCounted(t *testing.T) {
	t.Parallel()
	r, app, clock := holding(t, "lost-application")
	clock.Step(time.Hour)
	for range 2 {
		r.forget(client.ObjectKeyFromObject(app))
	}
	for name, got := range map[string]float64{
		"granted": usageCPU.Total(app.Namespace, "team-a", basisGranted),
		"stopped": attemptCPU.Total(app.Namespace, "team-a", string(usage.Stopped)),
	} {
		if got != 7200 {
			t.Errorf("%s: %v core-seconds, want 7200", name, got)
		}
	}
}

// TestReplacedApplicationIsCounted: the usage of an application is counted although another one has its name when a
// pass looks.
func TestReplacedApplicationIsCounted(t *testing.T) {
	t.Parallel()
	r, app, clock := holding(t, "replaced-application")
	r.Client, r.Live, r.Pods = fake.NewClientBuilder().Build(), fake.NewClientBuilder().Build(), pods.NewStore(func(types.NamespacedName) {})
	clock.Step(time.Hour)
	other := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: app.Name, UID: "2"}}
	other.Status.Grant, other.Status.Usage = app.Status.Grant, &v1alpha1.Usage{At: metav1.NewMicroTime(clock.Now())}
	for range 2 {
		_, _ = r.reconcileExisting(t.Context(), other) // what comes of it does not matter here
	}
	r.forget(client.ObjectKeyFromObject(app))
	if got := usageCPU.Total(app.Namespace, "team-a", basisGranted); got != 7200 {
		t.Errorf("%v core-seconds, want 7200", got)
	}
}

// TestQueueOfAnotherSystem: the grant of a gate without SparkQueues is not charged to a SparkQueue that happens to have
// the name of the application's queue.
func TestQueueOfAnotherSystem(t *testing.T) {
	t.Parallel()
	r, app, clock := holding(t, "another-system", v1alpha1.GateYuniKorn)
	clock.Step(time.Hour)
	r.forget(client.ObjectKeyFromObject(app))
	for queue, want := range map[string]float64{"team-a": 0, metricseries.Unknown: 7200} {
		if got := usageCPU.Total(app.Namespace, queue, basisGranted); got != want {
			t.Errorf("queue %s: %v core-seconds, want %v", queue, got, want)
		}
	}
}
