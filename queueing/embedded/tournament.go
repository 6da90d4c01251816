// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "github.com/sparkgate/sparkgate/queueing/quota"

// tournament holds the queues of a tree that may still be granted something, or preempt something, in this cycle. Each
// node has a winner: the queue below it that comes first. The winner of the root is the next to have its turn.
//
// Whether the first ask of a queue still fits or may preempt, and how far it borrows, is checked only when its turn
// comes: until then the ask can only be ranked too high. There are three exceptions, in which a queue needs a recheck
// after every grant. An ask that borrows and no longer fits may hide a later ask of its queue that stays within quota
// and so precedes those of other queues. An ask with several flavors may have to move to one in which it does not
// borrow. And with fair sharing, an ask that does not fit may hold back its siblings by the share that it would have.
type tournament struct {
	admission   *admission
	preemption  *preemptionRound
	withdrawal  *withdrawal
	root        *queue
	fairSharing bool // whether some node of the tree compares shares
	recheckList []*queue
}

func newTournament(ad *admission, pr *preemptionRound, w *withdrawal) *tournament {
	t := pr.tree
	w.withdrawn = nil
	c := &tournament{admission: ad, preemption: pr, withdrawal: w, root: ad.hierarchy.queues[t.root]}
	ad.tournaments++
	entering := t.entering[:0]
	for _, q := range t.pendingQueues {
		if q.isSettled() {
			continue
		}
		entering = append(entering, q)
		for n := q; n != nil && n.tournament != ad.tournaments; n = n.parent {
			n.tournament, n.heapIndex, n.winner = ad.tournaments, notCompeting, nil
			n.competing.clear()
			c.fairSharing = c.fairSharing || n.fairSharing()
		}
	}
	t.entering = entering
	if c.root != nil && c.root.tournament != ad.tournaments {
		c.root = nil // nothing is pending; the root's winner is that of an earlier tournament that was interrupted
	}
	for _, q := range entering {
		q.recheckNeeded, q.inRecheckList, q.settledAt = false, false, t.attempt()
		q.at, q.entered = 0, 0
		q.updateLine()
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
func (q *queue) isSettled() bool { return q.settledAt == q.tree.attempt() && q.entered == 0 }

// enter adds the classes of a queue that fit now; for a StrictFIFO queue it adds the class of the head, whether that
// fits or not. A class that did not fit is not tried again until quota is released, and not even then while the limit
// that blocked it leaves too little.
func (c *tournament) enter(q *queue) {
	switch {
	case q.config == nil || q.stoppedBy != nil:
	case q.strict():
		q.enterHead()
	default:
		q.updateObstacles(c.admission.hierarchy.forest)
		full := q.atMaxRunning() != nil
		for _, class := range q.line {
			if (!full || class.part) && !class.didNotFit() && c.admission.chooseOption(class) {
				q.enter(class)
			}
		}
	}
}

// enterPreemptors adds the first classes of queues that do not fit but may preempt.
func (c *tournament) enterPreemptors(entering []*queue) {
	may := c.preemption.tree.mayPreempt[:0]
	for _, q := range entering {
		if !c.preemption.mayPreemptFrom(q) || q.strict() {
			continue
		}
		for _, class := range q.firstPreemptors() {
			if class.didNotFit() && c.preemption.mayClaim(class) {
				may = append(may, class)
			}
		}
	}
	if c.preemption.tree.mayPreempt = may; len(may) == 0 {
		return
	}
	c.preemption.afterTerminations(func() {
		for _, class := range may {
			if !c.preemption.seesNoTargets(class) && c.preemption.mayFindTargets(class) {
				class.queue.enter(class)
			}
		}
	})
}

// turn evaluates the first ask of a queue. If it fits, or fits after grants of this cycle are withdrawn, it is granted;
// a withdrawal ends the tournament. Else it gets a claim, if it can preempt enough. Else its class leaves the
// tournament. turn returns the asker that was granted, or nil.
func (c *tournament) turn(q *queue) *app {
	class := q.current()
	where, elastic, fits := c.admission.fit(class)
	if !fits && c.withdrawal.withdrawFor(class) {
		return c.withdrawal.grant(class)
	}
	var granted *app
	switch {
	case fits:
		granted = class.next()
		c.admission.assume(granted, where, elastic)
	case !c.preemption.claim(class):
		q.leave()
		c.update(q)
		return nil
	}
	switch {
	case q.strict():
		q.leave()
		q.at = 0
		q.enterHead()
	case class.claims == len(class.apps.items):
		q.leave()
	}
	q.updateLine()
	c.update(q)
	c.recheck()
	return granted
}

// first returns the queue whose turn it is, or nil if none is left.
func (c *tournament) first() *queue {
	for c.root != nil && c.root.winner != nil {
		q := c.root.winner
		class := q.current()
		if class.atMaxRunning() == nil && q.distance == c.admission.hierarchy.borrowingDistance(class) {
			return q
		}
		c.update(q) // another queue has used up a maxRunning or quota that both share
	}
	return nil
}

// update updates the position of a queue in the tournament, and of all queues above it.
func (c *tournament) update(q *queue) {
	q.winner = q.bestChild()
	if c.selectEntry(q) {
		q.winner = q
	}
	for n := q; n.parent != nil; n = n.parent {
		if n.winner != nil && n.parent.fairSharing() {
			n.share = c.shareWith(n, n.winner)
		}
		n.parent.updateChild(n)
	}
	if q.recheckNeeded && !q.inRecheckList {
		q.inRecheckList = true
		c.recheckList = append(c.recheckList, q)
	}
}

// shareWith returns the share that a queue would have with the first ask of its winner.
func (c *tournament) shareWith(q, contender *queue) quota.Share {
	class := contender.current()
	need := class.options[class.choice].minNeed
	c.admission.hierarchy.forest.Add(contender.node, need)
	defer c.admission.hierarchy.forest.Remove(contender.node, need)
	return c.admission.hierarchy.forest.Share(q.node)
}

// selectEntry finds the class with which a queue competes. It returns false if none is left.
func (c *tournament) selectEntry(q *queue) bool {
	q.recheckNeeded = false
	full := q.atMaxRunning() != nil
	for q.entered > 0 {
		class := q.current()
		blocked := full && !class.part
		if !blocked && c.canCompete(q, class) {
			q.lead = class.lead
			return true
		}
		q.leave()
		if head := q.head(); blocked && q.strict() && head != nil && head.part { // maxRunning was reached after the first one had entered
			q.at = 0
			q.enterHead()
		}
	}
	return false
}

// canCompete determines the borrowing distance with which a queue competes with a class. It returns false if the class
// does not fit and may not preempt.
func (c *tournament) canCompete(q *queue, class *equivalenceClass) bool {
	early := c.fairSharing || len(class.options) > 1
	if class.didNotFit() || early && !c.fits(class) {
		return c.canPreempt(q, class)
	}
	q.distance = c.admission.hierarchy.borrowingDistance(class)
	if !early && (q.distance == 0 || q.strict() || q.entered == 1) {
		return true
	}
	if !early && !c.fits(class) {
		return c.canPreempt(q, class)
	}
	q.recheckNeeded = true
	return true
}

// fits reports whether a class fits now. It checks first whether the limit that blocked the class before still does.
func (c *tournament) fits(class *equivalenceClass) bool {
	if class.obstacleHolds(c.admission.hierarchy.forest) {
		class.noteMisfit()
		return false
	}
	return c.admission.chooseOption(class)
}

// canPreempt determines the borrowing distance with which a queue competes with a class that does not fit. Targets are
// searched only when its turn comes, unless the class could hide a later ask or hold back its siblings until then.
func (c *tournament) canPreempt(q *queue, class *equivalenceClass) bool {
	if !c.preemption.mayClaim(class) {
		return false
	}
	class.choice = c.admission.hierarchy.nearestOption(class)
	q.distance = c.admission.hierarchy.borrowingDistance(class)
	if !c.fairSharing && (q.distance == 0 || q.strict() || q.entered == 1) {
		return true
	}
	q.recheckNeeded = c.preemption.canClaim(class)
	return q.recheckNeeded
}

// recheck checks the queues that need it after a grant.
func (c *tournament) recheck() {
	kept := c.recheckList[:0]
	for _, q := range c.recheckList {
		if q.recheckNeeded && !c.rankUnchanged(q, q.current()) {
			c.update(q)
		}
		if q.recheckNeeded {
			kept = append(kept, q)
		} else {
			q.inRecheckList = false
		}
	}
	c.recheckList = kept
}

// rankUnchanged reports whether the first class of a queue would still be placed, and borrow, as before.
func (c *tournament) rankUnchanged(q *queue, class *equivalenceClass) bool {
	return len(class.options) == 1 && c.fits(class) && q.distance == c.admission.hierarchy.borrowingDistance(class)
}
