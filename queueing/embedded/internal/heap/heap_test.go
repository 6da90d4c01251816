// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// number is an item of the heap's test that records its index.
type number struct{ value, place int }

func TestHeap(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	h := Heap[*number]{Before: func(a, b *number) bool { return a.value < b.value }, Moved: func(n *number, place int) { n.place = place }}
	var all []*number
	for round := range 3000 {
		switch {
		case r.IntN(5) > 1 || len(all) == 0:
			n := &number{value: r.IntN(1000)}
			h.Push(n)
			all = append(all, n)
		case r.IntN(2) == 0:
			i := r.IntN(len(all))
			h.Remove(all[i].place)
			all = slices.Delete(all, i, i+1)
		default:
			n := all[r.IntN(len(all))]
			n.value = r.IntN(1000)
			h.Fix(n.place)
		}
		for _, n := range all {
			if h.Items[n.place] != n {
				t.Fatalf("round %d: an item is not where it thinks", round)
			}
		}
		least := slices.MinFunc(append(all, &number{value: 1000}), func(a, b *number) int { return a.value - b.value })
		if len(all) > 0 && h.Items[0].value != least.value {
			t.Fatalf("round %d: the first is %d, want %d", round, h.Items[0].value, least.value)
		}
	}
	h.Clear()
	if len(h.Items) != 0 {
		t.Error("a cleared heap has items")
	}
}
