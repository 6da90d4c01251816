// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"container/list"

	"k8s.io/client-go/util/workqueue"
)

// lanes are the waiting items, one lane for each namespace, and the number of items of each lane that workers are
// processing. They are not safe for concurrent use.
type lanes[T comparable] struct {
	laneOf func(T) string
	// workers is the number of items that are processed at once.
	workers int
	// by has every lane with waiting items or items in work.
	by map[string]*lane
	// turns has the lanes with waiting items, in the order in which they are served.
	turns list.List
	// waiting is the number of waiting items in all lanes.
	waiting int
}

var _ workqueue.Queue[string] = (*lanes[string])(nil)

type lane struct {
	// items are the waiting items, first in, first out.
	items list.List
	// busy is the number of items that workers are processing.
	busy int
	// turn is the lane's place in lanes.turns; nil while no item waits.
	turn *list.Element
}

func newLanes[T comparable](workers int, laneOf func(T) string) *lanes[T] {
	return &lanes[T]{laneOf: laneOf, workers: max(workers, 1), by: map[string]*lane{}}
}

// most returns the largest number of workers that one lane may have, even while the other lanes are empty. Thus a lane
// that gets work later finds free workers, and an API server that is not already busy with as many requests of one
// namespace.
func (l *lanes[T]) most() int { return (l.workers + 3) / 4 }

// share returns the number of workers that each lane may have before another lane gets more.
func (l *lanes[T]) share() int { return min(max(1, l.workers/max(1, len(l.by))), l.most()) }

// Push implements workqueue.Queue: it appends an item to its lane.
func (l *lanes[T]) Push(item T) {
	name := l.laneOf(item)
	of := l.by[name]
	if of == nil {
		of = &lane{}
		l.by[name] = of
	}
	of.items.PushBack(item)
	l.waiting++
	if of.turn == nil {
		of.turn = l.turns.PushBack(of)
	}
}

// Touch implements workqueue.Queue: an item that is added again keeps its place.
func (l *lanes[T]) Touch(T) {}

// Len implements workqueue.Queue.
func (l *lanes[T]) Len() int { return l.waiting }

// next returns the lane whose turn it is; nil if no lane may have another worker now. Lanes with fewer workers than
// their share go first; apart from that they take turns.
func (l *lanes[T]) next() *lane {
	for _, limit := range []int{l.share(), l.most()} {
		for at := l.turns.Front(); at != nil; at = at.Next() {
			if of := at.Value.(*lane); of.busy < limit {
				return of
			}
		}
	}
	return nil
}

// Pop implements workqueue.Queue: it takes the first item of the next lane and moves that lane to the end of the turns.
// It may be called only if next does not return nil.
func (l *lanes[T]) Pop() T {
	of := l.next()
	item := of.items.Remove(of.items.Front()).(T)
	l.waiting--
	of.busy++
	if of.items.Len() > 0 {
		l.turns.MoveToBack(of.turn)
		return item
	}
	l.turns.Remove(of.turn)
	of.turn = nil
	return item
}

// done records that a worker has finished with an item.
func (l *lanes[T]) done(item T) {
	name := l.laneOf(item)
	of := l.by[name]
	if of == nil || of.busy == 0 {
		return
	}
	of.busy--
	if of.busy == 0 && of.turn == nil {
		delete(l.by, name)
	}
}
