// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "iter"

// heap is a binary heap whose first item, by before, is at index 0. moved is called with the new index of every item
// that moves, so that items can be removed from anywhere.
type heap[T any] struct {
	items  []T
	before func(a, b T) bool
	moved  func(item T, place int)
}

func (h *heap[T]) push(item T) {
	h.items = append(h.items, item)
	h.moved(item, len(h.items)-1)
	h.up(len(h.items) - 1)
}

// remove removes the item at an index.
func (h *heap[T]) remove(place int) {
	last := len(h.items) - 1
	h.swap(place, last)
	var none T
	h.items[last] = none
	h.items = h.items[:last]
	if place < last {
		h.fix(place)
	}
}

// fix restores the order after the item at an index has changed.
func (h *heap[T]) fix(place int) {
	if !h.down(place) {
		h.up(place)
	}
}

// clear empties the heap and keeps its memory.
func (h *heap[T]) clear() {
	clear(h.items)
	h.items = h.items[:0]
}

// inOrder yields the items in order. It visits only these and their successors.
func (h *heap[T]) inOrder() iter.Seq[T] {
	return func(yield func(T) bool) {
		next := heap[int]{before: func(a, b int) bool { return h.before(h.items[a], h.items[b]) }, moved: func(int, int) {}}
		if len(h.items) > 0 {
			next.push(0)
		}
		for len(next.items) > 0 {
			at := next.items[0]
			next.remove(0)
			if !yield(h.items[at]) {
				return
			}
			for child := 2*at + 1; child <= 2*at+2 && child < len(h.items); child++ {
				next.push(child)
			}
		}
	}
}

func (h *heap[T]) up(place int) {
	for place > 0 {
		parent := (place - 1) / 2
		if !h.before(h.items[place], h.items[parent]) {
			return
		}
		h.swap(place, parent)
		place = parent
	}
}

// down moves an item down and reports whether it moved.
func (h *heap[T]) down(place int) bool {
	start := place
	for {
		first := place
		for child := 2*place + 1; child <= 2*place+2 && child < len(h.items); child++ {
			if h.before(h.items[child], h.items[first]) {
				first = child
			}
		}
		if first == place {
			return place != start
		}
		h.swap(place, first)
		place = first
	}
}

func (h *heap[T]) swap(a, b int) {
	if a == b {
		return
	}
	h.items[a], h.items[b] = h.items[b], h.items[a]
	h.moved(h.items[a], a)
	h.moved(h.items[b], b)
}
