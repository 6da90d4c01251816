// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestShare(t *testing.T) {
	cpu, memory, spot := Cell{"default", "cpu"}, Cell{"default", "memory"}, Cell{"spot", "cpu"}
	limits := func(nominal int64, cells ...Cell) []Limits {
		var out []Limits
		for _, c := range cells {
			out = append(out, Limits{Cell: c, Nominal: nominal, Borrowing: Unlimited, Lending: Unlimited})
		}
		return out
	}
	f := NewForest([]Node{
		{Name: "root", Limits: append(limits(10, cpu, memory), limits(30, spot)...)},
		{Name: "a", Parent: "root", Limits: limits(2, cpu, memory)},
		{Name: "b", Parent: "root"},
		{Name: "endless", Limits: limits(Unlimited, cpu)},
		{Name: "c", Parent: "endless"},
	})
	charge := func(name string, amounts ...Amount) { f.Add(f.Find(name), f.Prepare(f.Find(name), amounts)) }
	charge("a", Amount{cpu, 2})
	if got := f.Share(f.Find("a")); got != (Share{}) {
		t.Errorf("within its own quota: %+v", got)
	}
	charge("a", Amount{cpu, 1}, Amount{spot, 2}, Amount{memory, 4})
	if got, want := f.Share(f.Find("a")), (Share{Borrowed: 2, Lendable: 12}); got != want {
		t.Errorf("2 of 12 memory is more than 3 of 42 cpu: %+v, want %+v", got, want)
	}
	charge("b", Amount{cpu, 20})
	if got, want := f.Share(f.Find("b")), (Share{Borrowed: 20, Lendable: 42}); got != want {
		t.Errorf("cpu of both flavors: %+v, want %+v", got, want)
	}
	gone := Amount{Cell{"gone", "cpu"}, 5}
	charge("b", gone, Amount{Cell{"gone", "gpu"}, 50})
	if got, want := f.Share(f.Find("b")), (Share{Borrowed: 25, Lendable: 42}); got != want {
		t.Errorf("with a flavor that has no quota: %+v, want %+v", got, want)
	}
	f.Remove(f.Find("b"), f.Prepare(f.Find("b"), []Amount{gone}))
	if got, want := f.Share(f.Find("b")), (Share{Borrowed: 20, Lendable: 42}); got != want {
		t.Errorf("without it again: %+v, want %+v", got, want)
	}
	charge("c", Amount{cpu, 20})
	for _, name := range []string{"root", "endless", "c"} {
		if got := f.Share(f.Find(name)); got != (Share{}) {
			t.Errorf("%s: %+v, want none", name, got)
		}
	}
}

// TestShareOfInventedResources: users may invent resources. These do not count towards shares, and do not slow down
// their computation.
func TestShareOfInventedResources(t *testing.T) {
	f := forestOf(t, "root nominal 10\na < root nominal 0")
	a := must(t, f, "a")
	f.Add(a, f.Prepare(a, []Amount{{cpu, 2}}))
	for i := range 1000 {
		f.Add(a, f.Prepare(a, []Amount{{Cell{cpu.Flavor, fmt.Sprintf("a.invented/r%d", i)}, 1}}))
	}
	if got, want := f.Share(a), (Share{Borrowed: 2, Lendable: 10}); got != want {
		t.Errorf("share %+v, want %+v", got, want)
	}
	if n := f.trees[0].withoutFlavor; n != 0 {
		t.Errorf("%d cells are looked at for each share, want none", n)
	}
}

func TestCompareShares(t *testing.T) {
	tests := []struct {
		a       Share
		weightA int32
		b       Share
		weightB int32
		want    int
	}{
		{Share{}, 1, Share{}, 1, 0},
		{Share{}, 1, Share{1, 100}, 1, -1},
		{Share{1, 3}, 1, Share{3, 9}, 1, 0},
		{Share{1, 3}, 1, Share{3, 9}, 3, 1},
		{Share{1, 0}, 1, Share{9, 9}, 1, 1},
		{Share{1, 9}, 0, Share{9, 9}, 1, 1},
		{Share{0, 9}, 0, Share{1, 9}, 1, -1},
		{Share{MaxAmount, MaxAmount}, 1, Share{MaxAmount, MaxAmount - 1}, 1, -1},
	}
	for _, tc := range tests {
		if got := CompareShares(tc.a, tc.weightA, tc.b, tc.weightB); got != tc.want {
			t.Errorf("%+v/%d to %+v/%d: %d, want %d", tc.a, tc.weightA, tc.b, tc.weightB, got, tc.want)
		}
		if got := CompareShares(tc.b, tc.weightB, tc.a, tc.weightA); got != -tc.want {
			t.Errorf("%+v/%d to %+v/%d: %d, want %d", tc.b, tc.weightB, tc.a, tc.weightA, got, -tc.want)
		}
	}
}

// CompareShares is exact for all numbers.
func TestCompareSharesIsExact(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, seed))
	number := func() int64 { return 1 + r.Int64N(MaxAmount)>>r.IntN(63) }
	for range 100_000 {
		a, b := Share{number(), number()}, Share{number(), number()}
		if r.IntN(4) == 0 {
			b = Share{a.Borrowed + int64(r.IntN(2)), a.Lendable}
		}
		weightA, weightB := 1+r.Int32N(1<<20), 1+r.Int32N(1<<20)
		ratio := func(s Share, weight int32) *big.Rat {
			return new(big.Rat).Quo(big.NewRat(s.Borrowed, s.Lendable), big.NewRat(int64(weight), 1))
		}
		if got, want := CompareShares(a, weightA, b, weightB), ratio(a, weightA).Cmp(ratio(b, weightB)); got != want {
			t.Fatalf("seed %d: %+v/%d to %+v/%d: %d, want %d", seed, a, weightA, b, weightB, got, want)
		}
	}
}
