// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// saturated returns an engine in which each queue has many asks of its size, submitted queue by queue.
func saturated(queues []config.Queue, sizes map[string]int64) *Engine {
	e := New()
	for i := range queues {
		queues[i].Admits = func(map[string]string) bool { return true }
	}
	e.SetQueues(queues)
	serial := 0
	for _, q := range queues {
		for range 100 {
			if sizes[q.Name] > 0 {
				e.Submit(piece(q.Name, serial, sizes[q.Name]))
				serial++
			}
		}
	}
	return e
}

func piece(queue string, serial int, cpu int64) queueing.Ask {
	name := fmt.Sprintf("%s-%04d", queue, serial)
	return queueing.Ask{Key: queueing.Key{Namespace: "ns", Name: name, UID: name}, Run: 1, Attempt: 1, Queue: queue,
		QueuedAt: epoch.Add(time.Duration(serial) * time.Second),
		PodSets:  []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": cpu}}}}
}

// used returns the usage of each queue.
func used(e *Engine, names ...string) map[string]int64 {
	out := map[string]int64{}
	for _, name := range names {
		state, _ := e.Queues().State(name)
		for _, u := range state.Usage {
			out[name] += u.Used
		}
	}
	return out
}

func TestFairSharing(t *testing.T) {
	pool := func(nominal int64) []config.FlavorQuota {
		return []config.FlavorQuota{{Name: config.DefaultFlavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: nominal}}}}
	}
	tests := map[string]struct {
		queues []config.Queue
		sizes  map[string]int64
		want   map[string]int64
	}{
		"by weight": {
			[]config.Queue{{Name: "root", FairSharing: true, Flavors: pool(40)}, {Name: "a", Parent: "root", Weight: 1}, {Name: "b", Parent: "root", Weight: 3}},
			map[string]int64{"a": 1, "b": 1}, map[string]int64{"a": 10, "b": 30},
		},
		"not by default: the older ones come first": {
			[]config.Queue{{Name: "root", Flavors: pool(40)}, {Name: "a", Parent: "root", Weight: 1}, {Name: "b", Parent: "root", Weight: 3}},
			map[string]int64{"a": 1, "b": 1}, map[string]int64{"a": 40, "b": 0},
		},
		"own quota is no share": {
			[]config.Queue{{Name: "root", FairSharing: true, Flavors: pool(20)},
				{Name: "a", Parent: "root", Weight: 1, Flavors: pool(10)}, {Name: "b", Parent: "root", Weight: 1}},
			map[string]int64{"a": 1, "b": 1}, map[string]int64{"a": 20, "b": 10},
		},
		"large and small jobs": {
			[]config.Queue{{Name: "root", FairSharing: true, Flavors: pool(40)}, {Name: "a", Parent: "root", Weight: 1}, {Name: "b", Parent: "root", Weight: 1}},
			map[string]int64{"a": 5, "b": 1}, map[string]int64{"a": 20, "b": 20},
		},
		"on every level": {
			[]config.Queue{{Name: "root", FairSharing: true, Flavors: pool(48)},
				{Name: "x", Parent: "root", Weight: 1, FairSharing: true}, {Name: "y", Parent: "root", Weight: 2},
				{Name: "x1", Parent: "x", Weight: 1}, {Name: "x2", Parent: "x", Weight: 3}, {Name: "y1", Parent: "y", Weight: 1}},
			map[string]int64{"x1": 1, "x2": 1, "y1": 1}, map[string]int64{"x1": 4, "x2": 12, "y1": 32},
		},
		"no weight comes last": {
			[]config.Queue{{Name: "root", FairSharing: true, Flavors: pool(120)}, {Name: "a", Parent: "root"}, {Name: "b", Parent: "root", Weight: 1}},
			map[string]int64{"a": 1, "b": 1}, map[string]int64{"a": 20, "b": 100},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e := saturated(tc.queues, tc.sizes)
			e.Cycle(0)
			got := map[string]int64{}
			for queue := range tc.want {
				got[queue] = used(e, queue)[queue]
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("use (-want +got):\n%s", diff)
			}
		})
	}
}

// P7: whatever comes and goes, the shares of saturated queues converge to within one application each.
func TestSharesConverge(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, seed))
	weights := map[string]int32{"a": 1, "b": 2, "c": 5}
	sizes := map[string]int64{"a": 3, "b": 1, "c": 2}
	e := saturated([]config.Queue{
		{Name: "root", FairSharing: true, Flavors: []config.FlavorQuota{{Name: config.DefaultFlavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: 160}}}}},
		{Name: "a", Parent: "root", Weight: weights["a"]}, {Name: "b", Parent: "root", Weight: weights["b"]}, {Name: "c", Parent: "root", Weight: weights["c"]},
	}, sizes)
	running, serial := e.Cycle(0), 1000
	for range 500 {
		i := r.IntN(len(running))
		ended := running[i]
		running = append(running[:i], running[i+1:]...)
		e.Release(ended.Key)
		e.Submit(piece(ended.Grant.Queue, serial, sizes[ended.Grant.Queue]))
		serial++
		running = append(running, e.Cycle(0)...)
	}
	for queue, use := range used(e, "a", "b", "c") {
		fair := 160 * int64(weights[queue]) / 8
		if use < fair-2*sizes[queue]-3 || use > fair+2*sizes[queue]+3 {
			t.Errorf("seed %d: %s uses %d, its share is %d", seed, queue, use, fair)
		}
	}
}
