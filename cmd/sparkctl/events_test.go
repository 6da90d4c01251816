// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestEventsOfPodsThatAreGone: Spark deletes ended executors together with their labels, so their events are found by
// the names of the pods.
func TestEventsOfPodsThatAreGone(t *testing.T) {
	t.Parallel()
	event := func(kind, name string) corev1.Event {
		return corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Name: name + ".1"}, Reason: "Evicted", Message: "evicted",
			InvolvedObject: corev1.ObjectReference{Kind: kind, Name: name, UID: "gone"},
		}
	}
	for driver, want := range map[string]string{"pi-abcde-2-1-driver": "Pod/pi-abcde-2-1-exec-7", "a-name-of-ours": "", "-driver": ""} {
		app := applicationWith(v1alpha1.RunningReason, "the driver runs", func(s *v1alpha1.SparkApplicationStatus) { s.Driver = &v1alpha1.DriverStatus{PodName: driver} })
		_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
			apis + "namespaces/spark/sparkapplications/pi": app, "GET /api/v1/namespaces/spark/pods": listOf[corev1.Pod](),
			"GET /api/v1/namespaces/spark/events": listOf(event("Pod", "pi-abcde-2-1-exec-7"), event("Pod", "pi-abcde-2-10-exec-7"), event("Job", "pi-abcde-2-1-exec-7"), event("Pod", "-exec-7")),
		})
		code, out, problem := call("", "events", "pi", "--kubeconfig="+kubeconfig)
		if code != 0 || strings.Count(out, "Evicted") != strings.Count(want, "Pod") || !strings.Contains(out, want) {
			t.Errorf("driver %s: exit code %d, %s\n%s", driver, code, problem, out)
		}
	}
}
