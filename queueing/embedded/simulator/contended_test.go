// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// contended returns a tree whose queues borrow from each other and preempt each other by all policies, in up to three
// flavors and two resources, with more arrivals than it can hold. Nothing in it depends on the headTimeout.
func contended(r *rand.Rand) Scenario {
	flavors := []string{"default", "spot", "gpu"}[:1+r.IntN(3)]
	s := Scenario{Flavors: []config.Flavor{{Name: "spot"}, {Name: "gpu"}}}
	inner := 1 + r.IntN(3)
	for i := range inner + 2 + r.IntN(5) {
		q := config.Queue{Name: fmt.Sprintf("q%d", i), Weight: 1 + r.Int32N(3), Admits: func(map[string]string) bool { return true }}
		if i > 0 {
			q.Parent = fmt.Sprintf("q%d", r.IntN(min(i, inner)))
		}
		never := 100_000 * time.Hour
		q.HeadTimeout = &never
		contend(r, &q, flavors, i >= inner)
		s.Queues = append(s.Queues, q)
	}
	leaves := slices.DeleteFunc(slices.Clone(s.Queues), func(q config.Queue) bool {
		return q.Parent == "" || slices.ContainsFunc(s.Queues, func(other config.Queue) bool { return other.Parent == q.Name })
	})
	for i := range 5 + r.IntN(25) {
		a := Arrival{At: time.Duration(1+r.IntN(8)) * 10 * time.Second, RunFor: []time.Duration{5 * time.Second, time.Minute, time.Hour, time.Hour}[r.IntN(4)]}
		a.Ask = queueing.Ask{Key: queueing.Key{Namespace: "default", Name: fmt.Sprintf("a%d", i)}, Queue: leaves[r.IntN(len(leaves))].Name, Priority: r.Int32N(3)}
		a.Ask.PodSets = []queueing.PodSet{{Name: "driver", Count: 1, Requests: needs(r, 5)}}
		if r.IntN(3) == 0 {
			a.Ask.PodSets = append(a.Ask.PodSets, queueing.PodSet{Name: "executor", Count: 1 + r.Int32N(3), Requests: needs(r, 2)})
		}
		s.Arrivals = append(s.Arrivals, a)
	}
	return s
}

// contend gives a queue quotas and policies.
func contend(r *rand.Rand, q *config.Queue, flavors []string, isLeaf bool) {
	q.FairSharing = !isLeaf && r.IntN(3) == 0
	q.FairPreemption = []config.FairPreemption{"", config.PreemptLessThanInitialShare, config.PreemptLessThanOrEqualToFinalShare}[r.IntN(3)]
	if isLeaf || r.IntN(3) == 0 {
		for _, f := range flavors {
			fq := config.FlavorQuota{Name: f}
			for _, resource := range []string{"cpu", "memory"} {
				limits := config.ResourceQuota{Resource: resource, Nominal: 2 * r.Int64N(6)}
				if q.Parent != "" && r.IntN(5) == 0 {
					limits.Borrowing = new(2 * r.Int64N(4))
				}
				if q.Parent != "" && r.IntN(5) == 0 {
					limits.Lending = new(2 * r.Int64N(4))
				}
				fq.Quotas = append(fq.Quotas, limits)
			}
			q.Flavors = append(q.Flavors, fq)
		}
	}
	if isLeaf {
		q.FlavorPreference = []config.FlavorPreference{"", config.LeastBorrowing, config.LeastPreemption}[r.IntN(3)]
		q.Preemption.Within = []config.Policy{"", config.PreemptLowerPriority, config.PreemptLowerOrNewerEqualPriority}[r.IntN(3)]
		q.Preemption.Reclaim = []config.Policy{"", config.PreemptLowerPriority, config.PreemptAny, config.PreemptAny}[r.IntN(4)]
		q.Preemption.Borrow = []config.Policy{"", "", config.PreemptLowerPriority}[r.IntN(3)]
		if r.IntN(5) == 0 {
			q.Strategy = config.StrictFIFO
		}
	}
}

// needs returns a need of up to so much cpu and memory.
func needs(r *rand.Rand, most int64) queueing.Resources {
	return queueing.Resources{"cpu": 1 + r.Int64N(most), "memory": r.Int64N(most)}
}

// TestHopelessAsk: an ask that can never start changes nothing for the others, at no instant. It makes the engine look
// at everything once more, so that nothing may be left to decide.
func TestHopelessAsk(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 200, func(seed uint64) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := contended(r)
		alone := eventsOfOthers(t, s)
		for at := range 9 {
			a := arrival(time.Duration(10*at)*time.Second+[]time.Duration{0, time.Second}[r.IntN(2)], s.Arrivals[0].Ask.Queue+"/hopeless", 1, time.Hour)
			a.Ask.PodSets[0].Requests = queueing.Resources{"cpu": 1_000_000}
			s.Arrivals = append(s.Arrivals, a)
			s.Arrivals[len(s.Arrivals)-1].Ask.Key.Name += fmt.Sprint(at)
		}
		if diff := cmp.Diff(alone, eventsOfOthers(t, s)); diff != "" {
			t.Fatalf("what happens to the others (-alone +beside asks that can never start):\n%s", diff)
		}
	})
}

// eventsOfOthers returns what happens to asks that are not hopeless.
func eventsOfOthers(t *testing.T, s Scenario) (events []string) {
	t.Helper()
	if _, err := Run(s, func(e Event) error {
		if !strings.Contains(e.App, "hopeless") && e.Event != Waiting {
			events = append(events, fmt.Sprintf("%s %s %s %s %v", e.T, e.App, e.Event, e.By, e.Flavors))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return events
}
