// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

func TestStates(t *testing.T) {
	t.Parallel()
	const queues = `
		root cpu=4
		a in=root cpu=3 memory=2Gi
		b in=root cpu=5 lend:cpu=1 strict
		free`
	const asks = `
		a1 queue=a cpu=2 memory=512Mi at=1
		a2 queue=a cpu=1 memory=512Mi at=2
		a3 queue=a memory=9Gi at=3
		b1 queue=b cpu=1 at=4
		f1 queue=free cpu=7 at=5
		f2 queue=nowhere cpu=7 at=5`
	e := engineWith(t, queues, asks)
	e.Cycle(0)
	use := func(resource string, used, nominal, borrowed int64) Usage {
		return Usage{Flavor: "default", Resource: resource, Used: used, Nominal: nominal, Borrowed: borrowed}
	}
	const gi = 1 << 30
	want := []QueueState{
		{
			Name: "a", Parent: "root", Root: "root", Leaf: true, Pending: 2, Admitted: 1,
			Usage: []Usage{use("cpu", 6000, 3000, 3000), use("memory", 1.5*gi, 2*gi, 0), use("pods", 3, quota.Unlimited, 0)},
			Heads: []Head{{Key: keyOf("a2")}},
		},
		{
			Name: "b", Parent: "root", Root: "root", Leaf: true, Admitted: 1,
			Usage: []Usage{use("cpu", 3000, 5000, 0), use("memory", 0, 0, 0), use("pods", 3, quota.Unlimited, 0)},
		},
		{
			Name: "free", Root: "free", Leaf: true, Admitted: 1,
			Usage: []Usage{use("cpu", 21000, quota.Unlimited, 0), use("pods", 3, quota.Unlimited, 0)},
		},
		{
			Name: "root", Root: "root", Pending: 2, Admitted: 2,
			Usage: []Usage{use("cpu", 9000, 12000, 0), use("memory", 1.5*gi, 2*gi, 0), use("pods", 6, quota.Unlimited, 0)},
		},
	}
	if diff := cmp.Diff(want, e.States()); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	one, exists := e.State("a")
	if diff := cmp.Diff(want[0], one); diff != "" || !exists {
		t.Errorf("state of a, exists %v (-want +got):\n%s", exists, diff)
	}
	for _, name := range []string{"nowhere", ""} {
		if s, exists := e.State(name); exists {
			t.Errorf("there is a state of %q: %+v", name, s)
		}
	}
}

func TestStateOfBrokenQueues(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "a in=nobody\nb in=a\nc in=d\nd in=c\nold deleted", "x queue=b")
	want := map[string]string{
		"a": "ParentNotFound: queue a names the parent nobody, which does not exist",
		"b": "ParentNotFound: queue a, above b, names the parent nobody, which does not exist",
		"c": "Cycle: queue c is its own ancestor: c → d → c",
		"d": "Cycle: queue d is its own ancestor: d → c → d",
	}
	got := map[string]string{}
	for _, s := range e.States() {
		got[s.Name] = s.Problem + ": " + s.Message
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// The first in line, in order, over several shapes; those that cannot start are not in line.
func TestHeads(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		asks int
		want int
	}{
		"nobody":           {asks: 0, want: 0},
		"one":              {asks: 1, want: 1},
		"all of a few":     {asks: 17, want: 17},
		"exactly all":      {asks: HeadsShown, want: HeadsShown},
		"the first of all": {asks: 500, want: HeadsShown},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, "a cpu=3 hold", "")
			for i := range tc.asks {
				at := (i * 7919) % 1009 // any order, no two alike
				submit(t, e, fmt.Sprintf("n%04d queue=a prio=%d at=%d cpu=%dm", at, -(at/100), at, 1+i%3))
				submit(t, e, fmt.Sprintf("large%d queue=a cpu=99", i))
			}
			s, _ := e.State("a")
			if int(s.Pending) != 2*tc.asks {
				t.Errorf("%d wait, want %d", s.Pending, 2*tc.asks)
			}
			if len(s.Heads) != tc.want {
				t.Fatalf("%d heads, want %d", len(s.Heads), tc.want)
			}
			for i, h := range s.Heads {
				if strings.HasPrefix(h.Key.Name, "large") {
					t.Errorf("%s is in line", h.Key.Name)
				}
				if i > 0 && s.Heads[i-1].Key.Name >= h.Key.Name {
					t.Errorf("%s comes before %s", s.Heads[i-1].Key.Name, h.Key.Name)
				}
				x, _ := e.Explain(h.Key)
				if x.Position != i+1 {
					t.Errorf("%s is head %d, and its position is %d", h.Key.Name, i+1, x.Position)
				}
			}
		})
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	const queues = "root cpu=4\na in=root cpu=3 borrow:cpu=2\nb in=root cpu=3"
	const asks = `
		x queue=a cpu=1 at=1
		y queue=a cpu=1 at=2
		z queue=a cpu=1 at=3 executors=8 min=1
		big queue=a cpu=9
		big-in-b queue=b cpu=3 at=1
		lost queue=nowhere`
	e := engineWith(t, queues, asks)
	e.Cycle(0)
	submit(t, e, "x queue=a cpu=1 attempt=2")
	pods := func(n int64) Need {
		return Need{Flavor: "default", Resource: "pods", Need: n, Available: quota.Unlimited, Most: quota.Unlimited}
	}
	cpu := func(need int64) Need {
		return Need{Flavor: "default", Resource: "cpu", Need: need, Available: 0, Most: 5000}
	}
	tests := map[string]struct {
		key  string
		want Explanation
		none bool
	}{
		"second":                {key: "y", want: Explanation{Queue: "a", Position: 1, Needs: []Need{cpu(3000), pods(3)}}},
		"granted":               {key: "z", none: true},
		"never":                 {key: "big", want: Explanation{Queue: "a", Needs: []Need{cpu(27000), pods(3)}}},
		"no such queue":         {key: "lost", want: Explanation{Queue: "nowhere"}},
		"holds another attempt": {key: "x", want: Explanation{Queue: "a"}},
		"unknown":               {key: "nobody", none: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, found := e.Explain(keyOf(tc.key))
			if found == tc.none {
				t.Fatalf("found: %v", found)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("explanation (-want +got):\n%s", diff)
			}
		})
	}
	if got := e.Verdict(keyOf("z")).State; got != queueing.Granted {
		t.Errorf("asking for explanations changed z to %s", got)
	}
}
