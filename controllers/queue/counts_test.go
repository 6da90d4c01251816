// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestCountsGoWithTheLedger: counts of a queue with a ledger are left to the writer of the ledger. Its conditions and
// the counts of other queues are not.
func TestCountsGoWithTheLedger(t *testing.T) {
	t.Parallel()
	r, e, clock := bench(t, queueNamed("root", 1), queueNamed("leaf", 1))
	e.roots = map[string]bool{"root": true}
	for _, name := range []string{"root", "leaf"} {
		pass(t, r, requestFor(name))
		if len(read(t, r, name).Status.Conditions) == 0 {
			t.Fatalf("queue %s has no conditions", name)
		}
		e.states[name] = State{Pending: 2, Usage: []v1alpha1.QueueUsage{{Flavor: "default", Resource: "pods", Used: resource.MustParse("5")}}}
	}
	clock.SetTime(clock.Now().Add(time.Minute))
	pass(t, r, everything)
	if got := read(t, r, "leaf").Status.Pending; got != 2 || !slices.Equal(e.asked, []string{"root"}) {
		t.Errorf("%d pending in the leaf, and the counts of %v are to go with their ledgers; want 2 and those of root", got, e.asked)
	}
	if got := read(t, r, "root").Status.Pending; got != 0 {
		t.Errorf("%d pending are written in the root, want none before its ledger is", got)
	}

	fields, written := r.Counts(t.Context(), "root")
	if fields["pending"] == nil || fields["usage"] == nil || fields["conditions"] != nil {
		t.Errorf("counts %v, want pending and usage", fields)
	}
	written()
	e.states["root"], e.asked = State{Pending: 3}, nil
	if again := pass(t, r, requestFor("root")); again.RequeueAfter != r.Interval || len(e.asked) != 0 {
		t.Errorf("looks again after %s and asks for %v, want %s after the last write, and nothing", again.RequeueAfter, e.asked, r.Interval)
	}

	changed := read(t, r, "root") // the engine does not have this spec yet, so what it counts is of another one
	changed.Generation = 2
	if err := r.Client.Update(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	if fields, _ := r.Counts(t.Context(), "root"); fields != nil {
		t.Errorf("counts %v of a queue whose spec has changed", fields)
	}
}
