// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// crowded returns a tree of 100 queues that lend to each other, with so many arrivals that most of them wait. Arrivals
// of the same size share their pod sets.
func crowded(arrivals int, preemption config.Preemption) Scenario {
	s := Scenario{Queues: []config.Queue{{Name: "root"}}}
	for q := range 100 {
		queue := queueWith(fmt.Sprintf("q%02d", q), "root", 20)
		queue.Preemption = preemption
		s.Queues = append(s.Queues, queue)
	}
	var sizes [8][]queueing.PodSet
	for i := range sizes {
		sizes[i] = []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": int64(1000 * (1 + i))}}}
	}
	s.Arrivals = make([]Arrival, 0, arrivals)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range arrivals {
		s.Arrivals = append(s.Arrivals, Arrival{
			At: time.Duration(r.IntN(arrivals*60)) * time.Millisecond, RunFor: time.Duration(30+r.IntN(120)) * time.Second, Ask: queueing.Ask{
				Key: queueing.Key{Namespace: "ns", Name: fmt.Sprint(i)}, Queue: fmt.Sprintf("q%02d", r.IntN(100)), Priority: r.Int32N(3),
				PodSets: sizes[r.Int64N(8)],
			},
		})
	}
	return s
}

// spread delays all arrivals by a factor.
func spread(s Scenario, times float64) Scenario {
	for i := range s.Arrivals {
		s.Arrivals[i].At = time.Duration(times * float64(s.Arrivals[i].At))
	}
	return s
}

// fairly makes the queues of a scenario preempt each other by their shares.
func fairly(s Scenario) Scenario {
	s.Queues[0].FairSharing, s.Queues[0].FairPreemption = true, config.PreemptLessThanInitialShare
	for i := range s.Queues {
		s.Queues[i].Weight = 1
	}
	return s
}

// BenchmarkContention plays arrivals in 100 queues that exceed their quota: without preemption and with the default. A
// tenth as many are played with priorities in each queue and with fair preemption, because these take longest.
func BenchmarkContention(b *testing.B) {
	const arrivals = 10_000
	reclaim := config.Preemption{Reclaim: config.PreemptAny}
	priority := config.Preemption{Reclaim: config.PreemptAny, Within: config.PreemptLowerPriority}
	for name, s := range map[string]Scenario{
		"none": crowded(arrivals, config.Preemption{}), "reclaim": crowded(arrivals, reclaim), "priority": crowded(arrivals/10, priority),
		"fair": fairly(crowded(arrivals/10, reclaim)),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				summary, err := Run(s, func(Event) error { return nil })
				if err != nil || summary.Unfinished > 0 {
					b.Fatal(summary, err)
				}
				b.ReportMetric(float64(summary.Preemptions), "preemptions")
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*(len(s.Arrivals)+summary.Preemptions)), "us/decision")
			}
		})
	}
}

// BenchmarkCrowd plays as many arrivals as a very large installation has in weeks, spread so that the queues just keep
// up, and a tenth of them at the same instant. The reported memory is that of the process, including the scenario.
func BenchmarkCrowd(b *testing.B) {
	for name, scenario := range map[string]func() Scenario{
		"1000000":        func() Scenario { return spread(crowded(1_000_000, config.Preemption{}), 3.5) },
		"100000-at-once": func() Scenario { return spread(crowded(100_000, config.Preemption{}), 0) },
	} {
		b.Run(name, func(b *testing.B) {
			s := scenario()
			b.ResetTimer()
			for range b.N {
				summary, err := Run(s, func(Event) error { return nil })
				if err != nil || summary.Unfinished > 0 {
					b.Fatal(summary, err)
				}
				var after runtime.MemStats
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.Sys)/(1<<20), "MiB")
			}
		})
	}
}
