// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
)

// flow is a tree under load in virtual time: small and big asks of equal priority come all the time, and what is admitted ends after
// a while. Some grow meanwhile.
type flow struct {
	*world
	now time.Duration
	// ends are when those end who run.
	ends map[queueing.Key]time.Duration
	// bounds are until when those have to have ended who say so.
	bounds map[queueing.Key]time.Duration
	asks   map[queueing.Key]queueing.Ask
	// due is, for each that stays within the quota of its own queue, when it has to run at the latest.
	due map[queueing.Key]time.Duration
	// known says that many say until when they hold what they get.
	known bool
	// lies says that all that are not held to their bounds lift them once they are admitted; bound counts those that are.
	lies  bool
	bound int
	// guarded counts those that waited until another one had to make way.
	guarded int
	// grown counts how often an application grew above its base gang.
	grown int
}

func newFlow(seed uint64) *flow {
	f := &flow{
		world: newWorld(seed), ends: map[queueing.Key]time.Duration{}, bounds: map[queueing.Key]time.Duration{}, asks: map[queueing.Key]queueing.Ask{}, due: map[queueing.Key]time.Duration{},
	}
	queues := []QueueConfig{{Name: "q0", Flavors: f.quota(f.Int64N(6))}}
	for i := 1; i <= 2+f.IntN(4); i++ {
		timeout := time.Duration(f.IntN(60)) * time.Second
		q := QueueConfig{
			Name: fmt.Sprintf("q%d", i), Parent: fmt.Sprintf("q%d", f.IntN(i)), Flavors: f.quota(f.Int64N(9)), HeadTimeout: &timeout,
			Admits: func(map[string]string) bool { return true }, FairSharing: f.chance(0.2), Weight: 1,
		}
		if f.chance(0.3) {
			q.Strategy = StrictFIFO
		}
		queues = append(queues, q)
	}
	f.known, f.lies = f.chance(0.5), f.chance(0.5)
	f.setQueues(queues)
	return f
}

func (f *flow) quota(cpu int64) []FlavorQuota {
	r := ResourceQuota{Resource: "cpu", Nominal: cpu}
	if limit := f.Int64N(5); f.chance(0.3) {
		r.Borrowing = &limit
	}
	if limit := f.Int64N(5); f.chance(0.3) {
		r.Lending = &limit
	}
	return []FlavorQuota{{Name: DefaultFlavor, Quotas: []ResourceQuota{r}}}
}

const (
	longestRun = 40 * time.Second
	flowSteps  = 400
)

func (f *flow) arrive() {
	key := f.newKey()
	a := queueing.Ask{
		Key: key, Run: 1, Attempt: 1, Queue: fmt.Sprintf("q%d", 1+f.IntN(len(f.queues)-1)), QueuedAt: epoch.Add(f.now),
		PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 1 + f.Int64N(2)}}},
	}
	if f.chance(0.1) {
		a.PodSets[0].Requests["cpu"] = 3 + f.Int64N(6)
	}
	if f.known && f.chance(0.7) {
		a.HoldsFor = time.Duration(1+f.IntN(int(longestRun/time.Second))) * time.Second
	}
	a.SchedulingGated = f.chance(0.3)
	f.say("at %s %s asks %s for %d, for %s", f.now, key.Name, a.Queue, a.PodSets[0].Requests["cpu"], a.HoldsFor)
	f.asks[key] = a
	f.engine.Submit(a)
}

// pass decides and lets those run who are admitted.
func (f *flow) pass() {
	f.engine.Advance(epoch.Add(f.now))
	for _, d := range f.engine.Cycle(0) {
		a := f.asks[d.Key]
		f.engine.Settle(d.Key, d.Grant)
		if d.Grown > 0 {
			f.grown++
			f.say("at %s %s of %s grows by %d", f.now, d.Key.Name, a.Queue, d.Grown)
			continue
		}
		f.engine.SetResizeRequest(d.Key, 1, 1, queueing.ResizeRequest{PodSet: "driver", Count: f.Int32N(4)})
		most := longestRun
		switch {
		case d.Grant.HoldsFor > 0:
			f.bound++
			most = d.Grant.HoldsFor
			f.bounds[d.Key] = f.now + most
		case f.lies && a.HoldsFor > 0:
			most = 3 * longestRun
		case a.HoldsFor > 0:
			most = a.HoldsFor
			f.bounds[d.Key] = f.now + most
		}
		f.ends[d.Key] = f.now + 1 + time.Duration(f.Int64N(int64(most)))
		if _, guarded := f.due[d.Key]; guarded {
			f.guarded++
		}
		delete(f.due, d.Key)
		f.say("at %s %s of %s is admitted", f.now, d.Key.Name, a.Queue)
	}
	for _, t := range f.engine.hierarchy.trees {
		for _, r := range t.reservations {
			f.promise(r)
		}
	}
}

// promise notes until when one has to run that has a reservation: when all that run now have ended, or have to have ended.
func (f *flow) promise(r *reservation) {
	if _, noted := f.due[r.app.key]; noted || r.app.ask == nil {
		return
	}
	need := f.asks[r.app.key].PodSets[0].Requests["cpu"]
	if need > f.ref.configs[r.queue.name].Flavors[0].Quotas[0].Nominal || r.queue.keepsOwnPart() {
		return
	}
	latest := f.now
	for key, end := range f.ends {
		latest = max(latest, end, f.bounds[key])
	}
	f.say("at %s room is kept for %s until %s", f.now, r.app.key.Name, latest)
	f.due[r.app.key] = latest
}

// next lets time pass until the next end or by a second, and ends those that end then.
func (f *flow) next() {
	at := f.now + time.Second
	for _, end := range f.ends {
		at = min(at, end)
	}
	f.now = at
	for _, key := range slices.SortedFunc(maps.Keys(f.ends), compareKeys) {
		if f.ends[key] <= f.now {
			f.say("at %s %s ends", f.now, key.Name)
			f.engine.Release(key)
			delete(f.ends, key)
		}
	}
}

// P10: who has been first in line for longer than the queue's HeadTimeout, and stays within the quota of its own queue, runs when all
// have ended who ran when it was reached, however many others come, and although those lift their bounds if they may. P1 holds all the while, and in the end all have run.
func TestNobodyStarves(t *testing.T) {
	t.Parallel()
	guarded, grown, bound := 0, 0, 0
	played := randtest.Each(t, worlds, func(seed uint64) {
		f := newFlow(seed)
		if problem := f.run(); problem != "" {
			t.Fatalf("%s; what happened:\n%s", problem, strings.Join(f.log, "\n"))
		}
		guarded, grown, bound = guarded+f.guarded, grown+f.grown, bound+f.bound
	})
	if played >= worlds && (guarded < played/4 || grown < played || bound < played/4) {
		t.Errorf("room was kept for %d, %d passed them, and %d times somebody grew, in %d worlds: too few to show anything", guarded, bound, grown, played)
	}
}

func (f *flow) run() string {
	for range flowSteps {
		if f.chance(0.6) {
			f.arrive()
		}
		f.pass()
		for key, latest := range f.due {
			if f.now > latest {
				return fmt.Sprintf("at %s %s still waits", f.now, key.Name)
			}
		}
		f.next()
	}
	for f.pass(); len(f.ends) > 0; f.pass() {
		f.next()
	}
	for key := range f.asks {
		if a := f.engine.registry.apps[key]; a != nil && a.ask != nil && !a.class.isInadmissible() {
			return key.Name + " waits although nobody runs any more"
		}
	}
	return ""
}
