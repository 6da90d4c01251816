// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
)

// compareApps orders pending askers by higher priority, then age, then smaller UID. Namespace and name make the order
// total.
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

// compare orders entries like compareApps. It works even if the asker no longer asks for anything.
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

func newEquivalenceClass(key string, q *queue, a *ask) *equivalenceClass {
	class := &equivalenceClass{key: key, queue: q, signature: a.signature, holdsFor: a.holdsFor, part: a.part}
	class.apps.before = func(a, b *app) bool { return compareApps(a, b) < 0 }
	class.apps.moved = func(a *app, place int) { a.heapIndex = place }
	return class
}

// isInadmissible reports whether no ask of this class can be admitted until the configuration changes.
func (class *equivalenceClass) isInadmissible() bool {
	return class.inadmissible.State != queueing.Undecided
}

func (class *equivalenceClass) first() *app { return class.apps.items[0] }

// next returns the first ask of the class without a claim, or nil if all have one.
func (class *equivalenceClass) next() *app {
	if first := class.first(); class.claims == 0 || first.claim == nil {
		return first
	}
	for a := range class.apps.inOrder() {
		if a.claim == nil {
			return a
		}
	}
	return nil
}

// countClaims adds n to the number of asks with a claim.
func (class *equivalenceClass) countClaims(n int) {
	class.claims += n
	class.asksChanged()
}

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

// updateLead sets lead to the first ask of the class without a claim, and reports whether there is one.
func (class *equivalenceClass) updateLead() bool {
	if class.claims == len(class.apps.items) {
		return false
	}
	next := class.next()
	class.lead = entry{app: next, priority: next.ask.priority, queuedAt: next.ask.queuedAt}
	return true
}
