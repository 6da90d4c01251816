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

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// flow is a tree under load in virtual time. Small and big asks of equal priority arrive all the time, and applications
// end some time after their admission. Some start with fewer executors than they want, some grow later, some reclaim
// quota and make others end early, and some are changed while they wait.
type flow struct {
	*world
	now time.Duration
	// ends maps the running applications to their ends.
	ends map[queueing.Key]time.Duration
	// bounds maps the applications that announce an end to the time by which they have to end.
	bounds map[queueing.Key]time.Duration
	asks   map[queueing.Key]queueing.Ask
	// due maps each ask that stays within the quota of its own queue to the time by which it has to run.
	due map[queueing.Key]*promise
	// elastic lets small asks start with fewer executors, lets many others need all of their queue's own quota, and
	// lets half of the queues reclaim.
	elastic bool
	// changing makes waiting applications ask again and again.
	changing bool
	// known makes many applications announce until when they hold their quota.
	known bool
	// lies makes all applications that are not held to their bounds lift them after admission. bound counts those that
	// are held to them.
	lies  bool
	bound int
	// guarded counts the applications that waited until another one had to make way.
	guarded int
	// grown counts how often an application grew above its base gang. claimed counts those that started from a claim
	// with more than the minimum.
	grown, claimed int
	// reserved are the reservations after the last cycle. wrong is a grant that violated one.
	reserved []*state.Reservation
	wrong    string
}

// promise is the time by which an application has to run, counted from when the applications with earlier claims have
// started.
type promise struct {
	latest time.Duration
	claims []*state.Claim
}

func newFlow(seed uint64) *flow {
	f := &flow{
		world: newWorld(seed), ends: map[queueing.Key]time.Duration{}, bounds: map[queueing.Key]time.Duration{}, asks: map[queueing.Key]queueing.Ask{}, due: map[queueing.Key]*promise{},
	}
	f.engine.reservations.MaxPassed = -1 // estimates promise nothing
	f.elastic, f.changing = f.chance(0.5), f.chance(0.5)
	queues := []config.Queue{{Name: "q0", Flavors: f.quota(f.Int64N(6))}}
	for i := 1; i <= 2+f.IntN(4); i++ {
		timeout := time.Duration(f.IntN(60)) * time.Second
		if f.elastic {
			timeout /= 6
		}
		q := config.Queue{
			Name: fmt.Sprintf("q%d", i), Parent: fmt.Sprintf("q%d", f.IntN(i)), Flavors: f.quota(f.Int64N(9)), HeadTimeout: &timeout,
			Admits: func(map[string]string) bool { return true }, FairSharing: f.chance(0.2), Weight: 1,
		}
		if f.chance(0.3) {
			q.Strategy = config.StrictFIFO
		}
		if f.elastic && f.chance(0.5) {
			q.Preemption.Reclaim = config.PreemptAny
		}
		queues = append(queues, q)
	}
	f.known, f.lies = f.chance(0.5), f.chance(0.5)
	f.setQueues(queues)
	return f
}

func (f *flow) quota(cpu int64) []config.FlavorQuota {
	r := config.ResourceQuota{Resource: "cpu", Nominal: cpu}
	if limit := f.Int64N(5); f.chance(0.3) {
		r.Borrowing = &limit
	}
	if limit := f.Int64N(5); f.chance(0.3) {
		r.Lending = &limit
	}
	return []config.FlavorQuota{{Name: config.DefaultFlavor, Quotas: []config.ResourceQuota{r}}}
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
	if f.elastic && f.chance(0.3) {
		a.PodSets[0].Requests["cpu"] = max(1, f.ref.configs[a.Queue].Flavors[0].Quotas[0].Nominal)
	}
	if f.known && f.chance(0.7) {
		a.HoldsFor = time.Duration(1+f.IntN(int(longestRun/time.Second))) * time.Second
	}
	a.Elastic = elasticIf(f.chance(0.3))
	if f.elastic && a.PodSets[0].Requests["cpu"] < 3 {
		a.PodSets = append(a.PodSets, queueing.PodSet{Name: "executor", Count: 2 + f.Int32N(6), MinCount: 1, Requests: queueing.Resources{"cpu": 1}})
	}
	f.say("at %s %s asks %s for %d, for %s: %v", f.now, key.Name, a.Queue, leastCPU(a), a.HoldsFor, a.PodSets)
	f.asks[key] = a
	f.engine.Submit(a)
}

// change makes a waiting application ask again at its place: with other labels, for another time, or for fewer pods.
func (f *flow) change() {
	waiting := slices.SortedFunc(maps.Keys(f.asks), state.CompareKeys)
	waiting = slices.DeleteFunc(waiting, func(key queueing.Key) bool {
		app := f.engine.registry.Askers[key]
		return app == nil || app.Ask == nil || app.Claim != nil
	})
	if len(waiting) == 0 {
		return
	}
	a := f.asks[waiting[f.IntN(min(4, len(waiting)))]]
	switch f.IntN(4) {
	case 0:
		if a.PodSets = slices.Clone(a.PodSets); len(a.PodSets) > 1 && a.PodSets[1].Count > 1 {
			a.PodSets[1].Count--
		}
	case 1:
		if f.known {
			a.HoldsFor = time.Duration(1+f.IntN(int(longestRun/time.Second))) * time.Second
		}
	default:
		a.NamespaceLabels = map[string]string{"changed": f.now.String()}
	}
	f.say("at %s %s asks for %d, for %s, with labels %v: %v", f.now, a.Key.Name, leastCPU(a), a.HoldsFor, a.NamespaceLabels, a.PodSets)
	f.asks[a.Key] = a
	f.engine.Submit(a)
}

// leastCPU returns the minimum cpu that an ask needs.
func leastCPU(a queueing.Ask) int64 {
	var out int64
	for _, p := range a.PodSets {
		out += int64(p.Least()) * p.Requests["cpu"]
	}
	return out
}

// pass decides, and starts the admitted applications.
func (f *flow) pass() {
	f.engine.Advance(epoch.Add(f.now))
	claims := slices.Clone(f.engine.claims.All)
	for _, d := range f.engine.Cycle(0) {
		a := f.asks[d.Key]
		f.engine.Settle(d.Key, d.Grant)
		f.ref.grants[d.Key] = d.Grant
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
			f.bounds[d.Key] = f.now + a.HoldsFor // others may pass until then, also if it ends before
		case a.HoldsFor > 0:
			most = a.HoldsFor
			f.bounds[d.Key] = f.now + most
		}
		f.ends[d.Key] = f.now + 1 + time.Duration(f.Int64N(int64(most)))
		if _, guarded := f.due[d.Key]; guarded {
			f.guarded++
		}
		delete(f.due, d.Key)
		f.say("at %s %s of %s is admitted: %v", f.now, d.Key.Name, a.Queue, d.Grant.PodSets)
		f.startsClaimed(claims, d)
	}
	f.makeWay()
	f.reserved = nil
	for _, t := range f.engine.hierarchy.Trees {
		for _, r := range t.Reservations {
			f.promise(r)
			f.reserved = append(f.reserved, r)
		}
	}
}

// startsClaimed checks an application that starts, possibly from its own claim or from that of another one of the same
// shape. Promises made by then begin after it. Its pods above the minimum must not take reserved quota.
func (f *flow) startsClaimed(claims []*state.Claim, d state.Decision) {
	a := f.asks[d.Key]
	for _, c := range claims {
		if of := f.asks[c.Asker.Key]; c.Asker.Claim == c || of.Queue != a.Queue || !cmp.Equal(of.PodSets, a.PodSets) {
			continue
		}
		for _, p := range f.due {
			if slices.Contains(p.claims, c) {
				p.latest = max(p.latest, f.ends[d.Key], f.bounds[d.Key])
			}
		}
		if len(a.PodSets) > 1 && d.Grant.PodSets[1].Count > a.PodSets[1].Least() {
			f.claimed++
			f.checkReserved(a, d)
			break
		}
	}
}

// checkReserved checks that no reservation lacks more than it would if the grant had only the minimum of pods, unless
// the grant ends in time.
func (f *flow) checkReserved(a queueing.Ask, d state.Decision) {
	least := d.Grant
	least.PodSets = slices.Clone(least.PodSets)
	least.PodSets[1].Count = a.PodSets[1].Least()
	for _, r := range f.reserved {
		if r.IsDone() || !r.Guaranteed || r.Queue.KeepsOwnPart() || d.Grant.HoldsFor > 0 || r.Queue.Name == a.Queue && inOrder(a, f.asks[r.Asker.Key]) < 0 {
			continue
		}
		with := f.lacks(r)
		f.ref.grants[d.Key] = least
		without := f.lacks(r)
		f.ref.grants[d.Key] = d.Grant
		if !slices.Equal(with, without) {
			f.wrong = fmt.Sprintf("%s starts with more than its minimum, so that %s lacks %d instead of %d", d.Key.Name, r.Asker.Key.Name, with, without)
		}
	}
}

// lacks returns what keeps a queue from the part of its own quota that a reservation needs: what its own use leaves too
// little, and on each level above what is used there beyond the quotas.
func (f *flow) lacks(r *state.Reservation) []int64 {
	name := r.Queue.Name
	out := []int64{max(0, leastCPU(f.asks[r.Asker.Key])-(f.ref.subtree(name, defaultCPU)-f.ref.usage(name, defaultCPU)))}
	for name = f.ref.parent(name); name != ""; name = f.ref.parent(name) {
		beyond, nominal := f.ref.own(name, defaultCPU), f.ref.configs[name].Flavors[0].Quotas[0].Nominal
		for _, child := range f.ref.children(name) {
			beyond += max(0, f.ref.usage(child, defaultCPU)-f.ref.subtree(child, defaultCPU))
		}
		out = append(out, max(0, beyond-nominal))
	}
	return out
}

// makeWay ends the applications whose quota is reclaimed before long, and removes executors at once.
func (f *flow) makeWay() {
	for _, key := range slices.SortedFunc(maps.Keys(f.ends), state.CompareKeys) {
		if f.engine.Eviction(key, 1, 1) != nil {
			f.ends[key] = min(f.ends[key], f.now+1+time.Duration(f.Int64N(int64(longestRun/2))))
		}
		held := f.engine.Allocation(key, 1, 1)
		if len(held.Reclaims) == 0 {
			continue
		}
		grant := *held.Grant
		grant.PodSets = slices.Clone(grant.PodSets)
		for i := range grant.PodSets {
			if p := &grant.PodSets[i]; p.Elastic {
				p.Count -= held.ReclaimedIn(p.Flavor)
			}
		}
		f.engine.Settle(key, grant)
		f.ref.grants[key] = grant
	}
}

// promise records by when an application with a reservation has to run: when all that run now or have a claim have
// ended, or have to have ended.
func (f *flow) promise(r *state.Reservation) {
	if _, noted := f.due[r.Asker.Key]; noted || r.Asker.Ask == nil {
		return
	}
	if leastCPU(f.asks[r.Asker.Key]) > f.ref.configs[r.Queue.Name].Flavors[0].Quotas[0].Nominal || r.Queue.KeepsOwnPart() {
		return
	}
	latest := f.now
	for key, end := range f.ends {
		latest = max(latest, end, f.bounds[key])
	}
	f.say("at %s room is kept for %s until %s", f.now, r.Asker.Key.Name, latest)
	f.due[r.Asker.Key] = &promise{latest, slices.Clone(f.engine.claims.All)}
}

// isBroken reports whether an application still waits that should run by now.
func (f *flow) isBroken(p *promise) bool {
	return f.now > p.latest && !slices.ContainsFunc(p.claims, func(c *state.Claim) bool { return c.Asker.Claim == c })
}

// next advances time to the next end, or by a second, and ends the applications that end then.
func (f *flow) next() {
	at := f.now + time.Second
	for _, end := range f.ends {
		at = min(at, end)
	}
	f.now = at
	for _, key := range slices.SortedFunc(maps.Keys(f.ends), state.CompareKeys) {
		if f.ends[key] <= f.now {
			f.say("at %s %s ends", f.now, key.Name)
			f.engine.Release(key)
			delete(f.ref.grants, key)
			delete(f.ends, key)
		}
	}
}

// P10: an application that has been first in line for longer than the queue's HeadTimeout, and stays within the quota
// of its own queue, runs once the applications that ran at that time have ended, however many others arrive, and
// although those may lift their bounds. P1 holds all the time, and finally all have run.
func TestNoHeadStarves(t *testing.T) {
	t.Parallel()
	guarded, grown, bound, claimed := 0, 0, 0, 0
	played := randtest.Each(t, worlds, func(seed uint64) {
		f := newFlow(seed)
		if problem := f.run(); problem != "" {
			t.Fatalf("%s; what happened:\n%s", problem, strings.Join(f.log, "\n"))
		}
		guarded, grown, bound, claimed = guarded+f.guarded, grown+f.grown, bound+f.bound, claimed+f.claimed
	})
	if played >= worlds && (guarded < played/4 || grown < played || bound < played/4 || claimed < played/20) {
		t.Errorf("room was kept for %d, %d passed them, %d times somebody grew, and %d had more than they had claimed, in %d worlds: too few to show anything",
			guarded, bound, grown, claimed, played)
	}
}

func (f *flow) run() string {
	load := 0.6
	if f.elastic {
		load = 0.3 // so that some have more than the minimum
	}
	for range flowSteps {
		if f.chance(load) {
			f.arrive()
		}
		if f.changing && f.chance(0.5) {
			f.change()
		}
		if f.pass(); f.wrong != "" {
			return f.wrong
		}
		for key, p := range f.due {
			if f.isBroken(p) {
				return fmt.Sprintf("at %s %s still waits", f.now, key.Name)
			}
		}
		f.next()
	}
	for f.pass(); len(f.ends) > 0; f.pass() {
		f.next()
	}
	for key := range f.asks {
		if a := f.engine.registry.Askers[key]; a != nil && a.Ask != nil && !a.Class.IsInadmissible() {
			return key.Name + " waits although nobody runs any more"
		}
	}
	return ""
}
