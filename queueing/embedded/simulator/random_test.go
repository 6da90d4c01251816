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
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// randomScenario returns a tree of queues with more arrivals than it can hold, and changes in between. There are few
// distinct times, so many events are simultaneous.
func randomScenario(r *rand.Rand) Scenario {
	var s Scenario
	names := []string{"root"}
	root := queueWith("root", "", r.Int64N(3))
	s.Queues = append(s.Queues, root)
	for i := range 1 + r.IntN(4) {
		q := queueWith(fmt.Sprintf("q%d", i), "root", r.Int64N(6))
		if r.IntN(3) == 0 {
			q.Strategy = config.StrictFIFO
		}
		s.Queues = append(s.Queues, q)
		names = append(names, q.Name)
	}
	for i := range 1 + r.IntN(30) {
		a := arrival(seconds(r, 20), fmt.Sprintf("%s/a%d", names[1+r.IntN(len(names)-1)], i), 1+r.Int32N(4), seconds(r, 10))
		a.Ask.Priority = r.Int32N(3)
		s.Arrivals = append(s.Arrivals, a)
	}
	for range r.IntN(6) {
		name := names[1+r.IntN(len(names)-1)]
		q := queueWith(name, "root", r.Int64N(6))
		switch r.IntN(4) {
		case 0:
			s.Changes = append(s.Changes, Change{At: seconds(r, 40), DeleteQueue: name})
			continue
		case 1:
			q.Stop = config.StopHold
		}
		s.Changes = append(s.Changes, Change{At: seconds(r, 40), Queue: &q})
	}
	return s
}

func seconds(r *rand.Rand, most int) time.Duration { return time.Duration(r.IntN(most)) * time.Second }

// whimsical is an engine that reclaims quota at random.
type whimsical struct {
	*embedded.Engine
	random *rand.Rand
	// begun maps the granted attempts to whether their quota is reclaimed.
	begun map[queueing.Key]map[int64]bool
}

func (e *whimsical) Cycle(most int) []embedded.Decision {
	decisions := e.Engine.Cycle(most)
	for _, d := range decisions {
		if e.begun[d.Key] == nil {
			e.begun[d.Key] = map[int64]bool{}
		}
		e.begun[d.Key][d.Grant.Attempt] = d.Grant.Attempt < 4 && e.random.IntN(4) == 0
	}
	return decisions
}

func (e *whimsical) Eviction(key queueing.Key, _, attempt int64) *queueing.Eviction {
	if e.begun[key][attempt] {
		return &queueing.Eviction{Reason: queueing.ReasonPreempted, Message: "for no reason"}
	}
	return nil
}

// TestAnyScenario: in every scenario, the events of each application are in order and it runs for its whole time, the
// summary agrees with the events, and a second play gives the same result.
func TestAnyScenario(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 500, func(seed uint64) {
		s := randomScenario(rand.New(rand.NewPCG(seed, 0)))
		var plays [2][]Event
		var summaries [2]Summary
		for i := range plays {
			e := &whimsical{Engine: embedded.New(), random: rand.New(rand.NewPCG(seed, 1)), begun: map[queueing.Key]map[int64]bool{}}
			var err error
			summaries[i], err = run(s, e, func(e Event) error {
				plays[i] = append(plays[i], e)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(plays[0], plays[1]) + cmp.Diff(summaries[0], summaries[1]); diff != "" {
			t.Fatalf("the second play differs:\n%s", diff)
		}
		if wrong := audit(s, plays[0], summaries[0]); len(wrong) > 0 {
			t.Fatal(strings.Join(wrong, "\n"))
		}
	})
}

// life is what an auditor knows about one application.
type life struct {
	*Arrival
	arrived, runs, ended bool
	admitted             Time
	reason               string
}

// auditor checks the events of a play against the scenario.
type auditor struct {
	lives       map[string]*life
	now, last   Time
	preemptions int
	waits       []Time
	wrong       []string
}

func audit(s Scenario, events []Event, summary Summary) []string {
	a := &auditor{lives: map[string]*life{}}
	for i := range s.Arrivals {
		a.lives[s.Arrivals[i].Ask.Key.String()] = &life{Arrival: &s.Arrivals[i]}
	}
	for _, e := range events {
		a.look(e, a.lives[e.App])
	}
	want := Summary{
		Event: "summary", Makespan: a.last, Wait: waitsOf(a.waits), Preemptions: a.preemptions,
		Unfinished: len(s.Arrivals) - len(a.waits), Usage: summary.Usage,
	}
	if diff := cmp.Diff(want, summary); diff != "" {
		a.wrong = append(a.wrong, "summary (-want +got):", diff)
	}
	for _, cell := range slices.Sorted(maps.Keys(summary.Usage)) {
		a.expect(summary.Usage[cell] >= 0 && summary.Usage[cell] <= 1, Event{}, "usage is between 0 and 1")
	}
	for _, l := range a.lives {
		a.expect(l.arrived && !l.runs, Event{App: l.Ask.Key.String()}, "it has come, and does not run at the end")
	}
	return a.wrong
}

func (a *auditor) expect(holds bool, e Event, what string) {
	if !holds {
		a.wrong = append(a.wrong, fmt.Sprintf("%v: it does not hold that %s", e, what))
	}
}

func (a *auditor) look(e Event, l *life) {
	a.expect(e.T >= a.now, e, "time goes forward")
	a.expect(e.T >= Time(l.At) && (l.arrived || e.T == Time(l.At)), e, "an application is first heard of when it arrives")
	a.expect(!l.ended, e, "nothing happens after the end")
	a.expect(e.Queue == l.Ask.Queue, e, "the queue is the one that was asked")
	a.now, l.arrived = e.T, true
	switch e.Event {
	case Admitted:
		a.expect(!l.runs && e.Flavors["driver"] == "default", e, "it is admitted while it waits, with flavors")
		l.runs, l.admitted, l.reason = true, e.T, ""
	case Preempted:
		a.expect(l.runs && e.Reason == "Preempted: for no reason", e, "it is preempted while it runs, with a reason")
		l.runs = false
		a.preemptions++
	case Finished:
		a.expect(l.runs && e.T == l.admitted+Time(l.RunFor), e, "it runs its whole time")
		l.runs, l.ended, a.last = false, true, e.T
		a.waits = append(a.waits, l.admitted-Time(l.At))
	case Waiting, Refused:
		a.expect(!l.runs && e.Reason != "" && e.Reason != l.reason, e, "a reason is told when it changes")
		l.reason = e.Reason
	}
}

// TestUsageIsTheIntegral compares the meter with sums over the events, if all quota is in one tree and never cut.
func TestUsageIsTheIntegral(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 50, func(seed uint64) { checkUsage(t, seed) })
}

func checkUsage(t *testing.T, seed uint64) {
	t.Helper()
	s := randomScenario(rand.New(rand.NewPCG(seed, 2)))
	s.Changes = nil
	var used, nominal float64
	for _, q := range s.Queues {
		for _, f := range q.Flavors {
			nominal += float64(f.Quotas[0].Nominal)
		}
	}
	pods := map[string]float64{}
	runFor := map[string]float64{}
	for _, a := range s.Arrivals {
		pods[a.Ask.Key.String()] = float64(a.Ask.PodSets[0].Count) * 1000
		runFor[a.Ask.Key.String()] = float64(a.RunFor)
	}
	summary, err := Run(s, func(e Event) error {
		if e.Event == Finished {
			used += pods[e.App] * runFor[e.App]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	if all := nominal * float64(summary.Makespan); all > 0 {
		want = used / all
	}
	if got := summary.Usage["default/cpu"]; got < want-1e-9 || got > want+1e-9 {
		t.Errorf("usage is %v, want %v", got, want)
	}
}
