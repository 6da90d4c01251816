// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// classKey returns the key of the ask's equivalence class. Asks share a class if they have the same needs, the same
// bound of time, and the same access to the queue.
func (a *ask) classKey(access access) string {
	switch {
	case access == notSelected:
		return "-" + a.signature.key
	case access == withoutLimits:
		return "!" + a.signature.key
	case a.unmanagedExecutor:
		return "*" + a.signature.key
	}
	if a.holdsFor == 0 {
		return "+" + a.signature.key
	}
	return "+" + a.holdsFor.String() + " " + a.signature.key
}

// compareApps orders pending applications by higher priority, then age, then smaller UID. Namespace and name make the
// order total.
func compareApps(a, b *app) int {
	if a.ask.priority != b.ask.priority {
		return cmp.Compare(b.ask.priority, a.ask.priority)
	}
	if order := a.ask.queuedAt.Compare(b.ask.queuedAt); order != 0 {
		return order
	}
	if a.key.UID != b.key.UID {
		return strings.Compare(a.key.UID, b.key.UID)
	}
	return compareKeys(a.key, b.key)
}

func compareKeys(a, b queueing.Key) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name), strings.Compare(a.UID, b.UID))
}

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

// asksChanged records that the pending asks of a class, or their claims, have changed.
func (class *equivalenceClass) asksChanged() {
	q := class.queue
	q.preemptors, q.settledAt = nil, attempt{}
	if class.moved || class.isInadmissible() {
		return
	}
	class.moved, q.moved = true, append(q.moved, class)
	if len(q.moved) > maxMoved+2*len(q.classes) {
		q.updateLine() // otherwise moved would grow without bound in a queue that holds no tournaments
	}
}

// maxMoved is how many classes of a queue may be in moved before asksChanged updates the line.
const maxMoved = 64

// updateLine moves the classes in moved to their positions in the line.
func (q *queue) updateLine() {
	if len(q.moved) > maxMoved && 8*len(q.moved) > len(q.line) {
		q.sortLine()
	}
	for _, class := range q.moved { // remove all of them first: the line is only sorted by their old leads
		if class.moved = false; class.inLine {
			at, _ := slices.BinarySearchFunc(q.line, class.lead, leadsBefore)
			q.line = slices.Delete(q.line, at, at+1)
		}
	}
	for _, class := range q.moved {
		if class.inLine = class.updateLead(); class.inLine {
			at, _ := slices.BinarySearchFunc(q.line, class.lead, leadsBefore)
			q.line = slices.Insert(q.line, at, class)
		}
	}
	clear(q.moved)
	q.moved = q.moved[:0]
}

// sortLine builds the line again from all classes.
func (q *queue) sortLine() {
	for _, class := range q.moved {
		class.inLine, class.moved = false, false
	}
	clear(q.moved)
	clear(q.line)
	q.line, q.moved = q.line[:0], q.moved[:0]
	for _, class := range q.classes {
		if class.inLine = !class.isInadmissible() && class.updateLead(); class.inLine {
			q.line = append(q.line, class)
		}
	}
	slices.SortFunc(q.line, func(a, b *equivalenceClass) int { return a.lead.compare(b.lead) })
}

func leadsBefore(class *equivalenceClass, lead entry) int { return class.lead.compare(lead) }

// updateLead sets lead to the first ask of the class without a claim, and reports whether there is one.
func (class *equivalenceClass) updateLead() bool {
	if class.claims == len(class.apps.items) {
		return false
	}
	next := class.next()
	class.lead = entry{app: next, priority: next.ask.priority, queuedAt: next.ask.queuedAt}
	return true
}

// enter adds a class to the current tournament.
func (q *queue) enter(class *equivalenceClass) {
	class.tournament = q.tournament
	q.entered++
}

// leave removes the class that competes for the queue from the tournament.
func (q *queue) leave() {
	q.current().tournament = 0
	q.entered--
}

// current returns the class that competes for a queue. At least one class of the queue must be in the tournament, and
// the line must be up to date.
func (q *queue) current() *equivalenceClass {
	for q.line[q.at].tournament != q.tournament {
		q.at++
	}
	return q.line[q.at]
}

func newEquivalenceClass(key string, q *queue, a *ask) *equivalenceClass {
	class := &equivalenceClass{key: key, queue: q, signature: a.signature, holdsFor: a.holdsFor, unmanagedExecutor: a.unmanagedExecutor}
	class.apps.before = func(a, b *app) bool { return compareApps(a, b) < 0 }
	class.apps.moved = func(a *app, place int) { a.heapIndex = place }
	return class
}

// isInadmissible reports whether no ask of this class can be admitted until the configuration changes.
func (class *equivalenceClass) isInadmissible() bool {
	return class.inadmissible.State != queueing.Undecided
}

func (class *equivalenceClass) first() *app { return class.apps.items[0] }

func newQueue(name string, t *tree) *queue {
	q := &queue{name: name, tree: t, node: quota.None, classByKey: map[string]*equivalenceClass{}}
	q.admissible.before = func(a, b *equivalenceClass) bool { return compareApps(a.first(), b.first()) < 0 }
	q.admissible.moved = func(class *equivalenceClass, place int) { class.heapIndex = place }
	q.competing.before = q.childBefore
	q.competing.moved = func(child *queue, place int) { child.heapIndex = place }
	return q
}

// compare orders entries like compareApps. It works even if the application no longer asks for anything.
func (a entry) compare(b entry) int {
	if a.priority != b.priority {
		return cmp.Compare(b.priority, a.priority)
	}
	if order := a.queuedAt.Compare(b.queuedAt); order != 0 {
		return order
	}
	if a.app.key.UID != b.app.key.UID {
		return strings.Compare(a.app.key.UID, b.app.key.UID)
	}
	return compareKeys(a.app.key, b.app.key)
}

// root returns the topmost existing queue above this one, or the queue itself.
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

func (q *queue) strict() bool { return q.config.Strategy == StrictFIFO }

// flavorsInOrder reports whether an ask gets the first flavor in which it fits.
func (q *queue) flavorsInOrder() bool {
	return q.config.FlavorPreference != LeastBorrowing && q.config.FlavorPreference != LeastPreemption
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

// enterHead adds the class with the head of a StrictFIFO queue to the tournament, whether it fits or not. If the head
// has a claim, no class is added, because nothing may start before the head.
func (q *queue) enterHead() {
	q.enteredHead = q.head()
	if head := q.enteredHead; head != nil && head.first().claim == nil {
		q.enter(head)
	}
}

// hasNewHeads reports whether executors have become heads of StrictFIFO queues and have not competed yet. That happens
// when maxRunning is reached during the cycle.
func (t *tree) hasNewHeads() bool {
	some := false
	for _, q := range t.pendingQueues {
		if q.config == nil || !q.strict() || q.stoppedBy != nil {
			continue
		}
		if head := q.head(); head != nil && head.unmanagedExecutor && head != q.enteredHead {
			q.settledAt, some = attempt{}, true
		}
	}
	return some
}

// updateChild moves a child to the position among its siblings that its winner deserves.
func (q *queue) updateChild(child *queue) {
	switch competes := child.winner != nil; {
	case competes && child.heapIndex == notCompeting:
		q.competing.push(child)
	case competes:
		q.competing.fix(child.heapIndex)
	case child.heapIndex != notCompeting:
		q.competing.remove(child.heapIndex)
		child.heapIndex = notCompeting
	}
	if q.winner != q { // otherwise the queue itself competes: its former children were deleted and only hold grants
		q.winner = q.bestChild()
	}
}

// bestChild returns the winner of the first competing child, or nil.
func (q *queue) bestChild() *queue {
	if len(q.competing.items) == 0 {
		return nil
	}
	return q.competing.items[0].winner
}

// notCompeting is the heap index of a queue that is not in the tournament.
const notCompeting = -1

// next returns the first ask of the class without a claim, or nil if all have one.
func (class *equivalenceClass) next() *app {
	if first := class.first(); class.claims == 0 || first.claim == nil {
		return first
	}
	next := heap[place]{before: place.before, moved: func(place, int) {}}
	next.push(place{class, 0})
	for len(next.items) > 0 {
		p := next.items[0]
		if p.app().claim == nil {
			return p.app()
		}
		next.remove(0)
		for child := 2*p.at + 1; child <= 2*p.at+2 && child < len(class.apps.items); child++ {
			next.push(place{class, child})
		}
	}
	return nil
}

// countClaims adds n to the number of asks with a claim.
func (class *equivalenceClass) countClaims(n int) {
	class.claims += n
	class.asksChanged()
}

// firstPreemptors returns the classes of a queue that are tried for preemption, in order.
func (q *queue) firstPreemptors() []*equivalenceClass {
	if q.preemptors == nil {
		q.preemptors = q.firstClasses(maxPreemptionAttempts)
	}
	return q.preemptors
}

// firstClasses returns the classes with the first asks of a queue, in order, skipping classes whose asks all have
// claims.
func (q *queue) firstClasses(most int) []*equivalenceClass {
	out := make([]*equivalenceClass, 0, most)
	next := heap[*equivalenceClass]{before: q.admissible.before, moved: func(*equivalenceClass, int) {}}
	if len(q.admissible.items) > 0 {
		next.push(q.admissible.items[0])
	}
	for len(next.items) > 0 && len(out) < most {
		class := next.items[0]
		next.remove(0)
		if class.claims < len(class.apps.items) {
			out = append(out, class)
		}
		for behind := 2*class.heapIndex + 1; behind <= 2*class.heapIndex+2 && behind < len(q.admissible.items); behind++ {
			next.push(q.admissible.items[behind])
		}
	}
	return out
}

// maxPreemptionAttempts is how many equivalence classes of one queue are tried per tournament.
const maxPreemptionAttempts = 8

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

// place is an index in the heap of a class.
type place struct {
	class *equivalenceClass
	at    int
}

func (p place) app() *app { return p.class.apps.items[p.at] }

func (p place) before(other place) bool { return compareApps(p.app(), other.app()) < 0 }
