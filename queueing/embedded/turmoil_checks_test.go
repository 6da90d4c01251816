// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// checkDecision checks a decision right after its cycle: nothing is granted beyond a limit, in a stopped queue, or in a
// flavor whose nodes the pods do not tolerate.
func (u *turmoil) checkDecision(d *state.Decision) error {
	if !u.isQueue(d.Root) {
		return fmt.Errorf("it is decided in the tree of %s, which does not exist", d.Root)
	}
	a := u.engine.registry.Askers[d.Key]
	if a == nil || a.Held == nil {
		return errors.New("it holds nothing of what was decided")
	}
	q := a.Held.Queue
	if q.StoppedBy != nil {
		return fmt.Errorf("it is decided although queue %s is stopped", q.StoppedBy.Name)
	}
	for _, amount := range newlyCharged(d, q) {
		if left := u.engine.hierarchy.Forest.Account(q.Node, amount.Cell).Available(); amount.Value > 0 && left < 0 {
			return fmt.Errorf("%d %s of flavor %s too many are granted in queue %s", -left, amount.Resource, amount.Flavor, q.Name)
		}
	}
	for above := q; above != nil && d.Grown == 0 && !d.Grant.Part; above = above.Parent {
		if above.Config != nil && above.Config.MaxRunning != nil && above.Admitted > *above.Config.MaxRunning {
			return fmt.Errorf("%d run in queue %s, whose maxRunning is %d", above.Admitted, above.Name, *above.Config.MaxRunning)
		}
	}
	return u.checkFlavors(d)
}

// newlyCharged returns the amounts that a decision has charged.
func newlyCharged(d *state.Decision, q *state.Queue) []quota.Amount {
	charged := quota.Summed(placement.ChargedAmounts(d.Grant, q.Flavors[0]))
	if d.Before == nil {
		return charged
	}
	before := quota.Summed(placement.ChargedAmounts(*d.Before, q.Flavors[0]))
	return slices.DeleteFunc(charged, func(a quota.Amount) bool { return slices.Contains(before, a) })
}

// checkFlavors checks that the pods of a new grant may run on the nodes of its flavors.
func (u *turmoil) checkFlavors(d *state.Decision) error {
	origin := u.engine.registry.Askers[d.Key].Held.Origin
	if origin == nil || d.Grown > 0 {
		return nil
	}
	for i, set := range d.Grant.PodSets {
		if why := placement.Mismatch(u.engine.hierarchy.Flavors[set.Flavor], origin.Signature.PodSets[i], map[string]bool{}); why != "" {
			return fmt.Errorf("pod set %s is placed in flavor %s: %s", set.Name, set.Flavor, why)
		}
	}
	return nil
}

// news is what the engine returns about the ask and the grant of an application.
type news struct {
	verdict queueing.Verdict
	// holds is the grant, why the reason why it is not larger, and reclaims what the application has to return.
	holds, why, reclaims string
}

// newsOf returns the current news of an application.
func (u *turmoil) newsOf(key queueing.Key) news {
	n := news{verdict: u.engine.Verdict(key)}
	n.verdict.Grant = nil
	if g, holds := u.engine.Held(key); holds {
		allocation := u.engine.Allocation(key, g.Run, g.Attempt)
		n.holds, n.why, n.reclaims = fmt.Sprint(g.Run, g.Attempt, g.PodSets), allocation.Why, fmt.Sprint(allocation.Reclaims)
	}
	return n
}

// checkHeard checks that every application with different news is woken.
func (u *turmoil) checkHeard() error {
	woken := u.engine.Changed()
	for _, key := range u.known() {
		now := u.newsOf(key)
		if before, looked := u.heard[key]; looked && before != now && !slices.Contains(woken, key) {
			return fmt.Errorf("%s does not hear of %+v; it has heard %+v", key.Name, now, before)
		}
		u.heard[key] = now
	}
	return nil
}

// queueCount is what one queue is charged and counts, computed from the grants and asks of its applications.
type queueCount struct {
	admitted, pending int32
	charged           map[quota.Cell]int64
}

// counts computes the counts of all queues, by name.
func (u *turmoil) counts() map[string]*queueCount {
	counts := map[string]*queueCount{}
	of := func(q *state.Queue) *queueCount {
		if counts[q.Name] == nil {
			counts[q.Name] = &queueCount{charged: map[quota.Cell]int64{}}
		}
		return counts[q.Name]
	}
	for _, key := range u.known() {
		a := u.engine.registry.Askers[key]
		switch {
		case a == nil, a.Held != nil && a.Held.Queue.Config == nil: // a queue that does not exist counts nothing
		case a.Held != nil:
			c := of(a.Held.Queue)
			if !a.Held.Grant.Part {
				c.admitted++
			}
			for _, amount := range a.Held.Charged() {
				c.charged[amount.Cell] += amount.Value
			}
		case a.Class != nil && !a.Ask.Part && a.Class.Inadmissible.State != queueing.Refused:
			of(a.Class.Queue).pending++
		}
	}
	return counts
}

// checkCounts checks that charges and counts follow from grants and asks. Queues that are charged for deleted ones are
// left out.
func (u *turmoil) checkCounts() error {
	if len(u.engine.holders.DeletedInUse(config.Read(u.queues))) > 0 {
		return nil
	}
	counts := u.counts()
	for _, s := range u.engine.Queues().States() {
		want := counts[s.Name]
		if want == nil {
			want = &queueCount{}
		}
		if !s.Leaf {
			continue
		}
		if s.Admitted != want.admitted || s.Pending != want.pending {
			return fmt.Errorf("queue %s counts %d admitted and %d pending, instead of %d and %d", s.Name, s.Admitted, s.Pending, want.admitted, want.pending)
		}
		for _, use := range s.Usage {
			if charged := want.charged[quota.Cell{Flavor: use.Flavor, Resource: use.Resource}]; use.Used != charged {
				return fmt.Errorf("queue %s is charged %d %s of flavor %s, instead of %d", s.Name, use.Used, use.Resource, use.Flavor, charged)
			}
		}
	}
	return nil
}
