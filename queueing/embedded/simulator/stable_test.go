// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
)

// The reason for which an application waits hardly changes, however long it waits and however many others come and go.
// Each change would be a write to the API server for all applications with the same needs.
func TestReasonsAreStable(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	s := Scenario{}
	s.Queues = append(s.Queues, queueWith("root", ""))
	for i := range 5 {
		s.Queues = append(s.Queues, queueWith(fmt.Sprintf("q%d", i), "root", 20))
	}
	for i := range 2000 {
		a := arrival(time.Duration(i)*100*time.Millisecond, fmt.Sprintf("q%d/a%d", random.IntN(5), i), 1, time.Duration(60+random.IntN(120))*time.Second)
		a.Ask.PodSets[0].Requests = queueing.Resources{"cpu": int64(500 * (1 + random.IntN(40)))}
		s.Arrivals = append(s.Arrivals, a)
	}
	waiting, most := map[string]int{}, 0
	summary, err := Run(s, func(e Event) error {
		if e.Event == Waiting {
			waiting[e.App]++
			most = max(most, waiting[e.App])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, times := range waiting {
		told += times
	}
	if limit := len(waiting) * 11 / 10; told > limit || most > 3 {
		t.Errorf("%d who had to wait were told %d times why, one of them %d times; want at most %d and 3", len(waiting), told, most, limit)
	}
	if summary.Unfinished > 0 || time.Duration(summary.Makespan) < time.Hour {
		t.Errorf("%d did not finish in %s: the load is not what it should be", summary.Unfinished, summary.Makespan)
	}
}
