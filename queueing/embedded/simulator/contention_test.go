// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// crowded is a tree of 100 queues with so many arrivals that most of them wait, in queues that lend to each other.
func crowded(arrivals int, preemption embedded.Preemption) Scenario {
	s := Scenario{Queues: []embedded.QueueConfig{{Name: "root"}}}
	for q := range 100 {
		queue := queueWith(fmt.Sprintf("q%02d", q), "root", 20)
		queue.Preemption = preemption
		s.Queues = append(s.Queues, queue)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range arrivals {
		s.Arrivals = append(s.Arrivals, Arrival{
			At: time.Duration(r.IntN(arrivals*60)) * time.Millisecond, RunFor: time.Duration(30+r.IntN(120)) * time.Second, Ask: queueing.Ask{
				Key: queueing.Key{Namespace: "ns", Name: fmt.Sprint(i)}, Queue: fmt.Sprintf("q%02d", r.IntN(100)), Priority: r.Int32N(3),
				PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 1000 * (1 + r.Int64N(8))}}},
			},
		})
	}
	return s
}

// BenchmarkContention plays 10,000 arrivals in 100 queues, more than these can hold, without preemption and with the default.
func BenchmarkContention(b *testing.B) {
	for name, rules := range map[string]embedded.Preemption{"none": {}, "reclaim": {Reclaim: embedded.PreemptAny}} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				summary, err := Run(crowded(10_000, rules), func(Event) error { return nil })
				if err != nil || summary.Unfinished > 0 {
					b.Fatal(summary, err)
				}
				b.ReportMetric(float64(summary.Preemptions), "preemptions")
			}
		})
	}
}
