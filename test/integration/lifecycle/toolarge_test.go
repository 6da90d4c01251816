// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// filled returns a pod template that takes so many bytes, which no schema can bound.
func filled(bytes int) *runtime.RawExtension {
	return &runtime.RawExtension{Raw: []byte(`{"metadata":{"annotations":{"note":"` + strings.Repeat("x", bytes) + `"}}}`)}
}

// TestTooLarge: an application that is too large says so, with its size and the remedy, holds nothing, and starts once it is smaller. It
// can be deleted, whatever finalizers it has.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "", nil)
	operator.Use(t)
	app := w.Apply("large", func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Template = filled(1_300_000) })
	w.Reach(app, v1alpha1.InvalidSpecReason)
	for _, word := range []string{"bytes", "262144", "image, a volume or a ConfigMap"} {
		if !strings.Contains(harness.Message(app), word) {
			t.Errorf("the message lacks %q: %s", word, harness.Message(app))
		}
	}
	if app.Status.Grant != nil || app.Status.Run != 0 {
		t.Errorf("it holds something: %s", harness.Show(app))
	}
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Template = nil })
	w.Succeed(app)
}

// TestGrowsTooLarge: a run that continues is followed to its end although its application has become too large; the next run is not begun.
func TestGrowsTooLarge(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "", nil)
	operator.Use(t)
	app := w.Apply("grows")
	driver := w.Run(app)
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Template = filled(1_300_000) })
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	harness.Eventually(t, app, "told of its end and of its size", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == v1alpha1.InvalidSpecReason && len(a.Status.Attempts) == 1 && a.Status.Attempts[0].Outcome == v1alpha1.OutcomeSucceeded
	})
	if app.Status.Grant != nil {
		t.Errorf("it still holds something: %s", harness.Show(app))
	}
	if err := env.Client().Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	harness.Gone(t, app)
}
