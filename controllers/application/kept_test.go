// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/pods"
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
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "pi", UID: "1"}}
	ended, running := driverOf(app, 1, corev1.PodSucceeded, false), driverOf(app, 2, corev1.PodRunning, false)
	foreign := driverOf(app, 3, corev1.PodSucceeded, false)
	foreign.Origin.OwnerUID = "other"
	other := app.DeepCopy()
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

// TestObserveExisting: a new leader looks at applications with ConfigMaps of attempts whose driver pods are gone, and at
// no others. Labels alone do not count.
func TestObserveExisting(t *testing.T) {
	t.Parallel()
	labels := func(app string) map[string]string {
		return map[string]string{
			v1alpha1.ApplicationLabel: app, v1alpha1.ApplicationUIDLabel: "uid of " + app, v1alpha1.RunLabel: "1", v1alpha1.AttemptLabel: "2",
		}
	}
	named := func(app, uid string) *v1alpha1.SparkApplication {
		return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: app, UID: types.UID(uid)}}
	}
	r := New(Options{Pods: pods.NewStore(func(types.NamespacedName) {}), Clock: testingclock.NewFakeClock(noon)})
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "kept", ResourceVersion: "1", Labels: labels("kept")}, Status: corev1.PodStatus{Phase: corev1.PodSucceeded}}
	pod.Labels[v1alpha1.SparkRoleLabel] = v1alpha1.SparkRoleDriver
	pod.OwnerReferences = []metav1.OwnerReference{render.OwnerOf(named("kept", "uid of kept"))}
	if err := r.Pods.Add(pod); err != nil {
		t.Fatal(err)
	}
	r.kept.found(types.NamespacedName{Namespace: "a", Name: "again"}, "uid of again", attempt{1, 1})
	for app, tt := range map[string]struct {
		owner       *v1alpha1.SparkApplication
		known, left bool
	}{
		"kept":   {named("kept", "uid of kept"), true, false},
		"bare":   {named("bare", "uid of bare"), true, true},
		"forged": {nil, false, false},
		"again":  {named("again", "uid of an earlier one"), false, false},
	} {
		configMap := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "files", Labels: labels(app)}}
		if tt.owner != nil {
			configMap.OwnerReferences = []metav1.OwnerReference{render.OwnerOf(tt.owner)}
		}
		if _, left := r.ObserveExisting(configMap); left != tt.left {
			t.Errorf("%s: its driver pod is gone: %t, want %t", app, left, tt.left)
		}
		left := slices.Contains(r.kept.leftovers(named(app, "uid of "+app), nil), lifecycle.AttemptID{Run: 1, Attempt: 2})
		if left != tt.known {
			t.Errorf("%s: known to be left without its driver pod: %t, want %t", app, left, tt.known)
		}
	}
}
