// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"fmt"
	"strings"
	"testing"
)

func TestCharged(t *testing.T) {
	t.Parallel()
	const tree = "root nominal 4\nmid < root nominal 1\na < mid nominal 3 lending 1\nb < root"
	tests := map[string]struct {
		use  string
		want map[string]int64
	}{
		"nothing":                       {want: map[string]int64{"root": 0, "mid": 0, "a": 0}},
		"what is never lent stays here": {use: "a 2", want: map[string]int64{"a": 2, "mid": 0, "root": 0}},
		"the rest counts above, too":    {use: "a 5 b 1", want: map[string]int64{"a": 5, "mid": 3, "root": 4, "b": 1}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := forestOf(t, tree)
			use(t, f, tc.use)
			for node, want := range tc.want {
				if got := f.Account(must(t, f, node), cpu).Usage(); got != want {
					t.Errorf("%d are charged to %s, want %d", got, node, want)
				}
			}
			if got := f.Account(must(t, f, "a"), Cell{"arm", "cpu"}).Usage(); got != 0 {
				t.Errorf("%d are charged in a flavor that nobody has", got)
			}
		})
	}
}

// Lack is how far the charge of a node with the need would exceed the most that its limits allow, whatever blocks the
// need.
func TestLackIsWhatIsChargedTooMuch(t *testing.T) {
	t.Parallel()
	f := forestOf(t, "root nominal 10\nmid < root nominal 1 borrowing 3\na < mid nominal 2 borrowing 1\nb < mid\nc < root")
	use(t, f, "a 2 b 3 c 5")
	a := must(t, f, "a")
	const need = 4
	lack := f.AppendShortfalls(nil, a, f.Prepare(a, []Amount{{cpu, need}}))
	for i, n := 0, a; n != None; i, n = i+1, f.At(n).Parent {
		want := max(0, f.Account(n, cpu).Usage()+need-f.Account(n, cpu).Limit().Max())
		if lack[i] != want {
			t.Errorf("%s lacks %d, want %d", f.At(n).Name, lack[i], want)
		}
	}
	if got, want := lack[len(lack)-1], need-f.Account(must(t, f, "root"), cpu).Available(); got != want {
		t.Errorf("the root lacks %d, want %d", got, want)
	}
}

func TestRaises(t *testing.T) {
	t.Parallel()
	const tree = `
		root nominal 4
		mid < root nominal 3 borrowing 2 lending 2
		a < mid nominal 1 borrowing 3
		b < mid nominal 5 lending 0
		c < root
		d < root nominal 1 borrowing 5`
	for _, tc := range []struct {
		node string
		need int64
		want string
	}{
		{"root", 7, ""}, // 2 of mid and 1 of d are lent
		{"root", 9, "root by 2"},
		{"mid", 6, ""}, // 4 of its own and 2 to borrow are less than 2 that stay and 7 above
		{"mid", 8, "mid by 2"},
		{"mid", 11, "mid by 5, root by 2"},
		{"a", 4, ""},
		{"a", 5, "a by 1"},
		{"a", 7, "a by 3, mid by 1"},
		{"b", 12, "mid by 1"}, // 5 never leave it
		{"c", 8, "root by 1"},
		{"d", 7, "d by 1"},
		{"d", 8, "d by 2, root by 1"},
	} {
		t.Run(fmt.Sprintf("%d in %s", tc.need, tc.node), func(t *testing.T) {
			t.Parallel()
			f := forestOf(t, tree)
			n := must(t, f, tc.node)
			var got []string
			for _, r := range f.Account(n, cpu).Raises(tc.need) {
				got = append(got, fmt.Sprintf("%s by %d", f.At(r.Node).Name, r.By))
			}
			if got := strings.Join(got, ", "); got != tc.want {
				t.Errorf("got %q, want %q (it could hold %d)", got, tc.want, f.Account(n, cpu).Limit().Potential)
			}
			if got := f.Account(n, Cell{"arm", "cpu"}).Raises(3); len(got) != 1 || got[0] != (Raise{n, 3}) {
				t.Errorf("in a flavor that no node has: %v", got)
			}
		})
	}
}
