// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/growth"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// growing is a world in which most grants may grow, while others arrive and reclaim quota.
type growing struct {
	*world
	// grown counts the decisions to grow, and cut the claims that were satisfied by pods above base gangs alone.
	grown, cut int
}

// P1, P2, P5, P6, P8 with holders that grow and shrink. Growth never exceeds quota or overtakes asks that wait in the
// same queue. Base gangs are never cut. What is asked back is enough and no more. All charges follow from the grants.
// Finally, when everything that was asked back has been returned, no holder lacks quota that would fit.
func TestGrowth(t *testing.T) {
	grown, cut := 0, 0
	played := forSeeds(t, func(t *testing.T, w *world) {
		g := &growing{world: w}
		w.setQueues(w.crowdedQueues())
		for range events / 2 {
			for range 5 {
				g.happens()
			}
			g.pass(t)
			g.comesToRest(t)
		}
		grown, cut = grown+g.grown, cut+g.cut
	})
	if played >= worlds && (grown < 3*played || cut < played/4) {
		t.Errorf("%d times somebody grew, %d times executors were taken back, in %d worlds: too few to show anything", grown, cut, played)
	}
}

// happens plays one random event: an application arrives or ends, wants more or less, or has less.
func (g *growing) happens() {
	key, known := g.anyKey()
	grant, holds := g.ref.grants[key]
	switch n := g.IntN(20); {
	case n < 5 || !known:
		a := g.randomAsk(g.newKey())
		a.Elastic = elasticIf(g.chance(0.8))
		g.submit(a)
	case n < 7:
		g.release(key)
	case n < 8:
		queues := slices.Clone(g.queues)
		i := 3 + g.IntN(5)
		queues[i] = g.crowdedQueue(i)
		g.setQueues(queues)
	case n < 9 && holds:
		g.engine.SetHolderState(key, grant.Run, grant.Attempt, queueing.HolderState{Priority: int32(g.IntN(3)), QueuedAt: epoch})
	case n < 18 && holds:
		want := queueing.ResizeRequest{PodSet: "executor", Count: int32(g.IntN(10))}
		g.say("%s wants %d more", key.Name, want.Count)
		g.engine.SetResizeRequest(key, grant.Run, grant.Attempt, want)
	case holds:
		g.settle(key, func(p *queueing.PodSetGrant) { p.Count = int32(g.IntN(int(p.Count) + 1)) })
	}
}

// settle records what a holder has, after its pods above the base gang were changed.
func (g *growing) settle(key queueing.Key, change func(*queueing.PodSetGrant)) {
	held := g.ref.grants[key]
	room := g.engine.Allocation(key, held.Run, held.Attempt)
	grant := *room.Grant
	grant.PodSets = slices.Clone(grant.PodSets)
	for i := range grant.PodSets {
		if p := &grant.PodSets[i]; p.Elastic && change != nil {
			change(p)
		}
	}
	g.say("%s has %v", key.Name, grant.PodSets)
	g.engine.Settle(key, grant)
	g.ref.grants[key] = grant
	g.confirmed[key] = true
}

// pass runs one cycle and checks its decisions.
func (g *growing) pass(t *testing.T) {
	t.Helper()
	before := slices.Clone(g.engine.claims.All)
	waiting := g.ref.waiting()
	for _, d := range g.decide() {
		g.checkQuota(t, d)
		if d.Grown == 0 {
			a := g.ref.asks[d.Key]
			g.checkGang(t, a, queueing.Grant{Run: d.Grant.Run, Attempt: d.Grant.Attempt, Queue: d.Grant.Queue, PodSets: d.Grant.PodSets[:2]})
			g.granted(d, a)
			waiting = slices.DeleteFunc(waiting, func(w queueing.Ask) bool { return w.Key == d.Key })
			continue
		}
		g.checkGrowth(t, d, waiting)
	}
	g.compareStates(t)
	g.compareElastic(t)
	for key, grant := range g.ref.grants {
		g.checkBase(t, key, grant)
	}
	var fresh []*state.Claim
	for _, c := range g.engine.claims.All {
		if !slices.Contains(before, c) {
			fresh = append(fresh, c)
		}
	}
	if len(fresh) == 1 && len(before) == 0 {
		g.checkEnough(t, fresh[0])
	}
}

// compareElastic checks that queues show the charged pods above base gangs.
func (g *growing) compareElastic(t *testing.T) {
	t.Helper()
	for _, s := range g.engine.Queues().States() {
		var want int32
		for _, a := range g.engine.registry.Askers {
			if a.Held != nil && slices.Contains(g.ref.standing(a.Held.Grant.Queue), s.Name) {
				want += state.ElasticPods(a.Held.Grant)
			}
		}
		if s.ElasticPods != want {
			t.Fatalf("queue %s shows %d executors above base gangs, want %d", s.Name, s.ElasticPods, want)
		}
	}
}

// checkGrowth checks that a grant has grown above its base gang only, no further than wanted, and without overtaking an
// ask that waits.
func (g *growing) checkGrowth(t *testing.T, d state.Decision, waiting []queueing.Ask) {
	t.Helper()
	g.grown++
	held := g.engine.registry.Askers[d.Key].Held
	if diff := cmp.Diff(d.Before.PodSets[:2], d.Grant.PodSets[:2]); diff != "" {
		t.Fatalf("the base gang of %s has changed (-before +after):\n%s", d.Key.Name, diff)
	}
	if state.ElasticPods(d.Grant) != state.ElasticPods(*d.Before)+d.Grown || state.ElasticPods(d.Grant) > held.Growth.Want.Count {
		t.Fatalf("%s has grown by %d to %d, and wants %d", d.Key.Name, d.Grown, state.ElasticPods(d.Grant), held.Growth.Want.Count)
	}
	for _, a := range waiting {
		passed := a.Queue == d.Grant.Queue && a.Priority >= held.Standing.Priority && g.ref.inadmissible(a) == "" && g.ref.stop(a.Queue) == ""
		if passed && g.engine.registry.Askers[a.Key].Claim == nil {
			t.Fatalf("%s has grown while %s waits", d.Key.Name, a.Key.Name)
		}
	}
}

// checkBase checks that no more pods are asked back than there are above the base gang.
func (g *growing) checkBase(t *testing.T, key queueing.Key, grant queueing.Grant) {
	t.Helper()
	room := g.engine.Allocation(key, grant.Run, grant.Attempt)
	for _, flavor := range existing {
		if back := room.ReclaimedIn(flavor); back > state.ElasticPodsIn(grant, flavor) {
			t.Fatalf("%s has %d above its base gang on %s and is to give %d back", key.Name, state.ElasticPodsIn(grant, flavor), flavor, back)
		}
	}
	for _, p := range grant.PodSets {
		if p.Elastic && !grant.SchedulingGated && !slices.ContainsFunc(grant.PodSets, func(base queueing.PodSetGrant) bool {
			return !base.Elastic && base.Name == p.Name && base.Flavor == p.Flavor
		}) {
			t.Fatalf("%s is not gated, and has grown in another flavor: %v", key.Name, grant)
		}
	}
}

// checkEnough checks that a claim fits once all its targets are gone, and would not fit with one pod more.
func (g *growing) checkEnough(t *testing.T, c *state.Claim) {
	t.Helper()
	after := maps.Clone(g.ref.grants)
	defer func() { g.ref.grants = after }()
	g.ref.grants = maps.Clone(after)
	whole := false
	for key, a := range g.engine.registry.Askers {
		switch {
		case a.Held == nil:
		case a.Held.IsTerminating():
			whole = whole || slices.Contains(c.Targets, key)
			delete(g.ref.grants, key)
		default:
			for _, d := range a.Held.Growth.Reclaims {
				g.takeBack(key, d.Flavor, d.Count)
			}
		}
	}
	need := g.claimed(c)
	if !g.ref.within(need, g.ref.available) {
		t.Fatalf("%s takes room back from %s, and does not fit all the same", c.Asker.Key.Name, keyNames(c.Targets))
	}
	if whole {
		return
	}
	g.cut++
	last := g.engine.registry.Askers[c.Targets[len(c.Targets)-1]]
	d := last.Held.Growth.Reclaims[len(last.Held.Growth.Reclaims)-1]
	g.takeBack(last.Key, d.Flavor, -1)
	if g.ref.within(need, g.ref.available) && len(c.Targets) == 1 && len(last.Held.Growth.Reclaims) == 1 {
		t.Fatalf("%s takes more from %s than it needs", c.Asker.Key.Name, last.Key.Name)
	}
}

// takeBack lowers the number of pods above the base gang of a grant.
func (g *growing) takeBack(key queueing.Key, flavor string, count int32) {
	grant := g.ref.grants[key]
	grant.PodSets = slices.Clone(grant.PodSets)
	for i := range grant.PodSets {
		if p := &grant.PodSets[i]; p.Elastic && p.Flavor == flavor {
			p.Count -= count
		}
	}
	g.ref.grants[key] = grant
}

// comesToRest makes all holders return what they were asked for and record what they have, until nothing happens.
func (g *growing) comesToRest(t *testing.T) {
	t.Helper()
	for range 200 {
		moved := false
		for _, key := range g.keys() {
			grant, holds := g.ref.grants[key]
			if !holds {
				continue
			}
			if g.engine.Eviction(key, grant.Run, grant.Attempt) != nil {
				g.giveUp(key)
				moved = true
				continue
			}
			room := g.engine.Allocation(key, grant.Run, grant.Attempt)
			if len(room.Reclaims) > 0 || g.engine.registry.Askers[key].Held.Growth.Before != nil {
				g.settle(key, func(p *queueing.PodSetGrant) { p.Count -= room.ReclaimedIn(p.Flavor) })
				moved = true
			}
		}
		if !moved && !g.engine.Dirty() {
			if len(g.engine.claims.All) > 0 {
				t.Fatalf("%s still has a claim", g.engine.claims.All[0].Asker.Key.Name)
			}
			g.nobodyLacks(t)
			return
		}
		g.pass(t)
	}
	t.Fatal("they take from each other for ever")
}

// giveUp returns a whole grant and asks for it again.
func (g *growing) giveUp(key queueing.Key) {
	again, known := g.origins[key]
	if _, asks := g.ref.asks[key]; asks {
		again, known = g.ref.asks[key], true
	}
	g.release(key)
	if known {
		again.Attempt += 2
		g.submit(again)
	}
}

// nobodyLacks checks that an application that wants more has either no quota for one more pod or a message that names
// the rule.
func (g *growing) nobodyLacks(t *testing.T) {
	t.Helper()
	for key, grant := range g.ref.grants {
		h := g.engine.registry.Askers[key].Held
		if !grant.SchedulingGated || state.ElasticPods(grant) >= h.Growth.Want.Count || !h.StateKnown {
			continue
		}
		if h.Growth.Message == "" {
			t.Fatalf("%s wants %d, has %d, and does not hear why", key.Name, h.Growth.Want.Count, state.ElasticPods(grant))
		}
		if h.Growth.Blocked.Need == 0 || growth.HasPending(h.Queue, h.Standing.Priority) || h.Queue.StoppedBy != nil {
			continue
		}
		for _, flavor := range h.Queue.Flavors {
			one := queueing.Grant{Queue: grant.Queue, PodSets: []queueing.PodSetGrant{{Flavor: flavor, Count: 1, Requests: grant.PodSets[1].Requests}}}
			wished := len(grant.PodSets[1].Flavors) == 0 || slices.Contains(grant.PodSets[1].Flavors, flavor)
			if wished && slices.Contains(existing, flavor) && g.ref.within(one, g.ref.available) {
				t.Fatalf("%s wants more, there is room on %s, and it hears: %s", key.Name, flavor, h.Growth.Message)
			}
		}
	}
}
