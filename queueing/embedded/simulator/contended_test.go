// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
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

// vain counts what was preempted to no purpose.
type vain struct {
	// preempted counts the preempted; again those of them that start again in the same instant in the same flavors,
	// elsewhere those in other flavors, briefly those that had started in it. overtaken counts later ones of their queue,
	// at least as large and of no higher priority, that start in that instant.
	preempted, again, elsewhere, briefly, overtaken int
}

// TestPreemptedInVain: hardly an application is preempted only to start again at once, or started only to be preempted
// at once, or preempted while a later one of the same queue starts. What is left are chains of preemptions, in which one
// gives way to another that then gives way itself.
func TestPreemptedInVain(t *testing.T) {
	t.Parallel()
	var n vain
	played := randtest.Each(t, 400, func(seed uint64) {
		s := contended(rand.New(rand.NewPCG(seed, 3)))
		m := &moment{vain: &n, asks: map[string]*Arrival{}, flavors: map[string]map[string]string{}}
		for i := range s.Arrivals {
			m.asks[s.Arrivals[i].Ask.Key.String()] = &s.Arrivals[i]
		}
		if _, err := Run(s, m.see); err != nil {
			t.Fatal(seed, err)
		}
	})
	t.Logf("in %d worlds %+v", played, n)
	if played >= 400 && (25*n.again > n.preempted || 50*n.briefly > n.preempted || 100*n.overtaken > n.preempted || n.preempted < played) {
		t.Errorf("%+v: want at most 4 %% again, 2 %% briefly, and 1 %% overtaken", n)
	}
}

// moment collects the events of one instant.
type moment struct {
	*vain
	asks map[string]*Arrival
	// flavors are those in which each application runs or ran last.
	flavors            map[string]map[string]string
	now                Time
	started, preempted []string
}

func (m *moment) see(e Event) error {
	if e.T != m.now {
		m.now, m.started, m.preempted = e.T, nil, nil
	}
	switch e.Event {
	case Admitted:
		switch {
		case !slices.Contains(m.preempted, e.App):
		case maps.Equal(m.flavors[e.App], e.Flavors):
			m.again++
		default:
			m.elsewhere++
		}
		m.flavors[e.App], m.started = e.Flavors, append(m.started, e.App)
		for _, other := range m.preempted {
			m.overtakes(e.App, other)
		}
	case Preempted:
		m.vain.preempted++
		if slices.Contains(m.started, e.App) {
			m.briefly++
		}
		m.preempted = append(m.preempted, e.App)
		for _, other := range m.started {
			m.overtakes(other, e.App)
		}
	}
	return nil
}

// overtakes counts one that starts while an earlier one of its queue is preempted.
func (m *moment) overtakes(starts, preempted string) {
	a, b := m.asks[starts], m.asks[preempted]
	if a == b || a.Ask.Queue != b.Ask.Queue || a.Ask.Priority > b.Ask.Priority || a.At <= b.At {
		return
	}
	large := m.held(starts)
	for at, amount := range m.held(preempted) {
		if large[at] < amount {
			return
		}
	}
	m.overtaken++
}

// held returns what an application holds, or held last.
func (m *moment) held(app string) map[quota.Cell]int64 {
	out := map[quota.Cell]int64{}
	for _, set := range m.asks[app].Ask.PodSets {
		for resource, amount := range set.Requests {
			out[quota.Cell{Flavor: m.flavors[app][set.Name], Resource: resource}] += int64(set.Count) * amount
		}
	}
	return out
}
