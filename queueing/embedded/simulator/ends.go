// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"cmp"
)

// completion is when an asker ends that was admitted with this attempt.
type completion struct {
	at      Time
	app     *app
	attempt int64
}

// isStale reports whether the asker has lost that admission since.
func (e completion) isStale() bool { return e.attempt != e.app.ask.Attempt }

// ends implements heap.Interface: the earliest completion first, then the order of the scenario.
type ends []completion

func (h ends) Len() int { return len(h) }

func (h ends) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].at, h[j].at), cmp.Compare(h[i].app.place, h[j].app.place)) < 0
}

func (h ends) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push appends a completion; container/heap moves it to its place.
func (h *ends) Push(x any) { *h = append(*h, x.(completion)) }

// Pop removes and returns the last completion.
func (h *ends) Pop() any {
	last := (*h)[len(*h)-1]
	(*h)[len(*h)-1] = completion{}
	*h = (*h)[:len(*h)-1]
	return last
}
