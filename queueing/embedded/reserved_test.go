// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// reservedIn returns the reserved amounts by queue and resource, without zeros.
func reservedIn(e *Engine) map[string]int64 {
	out := map[string]int64{}
	for _, s := range e.Queues().States() {
		for _, u := range s.Usage {
			if u.Reserved != 0 {
				out[s.Name+"/"+u.Resource] = u.Reserved
			}
		}
	}
	return out
}

// TestReserved: the free quota that is reserved for a head is reported for its queue and the ancestors, and no longer
// once the head has started.
func TestReserved(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		queues string
		before string // asks that are granted
		head   string
		want   map[string]int64
	}{
		"all that is free": {"root\na in=root cpu=6\nb in=root", "x queue=a cpu=1", "big queue=a cpu=2", map[string]int64{"a/cpu": 3000, "root/cpu": 3000}},
		"no more than the need": {"root\na in=root cpu=10 memory=3Gi", "x queue=a cpu=1 memory=1Gi", "big queue=a cpu=2 memory=1Gi",
			map[string]int64{"a/cpu": 6000, "root/cpu": 6000}},
		"nothing free":               {"root\na in=root cpu=3", "x queue=a cpu=1", "big queue=a cpu=1", map[string]int64{}},
		"what it could borrow":       {"root cpu=3\na in=root cpu=3", "x queue=a cpu=1", "big queue=a cpu=2", map[string]int64{"a/cpu": 3000, "root/cpu": 3000}},
		"a strict head has its part": {"root cpu=3\na in=root cpu=4 strict head=0s", "x queue=a cpu=1", "big queue=a cpu=2", map[string]int64{"a/cpu": 1000, "root/cpu": 1000}},
		"not at a sibling":           {"root\na in=root cpu=4\nb in=root cpu=1", "x queue=a cpu=1", "big queue=a cpu=1", map[string]int64{"a/cpu": 2000, "root/cpu": 2000}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, tc.queues, tc.before)
			e.Advance(epoch)
			e.Cycle(0)
			submit(t, e, tc.head+" at=1")
			e.Cycle(0)
			e.Advance(epoch.Add(config.DefaultHeadTimeout + time.Second))
			submit(t, e, "late queue=a cpu=9 at=2") // so that there is something to decide
			e.Cycle(0)
			if diff := cmp.Diff(tc.want, reservedIn(e)); diff != "" {
				t.Errorf("reserved (-want +got):\n%s", diff)
			}
			e.Release(keyOf("x"))
			e.Cycle(0)
			if diff := cmp.Diff(map[string]int64{}, reservedIn(e)); diff != "" {
				t.Errorf("reserved after the head has started (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReservedForAChangedHead: a reservation is kept when the head changes but keeps its place in line.
func TestReservedForAChangedHead(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change   string
		reserved bool
	}{
		"other labels":              {"big queue=a cpu=2 at=1 label=env:test", true},
		"another priority":          {"big queue=a cpu=2 at=1 prio=1", true},
		"ends in time":              {"big queue=a cpu=2 at=1 holds=1h", true},
		"another attempt":           {"big queue=a cpu=2 at=1 attempt=2", true},
		"fewer executors":           {"big queue=a cpu=2 at=1 executors=1", true},
		"fewer at least":            {"big queue=a cpu=2 at=1 executors=8 min=1", true},
		"smaller pods":              {"big queue=a cpu=1 at=1 executors=2", true},
		"more, and as old":          {"big queue=a cpu=2 at=1 memory=1Gi", true},
		"elsewhere, and as old":     {"big queue=a cpu=2 at=1 flavor=default", true},
		"a later place":             {"big queue=a cpu=2 at=2 label=env:test", false},
		"another queue":             {"big queue=b cpu=2 at=1", false},
		"another queue and back":    {"big queue=b cpu=2 at=1\nbig queue=a cpu=2 at=1", false},
		"changed more often":        {"big queue=a cpu=2 at=1 label=a:b\nbig queue=a cpu=2 at=1", true},
		"larger, and smaller again": {"big queue=a cpu=3 at=1\nbig queue=a cpu=2 at=1", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, "a cpu=9 memory=9Gi\nb cpu=9", "x queue=a cpu=1 executors=6 holds=20m\ny queue=b cpu=1 executors=4")
			e.Advance(epoch)
			e.Cycle(0)
			submit(t, e, "big queue=a cpu=2 at=1")
			e.Cycle(0)
			e.Advance(epoch.Add(config.DefaultHeadTimeout))
			submit(t, e, "late queue=a cpu=9 at=3") // so that there is something to decide
			e.Cycle(0)
			submit(t, e, tc.change)
			e.Cycle(0)
			x, _ := e.Queues().Explain("a")
			if got := len(x.ReservedFor) == 1 && x.ReservedFor[0].Key.Name == "big"; got != tc.reserved {
				t.Fatalf("reserved for %v; want for the head: %t", x.ReservedFor, tc.reserved)
			}
		})
	}
}

// TestReservedForClaims: what preempted applications release is reserved for the application that preempted them.
func TestReservedForClaims(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "root\na in=root cpu=6\nb in=root cpu=6 reclaim=Any", "x queue=a cpu=1\ny queue=a cpu=1\nz queue=a cpu=1\nw queue=a cpu=1")
	e.Cycle(0)
	submit(t, e, "pi queue=b cpu=2")
	e.Cycle(0)
	if got := reservedIn(e); len(got) > 0 {
		t.Errorf("before anything is released: %v", got)
	}
	e.Release(keyOf("w"))
	if diff := cmp.Diff(map[string]int64{"b/cpu": 3000, "root/cpu": 3000}, reservedIn(e)); diff != "" {
		t.Errorf("reserved (-want +got):\n%s", diff)
	}
	e.SetQueues(queuesOf(t, "root\na in=root cpu=6")) // the queue of the claim is gone
	if got := reservedIn(e); len(got) > 0 {
		t.Errorf("for a queue that is gone: %v", got)
	}
}

// TestReservedIsFree: no more is ever reserved than could be used now.
func TestReservedIsFree(t *testing.T) {
	reserved := 0
	forSeeds(t, func(t *testing.T, w *world) {
		for range events {
			w.happen()
			if w.chance(0.4) {
				w.engine.Advance(epoch.Add(time.Duration(w.clock) * time.Minute))
				for _, d := range w.decideAtMost(w.IntN(4)) {
					w.granted(d, w.ref.asks[d.Key])
				}
			}
			reserved += w.checkReserved(t)
		}
	})
	if reserved == 0 {
		t.Error("in no world is anything reserved")
	}
}

// checkReserved compares the reserved amounts with the free ones, and returns the number of resources with reserved
// amounts.
func (w *world) checkReserved(t *testing.T) (total int) {
	t.Helper()
	for _, name := range w.engine.Queues().Names() {
		x, _ := w.engine.Queues().Explain(name)
		for i, u := range x.Usage {
			if u.Reserved < 0 || u.Reserved > max(0, x.Headroom[i].Available) {
				t.Fatalf("queue %s: %d of %s/%s are reserved, and %d are free", name, u.Reserved, u.Flavor, u.Resource, x.Headroom[i].Available)
			}
			if u.Reserved > 0 {
				total++
			}
		}
	}
	return total
}
