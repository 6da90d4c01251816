// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"strings"
)

// waiting owns the pending asks. It adds them to the equivalence classes of their queues and removes them.
type waiting struct {
	hierarchy *hierarchy
}

// enqueue adds the ask of an asker without a grant to its equivalence class.
func (wq *waiting) enqueue(a *app) {
	q := wq.hierarchy.queue(a.ask.queue)
	access := q.access(a.ask)
	key := a.ask.classKey(access)
	class := q.classByKey[key]
	if class == nil {
		class = newEquivalenceClass(key, q, a.ask)
		wq.hierarchy.evaluate(class, access)
		q.addClass(class)
	}
	a.ask.signature = class.signature
	a.class = class
	class.add(a)
	a.countPending(q, 1)
	q.tree.dirty = true
}

// dequeue removes the ask from its equivalence class, if it is in one.
func (wq *waiting) dequeue(a *app) {
	class := a.class
	if class == nil {
		return
	}
	class.remove(a)
	a.class = nil
	q := class.queue
	if q.strictHead == a {
		q.strictHead = nil
	}
	a.countPending(q, -1)
	q.tree.dirty = true
	wq.hierarchy.dropIfUnused(q)
}

// add adds an asker. If the class has other askers, it must be in its queue.
func (class *equivalenceClass) add(a *app) {
	opens := len(class.apps.items) == 0
	defer class.asksChanged()
	if a.claim != nil {
		class.claims++
	}
	class.apps.push(a)
	class.arrived = append(class.arrived, a)
	class.queue.markVerdictStale(class)
	switch {
	case class.isInadmissible():
	case opens:
		class.queue.admissible.push(class)
	case class.first() == a:
		class.queue.admissible.fix(class.heapIndex)
	}
}

// remove removes an asker. A class without askers is dropped.
func (class *equivalenceClass) remove(a *app) {
	defer class.asksChanged()
	if a.claim != nil {
		class.claims--
	}
	if len(class.apps.items) == 1 {
		if !class.isInadmissible() {
			class.queue.admissible.remove(class.heapIndex)
		}
		class.apps.remove(a.heapIndex)
		class.queue.dropClass(class)
		return
	}
	first := class.first() == a
	class.apps.remove(a.heapIndex)
	if first && !class.isInadmissible() {
		class.queue.admissible.fix(class.heapIndex)
	}
}

// markVerdictStale records that the verdict of a class may need an update.
func (q *queue) markVerdictStale(class *equivalenceClass) {
	if !class.verdictStale {
		class.verdictStale = true
		q.staleClasses = append(q.staleClasses, class)
	}
}

// addClass adds a class to the queue. The first class adds the queue to the pending queues of its tree.
func (q *queue) addClass(class *equivalenceClass) {
	if len(q.classes) == 0 {
		at, _ := slices.BinarySearchFunc(q.tree.pendingQueues, q.name, byName)
		q.tree.pendingQueues = slices.Insert(q.tree.pendingQueues, at, q)
	}
	q.classByKey[class.key] = class
	class.index = len(q.classes)
	q.classes = append(q.classes, class)
}

func (q *queue) dropClass(class *equivalenceClass) {
	delete(q.classByKey, class.key)
	last := q.classes[len(q.classes)-1]
	q.classes[class.index], last.index = last, class.index
	q.classes[len(q.classes)-1] = nil
	q.classes = q.classes[:len(q.classes)-1]
	if len(q.classes) == 0 {
		at, _ := slices.BinarySearchFunc(q.tree.pendingQueues, q.name, byName)
		q.tree.pendingQueues = slices.Delete(q.tree.pendingQueues, at, at+1)
	}
}

func byName(q *queue, name string) int { return strings.Compare(q.name, name) }

// of returns the counts of one kind.
func (ks *kindCounts) of(kind string) *Count {
	for i := range *ks {
		if (*ks)[i].kind == kind {
			return &(*ks)[i].Count
		}
	}
	*ks = append(*ks, kindCount{kind: kind})
	return &(*ks)[len(*ks)-1].Count
}

// byKind returns the counts of all kinds that have any.
func (ks kindCounts) byKind() map[string]Count {
	var counts map[string]Count
	for _, k := range ks {
		if k.Count == (Count{}) {
			continue
		}
		if counts == nil {
			counts = map[string]Count{}
		}
		counts[k.kind] = k.Count
	}
	return counts
}

// countPending adds n to the pending counters of a queue and all queues above it. Queues that do not exist are skipped.
func (a *app) countPending(q *queue, n int32) {
	for ; q != nil && q.config != nil; q = q.parent {
		if !a.ask.part {
			q.pending += n
		}
		q.kinds.of(a.key.Kind).Pending += n
	}
}
