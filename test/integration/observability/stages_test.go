// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observability

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestStagesAreEvents: `kubectl describe` shows what became of a job, stage by stage; an administrator may want to hear only of what goes wrong.
func TestStagesAreEvents(t *testing.T) {
	tests := map[string]struct {
		few  bool
		want []string
	}{
		"every stage":     {false, []string{"Queued", "Running", "Submitting", "Succeeded"}},
		"what goes wrong": {true, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := harness.NewWorld(t, "3Gi", nil)
			harness.StartOperator(t, harness.OperatorOptions{FewEvents: tc.few})
			first, app := w.Apply("first"), (*v1alpha1.SparkApplication)(nil)
			driver := w.Run(first)
			app = w.Apply("pi") // has to wait
			w.Reach(app, "Queued")
			w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			w.Kubelet.Finish(t.Context(), w.Run(app), 0, "Completed")
			w.Reach(app, "Succeeded")
			broken := w.Apply("broken")
			w.Kubelet.Finish(t.Context(), w.Run(broken), 1, "Error")
			w.Reach(broken, "Failed")
			var got []string
			// Events are written in the background; that of the failure is recorded last.
			err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
				got = reasonsOf(ctx, t, app)
				return len(got) >= len(tc.want) && slices.Contains(reasonsOf(ctx, t, broken), "Failed"), nil
			})
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%v; events (-want +got):\n%s", err, diff)
			}
		})
	}
}

// reasonsOf returns the reasons of the events about an application, sorted, each once. What may share its write with
// another stage is left out.
func reasonsOf(ctx context.Context, t *testing.T, app *v1alpha1.SparkApplication) []string {
	t.Helper()
	list := &eventsv1.EventList{}
	if err := env.Client().List(ctx, list, client.InNamespace(app.Namespace)); err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for i := range list.Items {
		e := &list.Items[i]
		if e.Regarding.UID == app.UID && e.Reason != v1alpha1.StartingReason && e.Reason != v1alpha1.FinalizingReason {
			reasons = append(reasons, e.Reason)
		}
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}
