// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAvailable checks what a node may use in a tree with given usage.
func TestAvailable(t *testing.T) {
	t.Parallel()
	const team = `
		root    nominal 4
		a < root nominal 3 borrowing 2
		b < root nominal 5 lending 1`
	tests := map[string]struct {
		tree, use, at string
		want          int64
	}{
		"alone":                            {tree: "a nominal 3", at: "a", want: 3},
		"alone, partly used":               {tree: "a nominal 3", use: "a 2", at: "a", want: 1},
		"alone, above quota":               {tree: "a nominal 3", use: "a 5", at: "a", want: -2},
		"no limits at all":                 {tree: "a", at: "a", want: Unlimited},
		"a root cannot borrow":             {tree: "a nominal 3 borrowing 7", at: "a", want: 3},
		"a root cannot keep from itself":   {tree: "a nominal 3 lending 1", at: "a", want: 3},
		"borrowing is bounded":             {tree: team, at: "a", want: 5},
		"own, unlent and all of the pool":  {tree: team, at: "b", want: 12},
		"the pool itself":                  {tree: team, at: "root", want: 8},
		"what others borrow is gone":       {tree: team, use: "a 5", at: "b", want: 7},
		"what b keeps is of no use to a":   {tree: team, use: "b 4", at: "a", want: 5},
		"what b uses of what it lends":     {tree: team, use: "b 8", at: "a", want: 4},
		"b has all":                        {tree: team, use: "b 12", at: "a", want: 0},
		"b has more than all":              {tree: team, use: "b 14", at: "a", want: -2},
		"own unlent part less the deficit": {tree: team, use: "a 10", at: "b", want: 2},
		"no own quota, only borrowed":      {tree: "root nominal 4\na < root", at: "a", want: 4},
		"borrowing 0 closes a subtree": {
			tree: "root nominal 4\nmid < root nominal 2 borrowing 0\na < mid nominal 1", at: "a", want: 3,
		},
		"lending 0 keeps all": {
			tree: "root nominal 4\nmid < root nominal 2 lending 0\na < mid nominal 1", at: "root", want: 4,
		},
		"three levels, each lends a part": {
			tree: "root nominal 1\nmid < root nominal 2 lending 1\na < mid nominal 3 lending 2\nb < root", at: "b", want: 2,
		},
		"three levels, seen from below": {
			tree: "root nominal 1\nmid < root nominal 2 lending 1\na < mid nominal 3 lending 2\nb < root", at: "a", want: 6,
		},
		"unlimited quota that is not lent":    {tree: "root nominal 4\na < root nominal ∞ lending 1\nb < root", at: "b", want: 5},
		"unlimited quota seen by its owner":   {tree: "root nominal 4\na < root nominal ∞ lending 1", at: "a", want: Unlimited},
		"unlimited own quota, ancestor above": {tree: "root nominal 4\na < root nominal ∞ lending 0\nb < root", use: "b 9", at: "a", want: Unlimited},
		"unlimited use passes nothing":        {tree: "root nominal 4\na < root nominal ∞ lending 0\nb < root", use: "a 9", at: "b", want: 4},
		"sum of quotas beyond the range":      {tree: "root nominal max\na < root nominal max", at: "a", want: Unlimited},
		"largest use":                         {tree: "a nominal 0", use: "a max a max", at: "a", want: -MaxAmount},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := forestOf(t, tc.tree)
			use(t, f, tc.use)
			if got := f.Account(must(t, f, tc.at), cpu).Available(); got != tc.want {
				t.Errorf("available(%s) = %d, want %d", tc.at, got, tc.want)
			}
		})
	}
}

// TestBlocked checks the limit that is reported for a need.
func TestBlocked(t *testing.T) {
	t.Parallel()
	const company = `
		root     nominal 10
		dept < root  nominal 4 borrowing 3
		a < dept nominal 2 borrowing 1
		b < dept nominal 2
		other < root`
	tests := map[string]struct {
		use, at string
		need    int64
		want    string
	}{
		"fits":                                   {at: "a", need: 3},
		"own borrowing limit":                    {at: "a", need: 4, want: "a"},
		"limit of the department":                {at: "b", need: 12, want: "dept"},
		"as much as the department may":          {at: "b", need: 11},
		"all is in use":                          {use: "other 14", at: "b", need: 5, want: "root"},
		"nearest of two":                         {use: "other 18", at: "a", need: 4, want: "a"},
		"neighbour has it":                       {use: "b 11", at: "a", need: 1, want: "dept"},
		"above own limit already":                {use: "a 7", at: "a", need: 1, want: "a"},
		"nothing is needed":                      {use: "a 7 other 30", at: "a", need: 0},
		"the pool's own node may be asked":       {at: "dept", need: 11},
		"the pool's own node, too much":          {at: "dept", need: 12, want: "dept"},
		"root alone":                             {at: "root", need: 19, want: "root"},
		"root exactly":                           {at: "root", need: 18},
		"largest need":                           {at: "other", need: MaxAmount, want: "root"},
		"more than an amount is the largest one": {at: "other", need: Unlimited, want: "root"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := forestOf(t, company)
			use(t, f, tc.use)
			n := must(t, f, tc.at)
			v := f.Prepare(n, []Amount{{cpu, tc.need}})
			b, blocked := f.Blocked(n, v)
			if blocked != (tc.want != "") {
				t.Fatalf("blocked: %v, by %+v, want %q", blocked, b, tc.want)
			}
			if !blocked {
				return
			}
			want := Block{Cell: cpu, Need: min(tc.need, MaxAmount), Node: f.Find(tc.want)}
			if diff := cmp.Diff(want, b); diff != "" {
				t.Errorf("block by %s (-want +got):\n%s", f.At(b.Node).Name, diff)
			}
			if !f.StillBlocked(n, v, b) {
				t.Error("the block that was just found does not hold")
			}
		})
	}
}

// The limit that was reported first is kept as long as it blocks, even if another one would now be found first.
func TestStillBlocked(t *testing.T) {
	t.Parallel()
	f := forestOf(t, "root nominal 10\na < root nominal 2 borrowing 4\nb < root")
	a, b := must(t, f, "a"), must(t, f, "b")
	v := f.Prepare(a, []Amount{{cpu, 5}})
	use(t, f, "b 8")
	first, _ := f.Blocked(a, v)
	if got := nameOf(f, first.Node); got != "root" {
		t.Fatalf("blocked by %s, want root", got)
	}
	use(t, f, "a 3")
	if now, _ := f.Blocked(a, v); f.At(now.Node).Name != "a" {
		t.Fatalf("blocked by %s, want a", f.At(now.Node).Name)
	}
	if !f.StillBlocked(a, v, first) {
		t.Error("root is in the way no more, although b and a hold 11 of its 12")
	}
	f.Remove(b, f.Prepare(b, []Amount{{cpu, 8}}))
	if f.StillBlocked(a, v, first) {
		t.Error("root is still in the way, although b has given everything back")
	}
	if f.StillBlocked(a, f.Prepare(a, []Amount{{cpu, 6}}), first) {
		t.Error("a block of another need holds")
	}
	for name, b := range map[string]Block{"zero": {}, "node that is gone": {Cell: cpu, Need: 5, Node: None}} {
		if f.StillBlocked(a, v, b) {
			t.Errorf("the block of the %s holds", name)
		}
	}
}

func TestPotential(t *testing.T) {
	t.Parallel()
	const tree = `
		root nominal 4
		mid < root nominal 3 borrowing 2 lending 2
		a < mid nominal 1 borrowing 3
		b < mid nominal 5 lending 0
		c < root`
	tests := map[string]Limit{
		"root": {Nominal: 6, Borrowing: 0, Potential: 6},
		"mid":  {Nominal: 4, Borrowing: 2, Potential: 6},
		"a":    {Nominal: 1, Borrowing: 3, Potential: 4},
		"b":    {Nominal: 5, Borrowing: Unlimited, Potential: 11},
		"c":    {Nominal: 0, Borrowing: Unlimited, Potential: 6},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := forestOf(t, tree)
			n := must(t, f, name)
			if diff := cmp.Diff(want, f.Account(n, cpu).Limit()); diff != "" {
				t.Errorf("limit (-want +got):\n%s", diff)
			}
			use(t, f, "a 3 b 2 c 1")
			if diff := cmp.Diff(want, f.Account(n, cpu).Limit()); diff != "" {
				t.Errorf("limits move with use (-want +got):\n%s", diff)
			}
			most := want.Potential
			if _, exceeds := f.Exceeds(n, f.Prepare(n, []Amount{{cpu, most}})); exceeds {
				t.Errorf("%d could never fit", most)
			}
			b, exceeds := f.Exceeds(n, f.Prepare(n, []Amount{{cpu, most + 1}}))
			if !exceeds {
				t.Fatalf("%d could fit", most+1)
			}
			if diff := cmp.Diff(Block{cpu, most + 1, n}, b); diff != "" {
				t.Errorf("block (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLimitMost(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		limit Limit
		want  int64
	}{
		"sum":              {limit: Limit{Nominal: 3, Borrowing: 2}, want: 5},
		"no bound":         {limit: Limit{Nominal: 3, Borrowing: Unlimited}, want: Unlimited},
		"beyond the range": {limit: Limit{Nominal: MaxAmount, Borrowing: 5}, want: Unlimited},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tc.limit.Max(); got != tc.want {
				t.Errorf("most is %d, want %d", got, tc.want)
			}
		})
	}
}

// A company of two departments, one of which has a team with two queues: the heights are 3, 2, 1 and 0.
func TestBorrowingDistance(t *testing.T) {
	t.Parallel()
	const tree = "company nominal 10\nlab < company nominal 4\nteam < lab nominal 2\na < team nominal 3 lending 1\nb < team nominal 1\nc < company nominal ∞"
	tests := map[string]struct {
		use, at string
		need    int64
		want    int
	}{
		"within its own":                  {at: "a", need: 3, want: 0},
		"within that of its team":         {at: "a", need: 6, want: 1},
		"within that of its lab":          {at: "a", need: 7, want: 2},
		"of the company":                  {at: "a", need: 11, want: 3},
		"more than there is":              {at: "b", need: 99, want: 3},
		"with what is used":               {use: "a 2", at: "a", need: 2, want: 1},
		"others beside it take from both": {use: "b 4", at: "a", need: 4, want: 2},
		"others elsewhere do not matter":  {use: "c 9", at: "a", need: 6, want: 1},
		"its own part is never used up":   {use: "b 99", at: "a", need: 3, want: 0},
		"nothing is needed":               {use: "a 9", at: "a", need: 0, want: 0},
		"unlimited never":                 {at: "c", need: MaxAmount, want: 0},
		"a root has none to borrow from":  {at: "company", need: MaxAmount, want: 3},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := forestOf(t, tree)
			use(t, f, tc.use)
			n := must(t, f, tc.at)
			if got := f.BorrowingDistance(n, f.Prepare(n, []Amount{{cpu, tc.need}})); got != tc.want {
				t.Errorf("the distance is %d, want %d", got, tc.want)
			}
		})
	}
}

// TestTracking checks which resources a tree limits, and where.
func TestTracking(t *testing.T) {
	t.Parallel()
	const tree = `
		root
		a < root cell default/cpu nominal 4
		b < root cell spot/gpu nominal 2 lending 0
		else cell default/memory nominal 1`
	tests := map[string]struct {
		at   string
		cell Cell
		want Limit
	}{
		"named by the node":              {at: "a", cell: Cell{"default", "cpu"}, want: Limit{4, Unlimited, 4}},
		"named by a neighbour":           {at: "b", cell: Cell{"default", "cpu"}, want: Limit{0, Unlimited, 4}},
		"kept by a neighbour":            {at: "a", cell: Cell{"spot", "gpu"}, want: Limit{0, Unlimited, 0}},
		"both known, never together":     {at: "a", cell: Cell{"default", "gpu"}, want: Limit{0, Unlimited, 0}},
		"resource known, flavor not":     {at: "a", cell: Cell{"arm", "cpu"}, want: Limit{0, 0, 0}},
		"resource unknown in the tree":   {at: "a", cell: Cell{"default", "memory"}, want: Limit{Unlimited, Unlimited, Unlimited}},
		"resource known in another tree": {at: "else", cell: Cell{"default", "cpu"}, want: Limit{Unlimited, Unlimited, Unlimited}},
		"neither known":                  {at: "a", cell: Cell{"arm", "pods"}, want: Limit{Unlimited, Unlimited, Unlimited}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := forestOf(t, tree)
			n := must(t, f, tc.at)
			if diff := cmp.Diff(tc.want, f.Account(n, tc.cell).Limit()); diff != "" {
				t.Errorf("limit (-want +got):\n%s", diff)
			}
			if got := f.Account(n, tc.cell).Available(); got != tc.want.Potential {
				t.Errorf("available in the empty tree is %d, want the potential %d", got, tc.want.Potential)
			}
			one := f.Prepare(n, []Amount{{tc.cell, 1}})
			if _, blocked := f.Blocked(n, one); blocked != (tc.want.Potential == 0) {
				t.Errorf("blocked: %v", blocked)
			}
			if _, exceeds := f.Exceeds(n, one); exceeds != (tc.want.Potential == 0) {
				t.Errorf("exceeds: %v", exceeds)
			}
		})
	}
}

// Amounts of one cell are summed, in any order. Zero amounts do not count.
func TestSummed(t *testing.T) {
	t.Parallel()
	memory, gpu := Cell{"default", "memory"}, Cell{"spot", "gpu"}
	tests := map[string]struct{ in, want []Amount }{
		"nothing":            {},
		"sorted":             {in: []Amount{{gpu, 1}, {memory, 2}, {cpu, 3}}, want: []Amount{{cpu, 3}, {memory, 2}, {gpu, 1}}},
		"added up":           {in: []Amount{{cpu, 1}, {memory, 2}, {cpu, 3}}, want: []Amount{{cpu, 4}, {memory, 2}}},
		"zero and negative":  {in: []Amount{{cpu, 0}, {memory, -2}}, want: []Amount{}},
		"negative beside it": {in: []Amount{{cpu, 4}, {cpu, -2}}, want: []Amount{{cpu, 4}}},
		"beyond the range":   {in: []Amount{{cpu, Unlimited}, {cpu, Unlimited}}, want: []Amount{{cpu, MaxAmount}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := append([]Amount(nil), tc.in...)
			if diff := cmp.Diff(tc.want, Summed(tc.in)); diff != "" {
				t.Errorf("sum (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(given, tc.in); diff != "" {
				t.Errorf("the input was changed (-want +got):\n%s", diff)
			}
		})
	}
}

// Needs returns the amounts in limited cells, whether they fit or not.
func TestNeeds(t *testing.T) {
	t.Parallel()
	memory := Cell{"default", "memory"}
	f := forestOf(t, "root\na < root cell default/memory nominal 3\nb < root nominal 1")
	a := must(t, f, "a")
	tests := map[string]struct {
		amounts []Amount
		want    []Block
	}{
		"nothing":              {},
		"one":                  {amounts: []Amount{{memory, 2}}, want: []Block{{memory, 2, a}}},
		"in order":             {amounts: []Amount{{memory, 9}, {cpu, 1}}, want: []Block{{cpu, 1, a}, {memory, 9, a}}},
		"not limited, no need": {amounts: []Amount{{memory, 0}, {Cell{"default", "pods"}, 1}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, f.Needs(a, f.Prepare(a, tc.amounts))); diff != "" {
				t.Errorf("needs (-want +got):\n%s", diff)
			}
		})
	}
}

// Of several cells that do not fit, the first one by name is reported.
func TestBlockedCellOrder(t *testing.T) {
	t.Parallel()
	memory := Cell{"default", "memory"}
	f := NewForest([]Node{{Name: "a", Limits: []Limits{
		{Cell: memory, Nominal: 10, Borrowing: Unlimited, Lending: Unlimited},
		{Cell: cpu, Nominal: 10, Borrowing: Unlimited, Lending: Unlimited},
	}}})
	tests := map[string]struct {
		cpu, memory int64
		want        Cell
	}{
		"both":   {cpu: 11, memory: 11, want: cpu},
		"second": {cpu: 10, memory: 11, want: memory},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := f.Blocked(0, f.Prepare(0, []Amount{{memory, tc.memory}, {cpu, tc.cpu}}))
			if b.Cell != tc.want {
				t.Errorf("blocked by %+v, want %+v", b.Cell, tc.want)
			}
		})
	}
}
