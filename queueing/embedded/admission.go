// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// admission places asks and turns them into grants.
type admission struct {
	hierarchy    *hierarchy
	registry     *registry
	waiting      *waiting
	holders      *holders
	claims       *claims
	reservations *reservations
	// tournaments counts the tournaments held so far.
	tournaments uint64
}

// chooseOption finds, among the options in which the asks of a class fit now with their minimum of pods, the one that
// the queue prefers, and reports whether there is one. If there is none, it records the limit that blocks the class. A
// limit that was recorded before is kept as long as it still blocks, so that messages do not change needlessly.
func (ad *admission) chooseOption(class *equivalenceClass) bool {
	class.reserved = false
	if !class.queue.flavorsInOrder() {
		if best, fits := ad.bestOption(class, func(o *option) quota.Vector { return o.minNeed }); fits {
			class.choice = best
			return true
		}
	}
	first, still, fits := ad.firstOption(class)
	if fits {
		return true
	}
	if ad.hierarchy.findOption(class) {
		class.choice, class.reserved = len(class.options)-1, ad.reservations.isReservedFrom(class, class.options[len(class.options)-1].minNeed)
		if !class.reserved {
			return true
		}
	}
	if !still && !class.reserved {
		class.blocked = first
	}
	class.noteMisfit()
	class.noteObstacle()
	return false
}

// firstOption finds the first option in which the asks of a class fit now. If there is none, first is the limit that
// blocks the first option, and still reports whether the recorded limit still blocks an option.
func (ad *admission) firstOption(class *equivalenceClass) (first quota.Block, still, fits bool) {
	forest, n := ad.hierarchy.forest, class.queue.node
	for i := range class.options {
		need := class.options[i].minNeed
		b, blocked := forest.Blocked(n, need)
		switch {
		case blocked && forest.StillBlocked(n, need, class.blocked):
			still = true
		case blocked && i == 0:
			first = b
		case !blocked && ad.reservations.isReservedFrom(class, need):
			class.reserved = true
		case !blocked:
			class.choice, class.reserved = i, false
			return first, still, true
		}
	}
	return first, still, false
}

// noteMisfit records that the class does not fit until quota is released.
func (class *equivalenceClass) noteMisfit() {
	t := class.queue.tree
	if class.triedAt = t.quotaVersion; class.reserved {
		t.reservedFrom = append(t.reservedFrom, class)
	}
	class.queue.markVerdictStale(class)
}

// fit returns the placement and the count of the elastic pod set with which the asks of a class fit now. It is the
// largest count that fits, in the preferred option for that count.
func (ad *admission) fit(class *equivalenceClass) (placement, int32, bool) {
	if !ad.chooseOption(class) {
		return nil, 0, false
	}
	if best, fits := ad.bestOption(class, func(o *option) quota.Vector { return o.maxNeed }); fits {
		return class.options[best].where, class.signature.maxCount(), true
	}
	where, good, bad := class.options[class.choice].where, class.signature.minCount(), class.signature.maxCount()
	for bad-good > 1 {
		middle := good + (bad-good)/2
		if found := ad.placeFor(class, middle); found != nil {
			where, good = found, middle
		} else {
			bad = middle
		}
	}
	return where, good, true
}

// placeFor returns the preferred placement in which this many pods of the elastic set fit, or nil if there is none.
func (ad *admission) placeFor(class *equivalenceClass, elastic int32) placement {
	best, fits := ad.bestOption(class, func(o *option) quota.Vector {
		return ad.hierarchy.forest.Prepare(class.queue.node, class.signature.amounts(o.where, elastic))
	})
	if !fits {
		return nil
	}
	return class.options[best].where
}

// bestOption returns the index of the option that the queue prefers among those whose need fits: the first one, or the
// one with the shortest borrowing distance.
func (ad *admission) bestOption(class *equivalenceClass, needOf func(*option) quota.Vector) (best int, fits bool) {
	shortest := 0
	for i := range class.options {
		need := needOf(&class.options[i])
		if !ad.reservations.fitsNow(class, need) {
			continue
		}
		if class.queue.flavorsInOrder() {
			return i, true
		}
		if distance := ad.hierarchy.forest.BorrowingDistance(class.queue.node, need); !fits || distance < shortest {
			best, shortest, fits = i, distance, true
		}
	}
	return best, fits
}

// assume turns a pending ask into a grant and charges it.
func (ad *admission) assume(a *app, where placement, elastic int32) {
	class, q := a.class, a.class.queue
	origin, holdsFor := a.ask, ad.backfillBound(a, where, elastic)
	ad.waiting.dequeue(a)
	a.ask, a.verdict = nil, nil
	ad.registry.changed[a.key] = true
	ad.holders.grants++
	standing := queueing.HolderState{Priority: origin.priority, QueuedAt: origin.queuedAt, ReleasedBy: ad.reservations.releaseTime(origin)}
	ad.holders.charge(a, &heldGrant{origin: origin, standing: standing, stateKnown: true, serial: ad.holders.grants, grant: queueing.Grant{
		Run: origin.run, Attempt: origin.attempt, Gate: GateName, Queue: q.name, Ancestors: q.ancestors, Priority: origin.priority, Epoch: ad.holders.epochs[q.tree.root], SchedulingGated: origin.elastic != "",
		Part: origin.part, Inputs: origin.inputs, HoldsFor: holdsFor, PodSets: class.signature.grant(where, elastic, origin.elastic),
	}})
}

// revert undoes a grant that was not confirmed. The ask is pending again at its old place.
func (ad *admission) revert(a *app) {
	if a.ask == nil {
		a.ask = a.held.origin
	}
	ad.holders.uncharge(a)
	a.verdict = nil
	ad.waiting.enqueue(a)
	ad.registry.changed[a.key] = true
}

// backfillBound returns the time after which the grant of a pending ask must be released: the ask's own bound if it is
// admitted only because it ends before a reservation starts, else 0.
func (ad *admission) backfillBound(a *app, where placement, elastic int32) time.Duration {
	class := a.class
	if a.ask.holdsFor == 0 || len(class.queue.tree.reservations) == 0 || ad.reservations.asking(class) != a ||
		!ad.reservations.isBackfill(class, ad.hierarchy.forest.Prepare(class.queue.node, class.signature.amounts(where, elastic))) {
		return 0
	}
	return a.ask.holdsFor
}
