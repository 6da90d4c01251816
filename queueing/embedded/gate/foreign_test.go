// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// beside is an operator beside another one that may be alive.
type beside struct{ other map[string]bool }

func (beside) Name() string                                    { return "own" }
func (b beside) Other(_ context.Context, operator string) bool { return b.other[operator] }

// TestTreesOfOtherOperators: a tree belongs to the operator that its ledger names while that operator is alive.
func TestTreesOfOtherOperators(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ledger *v1alpha1.Ledger
		serves bool
	}{
		"nobody's":             {nil, true},
		"of an older operator": {&v1alpha1.Ledger{Holder: "h", Epoch: 7}, true},
		"own":                  {&v1alpha1.Ledger{Holder: "h", Operator: "own", Epoch: 7}, true},
		"of one that is gone":  {&v1alpha1.Ledger{Holder: "h", Operator: "dead", Epoch: 7}, true},
		"of one that lives":    {&v1alpha1.Ledger{Holder: "h", Operator: "lives", Epoch: 7}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, _, _ := measured(t, tt.ledger)
			g.o.Operators = beside{map[string]bool{"lives": true}}
			acquired, err := g.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			g.Open(acquired, nil, nil, func(queueing.Key) bool { return false })
			queue := &v1alpha1.SparkQueue{}
			if err := g.o.Live.Get(t.Context(), client.ObjectKey{Name: "team-a"}, queue); err != nil {
				t.Fatal(err)
			}
			want := "own"
			if !tt.serves {
				want = "lives"
			}
			if got := queue.Status.Ledger.Operator; got != want || g.Serves("team-a") != tt.serves || (g.LedBy("team-a") == "") != tt.serves {
				t.Errorf("operator %q, serves %t, led by %q", got, g.Serves("team-a"), g.LedBy("team-a"))
			}
			if _, err := g.Sync(t.Context(), piSince(noon)); err != nil {
				t.Fatal(err)
			}
			if err := g.loop.cycle(t.Context()); err != nil {
				t.Fatal(err)
			}
			v, err := g.Sync(t.Context(), piSince(noon))
			if err != nil || strings.Contains(v.Message, "led by the operator in namespace lives") == tt.serves {
				t.Errorf("verdict %+v, %v", v, err)
			}
		})
	}
}

// TestATreeIsClaimedOnce: of two operators that see a new tree, the one whose write comes first leads it. The other one
// leaves it out of its next configuration.
func TestATreeIsClaimedOnce(t *testing.T) {
	t.Parallel()
	g, _, _ := measured(t, nil)
	others := map[string]bool{}
	g.o.Operators = beside{others}
	if err := g.Reload(t.Context()); err != nil || !g.Serves("team-a") {
		t.Fatalf("serves %t, %v", g.Serves("team-a"), err)
	}
	queue := &v1alpha1.SparkQueue{}
	if err := g.o.Live.Get(t.Context(), client.ObjectKey{Name: "team-a"}, queue); err != nil {
		t.Fatal(err)
	}
	queue.Status.Ledger = &v1alpha1.Ledger{Holder: "h", Operator: "lives", Epoch: 1}
	if err := g.o.Client.Status().Update(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	others["lives"] = true
	if _, err := g.ledgers.of(t.Context(), "team-a"); err == nil || !strings.Contains(err.Error(), "belongs to the operator in namespace lives") {
		t.Errorf("takes the ledger over: %v", err)
	}
	if err := g.Reload(t.Context()); err != nil || g.Serves("team-a") || g.LedBy("team-a") != "lives" {
		t.Errorf("serves %t, led by %q, %v", g.Serves("team-a"), g.LedBy("team-a"), err)
	}
}
