// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestTimelineOfADriverWithoutExecutors: no step waits for executors, before the quota is granted, while it runs and at the end.
func TestTimelineOfADriverWithoutExecutors(t *testing.T) {
	t.Parallel()
	now := metav1.Now()
	times, ask := v1alpha1.ApplicationTimes{}, &v1alpha1.Ask{PodSets: make([]v1alpha1.PodSetAsk, 1)}
	times.Admitted, times.ExecutorsReady = &now, &now
	for name, s := range map[string]v1alpha1.SparkApplicationStatus{
		"waits": {Ask: ask},
		"runs":  {Times: times, Ask: ask},
		"ended": {Times: times, Conditions: []metav1.Condition{{Type: v1alpha1.ReadyCondition, Reason: v1alpha1.SucceededReason}}},
	} {
		if steps := Timeline(&v1alpha1.SparkApplication{Status: s}); slices.ContainsFunc(steps, func(s Step) bool { return s.Name == "Executors" }) {
			t.Errorf("%s: %+v", name, steps)
		}
	}
}

// TestCompleteWithFewerExecutors: an attempt may be complete without all executors, or without any. The timeline does not say that they are ready.
func TestCompleteWithFewerExecutors(t *testing.T) {
	t.Parallel()
	now := metav1.Now()
	for want, executors := range map[string]*v1alpha1.ExecutorStatus{
		"the attempt began with none":                    {},
		"of 4 that the attempt began with, 2 are enough": {Wanted: 4, Ready: 1, Peak: 2},
		"those that the attempt began with are ready":    {Wanted: 4, Ready: 1, Peak: 4},
	} {
		app := &v1alpha1.SparkApplication{}
		app.Status.Times.ExecutorsReady, app.Status.Executors = &now, executors
		steps := Timeline(app)
		if i := slices.IndexFunc(steps, func(s Step) bool { return s.Name == "Executors" }); i < 0 || steps[i].Text != want {
			t.Errorf("%+v, want %q", steps, want)
		}
	}
}
