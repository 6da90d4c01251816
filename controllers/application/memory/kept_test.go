// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
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
	m := New()
	for _, step := range steps {
		if diff := cmp.Diff(step.want, m.Of(step.of).Kept.Leftovers(step.of, step.pods)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	var k Kept
	k.Leftovers(app, []*pods.Record{ended})
	k.Deleted(lifecycle.AttemptID{Run: 1, Attempt: 1})
	if left := k.Leftovers(app, nil); left != nil {
		t.Errorf("after their deletion: %v", left)
	}
}
