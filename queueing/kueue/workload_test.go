// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"strings"
	"testing"
	"time"

	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/internal/testing/golden"
	"github.com/sparkgate/sparkgate/queueing"
)

func TestWorkloadOf(t *testing.T) {
	t.Parallel()
	rich := ask(func(a *queueing.Ask) {
		a.PodSets[1].MinCount = 2
		a.Objects.Templates["executor"].Annotations = map[string]string{
			kueuev1.PodSetPreferredTopologyAnnotation: "rack", kueuev1.PodSetGroupName: "near", "other": "kept",
		}
	})
	driverOnly := ask(func(a *queueing.Ask) { a.PodSets[1].Count = 0 })
	golden.CompareYAML(t, "testdata/workload.yaml", workloadOf(ask(), nil))
	golden.CompareYAML(t, "testdata/workload-rich.yaml", workloadOf(rich, &priorityClass{*kueuev1.NewWorkloadPriorityClassRef("urgent"), 1000}))
	golden.CompareYAML(t, "testdata/workload-driver-only.yaml", workloadOf(driverOnly, nil))
}

// TestNoSecretsInWorkloads: the values of variables and the arguments of pods are not copied into Workloads, which more
// users may read.
func TestNoSecretsInWorkloads(t *testing.T) {
	t.Parallel()
	a := ask()
	text, err := yaml.Marshal(workloadOf(a, nil))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "secret") {
		t.Errorf("the Workload has the value of a variable:\n%s", text)
	}
	if len(a.Objects.Templates["driver"].Spec.Containers[0].Env) != 1 {
		t.Error("the template that the ask shares with others was changed")
	}
}

func TestDiffers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		w    *kueuev1.Workload
		ask  queueing.Ask
		want bool
	}{
		"the same ask":        {made(), ask(), false},
		"other people's keys": {made(func(w *kueuev1.Workload) { w.Labels["x"], w.Annotations["y"] = "1", "2" }), ask(), false},
		"another queue":       {made(), ask(func(a *queueing.Ask) { a.Queue = "team-b" }), true},
		"fewer executors":     {made(), ask(func(a *queueing.Ask) { a.PodSets[1].Count = 4 }), true},
		"another priority":    {made(), ask(func(a *queueing.Ask) { a.Priority++ }), true},
		"the next attempt":    {made(), ask(func(a *queueing.Ask) { a.Attempt = 3; a.Objects.Name = "pi-abcde-3-3" }), true},
		"another image":       {made(), ask(func(a *queueing.Ask) { a.Objects.Templates["driver"].Spec.Containers[0].Image = "spark:5" }), true},
		"another variable":    {made(), ask(func(a *queueing.Ask) { a.Objects.Templates["driver"].Spec.Containers[0].Env[0].Value = "x" }), false},
		"a later place":       {made(), ask(func(a *queueing.Ask) { a.QueuedAt = a.QueuedAt.Add(time.Hour) }), true},
		"an earlier place":    {made(), ask(func(a *queueing.Ask) { a.QueuedAt = a.QueuedAt.Add(-time.Hour) }), false},
		"without a place":     {made(func(w *kueuev1.Workload) { delete(w.Annotations, queueing.PlaceAnnotation) }), ask(), false},
		"it is held":          {made(isHeld), ask(), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := differs(tt.w, workloadOf(tt.ask, nil)); got != tt.want {
				t.Errorf("differs = %t, want %t", got, tt.want)
			}
		})
	}
}

// TestChanged: fields that the ask determines are replaced, fields of others are kept, and a held Workload asks again.
func TestChanged(t *testing.T) {
	t.Parallel()
	before := made(isHeld, func(w *kueuev1.Workload) {
		w.Labels["theirs"], w.Annotations["theirs"] = "1", "2"
		w.Annotations["provreq.kueue.x-k8s.io/old"] = "3"
		w.Spec.PodSets = nil // as the watch keeps it
		seconds := int32(60)
		w.Spec.MaximumExecutionTimeSeconds = &seconds
	})
	next := ask(func(a *queueing.Ask) { a.Attempt = 3; a.Objects.Name = "pi-abcde-3-3"; a.Queue = "team-b" })
	golden.CompareYAML(t, "testdata/workload-changed.yaml", changed(before, workloadOf(next, nil)))
}

// TestAdmissionGates: gates of an application can be removed from its Workload, but Kueue allows none to be added.
func TestAdmissionGates(t *testing.T) {
	t.Parallel()
	gated := func(gates string) *kueuev1.Workload {
		return workloadOf(ask(func(a *queueing.Ask) { a.Objects.UserAnnotations = map[string]string{gatedByAnnotation: gates} }), nil)
	}
	for _, tt := range []struct{ is, wanted, want string }{
		{"", "", ""}, {"a", "a", "a"}, {"a,b", "b", "b"}, {"a", "", ""}, {"", "a", ""}, {"a", "a,b", "a"}, {"a, b", "b,a", "a,b"}, {"a", "b", ""},
	} {
		after := changed(gated(tt.is), gated(tt.wanted))
		if got, set := after.Annotations[gatedByAnnotation]; got != tt.want || set != (tt.want != "") {
			t.Errorf("gates %q, wanted %q: got %q, set %t; want %q", tt.is, tt.wanted, got, set, tt.want)
		}
		if differs(after, gated(tt.wanted)) {
			t.Errorf("gates %q, wanted %q: the Workload would be changed again and again", tt.is, tt.wanted)
		}
	}
}
