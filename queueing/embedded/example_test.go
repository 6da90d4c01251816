// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// The engine needs no Kubernetes: its caller reports what asks and what has ended, and has it decide.
func Example() {
	everybody := func(map[string]string) bool { return true }
	cores := func(n int64) []config.FlavorQuota {
		return []config.FlavorQuota{{
			Name:   config.DefaultFlavor,
			Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: n * 1000}},
		}}
	}
	engine := embedded.New()
	engine.Configure([]config.Queue{
		{Name: "company"},
		{Name: "team-a", Parent: "company", Flavors: cores(4), Admits: everybody},
		{
			Name: "team-b", Parent: "company", Flavors: cores(4), Admits: everybody,
			Preemption: config.Preemption{Reclaim: config.PreemptAny},
		},
	}, nil)

	begin := time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)
	ask := func(name, queue string, executors int32) queueing.Ask {
		return queueing.Ask{
			Key: queueing.Key{Namespace: "default", Name: name, UID: name}, Run: 1, Attempt: 1,
			Queue: queue, QueuedAt: begin,
			PodSets: []queueing.PodSet{
				{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 1000}},
				{Name: "executor", Count: executors, Requests: queueing.Resources{"cpu": 1000}},
			},
		}
	}
	decide := func() {
		for _, d := range engine.Cycle(0) {
			engine.Confirm(d.Key, d.Grant.Run, d.Grant.Attempt)
		}
		for _, key := range engine.Changed() {
			if e := engine.Eviction(key, 1, 1); e != nil {
				fmt.Printf("%s: %s\n", key.Name, e.Message)
				continue
			}
			v := engine.Verdict(key)
			fmt.Println(strings.TrimSpace(fmt.Sprintf("%s: %s %s", key.Name, v.State, v.Message)))
		}
	}

	// team-a borrows what team-b does not use.
	engine.Submit(ask("etl", "team-a", 3))
	engine.Submit(ask("report", "team-a", 2))
	decide()

	// team-b wants its own quota back. A target releases its quota when it has stopped.
	engine.Submit(ask("training", "team-b", 3))
	decide()
	engine.Release(ask("report", "", 0).Key)
	decide()

	// Output:
	// etl: Granted
	// report: Granted
	// report: preempted by default/training: queue team-b reclaims quota that queue team-a borrowed
	// training: Waiting waiting for default/report to release its quota
	// training: Granted
}
