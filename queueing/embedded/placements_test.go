// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
)

// manyFlavors returns an engine with a queue that has many flavors of one cpu each.
func manyFlavors(flavors int) *Engine {
	q := withAll(config.Queue{Name: "q"})
	var configs []config.Flavor
	for i := range flavors {
		name := fmt.Sprintf("f%02d", i)
		configs = append(configs, config.Flavor{Name: name})
		q.Flavors = append(q.Flavors, cpuIn(name, 1))
	}
	e := New()
	e.Configure([]config.Queue{q}, configs)
	return e
}

// manySets returns an ask with many pod sets of one pod with that much cpu.
func manySets(name string, sets int, cpu int64) queueing.Ask {
	ask := queueing.Ask{Key: keyOf(name), Run: 1, Attempt: 1, Queue: "q", QueuedAt: epoch}
	for i := range sets {
		ask.PodSets = append(ask.PodSets, queueing.PodSet{Name: fmt.Sprintf("set%d", i), Count: 1, Requests: queueing.Resources{"cpu": cpu}})
	}
	return ask
}

// TestManyPlacements: six pod sets are placed in six free flavors of sixteen, whichever these are. The first 256 of all
// placements have the first four sets in the first four flavors.
func TestManyPlacements(t *testing.T) {
	t.Parallel()
	e := manyFlavors(16)
	for _, name := range []string{"first", "second"} {
		e.Submit(manySets(name, 6, 1))
	}
	e.Submit(manySets("third", 6, 1))
	if got := names(e.Cycle(0)); got != "first second" {
		t.Errorf("granted %q, want the first two", got)
	}
	if got := says(e.Verdict(keyOf("third"))); !strings.HasPrefix(got, "Waiting/WaitingForQuota") {
		t.Errorf("the third: %s", got)
	}
	e.Submit(manySets("wide", 17, 1))
	e.Submit(manySets("large", 6, 2))
	e.Cycle(0)
	for name, want := range map[string]string{
		"wide":  "Waiting/FlavorMismatch: no placement of the 17 pod sets in the flavors of queue q was found within 20000 steps; there may be one: name fewer flavors for each pod set",
		"large": "Refused/ExceedsQuota: needs cpu 12m of flavor f00; queue q can never use more than 1m, nor enough of another flavor: request less, or raise nominal of queue q by cpu 11m",
	} {
		if got := says(e.Verdict(keyOf(name))); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	e.Release(keyOf("first"))
	if got := names(e.Cycle(0)); got != "third" {
		t.Errorf("granted %q, want the third", got)
	}
}

// TestOptionAt: the placement of a claim is found again by the names of its flavors, also if a class has more
// placements than are kept. It is no longer possible once a flavor is gone.
func TestOptionAt(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		sets  int
		where string
		want  bool
	}{
		"kept":                      {1, "f03", true},
		"gone":                      {1, "f16", false},
		"one of many that are kept": {6, "f00 f01 f02 f03 f04 f05", true},
		"one of those that are not": {6, "f15 f14 f13 f12 f11 f10", true},
		"one of many, and gone":     {6, "f15 f14 f13 f12 f11 f16", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := manyFlavors(16)
			e.Submit(manySets("pi", tc.sets, 1))
			var where placement.Choice
			for _, flavor := range strings.Fields(tc.where) {
				where = append(where, &config.Flavor{Name: flavor})
			}
			o, possible := e.hierarchy.OptionAt(e.registry.Askers[keyOf("pi")].Class, where)
			if possible != tc.want {
				t.Fatalf("possible: %t, want %t", possible, tc.want)
			}
			for i, f := range o.Where {
				if f != e.hierarchy.Flavors[where[i].Name] {
					t.Errorf("set %d is placed in %s as it was, not as it is now", i, f.Name)
				}
			}
		})
	}
}
