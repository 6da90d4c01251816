// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// TestEndOfADriverIsRemembered: a pod that has ended is gone as soon as another client deletes it, which may be before the end is written. It is remembered
// as long as its attempt holds a grant; a pod that only looks like the driver is not.
func TestEndOfADriverIsRemembered(t *testing.T) {
	t.Parallel()
	clock := testingclock.NewFakeClock(noon)
	ob := newObserver(clock)
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "app", ResourceVersion: "1"}}
	app.Status.Run, app.Status.Attempt, app.Status.Grant, app.Status.Driver = 1, 1, &v1alpha1.Grant{Run: 1, Attempt: 1}, &v1alpha1.DriverStatus{PodName: "pi-driver"}
	record := &memory.Record{}
	driver, other := endedDriverPod(app, "pi-driver"), endedDriverPod(app, "looks-like-it")

	put(t, ob.Pods, other)
	if o := ob.Observe(app, record); o.EndedDriver != nil || !o.DriverEndedSince.IsZero() {
		t.Errorf("%s is taken for the driver", o.EndedDriver.Name)
	}
	put(t, ob.Pods, driver)
	ob.Observe(app, record)
	clock.Step(time.Second)
	if err := ob.Pods.Delete(driver); err != nil {
		t.Fatal(err)
	}
	if o := ob.Observe(app, record); o.EndedDriver == nil || o.EndedDriver.UID != driver.UID || !o.DriverEndedSince.Equal(noon) {
		t.Errorf("the end is forgotten with the pod: %+v since %s", o.EndedDriver, o.DriverEndedSince)
	}
	next := app.DeepCopy()
	next.Status.Attempt = 2
	if o := ob.Observe(next, record); o.EndedDriver != nil {
		t.Error("the driver of an attempt is taken for that of the next one")
	}
	put(t, ob.Pods, driver)
	ob.Observe(app, record)
	app.Status.Grant = nil
	ob.Observe(app, record)
	if record.Sightings.EndedDriver(lifecycle.CurrentAttempt(app), nil) != nil {
		t.Error("the driver of an attempt that holds nothing is kept in memory")
	}
}

func put(t *testing.T, store *pods.Store, pod *corev1.Pod) {
	t.Helper()
	if err := store.Add(pod); err != nil {
		t.Fatal(err)
	}
}

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// newObserver returns an observer of a cluster without pods.
func newObserver(clock clock.Clock) *Observer {
	return &Observer{Pods: pods.NewStore(func(types.NamespacedName) {}), Clock: clock, UIAddress: func(*v1alpha1.SparkApplication) string { return "" }}
}

// endedDriverPod is a driver pod of the current attempt that has succeeded.
func endedDriverPod(app *v1alpha1.SparkApplication, name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: app.Namespace, Name: name, UID: types.UID("uid of " + name), ResourceVersion: "2",
			Labels: map[string]string{
				v1alpha1.ApplicationLabel: app.Name, v1alpha1.ApplicationUIDLabel: string(app.UID), v1alpha1.RunLabel: "1", v1alpha1.AttemptLabel: "1",
				v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleDriver,
			},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(app, v1alpha1.GroupVersion.WithKind(v1alpha1.SparkApplicationKind))},
		},
		Spec: corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{Name: "spark-kubernetes-driver"}}},
		Status: corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: []corev1.ContainerStatus{{
			Name: "spark-kubernetes-driver", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}},
		}}},
	}
}

// TestNextRunIsForgotten: the errors of a next run use no memory once the attempt has ended.
func TestNextRunIsForgotten(t *testing.T) {
	t.Parallel()
	ob, app := newObserver(testingclock.NewFakeClock(noon)), &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "app"}}
	app.Status.Grant = &v1alpha1.Grant{Run: 1, Attempt: 1, Gate: v1alpha1.GateNone}
	record, next := &memory.Record{}, lifecycle.AttemptID{Run: 2, Attempt: 1}
	record.Plans.HoldBack(app.Generation, next, noon, &lifecycle.Plan{})
	kept := func() bool {
		plan, _ := record.Plans.HeldBack(app.Generation, next, noon)
		return plan != nil
	}
	if ob.Observe(app, record); !kept() {
		t.Error("forgotten while the attempt is under way")
	}
	app.Status.Grant = nil
	if ob.Observe(app, record); kept() {
		t.Error("it is kept")
	}
}
