// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// P7: where fair sharing decides on preemption, each target has more than its share (judge.aboveShare has the rules).
// It comes to rest, and no application is preempted for shares twice.
func TestFairPreemption(t *testing.T) {
	claims, byShare := 0, 0
	played := forSeeds(t, func(t *testing.T, w *world) {
		w.setQueues(w.fairQueues())
		for range events / 5 {
			for range 5 {
				w.crowdFairly()
			}
			w.passAndCheck(t)
			byShare += w.displacedByShare()
			w.comesToRest(t)
		}
		claims += w.claims
		if w.twice > 0 {
			t.Errorf("%d were displaced twice", w.twice)
		}
	})
	if played >= worlds && (claims < played || byShare < played/2) {
		t.Errorf("%d claims, %d displaced for shares, in %d worlds: too few to show anything", claims, byShare, played)
	}
}

// fairQueues returns a root with five leaves, some of them one level deeper, that use fair sharing.
func (w *world) fairQueues() []config.Queue {
	rules := []config.FairPreemption{config.PreemptLessThanOrEqualToFinalShare, config.PreemptLessThanInitialShare}
	queues := []config.Queue{
		{Name: "q0", Flavors: w.cpu(5 + w.Int64N(15)), FairSharing: true, FairPreemption: rules[w.IntN(2)]}, {Name: "q1", Parent: "q0", Weight: 1},
		{Name: "q2", Parent: "q0", Weight: 1 + w.Int32N(3), FairSharing: true, FairPreemption: rules[w.IntN(2)]},
	}
	for i := 3; i <= 7; i++ {
		queues = append(queues, config.Queue{
			Name: fmt.Sprintf("q%d", i), Parent: fmt.Sprintf("q%d", w.IntN(3)), Weight: 1 + w.Int32N(3), Flavors: w.cpu(w.Int64N(4)),
			Admits: func(map[string]string) bool { return true }, Preemption: config.Preemption{Reclaim: config.PreemptAny},
		})
	}
	return queues
}

func (w *world) cpu(nominal int64) []config.FlavorQuota {
	return []config.FlavorQuota{{Name: config.DefaultFlavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: nominal}}}}
}

// crowdFairly plays the arrival or the end of an application.
func (w *world) crowdFairly() {
	if key, known := w.anyKey(); known && w.chance(0.3) {
		w.release(key)
		return
	}
	w.clock++
	w.submit(queueing.Ask{
		Key: w.newKey(), Run: 1, Attempt: 1, Queue: fmt.Sprintf("q%d", 3+w.IntN(5)), QueuedAt: epoch.Add(time.Duration(w.clock) * time.Second),
		PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 1 + w.Int64N(4)}}},
	})
}

// displacedByShare counts the applications that are preempted because their side has more than its share.
func (w *world) displacedByShare() int {
	count := 0
	for key := range w.engine.registry.Askers {
		if w.isDisplacedByShare(key) {
			count++
		}
	}
	return count
}

func (w *world) isDisplacedByShare(key queueing.Key) bool {
	h := w.engine.registry.Askers[key].Held
	return h != nil && h.Evicted != nil && strings.Contains(h.Evicted.Message, "above its fair share")
}
