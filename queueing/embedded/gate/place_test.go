// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// older returns an application that was queued an hour before noon.
func older() queueing.Ask {
	ask := piSince(noon.Add(-time.Hour))
	ask.Key.Name, ask.Key.UID = "older", "older"
	return ask
}

func syncs(t *testing.T, g *Gate, ask queueing.Ask) {
	t.Helper()
	if _, err := g.Sync(t.Context(), ask); err != nil {
		t.Fatal(err)
	}
}

// TestPlaceInLine: a waiting attempt may move behind others, but never ahead.
func TestPlaceInLine(t *testing.T) {
	t.Parallel()
	early, late := noon.Add(-2*time.Hour), noon.Add(time.Minute)
	tests := map[string]struct {
		queuedAt []time.Time // of its asks, one after the other
		want     time.Time
		heads    string
	}{
		"as before":             {[]time.Time{early, early}, early, "pi older"},
		"a later place":         {[]time.Time{early, late}, late, "older pi"},
		"ahead of those before": {[]time.Time{late, early}, late, "older pi"},
		"there and back":        {[]time.Time{early, late, early}, late, "older pi"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, _, _ := measured(t, nil)
			if _, err := g.Acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
			syncs(t, g, older())
			for _, at := range tc.queuedAt {
				syncs(t, g, piSince(at))
			}
			x, _ := g.View().Explain(pi)
			if !x.Waits.Since.Time.Equal(tc.want) {
				t.Errorf("queued at %s, want %s", x.Waits.Since, tc.want)
			}
			state, _ := g.View().State("team-a")
			var heads []string
			for _, h := range state.Heads {
				heads = append(heads, h.Key.Name)
			}
			if got := strings.Join(heads, " "); got != tc.heads {
				t.Errorf("the order is %s, want %s", got, tc.heads)
			}
		})
	}
}

// TestPlaceOfAGrantInFlight: the ledger does not record the age of a grant of the previous process. Once its
// application has asked for it, the grant has the age of the ask, and an older ask may preempt it.
func TestPlaceOfAGrantInFlight(t *testing.T) {
	t.Parallel()
	g, _, _ := measured(t, inLedger(piSince(noon)))
	queue := &v1alpha1.SparkQueue{}
	if err := g.o.Client.Get(t.Context(), types.NamespacedName{Name: "team-a"}, queue); err != nil {
		t.Fatal(err)
	}
	queue.Spec.Unlimited, queue.Spec.Preemption = false, &v1alpha1.QueuePreemption{WithinQueue: v1alpha1.PreemptLowerOrNewerEqualPriority}
	queue.Spec.Flavors = []v1alpha1.FlavorQuota{{Name: v1alpha1.DefaultFlavor, Quotas: []v1alpha1.ResourceQuota{
		{Resource: "cpu", Nominal: resource.MustParse("200m")},
	}}}
	if err := g.o.Client.Update(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	takenOver(t, g)
	syncs(t, g, older())
	if err := g.loop.cycles.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := g.Eviction(pi, 1, 2); e == nil || e.By != older().Key {
		t.Errorf("eviction %+v, want one for the application that is older", e)
	}
}
