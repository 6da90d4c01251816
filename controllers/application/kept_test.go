// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/spark/leftover"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// driverOf returns the driver pod of an attempt in a given state.
func driverOf(app *v1alpha1.SparkApplication, number int64, phase corev1.PodPhase, deleting bool) *pods.Record {
	return &pods.Record{
		Origin: &pods.Origin{Namespace: app.Namespace, OwnerUID: app.UID, Application: app.Name, AppUID: string(app.UID), Run: 1, Attempt: number},
		Name:   "driver", Role: pods.Driver, Phase: phase, Deleting: deleting, Node: "node-1",
	}
}

// TestLeft: an attempt whose driver pod was kept is left once that pod is gone, until its objects are deleted. If the
// driver vanishes while the attempt is active, the end of the attempt deletes its objects instead.
func TestLeft(t *testing.T) {
	t.Parallel()
	app := gone.Object()
	ended, running := driverOf(app, 1, corev1.PodSucceeded, false), driverOf(app, 2, corev1.PodRunning, false)
	foreign := driverOf(app, 3, corev1.PodSucceeded, false)
	foreign.Origin.OwnerUID = "other"
	other := gone.Object()
	other.UID = "another of the same name"
	steps := []struct {
		name string
		of   *v1alpha1.SparkApplication
		pods []*pods.Record
		want []lifecycle.AttemptID
	}{
		{"all are there", app, []*pods.Record{ended, running, foreign}, nil},
		{"the kept one is being deleted, and stays", app, []*pods.Record{driverOf(app, 1, corev1.PodSucceeded, true), running}, []lifecycle.AttemptID{{Run: 1, Attempt: 1}}},
		{"all are gone", app, nil, []lifecycle.AttemptID{{Run: 1, Attempt: 1}}},
		{"another application", other, nil, nil},
	}
	k := newKeptAttempts()
	for _, step := range steps {
		if diff := cmp.Diff(step.want, k.leftovers(step.of, step.pods)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	k.deleted(app, attempt{1, 1})
	if left := k.leftovers(app, nil); left != nil || len(k.apps) > 0 {
		t.Errorf("after their deletion: %v, %d applications are known", left, len(k.apps))
	}
}

// TestFindAttempts: a new leader looks at applications with objects of attempts whose driver pods are gone, and at no
// others. Labels alone do not count.
func TestFindAttempts(t *testing.T) {
	t.Parallel()
	y := newYard()
	name := func(app string) leftover.Application {
		return leftover.Application{NamespacedName: types.NamespacedName{Namespace: "a", Name: app}, UID: types.UID("uid of " + app)}
	}
	r := sweeper(y)
	for app, owned := range map[string]bool{"kept": true, "bare": true, "forged": false} {
		of := name(app)
		r.expectations.Observed(of.Object())
		y.alive[of.NamespacedName] = of.UID
		y.add(leftover.ConfigMapKind, render.NamesOf(of.Object(), 1, 1).ConfigMap, func(o *metav1.PartialObjectMetadata) {
			owner := of.Object()
			if o.Labels = labelsOf(of); !owned {
				owner.UID = "other"
			}
			o.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, v1alpha1.GroupVersion.WithKind(v1alpha1.SparkApplicationKind))}
		})
	}
	labels := labelsOf(name("kept"))
	labels[v1alpha1.SparkRoleLabel] = v1alpha1.SparkRoleDriver
	r.Pods = pods.NewStore(func(types.NamespacedName) {})
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "kept", Labels: labels, ResourceVersion: "1"}, Status: corev1.PodStatus{Phase: corev1.PodSucceeded}}
	if err := r.Pods.Add(pod); err != nil {
		t.Fatal(err)
	}
	r.Clock = testingclock.NewFakeClock(noon)
	wakes := waker.New()
	if err := (&LeftoverFinder{Reconciler: r, Waker: wakes, Pauses: testingclock.NewFakeClock(noon)}).Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[types.NamespacedName]bool{name("bare").NamespacedName: true}, wokenBy(t, wakes)); diff != "" {
		t.Errorf("woken (-want +got):\n%s", diff)
	}
	for app, want := range map[string]int{"kept": 1, "bare": 1, "forged": 0} {
		if left := r.kept.leftovers(name(app).Object(), nil); len(left) != want {
			t.Errorf("left of %s without its pod: %v", app, left)
		}
	}
}
