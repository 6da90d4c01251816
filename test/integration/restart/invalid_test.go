// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package restart

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestInvalidStatus: parts of the status that the schema does not check, and the ledger, hold what no operator has written. The applications
// run, those with garbage too, and nothing of it is left.
func TestInvalidStatus(t *testing.T) {
	w := harness.NewWorld(t, "8Gi", nil)
	broken := w.Apply("broken")
	writeStatus(t, broken, `{"ask": {"podSets": 3}, "times": {"retry": "soon", "waiting": "long"}, "grant": {"run": "x", "podSets": "all"},
		"executors": {"wanted": "two", "more": true}, "attempts": "none"}`)
	writeStatus(t, w.Queue, `{"ledger": {"holder": "earlier", "epoch": 3, "seq": 9, "entries": "everything"}}`)
	start(t)
	w.Succeed(w.Apply("fine"))
	w.Succeed(broken)
	if s := broken.Status; len(s.Invalid) > 0 || len(s.Attempts) != 1 || s.Times.Finished == nil {
		t.Errorf("invalid %v, %d attempts, finished %v; want nothing invalid, one attempt, and its end", s.Invalid, len(s.Attempts), s.Times.Finished)
	}
	harness.Eventually(t, w.Queue, "with an empty ledger of the next epoch", func(q *v1alpha1.SparkQueue) bool {
		l := q.Status.Ledger
		return l != nil && l.Epoch == 4 && l.Entries == ""
	})
}

// writeStatus writes into the status of an object what the API server takes.
func writeStatus(t *testing.T, obj client.Object, status string) {
	t.Helper()
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"status": `+status+`}`))
	if err := env.Client().Status().Patch(t.Context(), obj, patch); err != nil {
		t.Fatal(err)
	}
}
