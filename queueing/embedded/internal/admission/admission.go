// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/claims"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/reservations"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/waiting"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Admitter places asks and turns them into grants.
type Admitter struct {
	hierarchy    *state.Hierarchy
	registry     *state.Registry
	waiting      *waiting.Asks
	holders      *state.Holders
	claims       *claims.Book
	reservations *reservations.Book
	// tournaments counts the tournaments held so far.
	tournaments uint64
}

// Parts are what an admitter uses. All are required.
type Parts struct {
	Hierarchy    *state.Hierarchy
	Registry     *state.Registry
	Waiting      *waiting.Asks
	Holders      *state.Holders
	Claims       *claims.Book
	Reservations *reservations.Book
}

// New returns the admitter of an engine.
func New(p Parts) *Admitter {
	return &Admitter{hierarchy: p.Hierarchy, registry: p.Registry, holders: p.Holders, waiting: p.Waiting, claims: p.Claims, reservations: p.Reservations}
}

// chooseOption finds, among the options in which the asks of a class fit now with their minimum of pods, the one that
// the queue prefers, and reports whether there is one. If there is none, it records the limit that blocks the class. A
// limit that was recorded before is kept as long as it still blocks, so that messages do not change needlessly.
func (ad *Admitter) chooseOption(class *state.Class) bool {
	class.Reserved = false
	if !class.Queue.FlavorsInOrder() {
		if best, fits := ad.bestOption(class, func(o *placement.Option) quota.Vector { return o.MinNeed }); fits {
			class.Choice = best
			return true
		}
	}
	first, still, fits := ad.firstOption(class)
	if fits {
		return true
	}
	if ad.hierarchy.FindOption(class) {
		class.Choice, class.Reserved = len(class.Options)-1, ad.reservations.BlockingReservation(class, class.Options[len(class.Options)-1].MinNeed) != nil
		if !class.Reserved {
			return true
		}
	}
	if !still && !class.Reserved {
		class.Blocked = first
	}
	class.NoteMisfit()
	class.NoteObstacle()
	return false
}

// firstOption finds the first option in which the asks of a class fit now. If there is none, first is the limit that
// blocks the first option, and still reports whether the recorded limit still blocks an option.
func (ad *Admitter) firstOption(class *state.Class) (first quota.Block, still, fits bool) {
	forest, n := ad.hierarchy.Forest, class.Queue.Node
	for i := range class.Options {
		need := class.Options[i].MinNeed
		b, blocked := forest.Blocked(n, need)
		switch {
		case blocked && forest.StillBlocked(n, need, class.Blocked):
			still = true
		case blocked && i == 0:
			first = b
		case !blocked && ad.reservations.BlockingReservation(class, need) != nil:
			class.Reserved = true
		case !blocked:
			class.Choice, class.Reserved = i, false
			return first, still, true
		}
	}
	return first, still, false
}

// fit returns the placement and the count of the elastic pod set with which the asks of a class fit now. It is the
// largest count that fits, in the preferred option for that count.
func (ad *Admitter) fit(class *state.Class) (placement.Choice, int32, bool) {
	if !ad.chooseOption(class) {
		return nil, 0, false
	}
	where := class.Options[class.Choice].Where
	count := class.Signature.Largest(func(elastic int32) bool {
		found := ad.placeFor(class, elastic)
		if found != nil {
			where = found
		}
		return found != nil
	})
	return where, count, true
}

// fitIn returns the largest count of the elastic pod set with which the asks of a class fit now in a placement. It is
// the minimum if that does not fit.
func (ad *Admitter) fitIn(class *state.Class, where placement.Choice) (elastic int32, fits bool) {
	fitsWith := func(elastic int32) bool {
		return ad.reservations.FitsNow(class, ad.hierarchy.Forest.Prepare(class.Queue.Node, class.Signature.Amounts(where, elastic)))
	}
	return class.Signature.Largest(fitsWith), fitsWith(class.Signature.MinCount())
}

// placeFor returns the preferred placement in which this many pods of the elastic set fit, or nil if there is none.
func (ad *Admitter) placeFor(class *state.Class, elastic int32) placement.Choice {
	best, fits := ad.bestOption(class, func(o *placement.Option) quota.Vector {
		return ad.hierarchy.Forest.Prepare(class.Queue.Node, class.Signature.Amounts(o.Where, elastic))
	})
	if !fits {
		return nil
	}
	return class.Options[best].Where
}

// bestOption returns the index of the option that the queue prefers among those whose need fits: the first one, or the
// one with the shortest borrowing distance.
func (ad *Admitter) bestOption(class *state.Class, needOf func(*placement.Option) quota.Vector) (best int, fits bool) {
	shortest := 0
	for i := range class.Options {
		need := needOf(&class.Options[i])
		if !ad.reservations.FitsNow(class, need) {
			continue
		}
		if class.Queue.FlavorsInOrder() {
			return i, true
		}
		if distance := ad.hierarchy.Forest.BorrowingDistance(class.Queue.Node, need); !fits || distance < shortest {
			best, shortest, fits = i, distance, true
		}
	}
	return best, fits
}

// assume turns a pending ask into a grant and charges it.
func (ad *Admitter) assume(a *state.Asker, where placement.Choice, elastic int32) {
	class, q := a.Class, a.Class.Queue
	origin, holdsFor := a.Ask, ad.backfillBound(a, where, elastic)
	ad.waiting.Dequeue(a)
	a.Ask, a.Verdict = nil, nil
	ad.registry.Changed[a.Key] = true
	ad.holders.Grants++
	standing := queueing.HolderState{Priority: origin.Priority, QueuedAt: origin.QueuedAt, ReleasedBy: ad.reservations.ReleaseTime(origin)}
	ad.holders.Charge(a, &state.Held{Since: ad.reservations.Now, Origin: origin, Standing: standing, StateKnown: true, Serial: ad.holders.Grants, Grant: queueing.Grant{
		Run: origin.Run, Attempt: origin.Attempt, Gate: state.GateName, Queue: q.Name, Ancestors: q.Ancestors, Priority: origin.Priority, Epoch: ad.holders.Epochs[q.Tree.Root], SchedulingGated: origin.Elastic != "",
		Part: origin.Part, Inputs: origin.Inputs, HoldsFor: holdsFor, PodSets: class.Signature.Grant(where, elastic, origin.Elastic),
	}})
}

// backfillBound returns the time after which the grant of a pending ask must be released: the ask's own bound if it is
// admitted only because it ends before a reservation starts, else 0.
func (ad *Admitter) backfillBound(a *state.Asker, where placement.Choice, elastic int32) time.Duration {
	class := a.Class
	if a.Ask.HoldsFor == 0 || len(class.Queue.Tree.Reservations) == 0 || ad.reservations.Asking(class) != a ||
		!ad.reservations.IsBackfill(class, ad.hierarchy.Forest.Prepare(class.Queue.Node, class.Signature.Amounts(where, elastic))) {
		return 0
	}
	return a.Ask.HoldsFor
}
