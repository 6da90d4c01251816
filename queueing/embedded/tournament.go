// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "github.com/sparkgate/sparkgate/queueing/quota"

// tournament holds the queues of a tree that may still be granted something in this cycle. Each node has a winner:
// the queue below it that comes first; the winner of the root comes first of all.
//
// Whether the first ask of a queue still fits is checked when its turn has come: until then the ask can only be
// ranked too high. There are three exceptions. An ask that borrows, and no longer fits, may hide a later one of its
// queue that stays within the quota and so comes before those of other queues; an ask with several flavors may have
// to move to another one, without borrowing; and with fair sharing, an ask that does not fit may hold back its
// siblings by the share that it would have. Such queues need a recheck after every grant.
type tournament struct {
	admission   *admission
	root        *queue
	fairSharing bool // some node of the tree compares shares
	recheckList []*queue
}

func newTournament(ad *admission, t *tree) *tournament {
	c := &tournament{admission: ad, root: ad.hierarchy.queues[t.root]}
	ad.tournaments++
	for _, q := range t.pendingQueues {
		for n := q; n != nil && n.tournament != ad.tournaments; n = n.parent {
			n.tournament, n.heapIndex, n.winner = ad.tournaments, notCompeting, nil
			n.competing.clear()
			c.fairSharing = c.fairSharing || n.fairSharing()
		}
	}
	if c.root != nil && c.root.tournament != ad.tournaments {
		c.root = nil // nothing is pending; the winner is that of an earlier tournament, which was cut short
	}
	for _, q := range t.pendingQueues {
		q.recheckNeeded, q.inRecheckList = false, false
		q.entries.clear()
		c.enter(q)
		c.update(q)
	}
	return c
}

// enter adds the classes of a queue that fit now; of a StrictFIFO queue the first one. A class that did not fit is
// not tried again before quota is released.
func (c *tournament) enter(q *queue) {
	switch {
	case q.config == nil || q.stoppedBy != nil:
	case q.strict():
		q.enterHead()
	default:
		full := q.atMaxRunning() != nil
		for _, class := range q.classes {
			if (!full || class.unmanagedExecutor) && !class.isInadmissible() && class.triedAt != q.tree.quotaVersion && c.admission.chooseOption(class) {
				q.entries.push(class.entry())
			}
		}
	}
}

// first returns the queue whose turn it is, or nil.
func (c *tournament) first() *queue {
	for c.root != nil && c.root.winner != nil {
		q := c.root.winner
		if q.entries.items[0].class.atMaxRunning() == nil {
			return q
		}
		c.update(q) // a neighbour has used up what a queue above both may admit
	}
	return nil
}

// update updates the place of a queue in the tournament, and those of all queues above it.
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
func (c *tournament) shareWith(q, champion *queue) quota.Share {
	class := champion.entries.items[0].class
	need := class.options[class.choice].minNeed
	c.admission.hierarchy.forest.Add(champion.node, need)
	defer c.admission.hierarchy.forest.Remove(champion.node, need)
	return c.admission.hierarchy.forest.Share(q.node)
}

// selectEntry finds the entry with which a queue competes. It returns false if no entry is left.
func (c *tournament) selectEntry(q *queue) bool {
	q.recheckNeeded = false
	full := q.atMaxRunning() != nil
	for len(q.entries.items) > 0 {
		if class := q.entries.items[0].class; (!full || class.unmanagedExecutor) && c.canCompete(q, class) {
			return true
		}
		q.dropEntry()
	}
	return false
}

// canCompete determines how a queue competes with a class. It returns false if the class was checked and does not
// fit.
func (c *tournament) canCompete(q *queue, class *equivalenceClass) bool {
	early := c.fairSharing || len(class.options) > 1
	fits := !early || c.admission.chooseOption(class)
	q.borrows = c.admission.hierarchy.forest.Borrows(q.node, class.options[class.choice].minNeed)
	if !early && (!q.borrows || q.strict() || len(q.entries.items) == 1) {
		return true
	}
	q.recheckNeeded = fits && (early || c.admission.chooseOption(class))
	return q.recheckNeeded
}

// recheck checks the queues that need it after a grant.
func (c *tournament) recheck() {
	kept := c.recheckList[:0]
	for _, q := range c.recheckList {
		if q.recheckNeeded && !c.placementUnchanged(q.entries.items[0].class) {
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

// placementUnchanged reports whether the first class of a queue would still be placed as before.
func (c *tournament) placementUnchanged(class *equivalenceClass) bool {
	return len(class.options) == 1 && c.admission.chooseOption(class)
}
