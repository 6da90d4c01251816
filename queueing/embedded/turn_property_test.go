// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"testing"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// outcome is the result of one cycle: the granted asks, the claims, and the targets.
type outcome struct {
	granted, claims, displaced []queueing.Key
}

// decided returns what an engine has decided in a cycle.
func decided(e *Engine, decisions []state.Decision) outcome {
	var out outcome
	for _, d := range decisions {
		out.granted = append(out.granted, d.Key)
	}
	for _, c := range e.claims.All {
		out.claims = append(out.claims, c.Asker.Key)
	}
	for _, key := range e.registry.SortedKeys() {
		if h := e.registry.Askers[key].Held; h != nil && h.Evicted != nil {
			out.displaced = append(out.displaced, key)
		}
	}
	return out
}

// startedAgain builds an engine from the objects, without some asks. It knows the standings of all holders.
func (w *world) startedAgain(without ...queueing.Key) *Engine {
	e := newEngine()
	e.SetQueues(w.queues)
	for _, key := range w.keys() {
		if g, holds := w.ref.grants[key]; holds {
			e.Restore(key, g)
			e.SetHolderState(key, g.Run, g.Attempt, w.standing(key))
		}
	}
	for _, key := range w.keys() {
		if a, waits := w.ref.asks[key]; waits && !slices.Contains(without, key) {
			e.Submit(a)
		}
	}
	return e
}

// standing returns what is known of a holder.
func (w *world) standing(key queueing.Key) queueing.HolderState {
	return w.engine.registry.Askers[key].Held.Standing
}

// TestClaimsAreDecidedInTheirTurn: no application is granted and preempted in the same cycle, nor, when everything is
// tried again, for an ask within its quota. The result for an ask does not depend on later asks of its queue: if it can
// start, possibly by preempting, no later one takes what it would have got.
func TestClaimsAreDecidedInTheirTurn(t *testing.T) {
	claims, overtaken := 0, 0
	played := forSeeds(t, func(t *testing.T, w *world) {
		deep := w.chance(0.5)
		w.setQueues(inOrderAlone(w.crowdedQueues(), deep))
		for range events / 5 {
			for range 5 {
				w.crowd()
			}
			w.setQueues(inOrderAlone(slices.Clone(w.queues), deep))
			e := w.startedAgain()
			got := decided(e, e.Cycle(0))
			claims += len(got.claims)
			for _, key := range got.granted {
				if slices.Contains(got.displaced, key) {
					t.Fatalf("%s is granted and displaced in one cycle", key.Name)
				}
			}
			if !deep { // in a deeper tree an ask may make its department borrow, so that others of it may be displaced
				w.restsAfter(t, e, got)
			}
			overtaken += w.overtakesNobody(t, got)
			w.passAndCheck(t)
		}
	})
	if played >= worlds && (claims < played || overtaken < played/2) {
		t.Errorf("%d claims, and %d who passed an earlier one, in %d worlds: too few to show anything", claims, overtaken, played)
	}
}

// restsAfter decides once more although nothing has happened. Then only an ask that borrows, or one behind such an ask,
// may preempt, because its turn is after those within their quota.
func (w *world) restsAfter(t *testing.T, e *Engine, first outcome) {
	t.Helper()
	if len(first.claims) > 0 {
		return // one of them may free more than it takes, for an ask that was passed over before
	}
	for _, tree := range e.hierarchy.Trees {
		tree.MarkDirty(true)
	}
	second := decided(e, e.Cycle(0))
	for _, key := range first.granted {
		if !slices.Contains(second.displaced, key) {
			continue
		}
		by := w.ref.asks[e.registry.Askers[key].Held.Evicted.By]
		earlier, _ := w.neighbours(by)
		moved := slices.Concat(first.granted, second.claims)
		if !w.mayBorrow(by) && !slices.ContainsFunc(earlier, func(key queueing.Key) bool { return slices.Contains(moved, key) }) {
			t.Fatalf("%s is granted, and displaced as soon as all is looked at again", key.Name)
		}
	}
}

// inOrderAlone removes fair sharing, so that only borrowing distance, priority and age decide. Unless the tree is deep,
// all leaves are siblings.
func inOrderAlone(queues []config.Queue, deep bool) []config.Queue {
	for i := range queues {
		queues[i].FairSharing = false
		if queues[i].Parent != "" && !deep {
			queues[i].Parent = "q0"
		}
	}
	return queues
}

// overtakesNobody removes the later asks of a queue for each waiting ask, and checks whether it would start then or get
// a claim. It returns the number of asks that were overtaken. (An ask that borrows may become able to wait for what
// others release only after a later one, within the quota, has had its turn.)
func (w *world) overtakesNobody(t *testing.T, got outcome) int {
	t.Helper()
	moved := slices.Concat(got.granted, got.claims)
	passed := 0
	for _, a := range w.ref.waiting() {
		earlier, later := w.neighbours(a)
		hasMoved := func(key queueing.Key) bool { return slices.Contains(moved, key) }
		if hasMoved(a.Key) || slices.ContainsFunc(earlier, hasMoved) || !slices.ContainsFunc(later, hasMoved) || len(got.claims) > 0 && w.mayBorrow(a) {
			continue
		}
		passed++
		e := w.startedAgain(later...)
		alone := decided(e, e.Cycle(0))
		if slices.Contains(slices.Concat(alone.granted, alone.claims), a.Key) {
			t.Fatalf("%s waits, and would not if nobody came after it in its queue", a.Key.Name)
		}
	}
	return passed
}

// neighbours returns the other waiting asks of a queue.
func (w *world) neighbours(a queueing.Ask) (earlier, later []queueing.Key) {
	for _, b := range w.ref.waiting() {
		switch {
		case b.Queue != a.Queue || b.Key == a.Key:
		case inOrder(b, a) < 0:
			earlier = append(earlier, b.Key)
		default:
			later = append(later, b.Key)
		}
	}
	return earlier, later
}

// mayBorrow reports whether an ask would exceed its queue's own quota in some placement.
func (w *world) mayBorrow(a queueing.Ask) bool {
	least, _ := bounds(a)
	return slices.ContainsFunc(w.ref.placements(a), func(where []string) bool {
		return !w.ref.within(w.ref.grant(a, where, least), func(queue string, at cell) int64 { return w.ref.subtree(queue, at) - w.ref.usage(queue, at) })
	})
}
