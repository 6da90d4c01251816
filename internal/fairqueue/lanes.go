// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"container/list"

	"k8s.io/client-go/util/workqueue"
)

// lanes are items that wait, in a lane for each namespace, and how many of each lane are being worked on. They are not
// safe for concurrent use.
type lanes[T comparable] struct {
	laneOf func(T) string
	// workers is how many items are worked on at once.
	workers int
	// by has every lane in which something waits or is worked on.
	by map[string]*lane
	// turns has the lanes in which something waits, in the order in which they are served next.
	turns list.List
	// waiting is how many items wait in all lanes.
	waiting int
}

var _ workqueue.Queue[string] = (*lanes[string])(nil)

type lane struct {
	// items wait, the first one first.
	items list.List
	// busy is how many are being worked on.
	busy int
	// turn is the lane's place in turns; nil while nothing waits.
	turn *list.Element
}

func newLanes[T comparable](workers int, laneOf func(T) string) *lanes[T] {
	return &lanes[T]{laneOf: laneOf, workers: max(workers, 1), by: map[string]*lane{}}
}

// most returns how many workers one lane may have, also while the others have nothing to do: the next lane finds free
// ones, and an API server that is not already busy with as many requests of others.
func (l *lanes[T]) most() int { return (l.workers + 3) / 4 }

// share returns how many workers each lane may have before any other gets more.
func (l *lanes[T]) share() int { return min(max(1, l.workers/max(1, len(l.by))), l.most()) }

// Push implements workqueue.Queue: it puts an item at the end of its lane.
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

// next returns the lane whose turn it is; nil if none may have another worker now. Lanes with less than their share go
// before those with more; apart from that they take turns.
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

// Pop implements workqueue.Queue: it takes the first item of the next lane, which goes to the end of the turns. There
// must be one.
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

// done notes that an item is no longer worked on.
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
