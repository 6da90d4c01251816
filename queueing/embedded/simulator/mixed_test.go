// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// mixed returns a production queue and a batch queue that lend to each other, with 80 large applications of high
// priority and 500 small ones of low priority. They arrive at random times within 40 minutes and together need more
// than the quota.
func mixed(preemption config.Preemption) Scenario {
	s := Scenario{Queues: []config.Queue{{Name: "root"}, queueWith("production", "root", 80), queueWith("batch", "root", 20)}}
	for i := range s.Queues {
		s.Queues[i].Preemption = preemption
	}
	add := func(class string, i int, priority int32, cores int64, at, runFor time.Duration) {
		s.Arrivals = append(s.Arrivals, Arrival{At: at, RunFor: runFor, Ask: queueing.Ask{
			Key: queueing.Key{Namespace: class, Name: fmt.Sprint(i)}, Queue: class, Priority: priority,
			PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 1000 * cores}}},
		}})
	}
	r := rand.New(rand.NewPCG(80, 500))
	within := func(from, to int) time.Duration { return time.Duration(from+r.IntN(to-from)) * time.Second }
	for i := range 80 {
		add("production", i, 1000, 6+r.Int64N(9), within(0, 2400), within(120, 360))
	}
	for i := range 500 {
		add("batch", i, 0, 1+r.Int64N(3), within(0, 2400), within(30, 210))
	}
	return s
}

// mixedTally is the result of the scenario.
type mixedTally struct {
	Summary
	// atOnce counts the preemptions in the same instant as the admission, and early those within 5 s.
	atOnce, early int
	// wait is the mean wait by class.
	wait map[string]time.Duration
}

func playMixed(t *testing.T, preemption config.Preemption) mixedTally {
	t.Helper()
	out := mixedTally{wait: map[string]time.Duration{}}
	admitted, arrived, count := map[string]Time{}, map[string]Time{}, map[string]time.Duration{}
	s := mixed(preemption)
	for i := range s.Arrivals {
		arrived[s.Arrivals[i].Ask.Key.String()] = Time(s.Arrivals[i].At)
	}
	var err error
	out.Summary, err = Run(s, func(e Event) error {
		switch e.Event {
		case Admitted:
			admitted[e.App] = e.T
		case Preempted:
			if e.T == admitted[e.App] {
				out.atOnce++
			}
			if time.Duration(e.T-admitted[e.App]) <= 5*time.Second {
				out.early++
			}
		case Finished:
			out.wait[e.Queue] += time.Duration(admitted[e.App] - arrived[e.App])
			count[e.Queue]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for class, n := range count {
		out.wait[class] /= n
	}
	return out
}

// TestProductionAndBatch: quota that production reclaims is not granted to batch applications just before. The test
// prints the table of docs/performance.md:
//
//	go test ./queueing/embedded/simulator -run TestProductionAndBatch -v
func TestProductionAndBatch(t *testing.T) {
	t.Parallel()
	for name, rules := range map[string]config.Preemption{
		"no preemption":        {},
		"reclaim":              {Reclaim: config.PreemptAny},
		"reclaim and priority": {Reclaim: config.PreemptAny, Within: config.PreemptLowerPriority},
		"borrow by priority":   {Reclaim: config.PreemptAny, Borrow: config.PreemptLowerPriority},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := playMixed(t, rules)
			t.Logf("| %s | %d | %d | %d | %.0f s | %.0f s | %.0f s |", name, got.Preemptions, got.atOnce, got.early,
				got.wait["production"].Seconds(), got.wait["batch"].Seconds(), inSeconds(got.Makespan))
			if got.Unfinished > 0 || got.atOnce > 0 {
				t.Errorf("%d wait for ever, %d are preempted in the instant of their admission", got.Unfinished, got.atOnce)
			}
		})
	}
}
