// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
)

// varied returns arrivals as of a team's Spark jobs: of 70 % the median is 4 minutes, of 25 % half an hour, of 5 % four
// hours, and each is lognormal; most have few of 256 cores, and some up to half of them. They arrive at random times, so
// that they need this part of the cores.
func varied(r *rand.Rand, jobs int, load float64) []Arrival {
	cores := []int64{3, 3, 3, 5, 5, 5, 9, 9, 17, 17, 33, 33, 65, 128}
	out := make([]Arrival, jobs)
	var work float64
	for i := range out {
		median := 4 * time.Minute
		if u := r.Float64(); u > 0.95 {
			median = 4 * time.Hour
		} else if u > 0.7 {
			median = 30 * time.Minute
		}
		runFor := (time.Duration(float64(median) * math.Exp(0.8*r.NormFloat64()))).Round(time.Second)
		n := cores[min(r.IntN(len(cores)), r.IntN(len(cores)))]
		work += runFor.Seconds() * float64(n)
		out[i] = Arrival{RunFor: runFor, Ask: queueing.Ask{
			Key: queueing.Key{Namespace: "ns", Name: fmt.Sprint(i)}, Queue: "q",
			PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 1000 * n}}},
		}}
	}
	for i := range out {
		out[i].At = time.Duration(r.Float64() * work / 256 / load * float64(time.Second)).Round(time.Second)
	}
	slices.SortStableFunc(out, func(a, b Arrival) int { return int(a.At/time.Second) - int(b.At/time.Second) })
	return out
}

// TestEstimates: with estimates alone, the default headTimeout costs no more mean wait than reserving by exact times, as
// EASY does, and the longest wait is not much longer than with these. The test prints the table of docs/spark-queue.md:
//
//	go test ./queueing/embedded/simulator -run TestEstimates -v
func TestEstimates(t *testing.T) {
	t.Parallel()
	for _, load := range []float64{0.6, 0.75, 0.9, 1} {
		never, none := 100_000*time.Hour, time.Duration(0)
		best, easy := playVaried(t, load, &never, false), playVaried(t, load, &none, true)
		ours, strict := playVaried(t, load, nil, false), playVaried(t, load, &none, false)
		t.Logf("| %.2f | %s | %s | %s | %s |", load, best, easy, ours, strict)
		if ours.mean > easy.mean {
			t.Errorf("load %g: mean wait %.0f s, more than %.0f s with exact times", load, ours.mean, easy.mean)
		}
		if ours.longest > 3*easy.longest {
			t.Errorf("load %g: longest wait %s, more than three times %s", load, ours.longest, easy.longest)
		}
	}
}

// waitsFor are the mean wait in seconds and the longest one.
type waitsFor struct {
	mean    float64
	longest Time
}

func (w waitsFor) String() string {
	return fmt.Sprintf("%.0f s (%.1f h)", w.mean, time.Duration(w.longest).Hours())
}

// playVaried plays three loads in one queue.
func playVaried(t *testing.T, load float64, headTimeout *time.Duration, exact bool) (out waitsFor) {
	t.Helper()
	for seed := range uint64(3) {
		q := queueWith("q", "", 256)
		q.HeadTimeout = headTimeout
		s := Scenario{Arrivals: varied(rand.New(rand.NewPCG(seed, 4)), 2000, load)}
		s.Queues = append(s.Queues, q)
		arrived := map[string]Time{}
		for i := range s.Arrivals {
			arrived[s.Arrivals[i].Ask.Key.String()] = Time(s.Arrivals[i].At)
			if exact {
				s.Arrivals[i].Ask.HoldsFor = max(1, s.Arrivals[i].RunFor)
			}
		}
		if _, err := Run(s, func(e Event) error {
			if e.Event == Admitted {
				out.mean += inSeconds(e.T-arrived[e.App]) / float64(3*len(s.Arrivals))
				out.longest = max(out.longest, e.T-arrived[e.App])
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
