// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
)

// TestOrder checks which asks are granted in one cycle, and in which order.
func TestOrder(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ queues, asks, want string }{
		"nobody": {queues: "a cpu=3"},
		"no limit": {
			queues: "a", asks: "x queue=a cpu=100\ny queue=a cpu=100 at=1", want: "x y",
		},
		"tree without flavors": {
			queues: "root\na in=root", asks: "x queue=a cpu=100", want: "x",
		},
		"as many as fit": {
			queues: "a cpu=5", asks: "x queue=a cpu=1\ny queue=a cpu=1 at=1\nz queue=a cpu=1 at=2", want: "x",
		},
		"older first": {
			queues: "a cpu=3", asks: "x queue=a cpu=1 at=2\ny queue=a cpu=1 at=1", want: "y",
		},
		"higher priority first": {
			queues: "a cpu=3", asks: "x queue=a cpu=1 at=1\ny queue=a cpu=1 at=2 prio=1\nz queue=a cpu=1 at=0 prio=-1", want: "y",
		},
		"smaller uid first": {
			queues: "a cpu=3", asks: "x queue=a cpu=1 uid=2\ny queue=a cpu=1 uid=1", want: "y",
		},
		"smaller name first": {
			queues: "a cpu=3", asks: "y queue=a cpu=1 uid=1\nx queue=a cpu=1 uid=1", want: "x",
		},
		"best effort lets smaller ones pass": {
			queues: "a cpu=5", asks: "x queue=a cpu=1\ny queue=a cpu=1 at=1\nz queue=a cpu=500m at=2", want: "x z",
		},
		"best effort goes on with the same shape": {
			queues: "a cpu=5", asks: "x queue=a cpu=2\ny queue=a cpu=500m at=1\nz queue=a cpu=500m at=2", want: "y z",
		},
		"strict does not": {
			queues: "a cpu=5 strict", asks: "x queue=a cpu=1\ny queue=a cpu=1 at=1\nz queue=a cpu=500m at=2", want: "x",
		},
		"strict passes those that can never start": {
			queues: "a cpu=5 strict", asks: "x queue=a cpu=2\nn queue=a cpu=1 flavor=spot\ny queue=a cpu=1 at=1", want: "y",
		},
		"strict passes those of other namespaces": {
			queues: "a cpu=5 strict only=team:a", asks: "x queue=a cpu=1\ny queue=a cpu=1 at=1 label=team:a", want: "y",
		},
		"strict stops its own queue only": {
			queues: "root cpu=5\na in=root strict\nb in=root",
			asks:   "x queue=a cpu=1\ny queue=a cpu=1 at=1\nz queue=a cpu=100m at=2\nw queue=b cpu=100m at=3", want: "x w",
		},
		"all of a tree compete": {
			queues: "root cpu=6\na in=root\nb in=root", asks: "x queue=a cpu=1 at=2\ny queue=b cpu=1 at=1\nz queue=a cpu=1 at=3", want: "y x",
		},
		"within the own quota first": {
			queues: "root cpu=3\na in=root\nb in=root cpu=3",
			asks:   "x queue=a cpu=1 prio=9\ny queue=b cpu=1 at=1\nz queue=b cpu=1 at=2", want: "y x",
		},
		"own quota used up, then by order": {
			queues: "root cpu=6\na in=root\nb in=root cpu=3",
			asks:   "x queue=a cpu=1 at=1\ny queue=b cpu=1 at=2\nz queue=b cpu=1 at=3\nw queue=a cpu=1 at=4", want: "y x z",
		},
		"an elastic ask is within its quota if its least is": {
			queues: "root cpu=2\na in=root\nb in=root cpu=2",
			asks:   "x queue=a cpu=500m executors=1 at=1\ny queue=b cpu=1 executors=9 min=1 at=2", want: "y",
		},
		"within the own quota first, also behind one that does not fit any more": {
			queues: "root cpu=3\na in=root cpu=3\nb in=root",
			asks:   "x queue=a cpu=2 at=5\ny queue=a cpu=1 at=6\nz queue=b cpu=1 at=1\nw queue=b cpu=1 at=2", want: "z y",
		},
		"and behind one that a third queue has made too large": {
			queues: "root cpu=3\na in=root cpu=3\nb in=root\nc in=root",
			asks:   "x queue=a cpu=2 at=0\ny queue=a cpu=1 at=6\nz queue=b cpu=1 at=1\nw queue=b cpu=1 at=2\nv queue=c cpu=100m prio=1", want: "v y",
		},
		"a strict queue stays behind its first": {
			queues: "root cpu=3\na in=root cpu=3 strict\nb in=root",
			asks:   "x queue=a cpu=2 at=5\ny queue=a cpu=1 at=6\nz queue=b cpu=1 at=1\nw queue=b cpu=1 at=2", want: "z w",
		},
		"quota that is not lent": {
			queues: "root cpu=1\na in=root\nb in=root cpu=6 lend:cpu=2",
			asks:   "x queue=a cpu=1\ny queue=a cpu=1 at=1", want: "x",
		},
		"trees by name": {
			queues: "b\na\nc", asks: "x queue=c\ny queue=b\nz queue=a", want: "z y x",
		},
		"inner queues take nobody": {
			queues: "root\na in=root", asks: "x queue=root\ny queue=a at=1", want: "y",
		},
		"one of many resources is missing": {
			queues: "a cpu=9 memory=2Gi", asks: "x queue=a cpu=1 memory=1Gi\ny queue=a cpu=1 memory=512Mi at=1", want: "y",
		},
		"nothing of what is not there": {
			queues: "root cpu=9 nvidia.com/gpu=1\na in=root", asks: "x queue=a cpu=1 nvidia.com/gpu=0", want: "x",
		},
		"no more than may run": {
			queues: "a max=2", asks: "x queue=a\ny queue=a at=1\nz queue=a at=2", want: "x y",
		},
		"no more than may run above": {
			queues: "root max=2\na in=root\nb in=root", asks: "x queue=a\ny queue=b at=1\nz queue=b at=2\nw queue=a at=3", want: "x y",
		},
		"nobody may run": {queues: "a max=0", asks: "x queue=a"},
		"held":           {queues: "root hold\na in=root\nb", asks: "x queue=a\ny queue=b", want: "y"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, tc.queues, tc.asks)
			if got := names(e.Cycle(0)); got != tc.want {
				t.Errorf("granted %q, want %q", got, tc.want)
			}
			if e.Dirty() {
				t.Error("a complete cycle leaves something to do")
			}
			if got := names(e.Cycle(0)); got != "" {
				t.Errorf("a second cycle grants %q", got)
			}
		})
	}
}

// TestElastic checks how many executors an elastic ask is granted.
func TestElastic(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		queues, ask string
		want        int32
	}{
		"all":                        {queues: "a cpu=20", ask: "x queue=a cpu=1 executors=9 min=2", want: 9},
		"largest that fits":          {queues: "a cpu=7", ask: "x queue=a cpu=1 executors=9 min=2", want: 6},
		"one less than all":          {queues: "a cpu=9", ask: "x queue=a cpu=1 executors=9 min=2", want: 8},
		"least":                      {queues: "a cpu=3", ask: "x queue=a cpu=1 executors=9 min=2", want: 2},
		"least, with a rest":         {queues: "a cpu=3999m", ask: "x queue=a cpu=1 executors=9 min=2", want: 2},
		"less than least":            {queues: "root cpu=9\na in=root cpu=2 borrow:cpu=0", ask: "x queue=a cpu=1 executors=9 min=2", want: -1},
		"no limit":                   {queues: "a", ask: "x queue=a cpu=1 executors=1000000 min=1", want: 1000000},
		"many":                       {queues: "a cpu=777777", ask: "x queue=a cpu=1 executors=1000000 min=1", want: 777776},
		"the scarcer resource rules": {queues: "a cpu=9 memory=5Gi", ask: "x queue=a cpu=1 memory=1Gi executors=9 min=1", want: 4},
		"borrowed ones count":        {queues: "root cpu=2\na in=root cpu=4", ask: "x queue=a cpu=1 executors=9 min=1", want: 5},
		"min above count is count":   {queues: "a cpu=4", ask: "x queue=a cpu=1 executors=3 min=7", want: 3},
		"min that is count":          {queues: "a cpu=3", ask: "x queue=a cpu=1 executors=3 min=3", want: -1},
		"nothing that is limited":    {queues: "a memory=1Gi", ask: "x queue=a cpu=1 executors=9 min=1", want: 9},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, tc.queues, tc.ask)
			got := int32(-1)
			for _, d := range e.Cycle(0) {
				got = d.Grant.PodSets[1].Count
			}
			if got != tc.want {
				t.Errorf("granted %d executors, want %d (-1: not at all); %s", got, tc.want, says(e.Verdict(keyOf("x"))))
			}
		})
	}
}

// An ask without an elastic pod set, without pods, or without pod sets is granted as a whole.
func TestOddAsks(t *testing.T) {
	t.Parallel()
	cpu := queueing.Resources{"cpu": 1000}
	tests := map[string]struct {
		podSets []queueing.PodSet
		want    []int32
		used    int64
	}{
		"no pod sets":           {},
		"no pods":               {podSets: []queueing.PodSet{{Name: "driver", Requests: cpu}}, want: []int32{0}},
		"no requests":           {podSets: []queueing.PodSet{{Name: "driver", Count: 1}}, want: []int32{1}},
		"two that are elastic":  {podSets: []queueing.PodSet{{Count: 4, MinCount: 1, Requests: cpu}, {Count: 2, MinCount: 1, Requests: cpu}}, want: []int32{3, 2}, used: 5000},
		"three kinds of pods":   {podSets: []queueing.PodSet{{Count: 1, Requests: cpu}, {Count: 2, Requests: cpu}, {Count: 1, Requests: cpu}}, want: []int32{1, 2, 1}, used: 4000},
		"elastic one first":     {podSets: []queueing.PodSet{{Count: 9, MinCount: 2, Requests: cpu}, {Count: 1, Requests: cpu}}, want: []int32{4, 1}, used: 5000},
		"default flavor wanted": {podSets: []queueing.PodSet{{Count: 1, Requests: cpu, Flavors: []string{"spot", "default"}}}, want: []int32{1}, used: 1000},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, "a cpu=5", "")
			e.Submit(queueing.Ask{Key: keyOf("x"), Queue: "a", PodSets: tc.podSets})
			var got []int32
			for _, d := range e.Cycle(0) {
				for _, p := range d.Grant.PodSets {
					got = append(got, p.Count)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if s, _ := e.Queues().State("a"); s.Usage[0].Used != tc.used {
				t.Errorf("%dm are charged, want %dm", s.Usage[0].Used, tc.used)
			}
		})
	}
}

// A cycle with a limit continues where the last one stopped, and serves all trees.
func TestBoundedCycles(t *testing.T) {
	t.Parallel()
	const queues = "a cpu=6\nb cpu=6\nc"
	const asks = `
		a1 queue=a cpu=1 at=1
		a2 queue=a cpu=1 at=2
		a3 queue=a cpu=1 at=3
		b1 queue=b cpu=1 at=1
		b2 queue=b cpu=1 at=2
		c1 queue=c`
	tests := map[string]struct {
		max  int
		want []string
	}{
		"no bound":        {max: 0, want: []string{"a1 a2 b1 b2 c1"}},
		"negative":        {max: -1, want: []string{"a1 a2 b1 b2 c1"}},
		"one":             {max: 1, want: []string{"a1", "b1", "c1", "a2", "b2", ""}},
		"two":             {max: 2, want: []string{"a1 a2", "b1 b2", "c1"}},
		"three":           {max: 3, want: []string{"a1 a2 b1", "c1 b2"}},
		"exactly all":     {max: 5, want: []string{"a1 a2 b1 b2 c1", ""}},
		"more than there": {max: 6, want: []string{"a1 a2 b1 b2 c1"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, queues, asks)
			for i, want := range tc.want {
				if !e.Dirty() && want != "" {
					t.Fatalf("before cycle %d there is nothing to do", i)
				}
				if got := names(e.Cycle(tc.max)); got != want {
					t.Errorf("cycle %d granted %q, want %q", i, got, want)
				}
			}
			if e.Dirty() {
				t.Error("something is left to do")
			}
			if got := says(e.Verdict(keyOf("a3"))); !strings.HasPrefix(got, "Waiting/WaitingForQuota: needs cpu 3") {
				t.Errorf("the verdict on a3 is %s, want that it needs cpu 3", got)
			}
		})
	}
}

// An ask that a cycle with a limit has not reached is undecided, or keeps its earlier verdict.
func TestBoundedCycleTellsNothing(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "a cpu=3", "x queue=a cpu=1\ny queue=a cpu=1 at=1")
	e.Cycle(0)
	e.Changed()
	submit(t, e, "z queue=a cpu=100m at=2")
	e.Release(keyOf("x"))
	e.Cycle(1)
	if got := e.Verdict(keyOf("z")).State; got != queueing.Undecided {
		t.Errorf("z is %s after a cycle that was cut short, want Undecided", got)
	}
	if got := keyNames(e.Changed()); got != "y" {
		t.Errorf("%q have changed, want only y", got)
	}
	e.Cycle(1)
	if got := e.Verdict(keyOf("z")).State; got != queueing.Waiting {
		t.Errorf("after a complete cycle z is %s", got)
	}
}

// A reverted ask is at its earlier place in line.
func TestRevertKeepsThePlace(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "a cpu=6", "x queue=a cpu=1\ny queue=a cpu=1 at=1\nz queue=a cpu=1 at=2")
	if got := names(e.Cycle(0)); got != "x y" {
		t.Fatalf("granted %q", got)
	}
	if !e.Revert(keyOf("x")) || e.Revert(keyOf("x")) || e.Revert(keyOf("z")) || e.Revert(keyOf("w")) {
		t.Error("only a grant can be reverted, and only once")
	}
	if got := names(e.Cycle(0)); got != "x" {
		t.Errorf("granted %q, want x again", got)
	}
}

// The verdict of the head of a strict queue says what it needs, and the verdicts of the others that they are not the
// head. When another ask becomes the head, its verdict changes.
func TestStrictHead(t *testing.T) {
	t.Parallel()
	const behind = "Waiting/WaitingForQuota: queue a is StrictFIFO: an earlier ask must start first"
	const first = "Waiting/WaitingForQuota: needs cpu 3 of flavor default; queue a may use at most 5 (nominal 5, borrowing 0) and others hold the rest"
	e := engineWith(t, "a cpu=5 strict", "x queue=a cpu=1\ny queue=a cpu=1 at=2\nz queue=a cpu=1 at=3\nw queue=a cpu=100m at=4")
	steps := []struct {
		name    string
		act     func()
		changed string
		want    map[string]string
	}{
		{name: "begin", act: func() {}, changed: "w x y z", want: map[string]string{"x": "Granted", "y": first, "z": behind, "w": behind}},
		{name: "one more at the end", act: func() { submit(t, e, "v queue=a cpu=1 at=9") }, changed: "v", want: map[string]string{"v": behind}},
		{name: "one more at the front", act: func() { submit(t, e, "u queue=a cpu=1 prio=1") }, changed: "u y", want: map[string]string{"u": first, "y": behind}},
		{name: "the front goes away", act: func() { e.Release(keyOf("u")) }, changed: "y", want: map[string]string{"y": first, "z": behind}},
		{name: "the configuration is the same", act: func() { e.SetQueues(queuesOf(t, "a cpu=5 strict")) }},
		{name: "the next starts", act: func() { e.Release(keyOf("x")) }, changed: "y z", want: map[string]string{"y": "Granted", "z": first}},
		{
			name: "held", act: func() { e.SetQueues(queuesOf(t, "a cpu=5 strict hold")) }, changed: "v w z",
			want: map[string]string{"z": "Waiting/QueueHeld: queue a is held (stopPolicy Hold)"},
		},
		{name: "held no more", act: func() { e.SetQueues(queuesOf(t, "a cpu=5 strict")) }, changed: "v w z", want: map[string]string{"z": first, "v": behind}},
		{name: "best effort", act: func() { e.SetQueues(queuesOf(t, "a cpu=5")) }, changed: "v w", want: map[string]string{"z": first, "v": first, "w": "Granted"}},
		{name: "all away", act: func() {
			for _, name := range []string{"v", "w", "y", "z"} {
				e.Release(keyOf(name))
			}
		}},
	}
	for _, s := range steps {
		s.act()
		e.Cycle(0)
		if got := keyNames(e.Changed()); got != s.changed {
			t.Errorf("%s: %q have changed, want %q", s.name, got, s.changed)
		}
		for name, want := range s.want {
			if got := says(e.Verdict(keyOf(name))); got != want {
				t.Errorf("%s: %s:\n got %s\nwant %s", s.name, name, got, want)
			}
		}
	}
}

// A message does not change when other asks come and go, as long as the limit that it names is the obstacle.
func TestMessageIsStable(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "root cpu=2\na in=root cpu=4 borrow:cpu=0\nb in=root cpu=2", "big queue=b cpu=2")
	e.Cycle(0)
	submit(t, e, "x queue=a cpu=1 at=1")
	e.Cycle(0)
	before := says(e.Verdict(keyOf("x")))
	if !strings.Contains(before, "queue root, above a,") {
		t.Fatalf("the verdict on x is %s, want that it names queue root", before)
	}
	e.Changed()
	for i, act := range []func(){
		func() { submit(t, e, "small queue=a cpu=1 executors=1 at=2") }, // now a's own limit is in the way too
		func() { submit(t, e, "other queue=b cpu=100m at=4") },
		func() { e.Release(keyOf("other")) },
		func() { e.SetQueues(queuesOf(t, "b in=root cpu=2\nroot cpu=2\na in=root cpu=4 borrow:cpu=0")) },
		func() { e.SetQueues(queuesOf(t, "b in=root cpu=2\nroot cpu=2\na in=root cpu=4 borrow:cpu=0\nanother")) },
	} {
		act()
		e.Cycle(0)
		if got := says(e.Verdict(keyOf("x"))); got != before {
			t.Errorf("after step %d: %s", i, got)
		}
	}
	if got := keyNames(e.Changed()); got != "small" {
		t.Errorf("%q have changed, want only small", got)
	}
	e.Release(keyOf("big"))
	e.Cycle(0)
	const own = "Waiting/WaitingForQuota: needs cpu 3 of flavor default; queue a may use at most 4 (nominal 4, borrowing 0) and others hold the rest"
	if got := says(e.Verdict(keyOf("x"))); got != own {
		t.Errorf("root is not in the way any more: %s", got)
	}
}

// TestNoAskWaitsAfterACut: if the asks that a cycle with a limit has left over are released, the next cycle finds
// nothing to do.
func TestNoAskWaitsAfterACut(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "a cpu=9", "x queue=a cpu=1\ny queue=a cpu=1 at=1")
	if got := names(e.Cycle(1)); got != "x" {
		t.Fatalf("the cut pass granted %q, want x", got)
	}
	e.Release(keyOf("y"))
	if got := names(e.Cycle(0)); got != "" || e.Dirty() {
		t.Errorf("then it granted %q, and is dirty: %t", got, e.Dirty())
	}
}
