// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package stopping

import (
	"maps"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// relabelings are what an account that may patch pods can do to a driver, so that the watch no longer shows it as the driver.
var relabelings = map[string]func(*corev1.Pod){
	"uid removed":           func(p *corev1.Pod) { delete(p.Labels, v1alpha1.ApplicationUIDLabel) },
	"uid of none":           func(p *corev1.Pod) { p.Labels[v1alpha1.ApplicationUIDLabel] = "none" },
	"name removed":          func(p *corev1.Pod) { delete(p.Labels, v1alpha1.ApplicationLabel) },
	"role changed":          func(p *corev1.Pod) { p.Labels[v1alpha1.SparkRoleLabel] = v1alpha1.SparkRoleExecutor },
	"attempt changed":       func(p *corev1.Pod) { p.Labels[v1alpha1.AttemptLabel] = "7" },
	"owner removed":         func(p *corev1.Pod) { p.OwnerReferences = nil },
	"all labels removed":    func(p *corev1.Pod) { p.Labels = nil },
	"labels, owner as well": func(p *corev1.Pod) { p.Labels, p.OwnerReferences = nil, nil },
}

// TestDriverLosesItsLabels: a driver with other labels or another owner than it was created with is ended, and its attempt with it, which says why.
// Nothing of it holds quota afterwards.
func TestDriverLosesItsLabels(t *testing.T) {
	t.Parallel()
	for name, change := range relabelings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "3Gi", nil)
			operator.Use(t)
			app := w.Apply("pi")
			driver := w.Run(app)
			w.Kubelet.Executors(t.Context(), driver, 2)
			harness.Change(t, driver, change)
			harness.Gone(t, driver)
			w.Reach(app, "Failed")
			why := "labels or the owner of driver pod " + driver.Name
			if name == "uid of none" {
				why = "driver pod " + driver.Name // it may have been ended as that of an application that is gone, before its own one looked
			}
			if message := harness.Message(app); !strings.Contains(message, why) {
				t.Errorf("it does not say why: %s", message)
			}
			w.NothingRuns()
			w.Unused()
		})
	}
}

// TestStopOfADriverWithoutLabels: an application whose driver has lost its labels while no operator ran can be stopped.
func TestStopOfADriverWithoutLabels(t *testing.T) {
	for way, stop := range ways {
		t.Run(way, func(t *testing.T) {
			w := harness.NewWorld(t, "3Gi", nil)
			running := harness.StartOperator(t, harness.OperatorOptions{})
			app := w.Apply("pi")
			driver := w.Run(app)
			w.Kubelet.Executors(t.Context(), driver, 2)
			running.Stop()
			harness.Change(t, driver, func(p *corev1.Pod) {
				maps.DeleteFunc(p.Labels, func(key, _ string) bool { return strings.HasPrefix(key, v1alpha1.Group) })
			})
			stopped := stop(t, w, app)
			harness.StartOperator(t, harness.OperatorOptions{})
			stopped()
			harness.Gone(t, driver)
			w.NothingRuns()
			w.Unused()
		})
	}
}
