// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// P5, P6: the rules allow each target that the engine chooses, the targets together release enough for the ask, and
// none of them could be spared. What they release is granted to the ask for which they were preempted. Preemption ends:
// however often preempted applications ask again, finally none is preempted and none has a claim.
func TestPreemption(t *testing.T) {
	claims, met := 0, 0
	played := forSeeds(t, func(t *testing.T, w *world) {
		w.elastic = w.chance(0.5)
		w.setQueues(w.crowdedQueues())
		for range events / 5 {
			for range 5 {
				w.crowd()
			}
			w.passAndCheck(t)
			w.comesToRest(t)
		}
		claims, met = claims+w.claims, met+w.met
	})
	if played >= worlds && (2*claims < played || 2*met < played) {
		t.Errorf("%d claims, of which %d were met, in %d worlds: too few to show anything", claims, met, played)
	}
}

// crowdedQueues returns a root with five leaves, some of them one level deeper, that lend to each other and preempt
// each other.
func (w *world) crowdedQueues() []config.Queue {
	queues := []config.Queue{{Name: "q0"}, {Name: "q1", Parent: "q0"}, {Name: "q2", Parent: "q0"}}
	for i := 3; i <= 7; i++ {
		queues = append(queues, w.crowdedQueue(i))
	}
	return queues
}

func (w *world) crowdedQueue(i int) config.Queue {
	q := w.randomQueue(i)
	q.Parent, q.Stop, q.MaxRunning = fmt.Sprintf("q%d", w.IntN(3)), config.StopNone, nil
	q.Admits = func(map[string]string) bool { return true }
	if w.chance(0.8) {
		q.Flavors = []config.FlavorQuota{{Name: config.DefaultFlavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: 2 + w.Int64N(10)}}}}
	}
	p := &q.Preemption
	p.Within = []config.Policy{config.PreemptNever, config.PreemptLowerPriority, config.PreemptLowerOrNewerEqualPriority}[w.IntN(3)]
	p.Reclaim = []config.Policy{config.PreemptNever, config.PreemptLowerPriority, config.PreemptAny, config.PreemptAny}[w.IntN(4)]
	if w.chance(0.3) {
		threshold := int32(w.IntN(2))
		p.Borrow, p.BorrowThreshold = config.PreemptLowerPriority, &threshold
	}
	return q
}

// crowd plays one random event, mostly the arrival of an application.
func (w *world) crowd() {
	key, known := w.anyKey()
	switch n := w.IntN(20); {
	case n < 13 || !known:
		w.submit(w.randomAsk(w.newKey()))
	case n < 16:
		w.release(key)
	case n < 17:
		w.confirm(key)
	case n < 18:
		w.restore(key)
		if g := w.ref.grants[key]; w.chance(0.8) {
			w.engine.SetHolderState(key, g.Run, g.Attempt, queueing.HolderState{Priority: int32(w.IntN(3)), QueuedAt: epoch})
		}
	case n < 19:
		if g, holds := w.ref.grants[key]; holds {
			w.engine.SetHolderState(key, g.Run, g.Attempt, queueing.HolderState{Priority: int32(w.IntN(3)), QueuedAt: epoch})
		}
	default:
		queues := slices.Clone(w.queues)
		i := 3 + w.IntN(5)
		queues[i] = w.crowdedQueue(i)
		w.setQueues(queues)
	}
}

// passAndCheck runs one cycle and checks its grants, and then each of its claims. It returns the grants.
func (w *world) passAndCheck(t *testing.T) []state.Decision {
	t.Helper()
	before, granted, replans := slices.Clone(w.engine.claims.All), w.engine.holders.Grants, w.engine.preemption.Replans
	decisions := w.decide()
	w.withdrew = w.engine.holders.Grants > granted+uint64(len(decisions))
	for _, d := range decisions {
		a := w.ref.asks[d.Key]
		w.checkQuota(t, d)
		w.granted(d, a)
	}
	after := maps.Clone(w.ref.grants)
	defer func() { w.ref.grants = after }()
	w.ref.grants = maps.Clone(after)
	var fresh []*state.Claim
	for _, c := range w.engine.claims.All {
		if slices.Contains(before, c) {
			w.ref.grants[queueing.Key{Name: "claim of " + c.Asker.Key.Name}] = w.claimed(c)
		} else {
			fresh = append(fresh, c)
		}
	}
	for key, a := range w.engine.registry.Askers { // those that ended anyway
		if a.Held != nil && a.Held.IsTerminating() && !slices.ContainsFunc(fresh, func(c *state.Claim) bool { return slices.Contains(c.Targets, key) }) {
			delete(w.ref.grants, key)
		}
	}
	for _, c := range fresh {
		if !w.withdrew && w.engine.preemption.Replans == replans { // else a claim may have been decided on beside others that are gone
			w.checkClaim(t, c)
		}
	}
	w.checkTogether(t, fresh)
	return decisions
}

// checkTogether checks that all claims fit when their targets are gone.
func (w *world) checkTogether(t *testing.T, claims []*state.Claim) {
	t.Helper()
	for _, c := range claims {
		w.ref.grants[queueing.Key{Name: "claim of " + c.Asker.Key.Name}] = w.claimed(c)
		for _, v := range c.Targets {
			delete(w.ref.grants, v)
		}
	}
	for _, c := range claims {
		key, g := queueing.Key{Name: "claim of " + c.Asker.Key.Name}, w.claimed(c)
		if delete(w.ref.grants, key); !w.ref.within(g, w.ref.available) {
			t.Fatalf("%s displaces %s, and does not fit all the same", c.Asker.Key.Name, keyNames(c.Targets))
		}
		w.ref.grants[key] = g
	}
}

// checkMet checks that quota reclaimed for an ask is granted to that ask, or to an earlier one of the same shape, and
// to no other, except one that may preempt that ask and has its grant withdrawn before it is seen. While the ask still
// waits for some of it, nothing more may be preempted for it.
func (w *world) checkMet(t *testing.T, c *state.Claim, targets []queueing.Key, decisions []state.Decision) {
	t.Helper()
	ask := w.origins[c.Asker.Key]
	if waits, waiting := w.ref.asks[c.Asker.Key]; waiting {
		ask = waits
	}
	if slices.ContainsFunc(decisions, func(d state.Decision) bool {
		grantee := w.origins[d.Key]
		return d.Key == ask.Key || grantee.Queue == ask.Queue && placement.NewSignature(grantee.PodSets).Key == placement.NewSignature(ask.PodSets).Key && inOrder(grantee, ask) < 0
	}) {
		w.met++
		return
	}
	now := c.Asker.Claim
	other := func(key queueing.Key) bool { return !slices.Contains(targets, key) }
	if !w.withdrew && (now == nil || slices.ContainsFunc(now.Targets, other)) {
		t.Fatalf("what %s release for %s is granted to another one", keyNames(targets), c.Asker.Key.Name)
	}
}

// claimed returns the least that a claim will be granted.
func (w *world) claimed(c *state.Claim) queueing.Grant {
	a := w.ref.asks[c.Asker.Key]
	var where []string
	for _, f := range c.Where {
		where = append(where, f.Name)
	}
	least, _ := bounds(a)
	return w.ref.grant(a, where, least)
}

// checkClaim checks a claim with the arithmetic of the reference. The reference is first in the state in which the
// engine decided, and then advanced to the state after it. What was spared in the end was a target then.
func (w *world) checkClaim(t *testing.T, c *state.Claim) {
	t.Helper()
	g, targets := w.claimed(c), slices.Concat(c.Targets, c.Spared)
	w.claims++
	j := judge{w.ref, w.ref.asks[c.Asker.Key], g, w.ref.lacking(g), map[queueing.Key]*state.Held{}}
	for _, v := range targets {
		j.owner[v] = w.engine.registry.Askers[v].Held
	}
	held := map[queueing.Key]queueing.Grant{}
	for _, v := range targets {
		held[v] = w.ref.grants[v]
		delete(w.ref.grants, v)
	}
	for _, v := range targets {
		w.ref.grants[v] = held[v]
		if !j.mayDisplace(w.engine.registry.Askers[v].Held) {
			t.Fatalf("%s must not displace %s", c.Asker.Key.Name, v.Name)
		}
		if w.ref.within(g, w.ref.available) && j.restIsLegal(w.engine, targets, v, held) {
			t.Fatalf("%s need not displace %s", c.Asker.Key.Name, v.Name)
		}
		delete(w.ref.grants, v)
	}
	w.ref.grants[queueing.Key{Name: "claim of " + c.Asker.Key.Name}] = g
}

// judge knows the rules by which an ask may preempt others.
type judge struct {
	ref  *reference
	ask  queueing.Ask
	need queueing.Grant
	// lacking are the cells that were short before anything was preempted.
	lacking []cell
	// owner is the grant of each key.
	owner map[queueing.Key]*state.Held
}

// restIsLegal reports whether the rules would still allow the other targets if the target spared were not preempted.
func (j judge) restIsLegal(e *Engine, victims []queueing.Key, spared queueing.Key, held map[queueing.Key]queueing.Grant) bool {
	for _, v := range victims {
		if v == spared {
			continue
		}
		j.ref.grants[v] = held[v]
		legal := j.mayDisplace(e.registry.Askers[v].Held)
		delete(j.ref.grants, v)
		if !legal {
			return false
		}
	}
	return len(victims) > 1
}

// lacking returns the cells in which a grant does not fit now.
func (r *reference) lacking(g queueing.Grant) []cell {
	var out []cell
	for _, at := range cells() {
		if need := held(g, at); need > 0 && r.tracked(g.Queue, at.resource) && need > r.available(g.Queue, at) {
			out = append(out, at)
		}
	}
	return out
}

// mayDisplace reports whether the rules allow preempting the grant, with the ask charged.
func (j judge) mayDisplace(v *state.Held) bool {
	policy := j.ref.configs[j.ask.Queue].Preemption
	lower, victim := v.Standing.Priority < j.ask.Priority, v.Grant.Queue
	if victim == j.ask.Queue {
		return j.within(v, policy.Within)
	}
	if policy.Reclaim != config.PreemptAny && !(policy.Reclaim == config.PreemptLowerPriority && lower) {
		return false
	}
	mark := queueing.Key{Name: "the ask itself"}
	j.ref.grants[mark] = j.need
	defer delete(j.ref.grants, mark)
	mine, theirs := j.ref.path(j.ask.Queue), j.ref.path(victim)
	side := ""
	for _, name := range theirs {
		if at := slices.Index(mine, name); at >= 0 {
			side = mine[at-1]
			break
		}
		if !j.over(name, v.Grant) {
			return false
		}
	}
	borrow := policy.Borrow == config.PreemptLowerPriority && lower && (policy.BorrowThreshold == nil || v.Standing.Priority <= *policy.BorrowThreshold)
	return side != "" && (borrow || !j.over(side, j.need) || j.aboveShare(v, side))
}

// aboveShare reports whether the common ancestor of both queues uses fair sharing for preemption, and the shares of
// both sides allow it.
func (j judge) aboveShare(v *state.Held, mine string) bool {
	above := j.ref.parent(mine)
	rule := j.ref.configs[above].FairPreemption
	if above == "" || !j.ref.configs[above].FairSharing || rule == "" {
		return false
	}
	path := j.ref.path(v.Grant.Queue)
	theirs := path[slices.Index(path, above)-1]
	if rule == config.PreemptLessThanInitialShare && j.ref.shareNow(mine).Cmp(j.ref.shareNow(theirs)) < 0 {
		return true
	}
	for key, g := range j.ref.grants {
		if g.Queue == v.Grant.Queue && j.owner[key] == v {
			delete(j.ref.grants, key)
			defer func() { j.ref.grants[key] = g }()
		}
	}
	return j.ref.shareNow(mine).Cmp(j.ref.shareNow(theirs)) <= 0
}

func (j judge) within(v *state.Held, policy config.Policy) bool {
	switch {
	case policy == config.PreemptNever:
		return false
	case v.Standing.Priority < j.ask.Priority:
		return true
	}
	return policy == config.PreemptLowerOrNewerEqualPriority && v.Standing.Priority == j.ask.Priority && v.Standing.QueuedAt.After(j.ask.QueuedAt)
}

// over reports whether a queue uses more than its own quota of what is short and part of a grant.
func (j judge) over(name string, part queueing.Grant) bool {
	return slices.ContainsFunc(j.lacking, func(at cell) bool { return held(part, at) > 0 && j.ref.usage(name, at) > j.ref.subtree(name, at) })
}

// comesToRest ends the applications that were asked to end, some now and some later, and lets them ask again, until
// nothing happens. In between, queues are reloaded, and some for which others have to end are deleted.
func (w *world) comesToRest(t *testing.T) {
	t.Helper()
	gone := map[queueing.Key]int{}
	for range 400 {
		going := w.going()
		switch {
		case len(going) > 0:
			w.giveWay(going[w.IntN(len(going)+1):], gone)
			w.disturb()
			w.passAndMeet(t)
			if w.chance(0.3) {
				w.overlooksNobody(t)
			}
		case len(w.engine.claims.All) > 0:
			t.Fatalf("%s still has a claim", w.engine.claims.All[0].Asker.Key.Name)
		default:
			if w.overlooksNobody(t); len(w.engine.claims.All) == 0 {
				return
			}
		}
	}
	t.Fatal("they displace each other for ever")
}

// going returns the applications that were asked to end, in random order.
func (w *world) going() []queueing.Key {
	var out []queueing.Key
	for _, key := range w.keys() {
		if g, holds := w.ref.grants[key]; holds && w.engine.Eviction(key, g.Run, g.Attempt) != nil {
			out = append(out, key)
		}
	}
	w.Shuffle(len(out), func(a, b int) { out[a], out[b] = out[b], out[a] })
	return out
}

// giveWay ends some of the applications that were asked to, which then ask again, and counts how often each was
// preempted.
func (w *world) giveWay(going []queueing.Key, gone map[queueing.Key]int) {
	for _, key := range going {
		if gone[key]++; gone[key] > 1 && w.isDisplacedByShare(key) {
			w.twice++
		}
		again, known := w.origins[key]
		if _, asks := w.ref.asks[key]; asks {
			again, known = w.ref.asks[key], true
		}
		w.release(key)
		if known {
			again.Attempt += 2
			w.submit(again)
		}
	}
}

// disturb plays events that change nothing for those that wait.
func (w *world) disturb() {
	if w.chance(0.2) {
		w.setQueues(w.queues)
	}
	if n := len(w.engine.claims.All); n > 0 && w.chance(0.2) {
		w.release(w.engine.claims.All[w.IntN(n)].Asker.Key)
	}
}

// passAndMeet runs one cycle and checks what has become of the claims before it.
func (w *world) passAndMeet(t *testing.T) {
	t.Helper()
	claims := slices.DeleteFunc(slices.Clone(w.engine.claims.All), func(c *state.Claim) bool { return c.Asker.Class == nil })
	var targets [][]queueing.Key
	for _, c := range claims {
		targets = append(targets, slices.Concat(c.Targets, c.Awaited))
	}
	decisions := w.passAndCheck(t)
	for i, c := range claims {
		w.checkMet(t, c, targets[i], decisions)
	}
}

// overlooksNobody makes the engine try everything again although nothing has happened, and checks that no ask fits that
// was not granted before. An ask may have become able to preempt.
func (w *world) overlooksNobody(t *testing.T) {
	t.Helper()
	for _, tree := range w.engine.hierarchy.Trees {
		tree.MarkDirty(true)
	}
	if decisions := w.passAndCheck(t); len(decisions) > 0 {
		t.Fatalf("%s fitted, and was not looked at", names(decisions))
	}
}
