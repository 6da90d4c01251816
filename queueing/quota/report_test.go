// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
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

// Of what a deleted node leaves behind, what it uses itself counts, and what its children have borrowed. Resources that only they
// name are not limited for others.
func TestUsesOfGhosts(t *testing.T) {
	t.Parallel()
	memory := Cell{"default", "memory"}
	f := NewForest([]Node{
		{Name: "root", Limits: []Limits{{cpu, 4, Unlimited, Unlimited}}},
		{Name: "mid", Parent: "root", Ghost: true, Limits: []Limits{{Cell{"default", "gpu"}, 1, Unlimited, Unlimited}}},
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
	if got := f.Available(b, memory); got != Unlimited {
		t.Errorf("%d of a resource that nobody limits is available", got)
	}
	if _, blocked := f.Blocked(b, huge); blocked {
		t.Error("a resource that nobody limits is limited")
	}
	if _, exceeds := f.Exceeds(b, huge); exceeds || f.Borrows(b, huge) {
		t.Error("a resource that nobody limits is too scarce or borrowed")
	}
}

// A cell that nobody limits vanishes from the report with its last use.
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
