// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// TestTargetsOnceMore: the choice of targets is reconsidered when a target of the ask's own queue has gone. Without
// low-2 the ask stays within its quota and may reclaim lent quota. low-1, which has a higher priority, is not
// preempted, and low-2 keeps its grant, because it could start again at once.
func TestTargetsOnceMore(t *testing.T) {
	policy := config.Preemption{Within: config.PreemptLowerPriority, Reclaim: config.PreemptAny}
	s := newScene(t, config.Queue{Name: "root"}, leaf("a", 4, policy), leaf("b", 2, config.Preemption{}))
	s.comes("low-1", job{"a", 2, -1})
	s.comes("low-2", job{"a", 1, -2})
	s.comes("borrower", job{"b", 3, 0})
	s.comes("high", job{"a", 2, 5})
	s.want("who has borrowed", s.displaced(), "borrower")
}

// smallWorld is full of applications of one cpu each.
func (w *world) smallWorld() {
	queues := w.crowdedQueues()
	for i := 3; i < len(queues); i++ {
		queues[i].Strategy = config.BestEffortFIFO
		queues[i].Flavors = []config.FlavorQuota{{Name: config.DefaultFlavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: w.Int64N(3)}}}}
	}
	w.setQueues(queues)
	for range 8 {
		w.submit(w.oneCPU(1))
	}
	for _, d := range w.decide() {
		w.granted(d, w.ref.asks[d.Key])
		w.engine.Confirm(d.Key, d.Grant.Run, d.Grant.Attempt)
	}
	for _, a := range w.ref.waiting() {
		w.release(a.Key)
	}
}

// oneCPU returns an ask for that much cpu.
func (w *world) oneCPU(cpu int64) queueing.Ask {
	w.clock++
	return queueing.Ask{
		Key: w.newKey(), Run: 1, Attempt: 1, Queue: fmt.Sprintf("q%d", 3+w.IntN(5)), Priority: int32(w.IntN(3)), QueuedAt: epoch.Add(time.Duration(w.clock) * time.Second),
		PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": cpu}}},
	}
}

// TestFewestTargets compares the targets of an ask with all subsets of the holders. If any subset is allowed and
// sufficient, the engine finds one, and it is the first of the smallest ones in the documented order. All holders are
// of the same size; for other sizes, TestPreemption checks that none could be spared.
func TestFewestTargets(t *testing.T) {
	found, several := 0, 0
	played := forSeeds(t, func(t *testing.T, w *world) {
		for range 5 {
			if w.smallWorld(); len(w.ref.grants) > 8 {
				t.Fatal("too large to try all subsets")
			}
			a := w.oneCPU(1 + w.Int64N(3))
			a.Priority++
			w.submit(a)
			want := w.bestTargets(a)
			decisions := w.decide()
			var got []queueing.Key
			if c := w.engine.registry.Askers[a.Key].Claim; c != nil {
				got = slices.SortedFunc(slices.Values(c.Targets), state.CompareKeys)
			}
			if len(decisions) == 0 && keyNames(got) != keyNames(want) {
				t.Fatalf("%s displaces %q, want %q", a.Key.Name, keyNames(got), keyNames(want))
			}
			if len(got) > 0 {
				found++
			}
			if len(got) > 1 {
				several++
			}
			for _, key := range w.keys() {
				w.release(key)
			}
		}
	})
	if played >= worlds && (found < played || several < played/6) {
		t.Errorf("%d claims, %d with several targets, in %d worlds: too few to show anything", found, several, played)
	}
}

// bestTargets returns the best subset of the holders, sorted by key. It returns nil if there is none, or if the ask can
// never be admitted.
func (w *world) bestTargets(a queueing.Ask) []queueing.Key {
	if w.ref.inadmissible(a) != "" || w.ref.stop(a.Queue) != "" {
		return nil
	}
	var holders []queueing.Key
	for key := range w.ref.grants {
		holders = append(holders, key)
	}
	held := func(key queueing.Key) *state.Held { return w.engine.registry.Askers[key].Held }
	own := func(key queueing.Key) bool { return held(key).Grant.Queue == a.Queue }
	slices.SortFunc(holders, func(x, y queueing.Key) int {
		return cmp.Or(compareBools(own(x), own(y)), cmp.Compare(held(x).Standing.Priority, held(y).Standing.Priority), cmp.Compare(held(y).Serial, held(x).Serial))
	})
	var best []queueing.Key
	bestRank := ""
	for subset := 1; subset < 1<<len(holders); subset++ {
		var keys []queueing.Key
		rank := ""
		for i, key := range holders {
			if subset&(1<<i) != 0 {
				keys = append(keys, key)
				rank += fmt.Sprintf("%02d ", i)
			}
		}
		if best != nil && (len(keys) > len(best) || len(keys) == len(best) && strings.Compare(rank, bestRank) > 0) || !w.isEnough(a, keys) {
			continue
		}
		best, bestRank = keys, rank
	}
	return slices.SortedFunc(slices.Values(best), state.CompareKeys)
}

// isEnough reports whether the ask fits without some holders, and whether each of them may be preempted last.
func (w *world) isEnough(a queueing.Ask, targets []queueing.Key) bool {
	for _, where := range w.ref.placements(a) {
		g := w.ref.grant(a, where, 0)
		j := judge{w.ref, a, g, w.ref.lacking(g), nil}
		held := map[queueing.Key]queueing.Grant{}
		for _, key := range targets {
			held[key] = w.ref.grants[key]
			delete(w.ref.grants, key)
		}
		legal := w.ref.within(g, w.ref.available)
		for _, key := range targets {
			w.ref.grants[key] = held[key]
			legal = legal && j.mayDisplace(w.engine.registry.Askers[key].Held)
			delete(w.ref.grants, key)
		}
		for key, g := range held {
			w.ref.grants[key] = g
		}
		if legal {
			return true
		}
	}
	return false
}
