// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package heap has a binary heap whose items can be removed from anywhere, and walked in order.
package heap

import "iter"

// Heap is a binary heap whose first item, by Before, is at index 0. Moved, if not nil, is called with the new index of
// every item that moves, so that items can be removed from anywhere.
type Heap[T any] struct {
	Items  []T
	Before func(a, b T) bool
	Moved  func(item T, place int)
}

// Push adds an item.
func (h *Heap[T]) Push(item T) {
	h.Items = append(h.Items, item)
	h.note(len(h.Items) - 1)
	h.up(len(h.Items) - 1)
}

// Pop removes the first item.
func (h *Heap[T]) Pop() T {
	first := h.Items[0]
	h.Remove(0)
	return first
}

// Remove removes the item at an index.
func (h *Heap[T]) Remove(place int) {
	last := len(h.Items) - 1
	h.swap(place, last)
	var none T
	h.Items[last] = none
	h.Items = h.Items[:last]
	if place < last {
		h.Fix(place)
	}
}

// Fix restores the order after the item at an index has changed.
func (h *Heap[T]) Fix(place int) {
	if !h.down(place) {
		h.up(place)
	}
}

// Clear empties the heap and keeps its memory.
func (h *Heap[T]) Clear() {
	clear(h.Items)
	h.Items = h.Items[:0]
}

// InOrder yields the items in order. It visits only these and their successors.
func (h *Heap[T]) InOrder() iter.Seq[T] {
	return func(yield func(T) bool) {
		next := Heap[int]{Before: func(a, b int) bool { return h.Before(h.Items[a], h.Items[b]) }}
		if len(h.Items) > 0 {
			next.Push(0)
		}
		for len(next.Items) > 0 {
			at := next.Pop()
			if !yield(h.Items[at]) {
				return
			}
			for child := 2*at + 1; child <= 2*at+2 && child < len(h.Items); child++ {
				next.Push(child)
			}
		}
	}
}

func (h *Heap[T]) up(place int) {
	for place > 0 {
		parent := (place - 1) / 2
		if !h.Before(h.Items[place], h.Items[parent]) {
			return
		}
		h.swap(place, parent)
		place = parent
	}
}

// down moves an item down and reports whether it moved.
func (h *Heap[T]) down(place int) bool {
	start := place
	for {
		first := place
		for child := 2*place + 1; child <= 2*place+2 && child < len(h.Items); child++ {
			if h.Before(h.Items[child], h.Items[first]) {
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

func (h *Heap[T]) swap(a, b int) {
	if a == b {
		return
	}
	h.Items[a], h.Items[b] = h.Items[b], h.Items[a]
	h.note(a)
	h.note(b)
}

func (h *Heap[T]) note(place int) {
	if h.Moved != nil {
		h.Moved(h.Items[place], place)
	}
}
