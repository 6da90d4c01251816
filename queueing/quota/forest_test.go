// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// standing is the state of a node in a test.
type standing struct {
	Parent, Root string
	Problem      Problem
	Culprit      string
	Children     []string
}

func standingOf(f *Forest, n NodeID) standing {
	at := f.At(n)
	s := standing{Parent: nameOf(f, at.Parent), Root: f.At(at.Root).Name, Problem: at.Problem, Culprit: nameOf(f, at.Culprit)}
	for _, c := range at.Children {
		s.Children = append(s.Children, f.At(c).Name)
	}
	return s
}

func TestStructure(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tree string
		want map[string]standing
	}{
		"empty": {want: map[string]standing{}},
		"two trees": {
			tree: "b\na\nc < a\nd < a\ne < d",
			want: map[string]standing{
				"a": {Root: "a", Children: []string{"c", "d"}},
				"b": {Root: "b"},
				"c": {Parent: "a", Root: "a"},
				"d": {Parent: "a", Root: "a", Children: []string{"e"}},
				"e": {Parent: "d", Root: "a"},
			},
		},
		"parent is missing": {
			tree: "b < nobody\nc < b\nd",
			want: map[string]standing{
				"b": {Root: "b", Problem: ParentNotFound, Culprit: "b", Children: []string{"c"}},
				"c": {Parent: "b", Root: "b", Problem: ParentNotFound, Culprit: "b"},
				"d": {Root: "d"},
			},
		},
		"own parent": {
			tree: "a < a",
			want: map[string]standing{"a": {Root: "a", Problem: Cycle, Culprit: "a"}},
		},
		"cycle with a tail": {
			tree: "a < c\nb < a\nc < b\nd < c\ne < d",
			want: map[string]standing{
				"a": {Root: "a", Problem: Cycle, Culprit: "a"},
				"b": {Root: "b", Problem: Cycle, Culprit: "b"},
				"c": {Root: "c", Problem: Cycle, Culprit: "c", Children: []string{"d"}},
				"d": {Parent: "c", Root: "c", Problem: Cycle, Culprit: "c", Children: []string{"e"}},
				"e": {Parent: "d", Root: "c", Problem: Cycle, Culprit: "c"},
			},
		},
		"two cycles": {
			tree: "a < b\nb < a\nc < d\nd < c",
			want: map[string]standing{
				"a": {Root: "a", Problem: Cycle, Culprit: "a"},
				"b": {Root: "b", Problem: Cycle, Culprit: "b"},
				"c": {Root: "c", Problem: Cycle, Culprit: "c"},
				"d": {Root: "d", Problem: Cycle, Culprit: "d"},
			},
		},
		"ghost leaf": {
			tree: "root\na < root ghost\nb < root",
			want: map[string]standing{
				"root": {Root: "root", Children: []string{"b"}},
				"a":    {Parent: "root", Root: "root"},
				"b":    {Parent: "root", Root: "root"},
			},
		},
		"ghost parent": {
			tree: "root\nmid < root ghost\na < mid\nb < a",
			want: map[string]standing{
				"root": {Root: "root"},
				"mid":  {Parent: "root", Root: "root", Children: []string{"a"}},
				"a":    {Parent: "mid", Root: "root", Problem: ParentNotFound, Culprit: "a", Children: []string{"b"}},
				"b":    {Parent: "a", Root: "root", Problem: ParentNotFound, Culprit: "a"},
			},
		},
		"ghost without parent": {
			tree: "a < nobody ghost",
			want: map[string]standing{"a": {Root: "a"}},
		},
		"cycle through a ghost is cut there": {
			tree: "a < b\nb < g\ng < a ghost",
			want: map[string]standing{
				"a": {Parent: "b", Root: "g", Problem: ParentNotFound, Culprit: "b"},
				"b": {Parent: "g", Root: "g", Problem: ParentNotFound, Culprit: "b", Children: []string{"a"}},
				"g": {Root: "g", Children: []string{"b"}},
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := forestOf(t, tc.tree)
			got := map[string]standing{}
			for n := range NodeID(f.Nodes()) {
				got[f.At(n).Name] = standingOf(f, n)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
		})
	}
}

// Of nodes with the same name the first one counts, and of limits for the same cell the last one.
func TestTwice(t *testing.T) {
	t.Parallel()
	limits := func(nominal int64) Limits { return Limits{cpu, nominal, Unlimited, Unlimited} }
	f := NewForest([]Node{
		{Name: "b", Limits: []Limits{limits(1), limits(2)}},
		{Name: "a"},
		{Name: "b", Parent: "a", Limits: []Limits{limits(3)}},
	})
	if got := f.Nodes(); got != 2 {
		t.Fatalf("%d nodes, want 2", got)
	}
	want := Limit{Nominal: 2, Borrowing: 0, Potential: 2}
	if diff := cmp.Diff(want, f.Account(must(t, f, "b"), cpu).Limit()); diff != "" {
		t.Errorf("limit of b (-want +got):\n%s", diff)
	}
}

func TestNegativeLimitsCountAsZero(t *testing.T) {
	t.Parallel()
	f := forestOf(t, "root nominal -4\na < root nominal 3 borrowing -1 lending -2")
	a, root := must(t, f, "a"), must(t, f, "root")
	if diff := cmp.Diff(Limit{3, 0, 3}, f.Account(a, cpu).Limit()); diff != "" {
		t.Errorf("limit of a (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Limit{0, 0, 0}, f.Account(root, cpu).Limit()); diff != "" {
		t.Errorf("limit of root (-want +got):\n%s", diff)
	}
}

// A ghost has no quota, whatever it had, and its usage is charged to its parent.
func TestGhost(t *testing.T) {
	t.Parallel()
	f := forestOf(t, "root nominal 4\na < root nominal 9 ghost\nb < root nominal 5")
	use(t, f, "a 6")
	tests := map[string]struct {
		at   string
		want int64
	}{
		"its neighbour has what it left": {at: "b", want: 3},
		"its parent too":                 {at: "root", want: 3},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := f.Account(must(t, f, tc.at), cpu).Available(); got != tc.want {
				t.Errorf("available(%s) = %d, want %d", tc.at, got, tc.want)
			}
		})
	}
	if !f.At(must(t, f, "a")).DeletedInUse || f.At(must(t, f, "b")).DeletedInUse {
		t.Error("a is the ghost and b is none")
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	f := forestOf(t, "b < missing\na")
	tests := map[string]struct {
		name string
		want NodeID
	}{
		"first":   {name: "a", want: 0},
		"second":  {name: "b", want: 1},
		"missing": {name: "missing", want: None},
		"empty":   {name: "", want: None},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := f.Find(tc.name); got != tc.want {
				t.Errorf("Find(%q) = %d, want %d", tc.name, got, tc.want)
			}
		})
	}
	if got := f.At(1).ConfiguredParent; got != "missing" {
		t.Errorf("b wants the parent %q", got)
	}
}

// Children of a ghost are independent, except for what they have borrowed. An unused ghost has no effect.
func TestChildrenOfGhosts(t *testing.T) {
	t.Parallel()
	const tree = "root nominal 4\nmid < root ghost\na < mid nominal 3 borrowing 9\nb < root nominal 2\n"
	tests := map[string]struct {
		use  string
		want map[string]int64
	}{
		"nothing":         {want: map[string]int64{"root": 6, "a": 9, "b": 6}},
		"own quota":       {use: "a 3", want: map[string]int64{"root": 6, "a": 6, "b": 6}},
		"borrowed":        {use: "a 5", want: map[string]int64{"root": 4, "a": 4, "b": 4}},
		"the ghost's own": {use: "mid 5", want: map[string]int64{"root": 1, "a": 4, "b": 1}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := forestOf(t, tree)
			use(t, f, tc.use)
			got := map[string]int64{}
			for name := range tc.want {
				got[name] = f.Account(must(t, f, name), cpu).Available()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("available (-want +got):\n%s", diff)
			}
		})
	}
}

// The depth of a tree is limited only by memory.
func TestDeep(t *testing.T) {
	t.Parallel()
	const depth = 20_000
	nodes := []Node{{Name: "n00000", Limits: []Limits{{cpu, 5, Unlimited, Unlimited}}}}
	for i := 1; i < depth; i++ {
		nodes = append(nodes, Node{Name: fmt.Sprintf("n%05d", i), Parent: fmt.Sprintf("n%05d", i-1)})
	}
	f := NewForest(nodes)
	leaf := must(t, f, fmt.Sprintf("n%05d", depth-1))
	four := f.Prepare(leaf, []Amount{{cpu, 4}})
	f.Add(leaf, four)
	if got := f.Account(leaf, cpu).Available(); got != 1 {
		t.Errorf("available(leaf) = %d, want 1", got)
	}
	if b, _ := f.Blocked(leaf, four); f.At(b.Node).Name != "n00000" {
		t.Errorf("blocked by %s, want the root", f.At(b.Node).Name)
	}
	nodes[0].Parent = fmt.Sprintf("n%05d", depth-1)
	if problem := NewForest(nodes).At(leaf).Problem; problem != Cycle {
		t.Errorf("problem is %q, want a cycle", problem)
	}
}
