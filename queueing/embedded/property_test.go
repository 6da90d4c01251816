// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/explain"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// events is the number of random events in a world.
const events = 50

// P3, P4, P11: the engine makes the same grants, in the same order and with the same counts, as the reference, which
// tries every single ask in order. The verdicts of waiting asks have the reasons of the reference.
func TestEngineIsReference(t *testing.T) {
	forSeeds(t, func(t *testing.T, w *world) {
		for range events {
			w.happen()
			if w.chance(0.4) {
				w.cycle(t)
				w.compareVerdicts(t)
			}
		}
	})
}

func (w *world) compareVerdicts(t *testing.T) {
	t.Helper()
	for _, key := range w.keys() {
		v := w.engine.Verdict(key)
		state, reason := w.ref.verdict(key)
		if v.State != state || v.Reason != reason {
			t.Fatalf("%s: %s, want %s/%s", key.Name, says(v), state, reason)
		}
	}
}

// P1: no grant causes or worsens a violation in any queue that it is charged to, whatever was restored or however quota
// was cut before. P2: an application gets all of its pods or none; only the elastic pod set may get fewer, but not
// fewer than its minimum.
func TestGrantsAreLegal(t *testing.T) {
	forSeeds(t, func(t *testing.T, w *world) {
		for range events {
			w.happen()
			if !w.chance(0.4) {
				continue
			}
			w.engine.Advance(epoch.Add(time.Duration(w.clock) * time.Minute)) // quota is reserved for those that have waited too long
			for _, d := range w.decideAtMost(w.IntN(4)) {
				a := w.ref.asks[d.Key]
				w.checkGang(t, a, d.Grant)
				w.checkQuota(t, d)
				w.granted(d, a)
			}
		}
	})
}

func (w *world) checkGang(t *testing.T, a queueing.Ask, g queueing.Grant) {
	t.Helper()
	if g.Run != a.Run || g.Attempt != a.Attempt || g.Queue != a.Queue || len(g.PodSets) != len(a.PodSets) {
		t.Fatalf("the grant %+v is not for the ask %+v", g, a)
	}
	for i, p := range a.PodSets {
		if got := g.PodSets[i].Count; got < p.Least() || got > p.Count {
			t.Fatalf("%s: %d pods are granted, asked for %d to %d", a, got, p.Least(), p.Count)
		}
		if diff := cmp.Diff(p.Requests, g.PodSets[i].Requests); diff != "" {
			t.Fatalf("%s: requests (-asked +granted):\n%s", a, diff)
		}
	}
}

// checkQuota adds the grant to the reference and checks every queue from its own up to the root.
func (w *world) checkQuota(t *testing.T, d state.Decision) {
	t.Helper()
	type place struct {
		name string
		at   cell
	}
	before := map[place]int64{}
	for _, name := range w.ref.path(d.Grant.Queue) {
		for _, at := range cells() {
			before[place{name, at}] = w.ref.usage(name, at)
		}
	}
	w.ref.grants[d.Key] = d.Grant
	for _, name := range w.ref.path(d.Grant.Queue) {
		for _, at := range cells() {
			usage := w.ref.usage(name, at)
			if usage == before[place{name, at}] || !w.ref.tracked(name, at.resource) {
				continue
			}
			most := w.ref.subtree(name, at)
			if _, borrowing, _ := w.ref.limits(name, at); w.ref.parent(name) != "" {
				most += borrowing
			}
			if usage > most {
				t.Fatalf("%s takes %v of %s to %d, more than %d", d.Key.Name, at, name, usage, most)
			}
		}
	}
}

// P4: within a queue no ask overtakes an earlier one of the same shape. In a StrictFIFO queue none overtakes one that
// may start.
func TestNobodyOvertakes(t *testing.T) {
	forSeeds(t, func(t *testing.T, w *world) {
		for range events {
			w.happen()
			if !w.chance(0.4) {
				continue
			}
			waiting := w.ref.waiting()
			decisions := w.cycle(t)
			for _, d := range decisions {
				at := slices.IndexFunc(waiting, func(a queueing.Ask) bool { return a.Key == d.Key })
				for _, earlier := range waiting[:at] {
					w.checkOvertaken(t, earlier, waiting[at])
				}
				waiting = slices.Delete(waiting, at, at+1)
			}
		}
	})
}

// checkOvertaken checks that the later ask was not granted unfairly while the earlier one still waits.
func (w *world) checkOvertaken(t *testing.T, earlier, later queueing.Ask) {
	t.Helper()
	if earlier.Queue != later.Queue || w.ref.inadmissible(earlier) != "" {
		return
	}
	if w.ref.configs[later.Queue].Strategy == config.StrictFIFO {
		t.Fatalf("%s passes %s in a strict queue", later.Key.Name, earlier.Key.Name)
	}
	if cmp.Equal(earlier.PodSets, later.PodSets) {
		t.Fatalf("%s passes %s of the same shape", later.Key.Name, earlier.Key.Name)
	}
}

// P8, P14: usage, pending and admitted counts of the engine follow from its grants and asks.
func TestStateIsRecomputation(t *testing.T) {
	forSeeds(t, func(t *testing.T, w *world) {
		for range events {
			w.happen()
			if w.chance(0.4) {
				w.cycle(t)
			}
			w.compareStates(t)
		}
		for _, key := range w.keys() {
			w.release(key)
			w.release(key)
		}
		w.compareStates(t)
		for _, s := range w.engine.Queues().States() {
			for _, u := range s.Usage {
				if u.Used != 0 || s.Pending != 0 || s.Admitted != 0 {
					t.Errorf("%s is not empty: %+v", s.Name, s)
				}
			}
		}
	})
}

func (w *world) compareStates(t *testing.T) {
	t.Helper()
	for _, s := range w.engine.Queues().States() {
		var pending int32
		var heads []explain.Head
		for _, a := range w.ref.waiting() {
			if slices.Contains(w.ref.standing(a.Queue), s.Name) && w.ref.inadmissible(a) != queueing.ReasonExceedsQuota {
				pending++
			}
			if a.Queue == s.Name && w.ref.inadmissible(a) == "" {
				heads = append(heads, explain.Head{Key: a.Key, Priority: a.Priority})
			}
		}
		if s.Pending != pending || s.Admitted != w.ref.admitted(s.Name) {
			t.Fatalf("%s: %d pending and %d admitted, want %d and %d", s.Name, s.Pending, s.Admitted, pending, w.ref.admitted(s.Name))
		}
		if diff := cmp.Diff(heads[:min(len(heads), explain.HeadsShown)], s.Heads); diff != "" && len(heads) > 0 {
			t.Fatalf("heads of %s (-want +got):\n%s", s.Name, diff)
		}
		w.compareUsage(t, s)
	}
}

func (w *world) compareUsage(t *testing.T, s explain.QueueState) {
	t.Helper()
	for _, u := range s.Usage {
		at := cell{u.Flavor, u.Resource}
		if len(w.ref.ghosts) > 0 && !(w.ref.tracked(s.Name, u.Resource) && w.ref.offers(s.Name, u.Flavor)) {
			continue // what the children of a ghost use of it is not known above
		}
		if want := w.ref.gross(s.Name, at); u.Used != want {
			t.Fatalf("%s uses %d of %v, want %d", s.Name, u.Used, at, want)
		}
	}
}

// standing returns a queue and its ancestors, up to the first one that does not exist.
func (r *reference) standing(name string) []string {
	var out []string
	for ; name != ""; name = r.parent(name) {
		if _, exists := r.configs[name]; !exists {
			break
		}
		out = append(out, name)
	}
	return out
}

// offers reports whether any queue of the tree names a flavor.
func (r *reference) offers(name, flavor string) bool {
	for other, q := range r.configs {
		named := slices.ContainsFunc(q.Flavors, func(f config.FlavorQuota) bool { return f.Name == flavor })
		if named && r.top(other) == r.top(name) {
			return true
		}
	}
	return false
}

// gross returns the usage of a queue and all queues below it. Of the children of a deleted queue, only what they have
// borrowed counts.
func (r *reference) gross(name string, at cell) int64 {
	out := r.own(name, at)
	for _, c := range r.children(name) {
		if r.isGhost(name) && !r.isGhost(c) {
			out += max(0, r.usage(c, at)-r.local(c, at))
		} else {
			out += r.gross(c, at)
		}
	}
	return out
}

// P9: an engine that is rebuilt from queues, grants and asks has the same state, gives the same verdicts and makes the
// same decisions.
func TestRestart(t *testing.T) {
	forSeeds(t, func(t *testing.T, w *world) {
		for range w.IntN(events) {
			w.happen()
			if w.chance(0.4) {
				w.cycle(t)
			}
		}
		again := w.rebuild()
		reasons := cmpopts.IgnoreFields(explain.QueueState{}, "Waiting") // it has reported to no ask yet
		if diff := cmp.Diff(w.engine.Queues().States(), again.Queues().States(), reasons); diff != "" {
			t.Fatalf("states (-before +after):\n%s", diff)
		}
		byTree := func(ds []state.Decision) map[string][]state.Decision {
			out := map[string][]state.Decision{}
			for _, d := range ds {
				out[d.Root] = append(out[d.Root], d)
			}
			return out
		}
		again.Cycle(0) // everything is new to it
		w.engine.Cycle(0)
		for range 5 {
			key, known := w.anyKey()
			if !known {
				return
			}
			w.release(key)
			again.Release(key)
			if diff := cmp.Diff(byTree(w.engine.Cycle(0)), byTree(again.Cycle(0))); diff != "" {
				t.Fatalf("decisions (-before +after):\n%s", diff)
			}
		}
		for _, key := range w.keys() {
			before, after := w.engine.Verdict(key), again.Verdict(key)
			if before.State != after.State || before.Reason != after.Reason {
				t.Fatalf("%s: %s, after the restart %s", key.Name, says(before), says(after))
			}
		}
	})
}

// rebuild creates an engine from the stored objects, in random order. Deleted queues are included, unless all grants
// know their current ancestors and the deleted queues are known before the grants.
func (w *world) rebuild() *Engine {
	e := newEngine()
	queues := slices.DeleteFunc(slices.Clone(w.queues), func(q config.Queue) bool { return q.Deleted })
	before := w.chance(0.5)
	if !before || !w.grantsKnowTheirPlace() {
		for ghost, parent := range w.ref.ghosts {
			queues = append(queues, config.Queue{Name: ghost, Parent: parent, Deleted: true})
		}
	}
	keys := w.keys()
	w.Shuffle(len(keys), func(a, b int) { keys[a], keys[b] = keys[b], keys[a] })
	if before {
		e.SetQueues(queues)
	}
	for _, key := range keys {
		if g, holds := w.ref.grants[key]; holds {
			e.Restore(key, g)
		}
		if a, waits := w.ref.asks[key]; waits {
			e.Submit(a)
		}
	}
	e.SetQueues(queues)
	return e
}

// grantsKnowTheirPlace reports whether no ancestor of a grant's queue has been moved since the grant.
func (w *world) grantsKnowTheirPlace() bool {
	for _, g := range w.ref.grants {
		if path := w.ref.path(g.Queue); len(path) == 0 || !slices.Equal(path[1:], g.Ancestors) {
			return false
		}
	}
	return true
}

// P12: no edit of the configuration takes a grant away or breaks anything.
func TestEditsEvictNobody(t *testing.T) {
	forSeeds(t, func(t *testing.T, w *world) {
		for range events {
			w.happen()
			w.edit()
			w.cycle(t)
			for key, g := range w.ref.grants {
				v := w.engine.Verdict(key)
				if _, waits := w.ref.asks[key]; waits {
					continue
				}
				if v.State != queueing.Granted || v.Grant.Attempt != g.Attempt {
					t.Fatalf("the verdict on holder %s is %s, want Granted for its attempt", key.Name, says(v))
				}
			}
		}
	})
}

// P15: neither the order in which queues are listed matters, nor the order in which simultaneous events arrive.
func TestOrderOfEventsDoesNotMatter(t *testing.T) {
	forSeeds(t, func(t *testing.T, w *world) {
		var asks []queueing.Ask
		var gone []queueing.Key
		for range 30 {
			a := w.randomAsk(w.newKey())
			asks = append(asks, a)
			if w.chance(0.2) {
				gone = append(gone, a.Key)
			}
		}
		var first []string
		for range 4 {
			w.Shuffle(len(asks), func(a, b int) { asks[a], asks[b] = asks[b], asks[a] })
			w.Shuffle(len(gone), func(a, b int) { gone[a], gone[b] = gone[b], gone[a] })
			w.Shuffle(len(w.queues), func(a, b int) { w.queues[a], w.queues[b] = w.queues[b], w.queues[a] })
			got := w.twoMoments(asks, gone)
			if first == nil {
				first = got
			}
			if diff := cmp.Diff(first, got); diff != "" {
				t.Fatalf("decisions and verdicts (-first +now):\n%s", diff)
			}
		}
	})
}

// twoMoments submits all asks, decides, releases some, decides again, and lists all results.
func (w *world) twoMoments(asks []queueing.Ask, gone []queueing.Key) []string {
	e := newEngine()
	e.SetQueues(w.queues)
	for _, a := range asks {
		e.Submit(a)
	}
	decisions := e.Cycle(0)
	for _, key := range gone {
		e.Release(key)
	}
	decisions = append(decisions, e.Cycle(0)...)
	var out []string
	for _, d := range decisions {
		out = append(out, fmt.Sprintf("%s %+v", d.Key, d.Grant))
	}
	for _, key := range e.Changed() {
		out = append(out, key.String()+" "+says(e.Verdict(key)))
	}
	return out
}

// Changed names every key whose verdict has changed. A cycle after which nothing has happened changes nothing.
func TestChangedIsComplete(t *testing.T) {
	forSeeds(t, func(t *testing.T, w *world) {
		last := map[queueing.Key]string{}
		look := func(key queueing.Key) string {
			v := w.engine.Verdict(key)
			if v.Grant != nil {
				return fmt.Sprintf("granted for %d", v.Grant.Attempt)
			}
			return says(v)
		}
		for range events {
			w.happen()
			w.cycle(t)
			changed := w.engine.Changed()
			for _, key := range w.keys() {
				now := look(key)
				if was, known := last[key]; (!known || was != now) && !slices.Contains(changed, key) {
					t.Fatalf("%s went from %q to %q and is not named", key.Name, was, now)
				}
				last[key] = now
			}
			w.setQueues(w.queues)
			w.engine.Cycle(0)
			if again := w.engine.Changed(); len(again) > 0 {
				t.Fatalf("%s are named although nothing happened: %s, before %s", keyNames(again), look(again[0]), last[again[0]])
			}
		}
	})
}

// Limiting the number of grants per cycle changes neither which asks are granted in each tree nor the final state.
func TestBoundsDoNotMatter(t *testing.T) {
	forSeeds(t, func(t *testing.T, w *world) {
		for range events {
			w.happen()
			if !w.chance(0.3) {
				continue
			}
			whole := w.rebuild().Cycle(0)
			parts := w.rebuild()
			limit := 1 + w.IntN(3)
			got := map[string][]state.Decision{}
			for parts.Dirty() {
				decisions := parts.Cycle(limit)
				if len(decisions) > limit {
					t.Fatalf("%d grants, at most %d were wanted", len(decisions), limit)
				}
				for _, d := range decisions {
					got[d.Root] = append(got[d.Root], d)
				}
			}
			want := map[string][]state.Decision{}
			for _, d := range whole {
				want[d.Root] = append(want[d.Root], d)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("decisions (-whole +in parts):\n%s", diff)
			}
			w.cycle(t)
		}
	})
}
