// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

func newTree(root string) *tree {
	return &tree{root: root, dirty: true, quotaVersion: 1, targetVersion: 1, holderVersion: 1}
}

// markDirty records a change that may let an ask be admitted. quotaFreed says whether it may have freed quota.
func (t *tree) markDirty(quotaFreed bool) {
	t.dirty = true
	t.holderVersion++
	t.targetVersion++
	if quotaFreed {
		t.quotaVersion++
	}
}

// attempt returns the current versions, at which asks are evaluated now.
func (t *tree) attempt() attempt { return attempt{t.quotaVersion, t.targetVersion} }

func newQueue(name string, t *tree) *queue {
	q := &queue{name: name, tree: t, node: quota.None, classByKey: map[string]*equivalenceClass{}}
	q.admissible.before = func(a, b *equivalenceClass) bool { return compareApps(a.first(), b.first()) < 0 }
	q.admissible.moved = func(class *equivalenceClass, place int) { class.heapIndex = place }
	q.competing.before = q.childBefore
	q.competing.moved = func(child *queue, place int) { child.heapIndex = place }
	return q
}

// Root returns the topmost existing queue above this one, or the queue itself.
func (q *queue) root() *queue {
	for q.parent != nil && q.parent.config != nil {
		q = q.parent
	}
	return q
}

// access says whether an ask may use its queue.
type access int

const (
	allowed access = iota
	// notSelected means that the queue's selector does not match.
	notSelected
	// withoutLimits means that the queue has no quota, which the ask's namespace may not use.
	withoutLimits
)

// access returns whether an ask may use the queue.
func (q *queue) access(a *ask) access {
	switch {
	case q.config == nil, q.config.Admits == nil, !q.config.Admits(a.labels):
		return notSelected
	case a.needsLimits && !q.limited && !q.config.NamesNamespaces:
		return withoutLimits
	}
	return allowed
}

// classKey returns the key of the ask's equivalence class. Asks share a class if they have the same needs, the same
// bound of time, and the same access to the queue.
func (a *ask) classKey(access access) string {
	switch {
	case access == notSelected:
		return "-" + a.signature.key
	case access == withoutLimits:
		return "!" + a.signature.key
	case a.part:
		return "*" + a.signature.key
	}
	if a.holdsFor == 0 {
		return "+" + a.signature.key
	}
	return "+" + a.holdsFor.String() + " " + a.signature.key
}

func (q *queue) strict() bool { return q.config.Strategy == config.StrictFIFO }

// flavorsInOrder reports whether an ask gets the first flavor in which it fits.
func (q *queue) flavorsInOrder() bool {
	return q.config.FlavorPreference != config.LeastBorrowing && q.config.FlavorPreference != config.LeastPreemption
}

// atMaxRunning returns the queue that has reached its maxRunning, this one or one above it, or nil.
func (q *queue) atMaxRunning() *queue {
	for ; q != nil; q = q.parent {
		if q.config != nil && q.config.MaxRunning != nil && q.admitted >= *q.config.MaxRunning {
			return q
		}
	}
	return nil
}

// fairSharing reports whether the children of the queue are ordered by their shares.
func (q *queue) fairSharing() bool { return q.config != nil && q.config.FairSharing }

func (q *queue) weight() int32 {
	if q.config == nil {
		return 1
	}
	return q.config.Weight
}

// childBefore orders two children of the queue: by smaller share if the queue uses fair sharing, then by shorter
// borrowing distance, then by first ask.
func (q *queue) childBefore(a, b *queue) bool {
	if q.fairSharing() {
		if order := quota.CompareShares(a.share, a.weight(), b.share, b.weight()); order != 0 {
			return order < 0
		}
	}
	if a.winner.distance != b.winner.distance {
		return a.winner.distance < b.winner.distance
	}
	return a.winner.lead.compare(b.winner.lead) < 0
}

// contains reports whether the other queue is q or below it.
func (q *queue) contains(other *queue) bool {
	for ; other != nil; other = other.parent {
		if other == q {
			return true
		}
	}
	return false
}

// subtreeBeside returns the highest queue, from q upward, that is not an ancestor of the other queue.
func (q *queue) subtreeBeside(other *queue) *queue {
	for q.parent != nil && !q.parent.contains(other) {
		q = q.parent
	}
	return q
}
