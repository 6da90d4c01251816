// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// worlds is the default number of seeds of a property.
const worlds = 30

// forSeeds runs a property with many seeds, and returns their number. A failure lists the events.
func forSeeds(t *testing.T, property func(t *testing.T, w *world)) int {
	t.Helper()
	t.Parallel()
	return randtest.Each(t, worlds, func(seed uint64) {
		w := newWorld(seed)
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { property(t, w) }) {
			t.Logf("what happened:\n%s", strings.Join(w.log, "\n"))
		}
	})
}

// world is an engine in the middle of random events, with a reference that gets the same events.
type world struct {
	*rand.Rand
	engine *Engine
	ref    *reference
	queues []config.Queue
	// confirmed are the grants that can no longer be reverted.
	confirmed map[queueing.Key]bool
	origins   map[queueing.Key]queueing.Ask
	apps      int
	clock     int
	// elastic lets all asks start with one executor.
	elastic bool
	// claims counts the checked claims, and met those of them that were satisfied.
	claims, met int
	// withdrew is true if the last cycle withdrew grants that it had made.
	withdrew bool
	// twice counts the applications that were preempted for fair shares more than once.
	twice int
	log   []string
}

func newWorld(seed uint64) *world {
	w := &world{
		Rand: rand.New(rand.NewPCG(seed, seed)), engine: newEngine(), ref: newReference(),
		confirmed: map[queueing.Key]bool{}, origins: map[queueing.Key]queueing.Ask{},
	}
	w.setQueues(w.randomQueues())
	return w
}

func (w *world) say(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) }

func (w *world) chance(p float64) bool { return w.Float64() < p }

var (
	resources = []string{"cpu", "memory", "pods"}
	// existing are the existing flavors. Queues name these and others.
	existing = []string{config.DefaultFlavor, "spot", "gpu"}
)

// cells returns all cells that can be limited.
func cells() []cell {
	var out []cell
	for _, flavor := range append(slices.Clone(existing), "absent") {
		for _, resource := range resources {
			out = append(out, cell{flavor, resource})
		}
	}
	return out
}

func newEngine() *Engine {
	e := New()
	var flavors []config.Flavor
	for _, name := range existing[1:] {
		flavors = append(flavors, config.Flavor{Name: name})
	}
	e.SetFlavors(flavors)
	return e
}

// randomQueues returns up to seven queues. A parent may be missing or form a cycle.
func (w *world) randomQueues() []config.Queue {
	queues := make([]config.Queue, 1+w.IntN(7))
	for i := range queues {
		queues[i] = w.randomQueue(i)
	}
	return queues
}

func (w *world) randomQueue(i int) config.Queue {
	q := config.Queue{Name: fmt.Sprintf("q%d", i), Admits: func(map[string]string) bool { return true }}
	switch {
	case i > 0 && w.chance(0.75):
		q.Parent = fmt.Sprintf("q%d", w.IntN(i))
	case w.chance(0.1):
		q.Parent = fmt.Sprintf("q%d", w.IntN(9))
	}
	if w.chance(0.15) {
		q.Admits = func(l map[string]string) bool { return l["team"] == "a" }
	}
	if w.chance(0.25) {
		q.Strategy = config.StrictFIFO
	}
	if w.chance(0.1) {
		limit := int32(w.IntN(4))
		q.MaxRunning = &limit
	}
	if w.chance(0.05) {
		q.Stop = config.StopHold
	}
	q.FairSharing, q.Weight = w.chance(0.3), int32(w.IntN(4))
	if w.chance(0.75) {
		q.Flavors = w.randomFlavors()
	}
	q.NamesNamespaces = w.chance(0.3)
	q.FlavorPreference = []config.FlavorPreference{"", config.FlavorsInOrder, config.LeastBorrowing, config.LeastPreemption}[w.IntN(4)]
	q.Unlimited = q.Parent == "" && len(q.Flavors) == 0 && w.chance(0.8)
	return q
}

// randomFlavors returns flavors, mostly the default one only.
func (w *world) randomFlavors() []config.FlavorQuota {
	names := []string{config.DefaultFlavor}
	if w.chance(0.3) {
		names = append(slices.Clone(existing), "absent")
		w.Shuffle(len(names), func(a, b int) { names[a], names[b] = names[b], names[a] })
		names = names[:1+w.IntN(3)]
	}
	var out []config.FlavorQuota
	for _, name := range names {
		f := config.FlavorQuota{Name: name}
		for _, resource := range resources {
			if w.chance(0.6) {
				f.Quotas = append(f.Quotas, w.randomQuota(resource))
			}
		}
		out = append(out, f)
	}
	return out
}

func (w *world) randomQuota(resource string) config.ResourceQuota {
	r := config.ResourceQuota{Resource: resource, Nominal: w.Int64N(15)}
	if w.chance(0.3) {
		limit := w.Int64N(8)
		r.Borrowing = &limit
	}
	if w.chance(0.3) {
		limit := w.Int64N(8)
		r.Lending = &limit
	}
	return r
}

// randomAsk returns an ask of one of few shapes, so that many asks have the same one.
func (w *world) randomAsk(key queueing.Key) queueing.Ask {
	requests := queueing.Resources{"pods": 1}
	if w.chance(0.9) {
		requests["cpu"] = w.Int64N(4)
	}
	if w.chance(0.4) {
		requests["memory"] = w.Int64N(3)
	}
	executors := queueing.PodSet{Name: "executor", Count: int32(w.IntN(4)), Requests: requests}
	if w.chance(0.3) {
		executors.MinCount = int32(w.IntN(3))
	}
	if w.elastic {
		executors.Count, executors.MinCount = 2+int32(w.IntN(8)), 1
	}
	if w.chance(0.1) {
		executors.Flavors = []string{"spot", "gpu"}[:1+w.IntN(2)]
	}
	w.clock++
	a := queueing.Ask{
		Key: key, Run: 1, Attempt: int64(1 + w.IntN(2)), Queue: fmt.Sprintf("q%d", w.IntN(8)), Priority: int32(w.IntN(3)),
		QueuedAt: epoch.Add(time.Duration(w.clock-w.IntN(5)) * time.Second), NamespaceLabels: map[string]string{"team": []string{"a", "b"}[w.IntN(2)]},
		PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: requests}, executors}, NeedsLimits: w.chance(0.3),
	}
	return a
}

func (w *world) newKey() queueing.Key {
	w.apps++
	return queueing.Key{Namespace: "ns", Name: fmt.Sprintf("a%d", w.apps), UID: fmt.Sprint(w.IntN(1000), "-", w.apps)}
}

// keys returns the keys of all applications, in order.
func (w *world) keys() []queueing.Key {
	var out []queueing.Key
	for key := range w.ref.grants {
		out = append(out, key)
	}
	for key := range w.ref.asks {
		if _, holds := w.ref.grants[key]; !holds {
			out = append(out, key)
		}
	}
	slices.SortFunc(out, state.CompareKeys)
	return out
}

func (w *world) anyKey() (queueing.Key, bool) {
	keys := w.keys()
	if len(keys) == 0 {
		return queueing.Key{}, false
	}
	return keys[w.IntN(len(keys))], true
}

func (w *world) setQueues(queues []config.Queue) {
	w.queues = queues
	w.engine.SetQueues(queues)
	w.ref.setQueues(queues)
	for _, q := range queues {
		w.say("queue %s", describe(q))
	}
}

func describe(q config.Queue) string {
	out := fmt.Sprintf("%s in=%s %s %s", q.Name, q.Parent, q.Strategy, q.Stop)
	if q.MaxRunning != nil {
		out += fmt.Sprintf(" max=%d", *q.MaxRunning)
	}
	for _, f := range q.Flavors {
		for _, r := range f.Quotas {
			out += fmt.Sprintf(" %s/%s=%d borrow %d lend %d", r.Resource, f.Name, r.Nominal, orNoLimit(r.Borrowing), orNoLimit(r.Lending))
		}
	}
	return out
}

func (w *world) submit(a queueing.Ask) {
	w.say("submit %s to %s, priority %d, at %s: %v", a, a.Queue, a.Priority, a.QueuedAt.Format(time.TimeOnly), a.PodSets)
	w.engine.Submit(a)
	if g, holds := w.ref.grants[a.Key]; !holds || g.Run != a.Run || g.Attempt != a.Attempt {
		w.ref.asks[a.Key] = a
	}
}

func (w *world) release(key queueing.Key) {
	w.say("release %s", key.Name)
	w.engine.Release(key)
	delete(w.ref.asks, key)
	delete(w.ref.grants, key)
	delete(w.confirmed, key)
}

func (w *world) revert(key queueing.Key) {
	w.say("revert %s", key.Name)
	_, holds := w.ref.grants[key]
	if w.engine.Revert(key) != (holds && !w.confirmed[key]) {
		panic("a grant was reverted that is confirmed, or the other way round")
	}
	if !holds || w.confirmed[key] {
		return
	}
	delete(w.ref.grants, key)
	if _, waits := w.ref.asks[key]; !waits {
		w.ref.asks[key] = w.origins[key]
	}
}

func (w *world) confirm(key queueing.Key) {
	if g, holds := w.ref.grants[key]; holds {
		w.say("confirm %s", key.Name)
		w.engine.Confirm(key, g.Run, g.Attempt)
		w.confirmed[key] = true
	}
}

// restore charges a random grant to a random queue, whether it fits or not.
func (w *world) restore(key queueing.Key) {
	a := w.randomAsk(key)
	_, most := bounds(a)
	where := []string{existing[w.IntN(3)], existing[w.IntN(3)]}
	g := w.ref.grant(a, where, most)
	w.say("restore %s %+v", key.Name, g)
	w.engine.Restore(key, g)
	w.ref.grants[key] = g
	w.confirmed[key] = true
	if waiting, waits := w.ref.asks[key]; waits && waiting.Run == g.Run && waiting.Attempt == g.Attempt {
		delete(w.ref.asks, key)
	}
}

// edit changes, adds or deletes one queue.
func (w *world) edit() {
	queues := slices.Clone(w.queues)
	i := w.IntN(8)
	at := slices.IndexFunc(queues, func(q config.Queue) bool { return q.Name == fmt.Sprintf("q%d", i) })
	switch {
	case at < 0:
		queues = append(queues, w.randomQueue(i))
	case w.chance(0.3):
		queues = slices.Delete(queues, at, at+1)
	case w.chance(0.2):
		queues[at].Deleted = !queues[at].Deleted
	case w.chance(0.3):
		queues[at].Parent = fmt.Sprintf("q%d", w.IntN(8))
	default:
		queues[at] = w.randomQueue(i)
	}
	w.Shuffle(len(queues), func(a, b int) { queues[a], queues[b] = queues[b], queues[a] })
	w.setQueues(queues)
}

// happen plays one random event other than a cycle.
func (w *world) happen() {
	key, known := w.anyKey()
	switch n := w.IntN(20); {
	case n < 10 || !known:
		w.submit(w.randomAsk(w.newKey()))
	case n < 11:
		w.submit(w.randomAsk(key))
	case n < 15:
		w.release(key)
	case n < 16:
		w.revert(key)
	case n < 17:
		w.confirm(key)
	case n < 18:
		w.restore(key)
	default:
		w.edit()
	}
}

// cycle lets the engine and the reference decide, and compares the grants, tree by tree.
func (w *world) cycle(t *testing.T) []state.Decision {
	t.Helper()
	asks := maps.Clone(w.ref.asks)
	got := w.decide()
	var want []state.Decision
	for _, root := range w.ref.roots() {
		want = append(want, w.ref.cycle(root)...)
	}
	slices.SortStableFunc(got, func(a, b state.Decision) int { return strings.Compare(a.Root, b.Root) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("decisions (-reference +engine):\n%s", diff)
	}
	for _, d := range got {
		w.granted(d, asks[d.Key])
	}
	return got
}

// decide lets only the engine decide.
func (w *world) decide() []state.Decision { return w.decideAtMost(0) }

// decideAtMost makes up to max grants; 0 means without a limit.
func (w *world) decideAtMost(max int) []state.Decision {
	w.say("cycle, at most %d", max)
	decisions := w.engine.Cycle(max)
	for _, d := range decisions {
		w.say("  %s from %s: %v", d.Key.Name, d.Grant.Queue, d.Grant.PodSets)
	}
	return decisions
}

// granted records a decision of the engine in the reference.
func (w *world) granted(d state.Decision, a queueing.Ask) {
	w.origins[d.Key] = a
	w.ref.grants[d.Key] = d.Grant
	delete(w.ref.asks, d.Key)
	delete(w.confirmed, d.Key)
}
