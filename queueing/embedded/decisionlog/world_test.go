// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// forSeeds runs a property with many seeds.
func forSeeds(t *testing.T, property func(t *testing.T, seed uint64)) {
	t.Helper()
	t.Parallel()
	randtest.Each(t, 30, func(seed uint64) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { property(t, seed) })
	})
}

// epoch is second 0 of the tests' day.
var epoch = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

// zone is not UTC.
var zone = time.FixedZone("somewhere", 2*60*60)

// world is a recorder that gets random calls.
type world struct {
	*rand.Rand
	engine *Recorder
	queues []config.Queue
	// usedQueues and usedFlavors are the configuration of the engine.
	usedQueues  []config.Queue
	usedFlavors []config.Flavor
	asks        map[queueing.Key]queueing.Ask
	// keys are the keys of all applications so far.
	keys []queueing.Key
	now  time.Time
	// repeat repeats the last call that may be repeated.
	repeat func()
	grants int
}

func newWorld(seed uint64, o Options) *world {
	w := &world{
		Rand: rand.New(rand.NewPCG(seed, seed)), engine: New(o), asks: map[queueing.Key]queueing.Ask{}, now: epoch, repeat: func() {},
	}
	w.queues = make([]config.Queue, 1+w.IntN(6))
	for i := range w.queues {
		w.queues[i] = w.queue(i)
	}
	w.configure(w.queues, w.flavors())
	return w
}

// record returns the log of random calls.
func record(seed uint64, calls int) string {
	var out bytes.Buffer
	w := newWorld(seed, Options{Out: &out, Version: "v0.1.0"})
	w.live(calls)
	return out.String()
}

func (w *world) chance(p float64) bool { return w.Float64() < p }

func pick[T any](w *world, from ...T) T { return from[w.IntN(len(from))] }

// limit returns no limit, or a small one.
func (w *world) limit() *int64 {
	if w.chance(0.7) {
		return nil
	}
	n := w.Int64N(8)
	return &n
}

func (w *world) queue(i int) config.Queue {
	q := config.Queue{
		Name: fmt.Sprintf("q%d", i), Weight: w.Int32N(4), FairSharing: w.chance(0.3), Deleted: w.chance(0.05),
		Strategy: pick(w, config.BestEffortFIFO, config.BestEffortFIFO, config.BestEffortFIFO, config.StrictFIFO), Stop: config.StopNone,
		Preemption: config.Preemption{
			Within:  pick(w, config.PreemptNever, config.PreemptLowerPriority, config.PreemptLowerOrNewerEqualPriority),
			Reclaim: pick(w, config.PreemptNever, config.PreemptAny), Borrow: pick(w, config.PreemptNever, config.PreemptLowerPriority),
		},
	}
	if i > 0 && w.chance(0.8) {
		q.Parent = fmt.Sprintf("q%d", w.IntN(i))
	}
	if w.chance(0.1) {
		q.Stop = pick(w, config.StopHold, config.StopHoldAndDrain)
	}
	if w.chance(0.1) {
		limit := w.Int32N(4)
		q.MaxRunning, q.Preemption.BorrowThreshold = &limit, &limit
	}
	if w.chance(0.8) {
		timeout := time.Duration(w.IntN(10)) * time.Second
		q.HeadTimeout = &timeout
	}
	for _, name := range []string{config.DefaultFlavor, "spot"}[:1+w.IntN(2)] {
		q.Flavors = append(q.Flavors, config.FlavorQuota{Name: name, Quotas: []config.ResourceQuota{
			{Resource: "cpu", Nominal: w.Int64N(15), Borrowing: w.limit(), Lending: w.limit()},
			{Resource: "memory", Nominal: 5 + w.Int64N(15)},
		}})
	}
	w.admission(&q)
	return q
}

// admission sets a namespace selector: mostly one that admits all.
func (w *world) admission(q *config.Queue) {
	switch w.IntN(8) {
	case 0: // no namespace
	case 1, 2, 3:
		q.Admits, q.SelectorText = func(l map[string]string) bool { return l["team"] == "a" }, "team=a"
	default:
		q.Admits, q.SelectorText = func(map[string]string) bool { return true }, "<none>"
	}
}

func (w *world) flavors() []config.Flavor {
	taint := corev1.Taint{Key: "spot", Effect: corev1.TaintEffectNoSchedule}
	spot := config.Flavor{Name: "spot", NodeLabels: map[string]string{"pool": "spot", "kind": "cheap"}}
	if w.chance(0.5) {
		spot.NodeTaints = []corev1.Taint{taint}
	}
	if w.chance(0.5) {
		spot.Tolerations = []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}}
	}
	return []config.Flavor{spot}[:w.IntN(2)]
}

func (w *world) ask(key queueing.Key) queueing.Ask {
	requests := queueing.Resources{"pods": 1, "cpu": w.Int64N(4), "memory": w.Int64N(2)}
	executors := queueing.PodSet{Name: "executor", Count: w.Int32N(4), MinCount: w.Int32N(3), Requests: requests}
	if w.chance(0.3) { // so big that others may pass it for ever
		executors.Count, executors.MinCount = 4, 0
	}
	if w.chance(0.1) {
		executors.Flavors = []string{"spot"}
	}
	if w.chance(0.3) {
		executors.Tolerations = []corev1.Toleration{{Key: "spot", Value: "", Effect: corev1.TaintEffectNoSchedule}}
		executors.NodeSelector = map[string]string{"pool": "spot"}
	}
	return queueing.Ask{
		Key: key, Run: 1, Attempt: 1 + w.Int64N(2), Queue: fmt.Sprintf("q%d", w.IntN(7)), Priority: w.Int32N(3),
		QueuedAt: w.now.Add(-time.Duration(w.IntN(5)) * time.Second).In(zone), HoldsFor: pick(w, 0, 0, time.Minute), Elastic: pick(w, "executor", "executor", "executor", ""), Lead: "driver",
		NamespaceLabels: map[string]string{"team": pick(w, "a", "b")}, NeedsLimits: strings.HasSuffix(key.UID, "7"),
		PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: requests}, executors},
	}
}

// live makes random calls, with all read-only calls in between.
func (w *world) live(calls int) {
	for range calls {
		key := queueing.Key{Namespace: "ns", Name: fmt.Sprintf("a%d", len(w.keys)), UID: fmt.Sprint(w.IntN(1000))}
		if len(w.keys) > 0 && w.chance(0.7) {
			key = w.keys[w.IntN(len(w.keys))]
		} else {
			w.keys = append(w.keys, key)
		}
		switch n := w.IntN(10); {
		case n < 4:
			w.ofApplication(key)
		case n < 5 && w.chance(0.2):
			w.ofConfiguration()
		case n < 5:
			w.ofGrowth(key)
		case n < 6:
			w.repeat()
		default:
			w.decide()
		}
		w.question(key)
	}
}

func (w *world) ofApplication(key queueing.Key) {
	a := w.asks[key]
	switch n := w.IntN(16); {
	case n < 5 || a.Run == 0:
		a = w.ask(key)
		w.asks[key] = a
		w.repeat = func() { w.engine.Submit(a) }
		w.repeat()
	case n < 6:
		w.engine.Submit(a)
		w.engine.ReserveFor(key)
	case n < 12:
		w.engine.Release(key)
	case n < 13:
		w.engine.Revert(key)
	case n < 14:
		w.engine.Confirm(key, a.Run, a.Attempt)
	case n < 15:
		w.engine.Restore(key, w.grant(a))
	default:
		s := queueing.HolderState{Priority: w.Int32N(3), QueuedAt: a.QueuedAt, Terminating: w.chance(0.2)}
		if w.chance(0.5) {
			s.ReleasedBy = w.now.Add(time.Duration(w.IntN(100)) * time.Second).In(zone)
		}
		w.repeat = func() { w.engine.SetHolderState(key, a.Run, a.Attempt, s) }
		w.repeat()
	}
}

// ofGrowth makes a call about a holder that wants more, or that has recorded all or some of what it has.
func (w *world) ofGrowth(key queueing.Key) {
	a := w.asks[key]
	if want := (queueing.ResizeRequest{PodSet: "executor", Count: w.Int32N(9)}); w.chance(0.7) {
		w.repeat = func() { w.engine.SetResizeRequest(key, a.Run, a.Attempt, want) }
		w.repeat()
		return
	}
	room := w.engine.Allocation(key, a.Run, a.Attempt)
	if room.Grant == nil {
		return
	}
	grant := *room.Grant
	grant.PodSets = slices.Clone(grant.PodSets)
	for i := range grant.PodSets {
		if p := &grant.PodSets[i]; p.Elastic && w.chance(0.5) {
			p.Count = w.Int32N(p.Count + 1)
		}
	}
	w.engine.Settle(key, grant)
}

func (w *world) grant(a queueing.Ask) queueing.Grant {
	g := queueing.Grant{Run: a.Run, Attempt: a.Attempt, Gate: embedded.GateName, Queue: a.Queue, Epoch: w.Int64N(3)}
	for _, p := range a.PodSets {
		g.PodSets = append(g.PodSets, queueing.PodSetGrant{
			Name: p.Name, Flavor: pick(w, "", config.DefaultFlavor, "spot"), Count: p.Count, Requests: p.Requests,
			NodeSelector: p.NodeSelector, Tolerations: p.Tolerations,
		})
	}
	return g
}

func (w *world) ofConfiguration() {
	i := w.IntN(7)
	at := slices.IndexFunc(w.queues, func(q config.Queue) bool { return q.Name == fmt.Sprintf("q%d", i) })
	w.queues = slices.Clone(w.queues)
	switch {
	case at < 0:
		w.queues = append(w.queues, w.queue(i))
	case w.chance(0.2):
		w.queues = slices.Delete(w.queues, at, at+1)
	default:
		w.queues[at] = w.queue(i)
	}
	switch w.IntN(4) {
	case 0:
		w.configure(w.queues, w.usedFlavors)
	case 1:
		w.configure(w.usedQueues, w.flavors())
	case 2:
		w.engine.SetEpoch(fmt.Sprintf("q%d", i), w.Int64N(9))
	default:
		w.configure(w.queues, w.flavors())
	}
}

func (w *world) configure(queues []config.Queue, flavors []config.Flavor) {
	w.usedQueues, w.usedFlavors = queues, flavors
	w.engine.Configure(queues, flavors)
}

// decide does what the gate does in a cycle.
func (w *world) decide() {
	w.now = w.now.Add(time.Duration(w.IntN(20)) * time.Second)
	if w.chance(0.8) {
		w.engine.Advance(w.now.In(zone))
	}
	w.grants += len(w.engine.Cycle(w.IntN(4)))
	if w.chance(0.7) {
		w.engine.Changed()
	}
}

// question makes a read-only call, which is not in the log.
func (w *world) question(key queueing.Key) {
	w.engine.Dirty()
	w.engine.Queues().States()
	w.engine.Explain(key)
	w.engine.Verdict(key)
	w.engine.Eviction(key, 1, 1)
	w.engine.Queues().Root("q1")
	w.engine.Allocation(key, 1, 1)
}
