// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// maxRounds limits the cycles of settle. The engine always comes to rest; this is a safeguard.
const maxRounds = 10_000

// simulation is the embedded queue at one moment, with the applications and pods that hold quota or wait for it.
type simulation struct {
	engine *embedded.Engine
	// asks are the current asks, of those that wait and of those that hold quota.
	asks map[queueing.Key]queueing.Ask
	// stopped are those that neither wait nor hold quota, for a reason outside of the queue.
	stopped map[queueing.Key]appOutcome
	// preempted are those that were preempted since the last comparison, and why; reclaimed are the executors that
	// others have lost.
	preempted map[queueing.Key]*queueing.Eviction
	reclaimed map[queueing.Key]reclaimed
}

// reclaimed is how many executors above its base gang an application has lost, and why it lost the first of them.
type reclaimed struct {
	count int32
	why   queueing.Eviction
}

// ExecutorsReclaimed is the reason of an effect on an application that loses executors above its base gang. The event
// about them has the same reason.
const ExecutorsReclaimed = "ExecutorsReclaimed"

func (r reclaimed) message() string {
	return fmt.Sprintf("%d executors above the base gang release their quota: %s", r.count, r.why.Message)
}

func newSimulation(now time.Time) *simulation {
	w := &simulation{engine: embedded.New(), asks: map[queueing.Key]queueing.Ask{}, stopped: map[queueing.Key]appOutcome{}}
	w.engine.Advance(now)
	return w
}

func (w *simulation) configure(queues map[string]v1alpha1.SparkQueue, flavors map[string]v1alpha1.SparkFlavor) {
	var queueList []v1alpha1.SparkQueue
	for _, name := range slices.Sorted(maps.Keys(queues)) {
		queueList = append(queueList, queues[name])
	}
	var flavorList []v1alpha1.SparkFlavor
	for _, name := range slices.Sorted(maps.Keys(flavors)) {
		flavorList = append(flavorList, flavors[name])
	}
	w.engine.Configure(convert.QueueConfigs(queueList), convert.FlavorConfigs(flavorList))
}

// take adds an application of the cluster that holds quota or waits. One that is being stopped counts as stopped.
func (w *simulation) take(ask queueing.Ask, app *v1alpha1.SparkApplication) {
	grant, stopping := app.Status.Grant, app.Status.Stopping
	switch {
	case len(ask.PodSets) == 0 || app.DeletionTimestamp != nil || stopping != "" && stopping != v1alpha1.StopPreempted:
		return
	case grant != nil && !catalog.Of(grant.Gate).SparkQueues:
		return
	case grant != nil && stopping == "":
		w.engine.Restore(ask.Key, convert.FromAPI(grant))
		w.engine.SetHolderState(ask.Key, grant.Run, grant.Attempt, queueing.HolderState{Priority: ask.Priority, QueuedAt: ask.QueuedAt})
	case grant != nil:
		ask.Attempt++
		w.engine.Submit(ask)
	default:
		w.engine.Submit(ask)
	}
	w.asks[ask.Key] = ask
}

// replace replaces what a key asks for or holds by a new ask.
func (w *simulation) replace(ask queueing.Ask) {
	w.drop(ask.Key)
	w.submit(ask)
}

// submit submits an ask, or changes the ask of an application that waits.
func (w *simulation) submit(ask queueing.Ask) {
	w.asks[ask.Key] = ask
	w.engine.Submit(ask)
}

// keys returns the sorted keys of all asks.
func (w *simulation) keys() []queueing.Key {
	return slices.SortedFunc(maps.Keys(w.asks), func(a, b queueing.Key) int { return cmp.Compare(a.String(), b.String()) })
}

// stop removes an ask from the queue, for a reason outside of it.
func (w *simulation) stop(ask queueing.Ask, at appOutcome) {
	w.drop(ask.Key)
	w.asks[ask.Key], w.stopped[ask.Key] = ask, at
}

// prioritize changes the priority of a holder.
func (w *simulation) prioritize(key queueing.Key, priority int32) {
	ask := w.asks[key]
	ask.Priority = priority
	w.asks[key] = ask
	held, _ := w.engine.Held(key)
	w.engine.SetHolderState(key, held.Run, held.Attempt, queueing.HolderState{Priority: priority, QueuedAt: ask.QueuedAt})
}

// drop removes what a key asks for or holds.
func (w *simulation) drop(key queueing.Key) {
	w.engine.Release(key)
	delete(w.asks, key)
	delete(w.stopped, key)
}

// takePod adds an unmanaged pod.
func (w *simulation) takePod(p *Pod) {
	w.asks[p.Ask.Key] = p.Ask
	if p.Grant == nil {
		w.engine.Submit(p.Ask)
		return
	}
	w.engine.Restore(p.Ask.Key, *p.Grant)
	state := queueing.HolderState{Priority: p.Ask.Priority, QueuedAt: p.Ask.QueuedAt, Terminating: p.Terminating}
	w.engine.SetHolderState(p.Ask.Key, p.Grant.Run, p.Grant.Attempt, state)
}

// reserve keeps quota for the first ask of a queue if the operator does so.
func (w *simulation) reserve(s *v1alpha1.SparkQueueStatus) {
	reserved := slices.ContainsFunc(s.Usage, func(u v1alpha1.QueueUsage) bool { return u.Reserved != nil })
	if !reserved || len(s.Heads) == 0 {
		return
	}
	for key := range w.asks {
		if h := &s.Heads[0]; key.Namespace == h.Namespace && key.Name == h.Name && key.Kind == h.Kind {
			w.engine.ReserveFor(key)
		}
	}
}

// settle lets the engine decide until nothing changes. Holders whose grant is reclaimed have stopped at once and wait
// again. Preempted pods and reclaimed executors are gone.
func (w *simulation) settle() {
	maps.DeleteFunc(w.asks, func(key queueing.Key, _ queueing.Ask) bool {
		return key.Kind == v1alpha1.PodKind && w.preempted[key] != nil
	})
	w.preempted, w.reclaimed = map[queueing.Key]*queueing.Eviction{}, map[queueing.Key]reclaimed{}
	for range maxRounds {
		decisions := w.engine.Cycle(0)
		for i := range decisions {
			w.engine.Confirm(decisions[i].Key, decisions[i].Grant.Run, decisions[i].Grant.Attempt)
		}
		if !w.evict() && len(decisions) == 0 {
			return
		}
	}
}

// evict preempts the holders whose grant the engine reclaims, and reports whether there were any.
func (w *simulation) evict() bool {
	evicted := false
	for _, key := range w.engine.Changed() {
		ask, known := w.asks[key]
		held, holds := w.engine.Held(key)
		if !known || !holds {
			continue
		}
		eviction := w.engine.Eviction(key, held.Run, held.Attempt)
		if eviction == nil {
			evicted = w.reclaim(key, held) || evicted
			continue
		}
		evicted, w.preempted[key] = true, eviction
		w.engine.Release(key)
		if key.Kind == v1alpha1.PodKind {
			continue
		}
		ask.Attempt = held.Attempt + 1
		w.asks[key] = ask
		w.engine.Submit(ask)
	}
	return evicted
}

// reclaim ends the executors that a holder has to release, and reports whether there were any.
func (w *simulation) reclaim(key queueing.Key, held queueing.Grant) bool {
	allocation := w.engine.Allocation(key, held.Run, held.Attempt)
	if len(allocation.Reclaims) == 0 {
		return false
	}
	held.PodSets = slices.Clone(held.PodSets)
	lost := w.reclaimed[key]
	for _, r := range allocation.Reclaims {
		if lost.count == 0 {
			lost.why = r.Why
		}
		lost.count += r.Count
		for i := range held.PodSets {
			if p := &held.PodSets[i]; p.Elastic && p.Flavor == r.Flavor {
				ended := min(p.Count, r.Count)
				p.Count, r.Count = p.Count-ended, r.Count-ended
			}
		}
	}
	w.reclaimed[key] = lost
	return w.engine.Settle(key, held)
}

// inadmissible are reasons for which an ask waits without a place in the queue, until something is changed.
var inadmissible = []string{queueing.ReasonReferenceNotFound, queueing.ReasonNamespaceNotAllowed, queueing.ReasonFlavorMismatch}

// outcomes returns the outcomes of all applications and pods, by key without uid.
func (w *simulation) outcomes() map[queueing.Key]appOutcome {
	all := make(map[queueing.Key]appOutcome, len(w.asks))
	for key, ask := range w.asks {
		s, stopped := w.stopped[key]
		s.key, s.queue = key, ask.Queue
		if stopped {
			all[key.Named()] = s
			continue
		}
		s.outcome = Waiting
		verdict := w.engine.Verdict(key)
		s.reason, s.message = verdict.Reason, verdict.Message
		s.preempted, s.reclaimed = w.preempted[key], w.reclaimed[key]
		switch _, holds := w.engine.Held(key); {
		case holds:
			s.outcome = Admitted
		case verdict.State == queueing.Refused || slices.Contains(inadmissible, verdict.Reason):
			s.outcome = Refused
		}
		all[key.Named()] = s
	}
	return all
}
