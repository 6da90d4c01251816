// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUses(t *testing.T) {
	t.Parallel()
	const tree = `
		root    nominal 4
		a < root nominal 3 lending 1
		b < root nominal 5
		c < b    nominal 2
		free`
	memory, gpu := Cell{"default", "memory"}, Cell{"default", "gpu"}
	tests := map[string]struct {
		at   string
		want []Use
	}{
		"leaf": {at: "a", want: []Use{{cpu, 2, 3}}},
		"leaf with more than its own, and what is not limited": {at: "c", want: []Use{{cpu, 6, 2}, {memory, 10, Unlimited}}},
		"inner, with a flavor that is not known":               {at: "b", want: []Use{{Cell{"arm", "cpu"}, 1, 0}, {cpu, 7, 7}, {memory, 10, Unlimited}}},
		"root, all of it, lent or not":                         {at: "root", want: []Use{{Cell{"arm", "cpu"}, 1, 0}, {cpu, 9, 14}, {memory, 10, Unlimited}}},
		"tree without limits":                                  {at: "free", want: []Use{{cpu, 8, Unlimited}, {gpu, 1, Unlimited}}},
	}
	f := forestOf(t, tree)
	for name, amounts := range map[string][]Amount{
		"a": {{cpu, 2}}, "b": {{cpu, 1}, {Cell{"arm", "cpu"}, 1}}, "c": {{cpu, 6}, {memory, 10}}, "free": {{cpu, 8}, {gpu, 1}},
	} {
		n := must(t, f, name)
		f.Add(n, f.Prepare(n, amounts))
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, f.Uses(must(t, f, tc.at))); diff != "" {
				t.Errorf("uses (-want +got):\n%s", diff)
			}
		})
	}
}

// A deleted node still counts with its own usage and with what its children have borrowed. Resources that only deleted
// nodes name are not limited for others.
func TestUsesOfGhosts(t *testing.T) {
	t.Parallel()
	memory := Cell{"default", "memory"}
	f := NewForest([]Node{
		{Name: "root", Limits: []Limits{{cpu, 4, Unlimited, Unlimited}}},
		{Name: "mid", Parent: "root", DeletedInUse: true, Limits: []Limits{{Cell{"default", "gpu"}, 1, Unlimited, Unlimited}}},
		{Name: "a", Parent: "mid", Limits: []Limits{{cpu, 3, Unlimited, Unlimited}, {memory, 2, Unlimited, Unlimited}, {Cell{"spot", "cpu"}, 1, Unlimited, Unlimited}}},
		{Name: "b", Parent: "root"},
	})
	for name, amounts := range map[string][]Amount{
		"mid": {{cpu, 1}, {memory, 1}, {Cell{"default", "gpu"}, 1}}, "a": {{cpu, 5}, {memory, 1}}, "b": {{cpu, 1}, {memory, 7}},
	} {
		n := must(t, f, name)
		f.Add(n, f.Prepare(n, amounts))
	}
	tests := map[string][]Use{
		"root": {{cpu, 4, 4}, {Cell{"default", "gpu"}, 1, Unlimited}, {memory, 8, Unlimited}},
		"a":    {{cpu, 5, 3}, {memory, 1, 2}, {Cell{"spot", "cpu"}, 0, 1}, {Cell{"spot", "memory"}, 0, 0}},
		"b":    {{cpu, 1, 0}, {memory, 7, Unlimited}},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, f.Uses(must(t, f, name))); diff != "" {
				t.Errorf("uses (-want +got):\n%s", diff)
			}
		})
	}
	b := must(t, f, "b")
	huge := f.Prepare(b, []Amount{{memory, MaxAmount}})
	if got := f.Account(b, memory).Available(); got != Unlimited {
		t.Errorf("%d of a resource that nobody limits is available", got)
	}
	if _, blocked := f.Blocked(b, huge); blocked {
		t.Error("a resource that nobody limits is limited")
	}
	if _, exceeds := f.Exceeds(b, huge); exceeds || f.BorrowingDistance(b, huge) > 0 {
		t.Error("a resource that nobody limits is too scarce or borrowed")
	}
}

// A cell without a limit disappears from the report with its last use.
func TestUsesForgetsWhatIsGivenBack(t *testing.T) {
	t.Parallel()
	f := forestOf(t, "a nominal 3")
	v := f.Prepare(0, []Amount{{cpu, 1}, {Cell{"default", "memory"}, 5}, {Cell{"arm", "cpu"}, 2}})
	empty := f.Uses(0)
	f.Add(0, v)
	f.Add(0, v)
	if got := len(f.Uses(0)); got != 3 {
		t.Errorf("%d cells in use, want 3", got)
	}
	f.Remove(0, v)
	f.Remove(0, v)
	if diff := cmp.Diff(empty, f.Uses(0)); diff != "" {
		t.Errorf("after giving back all (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Use{{cpu, 0, 3}}, f.Uses(0)); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
}

func TestBorrowed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		use  Use
		want int64
	}{
		"below":    {use: Use{Used: 2, Nominal: 3}, want: 0},
		"exactly":  {use: Use{Used: 3, Nominal: 3}, want: 0},
		"above":    {use: Use{Used: 5, Nominal: 3}, want: 2},
		"no limit": {use: Use{Used: MaxAmount, Nominal: Unlimited}, want: 0},
		"largest":  {use: Use{Used: MaxAmount, Nominal: 0}, want: MaxAmount},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tc.use.Borrowed(); got != tc.want {
				t.Errorf("borrowed is %d, want %d", got, tc.want)
			}
		})
	}
}

func TestLent(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tree string
		used string
		want map[string]int64
	}{
		"nobody uses anything": {
			tree: "root nominal 4\na < root nominal 3\nb < root nominal 5",
			want: map[string]int64{"root": 0, "a": 0, "b": 0},
		},
		"the pool above is borrowed first": {
			tree: "root nominal 4\na < root nominal 3\nb < root nominal 5", used: "a 7",
			want: map[string]int64{"root": 0, "a": 0, "b": 0},
		},
		"then what others do not use": {
			tree: "root nominal 4\na < root nominal 3\nb < root nominal 5", used: "a 9",
			want: map[string]int64{"root": 0, "a": 0, "b": 2},
		},
		"of two who lend, each has lent what it could not use now": {
			tree: "root\na < root nominal 5\nb < root nominal 5\nc < root", used: "c 6",
			want: map[string]int64{"a": 1, "b": 1, "c": 0},
		},
		"no more than may be lent": {
			tree: "root\na < root nominal 5 lending 2\nb < root", used: "b 2",
			want: map[string]int64{"a": 2, "b": 0},
		},
		"what may not be lent is there": {
			tree: "root\na < root nominal 5 lending 0\nb < root nominal 1", used: "b 1",
			want: map[string]int64{"a": 0, "b": 0},
		},
		"what is borrowed elsewhere makes up for it": {
			tree: "root nominal 2\na < root nominal 5\nb < root", used: "b 2",
			want: map[string]int64{"a": 0},
		},
		"an inner node lends what its children do not use": {
			tree: "root\nmid < root nominal 1\na < mid nominal 3\nb < root", used: "a 1 b 3",
			want: map[string]int64{"mid": 3, "a": 2},
		},
		"within an inner node": {
			tree: "root\nmid < root\na < mid nominal 3\nb < mid", used: "b 3",
			want: map[string]int64{"mid": 0, "a": 3},
		},
		"above quota there is nothing to lend": {
			tree: "root\na < root nominal 3\nb < root nominal 5", used: "a 8",
			want: map[string]int64{"a": 0, "b": 5},
		},
		"a quota above that was cut takes the rest, lent or not": {
			tree: "root\na < root nominal 5 lending 0\nb < root", used: "b 8",
			want: map[string]int64{"a": 5},
		},
		"without limit": {
			tree: "root\na < root nominal ∞\nb < root", used: "b max",
			want: map[string]int64{"a": 0, "b": 0},
		},
		"not limited":   {tree: "a\nb", used: "b 9", want: map[string]int64{"a": 0}},
		"other flavors": {tree: "root cell arm/cpu nominal 3\na < root cell arm/cpu nominal 3", used: "a 9", want: map[string]int64{"a": 0}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := forestOf(t, tc.tree)
			use(t, f, tc.used)
			for node, want := range tc.want {
				if got := f.Account(must(t, f, node), cpu).Lent(); got != want {
					t.Errorf("%s has lent %d, want %d", node, got, want)
				}
			}
		})
	}
}

func TestWeighted(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		share  Share
		weight int32
		want   float64
	}{
		"borrows nothing":                            {Share{}, 1, 0},
		"borrows nothing where nothing is":           {Share{0, 0}, 0, 0},
		"a quarter":                                  {Share{1, 4}, 1, 0.25},
		"half of that with twice the weight":         {Share{1, 4}, 2, 0.125},
		"largest":                                    {Share{MaxAmount, MaxAmount}, 1, 1},
		"of a parent that could have nothing":        {Share{1, 0}, 1, math.Inf(1)},
		"without a weight whoever has one is before": {Share{1, 4}, 0, math.Inf(1)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tc.share.Weighted(tc.weight); got != tc.want {
				t.Errorf("%+v with weight %d is %v, want %v", tc.share, tc.weight, got, tc.want)
			}
		})
	}
}
