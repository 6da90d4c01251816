// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

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
	r.memory.Found(types.NamespacedName{Namespace: "a", Name: "again"}, "uid of again", lifecycle.AttemptID{Run: 1, Attempt: 1})
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
		left := slices.Contains(r.memory.Of(named(app, "uid of "+app)).Kept.Leftovers(named(app, "uid of "+app), nil), lifecycle.AttemptID{Run: 1, Attempt: 2})
		if left != tt.known {
			t.Errorf("%s: known to be left without its driver pod: %t, want %t", app, left, tt.known)
		}
	}
}
