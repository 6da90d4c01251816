// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"bytes"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// TestWritePlan: what changes, which applications it concerns, and the words of the queue.
func TestWritePlan(t *testing.T) {
	t.Parallel()
	effect := func(name string, change offline.Change, before, after offline.EndState, reason, message string) offline.Effect {
		return offline.Effect{
			Kind: v1alpha1.SparkApplicationKind, Namespace: "etl", Name: name, Queue: "team-a", Change: change, Before: before, After: after, Reason: reason, Message: message,
		}
	}
	nightly := effect("nightly", offline.Updated, offline.Absent, offline.Refused, v1alpha1.ExceedsQuotaReason, "a run needs cpu 40; queue team-a can never have more than 30")
	nightly.Kind = v1alpha1.ScheduledSparkApplicationKind
	notebook := effect("notebook", offline.Unchanged, offline.Waiting, offline.Admitted, "", "")
	notebook.Kind = "Pod"
	plan := offline.Plan{Queues: []string{"team-a"}, DeletedQueues: []string{"team-z"}, Effects: []offline.Effect{
		effect("daily", offline.Created, offline.Absent, offline.Admitted, "", ""),
		effect("features", offline.Moved, offline.Waiting, offline.Waiting, "WaitingForQuota", "needs cpu 4 of flavor default; 2 are free"),
		nightly,
		effect("former", offline.Deleted, offline.Admitted, offline.Absent, "", ""),
		notebook,
		effect("adhoc", offline.Unchanged, offline.Admitted, offline.Preempted, v1alpha1.PreemptedReason, "etl/daily has a higher priority"),
	}}
	for file, width := range map[string]int{"plan.txt": 0, "plan-80.txt": 80} {
		var out bytes.Buffer
		if err := WritePlan(&out, plan, width); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, "testdata/"+file, out.String())
	}
	var out bytes.Buffer
	if err := WritePlan(&out, offline.Plan{}, 0); err != nil {
		t.Fatal(err)
	}
	if want := "No application would start, stop, or change its place in line.\n"; out.String() != want {
		t.Errorf("an empty plan is %q", out.String())
	}
}
