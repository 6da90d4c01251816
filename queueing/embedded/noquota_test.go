// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/queueing/embedded/internal/waiting"
)

// TestTreesWithoutQuota: a tree without any quota admits nothing, unless its root is unlimited.
func TestTreesWithoutQuota(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		queues string
		// forgotten is a root that has neither a quota nor is unlimited.
		forgotten string
		want      string
		remedy    string
	}{
		"a root alone": {
			queues: "team", forgotten: "team",
			want:   "Waiting/ReferenceNotFound: queue team admits nothing: it has no quota and is not unlimited",
			remedy: "set spec.flavors with quotas in queue team, or spec.unlimited: true in its root team",
		},
		"a leaf": {
			queues: "root\nteam in=root", forgotten: "root",
			want:   "Waiting/ReferenceNotFound: queue team admits nothing: neither it nor another queue of its tree has a quota, and its root root is not unlimited",
			remedy: "set spec.flavors with quotas in queue team, or spec.unlimited: true in its root root",
		},
		"an unlimited root":     {queues: "root\nteam in=root", want: "granted"},
		"a quota of a sibling":  {queues: "root\nteam in=root\nother in=root memory=1Gi", forgotten: "root", want: "granted"},
		"a quota of the parent": {queues: "root cpu=4\nteam in=root", forgotten: "root", want: "granted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			configs := queuesOf(t, c.queues)
			for i := range configs {
				configs[i].Unlimited = configs[i].Unlimited && configs[i].Name != c.forgotten
			}
			e := New()
			e.SetQueues(configs)
			submit(t, e, "pi queue=team cpu=1")
			got := "granted"
			if len(e.Cycle(1)) == 0 {
				got = says(e.Verdict(keyOf("pi")))
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			state, _ := e.Queues().State("team")
			if wantProblem := c.remedy != ""; (state.Problem == waiting.NoQuota) != wantProblem || !strings.HasSuffix(state.Message, c.remedy) {
				t.Errorf("the queue has the problem %q: %s", state.Problem, state.Message)
			}
		})
	}
}

// TestQuotaTakenAway: when all quota is removed, grants are kept but do not grow.
func TestQuotaTakenAway(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "team", "runs queue=team cpu=1")
	if got := names(e.Cycle(1)); got != "runs" {
		t.Fatalf("granted %q", got)
	}
	configs := queuesOf(t, "team")
	configs[0].Unlimited = false
	e.SetQueues(configs)
	submit(t, e, "waits queue=team cpu=1")
	if got := names(e.Cycle(1)); got != "" {
		t.Errorf("granted %q without a quota", got)
	}
	if state, _ := e.Queues().State("team"); state.Admitted != 1 || state.Pending != 1 {
		t.Errorf("%d admitted and %d pending, want one of each", state.Admitted, state.Pending)
	}
}
