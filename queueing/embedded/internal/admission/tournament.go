// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing/embedded/internal/preemption"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// Tournament holds the queues of a tree that may still be granted something, or preempt something, in this cycle. Each
// node has a winner: the queue below it that comes first. The winner of the root is the next to have its turn.
//
// Whether the first ask of a queue still fits or may preempt, and how far it borrows, is checked only when its turn
// comes: until then the ask can only be ranked too high. There are three exceptions, in which a queue needs a recheck
// after every grant. An ask that borrows and no longer fits may hide a later ask of its queue that stays within quota
// and so precedes those of other queues. An ask with several flavors may have to move to one in which it does not
// borrow. And with fair sharing, an ask that does not fit may hold back its siblings by the share that it would have.
type Tournament struct {
	admission   *Admitter
	preemption  *preemption.Round
	root        *state.Queue
	fairSharing bool // whether some node of the tree compares shares
	recheckList []*state.Queue
}

// NewTournament begins a tournament of the queues with pending asks.
func NewTournament(ad *Admitter, pr *preemption.Round) *Tournament {
	t := pr.Tree
	c := &Tournament{admission: ad, preemption: pr, root: ad.hierarchy.Queues[t.Root]}
	ad.tournaments++
	entering := make([]*state.Queue, 0, len(t.PendingQueues))
	for _, q := range t.PendingQueues {
		if isSettled(q) {
			continue
		}
		entering = append(entering, q)
		for n := q; n != nil && n.Contest.Tournament != ad.tournaments; n = n.Parent {
			n.Contest.Tournament, n.Contest.HeapIndex, n.Contest.Winner = ad.tournaments, notCompeting, nil
			n.Contest.Competing.Clear()
			c.fairSharing = c.fairSharing || n.FairSharing()
		}
	}
	if c.root != nil && c.root.Contest.Tournament != ad.tournaments {
		c.root = nil // nothing is pending; the root's winner is that of an earlier tournament that was interrupted
	}
	for _, q := range entering {
		q.Contest.RecheckNeeded, q.Contest.InRecheckList, q.Contest.SettledAt = false, false, t.Attempt()
		q.Contest.At, q.Contest.Entered = 0, 0
		q.UpdateLine()
		c.enter(q)
	}
	c.enterPreemptors(entering)
	for _, q := range entering {
		c.update(q)
	}
	return c
}

// isSettled reports whether a queue has nothing to enter: all its classes left the last tournament again, and nothing
// has changed since.
func isSettled(q *state.Queue) bool {
	return q.Contest.SettledAt == q.Tree.Attempt() && q.Contest.Entered == 0
}

// enter adds the classes of a queue that fit now; for a StrictFIFO queue it adds the class of the head, whether that
// fits or not. A class that did not fit is not tried again until quota is released, and not even then while the limit
// that blocked it leaves too little.
func (c *Tournament) enter(q *state.Queue) {
	switch {
	case q.Config == nil || q.StoppedBy != nil:
	case q.Strict():
		enterHead(q)
	default:
		q.UpdateObstacles(c.admission.hierarchy.Forest)
		full := q.AtMaxRunning() != nil
		for _, class := range q.Asks.Line {
			if (!full || class.Part) && !class.DidNotFit() && c.admission.chooseOption(class) {
				enter(q, class)
			}
		}
	}
}

// enterPreemptors adds the first classes of queues that do not fit but may preempt.
func (c *Tournament) enterPreemptors(entering []*state.Queue) {
	var may []*state.Class
	for _, q := range entering {
		if !c.preemption.MayPreemptFrom(q) || q.Strict() {
			continue
		}
		for _, class := range q.FirstPreemptors() {
			if class.DidNotFit() && c.preemption.MayClaim(class) {
				may = append(may, class)
			}
		}
	}
	if len(may) == 0 {
		return
	}
	c.preemption.AfterTerminations(func() {
		for _, class := range may {
			if !c.preemption.SeesNoTargets(class) && c.preemption.MayFindTargets(class) {
				enter(class.Queue, class)
			}
		}
	})
}

// Hold lets the asks have their turns until none is left, or one has withdrawn grants: then other asks may fit. It
// returns the decisions without the withdrawn ones and with the new ones; complete is false if max has interrupted it.
func (c *Tournament) Hold(decisions []state.Decision, max int) (_ []state.Decision, withdrawn, complete bool) {
	for !withdrawn {
		q := c.first()
		if q == nil {
			break
		}
		if max > 0 && len(decisions) >= max {
			return decisions, false, false
		}
		var granted *state.Asker
		if granted, withdrawn = c.turn(q); withdrawn {
			decisions = slices.DeleteFunc(decisions, func(d state.Decision) bool { return c.admission.registry.Askers[d.Key].Held == nil })
		}
		if granted != nil {
			decisions = append(decisions, state.Decision{Key: granted.Key, Root: c.preemption.Tree.Root, Grant: granted.Held.Grant})
		}
	}
	return decisions, withdrawn, true
}

// turn evaluates the first ask of a queue. If it fits, or fits after grants that no caller has seen are withdrawn, it
// is granted. Else it gets a claim, if it can preempt enough. Else its class leaves the tournament. It returns the
// asker that was granted, or nil.
func (c *Tournament) turn(q *state.Queue) (granted *state.Asker, withdrawn bool) {
	class := current(q)
	where, elastic, fits := c.admission.fit(class)
	if !fits {
		var claimed bool
		switch claimed, withdrawn, where = c.preemption.Claim(class); {
		case where != nil:
			elastic, fits = c.admission.fitIn(class, where)
		case !claimed:
			leave(q)
			c.update(q)
			return nil, false
		}
	}
	if fits {
		granted = class.Next()
		c.admission.assume(granted, where, elastic)
	}
	if withdrawn {
		return granted, true
	}
	switch {
	case q.Strict():
		leave(q)
		q.Contest.At = 0
		enterHead(q)
	case class.Claims == len(class.Askers.Items):
		leave(q)
	}
	q.UpdateLine()
	c.update(q)
	c.recheck()
	return granted, false
}

// first returns the queue whose turn it is, or nil if none is left.
func (c *Tournament) first() *state.Queue {
	for c.root != nil && c.root.Contest.Winner != nil {
		q := c.root.Contest.Winner
		class := current(q)
		if class.AtMaxRunning() == nil && q.Contest.Distance == c.admission.hierarchy.BorrowingDistance(class) {
			return q
		}
		c.update(q) // another queue has used up a maxRunning or quota that both share
	}
	return nil
}

// update updates the position of a queue in the tournament, and of all queues above it.
func (c *Tournament) update(q *state.Queue) {
	q.Contest.Winner = bestChild(q)
	if c.selectEntry(q) {
		q.Contest.Winner = q
	}
	for n := q; n.Parent != nil; n = n.Parent {
		if n.Contest.Winner != nil && n.Parent.FairSharing() {
			class := current(n.Contest.Winner)
			n.Contest.FairRank = c.admission.hierarchy.FairRankWith(n, n.Contest.Winner, class.Options[class.Choice].MinNeed)
		}
		updateChild(n.Parent, n)
	}
	if q.Contest.RecheckNeeded && !q.Contest.InRecheckList {
		q.Contest.InRecheckList = true
		c.recheckList = append(c.recheckList, q)
	}
}

// selectEntry finds the class with which a queue competes. It returns false if none is left.
func (c *Tournament) selectEntry(q *state.Queue) bool {
	q.Contest.RecheckNeeded = false
	full := q.AtMaxRunning() != nil
	for q.Contest.Entered > 0 {
		class := current(q)
		blocked := full && !class.Part
		if !blocked && c.canCompete(q, class) {
			q.Contest.Lead = class.Lead
			return true
		}
		leave(q)
		if head := q.Head(); blocked && q.Strict() && head != nil && head.Part { // maxRunning was reached after the first one had entered
			q.Contest.At = 0
			enterHead(q)
		}
	}
	return false
}

// canCompete determines the borrowing distance with which a queue competes with a class. It returns false if the class
// does not fit and may not preempt.
func (c *Tournament) canCompete(q *state.Queue, class *state.Class) bool {
	early := c.fairSharing || len(class.Options) > 1
	if class.DidNotFit() || early && !c.fits(class) {
		return c.canPreempt(q, class)
	}
	q.Contest.Distance = c.admission.hierarchy.BorrowingDistance(class)
	if !early && (q.Contest.Distance == 0 || q.Strict() || q.Contest.Entered == 1) {
		return true
	}
	if !early && !c.fits(class) {
		return c.canPreempt(q, class)
	}
	q.Contest.RecheckNeeded = true
	return true
}

// fits reports whether a class fits now. It checks first whether the limit that blocked the class before still does.
func (c *Tournament) fits(class *state.Class) bool {
	if class.ObstacleHolds(c.admission.hierarchy.Forest) {
		class.NoteMisfit()
		return false
	}
	return c.admission.chooseOption(class)
}

// canPreempt determines the borrowing distance with which a queue competes with a class that does not fit. Targets are
// searched only when its turn comes, unless the class could hide a later ask or hold back its siblings until then.
func (c *Tournament) canPreempt(q *state.Queue, class *state.Class) bool {
	if !c.preemption.MayClaim(class) {
		return false
	}
	class.Choice = c.admission.hierarchy.NearestOption(class)
	q.Contest.Distance = c.admission.hierarchy.BorrowingDistance(class)
	if !c.fairSharing && (q.Contest.Distance == 0 || q.Strict() || q.Contest.Entered == 1) {
		return true
	}
	q.Contest.RecheckNeeded = c.preemption.CanClaim(class)
	return q.Contest.RecheckNeeded
}

// recheck checks the queues that need it after a grant.
func (c *Tournament) recheck() {
	kept := c.recheckList[:0]
	for _, q := range c.recheckList {
		if q.Contest.RecheckNeeded && !c.rankUnchanged(q, current(q)) {
			c.update(q)
		}
		if q.Contest.RecheckNeeded {
			kept = append(kept, q)
		} else {
			q.Contest.InRecheckList = false
		}
	}
	c.recheckList = kept
}

// rankUnchanged reports whether the first class of a queue would still be placed, and borrow, as before.
func (c *Tournament) rankUnchanged(q *state.Queue, class *state.Class) bool {
	return len(class.Options) == 1 && c.fits(class) && q.Contest.Distance == c.admission.hierarchy.BorrowingDistance(class)
}
