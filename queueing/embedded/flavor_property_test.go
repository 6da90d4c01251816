// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// choice is a small world with three flavors. One ask comes last.
type choice struct {
	queues  []config.Queue
	flavors []string
	held    []queueing.Ask
	last    queueing.Ask
}

func randomChoice(r *rand.Rand) choice {
	c := choice{flavors: []string{config.DefaultFlavor, "spot", "large"}}
	r.Shuffle(len(c.flavors), func(i, j int) { c.flavors[i], c.flavors[j] = c.flavors[j], c.flavors[i] })
	c.queues = []config.Queue{{Name: "root"}}
	for i, name := range []string{"a", "b", "c"} {
		q := config.Queue{Name: name, Parent: "root", Weight: 1, Admits: func(map[string]string) bool { return true }}
		for _, flavor := range c.flavors {
			q.Flavors = append(q.Flavors, config.FlavorQuota{Name: flavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: 1000 * r.Int64N(5)}}})
		}
		if i == 0 {
			q.Preemption = config.Preemption{Within: config.PreemptLowerPriority, Reclaim: config.PreemptAny}
			q.FlavorPreference = []config.FlavorPreference{config.FlavorsInOrder, config.LeastBorrowing, config.LeastPreemption}[r.IntN(3)]
		}
		c.queues = append(c.queues, q)
	}
	for i := range 10 + r.IntN(20) {
		c.held = append(c.held, driverOf(fmt.Sprintf("held%d", i), c.queues[1+r.IntN(3)].Name, 1000*(1+r.Int64N(3)), []string{c.flavors[r.IntN(3)]}))
	}
	c.last = driverOf("last", "a", 1000*(1+r.Int64N(3)), nil)
	c.last.Priority, c.last.QueuedAt = 5, epoch.Add(time.Hour)
	return c
}

// driverOf returns an ask for one pod that accepts any flavor or only some.
func driverOf(name, queue string, cpu int64, flavors []string) queueing.Ask {
	return queueing.Ask{Key: keyOf(name), Run: 1, Attempt: 1, Queue: queue, QueuedAt: epoch, NamespaceLabels: map[string]string{},
		PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": cpu}, Flavors: flavors}}}
}

// play submits the last ask with some flavors, and returns the engine after its decision.
func (c choice) play(flavors []string) *Engine {
	e := New()
	e.SetFlavors([]config.Flavor{{Name: "large"}, {Name: "spot"}})
	e.SetQueues(c.queues)
	for _, a := range c.held {
		e.Submit(a)
		e.Cycle(0)
	}
	for i := range c.held { // those who wait would only confuse
		if a := e.registry.Askers[c.held[i].Key]; a.Held == nil {
			e.Release(a.Key)
		}
	}
	last := c.last
	last.PodSets = slices.Clone(last.PodSets)
	last.PodSets[0].Flavors = flavors
	e.Submit(last)
	e.Cycle(0)
	return e
}

// plan is the decision on the last ask: where it was granted, or where it preempts which targets.
type plan struct {
	granted         bool
	flavor, targets string
	own             bool
	distance        int
}

func (c choice) planOf(flavors []string) (plan, bool) {
	e := c.play(flavors)
	a := e.registry.Askers[c.last.Key]
	if a.Held != nil {
		return plan{granted: true, flavor: a.Held.Grant.PodSets[0].Flavor}, true
	}
	if a.Claim == nil {
		return plan{}, false
	}
	targets := slices.Concat(a.Claim.Targets, a.Claim.Spared)
	p := plan{flavor: a.Claim.Where[0].Name, targets: keyNames(targets)}
	for _, key := range targets {
		target := e.registry.Askers[key]
		p.own = p.own || target.Held.Queue == a.Class.Queue
		e.hierarchy.Forest.Remove(target.Held.Queue.Node, target.Held.Vector)
	}
	p.distance = e.hierarchy.Forest.BorrowingDistance(a.Class.Queue.Node, e.claims.Need(a.Claim))
	return p, true
}

// TestFlavorsAreChosenByPreference: an ask that fits in no flavor preempts in the flavor that its queue prefers, of
// those in which it could preempt if it accepted only that one. Its targets are the same as then.
func TestFlavorsAreChosenByPreference(t *testing.T) {
	t.Parallel()
	several := 0
	played := randtest.Each(t, 500, func(seed uint64) {
		c := randomChoice(rand.New(rand.NewPCG(seed, seed)))
		var alone []plan
		for _, flavor := range c.flavors {
			p, found := c.planOf([]string{flavor})
			if p.granted {
				return // the reference model of the other tests knows where it goes
			}
			if found {
				alone = append(alone, p)
			}
		}
		got, found := c.planOf(nil)
		if found != (len(alone) > 0) {
			t.Fatalf("with all flavors: %v, %+v; with one at a time %+v", found, got, alone)
		}
		if !found {
			return
		}
		if want := c.preferred(alone); got != want {
			t.Fatalf("preference %s takes %+v of %+v, want %+v", c.queues[1].FlavorPreference, got, alone, want)
		}
		if len(alone) > 1 {
			several++
		}
	})
	if played >= 500 && several < played/5 {
		t.Errorf("only %d asks could preempt in several flavors", several)
	}
}

// preferred returns the plan that the last ask's queue prefers. The plans are in the order of its flavors.
func (c choice) preferred(plans []plan) plan {
	switch c.queues[1].FlavorPreference {
	case config.LeastBorrowing:
		return slices.MinFunc(plans, func(a, b plan) int {
			return cmp.Or(cmp.Compare(a.distance, b.distance), compareBools(a.own, b.own))
		})
	case config.LeastPreemption:
		return slices.MinFunc(plans, func(a, b plan) int {
			return cmp.Or(compareBools(a.own, b.own), cmp.Compare(a.distance, b.distance))
		})
	default:
		return plans[0]
	}
}
