// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package treeleases

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"
)

var six = []string{rest, "a", "b", "c", "d", "e", "f"} // and the rest

func free(trees ...string) map[string]time.Duration {
	out := map[string]time.Duration{}
	for _, tree := range trees {
		out[tree] = time.Second
	}
	return out
}

func set(trees ...string) map[string]bool {
	out := map[string]bool{}
	for _, tree := range trees {
		out[tree] = true
	}
	return out
}

func TestDecide(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		view        view
		start, stop int
	}{
		"alone, all are free":          {view: view{replicas: 1, free: free(six...)}, start: 7},
		"three replicas, all are free": {view: view{replicas: 3, free: free(six...)}, start: 3},
		"one of two has ended":         {view: view{replicas: 1, mine: set("a", "b", "c", "d"), free: free(rest, "e", "f")}, start: 3},
		"it has its share":             {view: view{replicas: 2, mine: set("a", "b", "c", "d"), free: free(rest, "e", "f")}},
		"free for long":                {view: view{replicas: 2, mine: set("a", "b", "c", "d"), free: map[string]time.Duration{"e": time.Minute}}, start: 1},
		"another replica has come":     {view: view{replicas: 2, mine: set(six...)}, stop: 1},
		"it is about to take one":      {view: view{replicas: 2, mine: set(rest, "a", "b", "c", "d", "e"), free: free("f")}},
		"taken late":                   {view: view{replicas: 2, mine: set(six...), late: set(six...)}},
		"another one was faster":       {view: view{replicas: 2, mine: map[string]bool{"a": true, "b": false}, held: set("b")}, stop: 1},
		"it competes":                  {view: view{replicas: 2, mine: map[string]bool{"b": false}, free: free("b")}},
		"a tree was removed":           {view: view{replicas: 1, mine: set(append([]string{"gone"}, six...)...)}, stop: 1},
		"one that leads all is there":  {view: view{replicas: 1, blocked: true, free: free("a", "b")}},
		"no replica was seen":          {view: view{replicas: 0, free: free(six...)}, start: 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.view.self, tt.view.trees, tt.view.takeOverAfter = "x", six, 10*time.Second
			p := decide(tt.view)
			if len(p.start) != tt.start || len(p.stop) != tt.stop {
				t.Errorf("starts %q, stops %q; want %d and %d", p.start, p.stop, tt.start, tt.stop)
			}
		})
	}
}

// TestReplicasSettle lets replicas come and go until nothing changes: then each lease has one holder, and no replica
// has more than its share.
func TestReplicasSettle(t *testing.T) {
	t.Parallel()
	holders := map[string]string{} // tree → replica
	alive := []string{}
	for step, change := range []int{+1, +1, +1, -1, +1, -1, -1, +1, +1} {
		if change > 0 {
			alive = append(alive, fmt.Sprint("replica-", step))
		} else {
			gone := alive[0]
			alive = alive[1:]
			maps.DeleteFunc(holders, func(_, holder string) bool { return holder == gone })
		}
		for round := 0; play(holders, alive); round++ {
			if round > 50 {
				t.Fatalf("step %d: no end: %v", step, holders)
			}
		}
		count := map[string]int{}
		for _, tree := range six {
			count[holders[tree]]++
		}
		if share := (len(six) + len(alive) - 1) / len(alive); count[""] > 0 || slices.Max(slices.Collect(maps.Values(count))) > share {
			t.Errorf("step %d: %d replicas have %v", step, len(alive), holders)
		}
	}
}

// play lets each replica plan once, one after the other, and reports whether any of them acted.
func play(holders map[string]string, alive []string) (changed bool) {
	for _, self := range alive {
		v := view{self: self, replicas: len(alive), trees: six, takeOverAfter: time.Hour, held: map[string]bool{}, free: map[string]time.Duration{}, mine: map[string]bool{}}
		for _, tree := range six {
			switch holder := holders[tree]; holder {
			case "":
				v.free[tree] = time.Second
			case self:
				v.mine[tree] = true
			default:
				v.held[tree] = true
			}
		}
		p := decide(v)
		for _, tree := range p.start {
			holders[tree], changed = self, true
		}
		for _, tree := range p.stop {
			delete(holders, tree)
			changed = true
		}
	}
	return changed
}
