// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/explain"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// weighted returns an engine whose queues all have weight 1, with all asks pending.
func weighted(t *testing.T, queues, asks string) *Engine {
	t.Helper()
	configs := queuesOf(t, queues)
	for i := range configs {
		configs[i].Weight = 1
	}
	e := New()
	e.SetQueues(configs)
	submit(t, e, asks)
	return e
}

// TestQueuesFor: a namespace gets the names of exactly those queues that would accept its applications.
func TestQueuesFor(t *testing.T) {
	t.Parallel()
	e := New()
	e.SetQueues(queuesOf(t, `
		root cpu=4
		open in=root
		team in=root only=team:a
		closed in=root nobody
		lost in=nowhere
		free
		free-by-name names
		held in=root hold`))
	for name, tt := range map[string]struct {
		labels      map[string]string
		needsLimits bool
		want        []string
	}{
		"any namespace":         {want: []string{"free", "free-by-name", "held", "open"}},
		"one that is selected":  {labels: map[string]string{"team": "a"}, want: []string{"free", "free-by-name", "held", "open", "team"}},
		"one that needs limits": {needsLimits: true, want: []string{"free-by-name", "held", "open"}},
	} {
		if diff := cmp.Diff(tt.want, e.Queues().For(tt.labels, tt.needsLimits)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for queue, want := range map[string]bool{"free": true, "open": false, "root": false, "nowhere": false} {
		if got := e.Queues().Unlimited(queue); got != want {
			t.Errorf("%s is unlimited: %v, want %v", queue, got, want)
		}
	}
}

// TestStateOfStoppedQueues: each queue names the queue that stops it. A drained one takes precedence over a held one.
func TestStateOfStoppedQueues(t *testing.T) {
	t.Parallel()
	e := New()
	e.SetQueues(queuesOf(t, `
		open cpu=1
		root cpu=4 drain
		mid in=root hold
		leaf in=mid
		other cpu=1
		held in=other hold
		below in=held`))
	got := map[string]string{}
	for _, s := range e.Queues().States() {
		got[s.Name] = strings.TrimSpace(fmt.Sprint(s.Stop, " ", s.StoppedBy))
	}
	want := map[string]string{"open": "", "root": "HoldAndDrain root", "mid": "HoldAndDrain root", "leaf": "HoldAndDrain root", "other": "",
		"held": "Hold held", "below": "Hold held"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stopped (-want +got):\n%s", diff)
	}
}

// TestStateOfInventedResources: users may request any resource by name. The state of a queue lists a bounded number of
// resources that it does not limit, and always those that it limits and those that every node has.
func TestStateOfInventedResources(t *testing.T) {
	t.Parallel()
	const resources = 2 * explain.UnlimitedShown
	e := weighted(t, "root memory=4Gi\na in=root", "")
	for i := range resources {
		submit(t, e, fmt.Sprintf("job%d queue=a memory=1Mi cpu=1 a.invented/r%d=1", i, i))
	}
	if n := len(e.Cycle(0)); n != resources {
		t.Fatalf("%d granted, want %d", n, resources)
	}
	for _, queue := range []string{"root", "a"} {
		s, _ := e.Queues().State(queue)
		used := map[string]int64{}
		for _, u := range s.Usage {
			used[u.Resource] = u.Used
		}
		if len(s.Usage) != explain.UnlimitedShown+3 || used["memory"] == 0 || used["cpu"] == 0 || used["pods"] == 0 || used["a.invented/r0"] == 0 {
			t.Errorf("queue %s lists %d uses, want %d with memory, cpu and pods: %v", queue, len(s.Usage), explain.UnlimitedShown+3, used)
		}
	}
}

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
	e := weighted(t, queues, asks)
	e.Cycle(0)
	use := func(resource string, used, nominal, borrowed int64) explain.Usage {
		return explain.Usage{Flavor: "default", Resource: resource, Used: used, Nominal: nominal, Borrowed: borrowed}
	}
	const gi = 1 << 30
	want := []explain.QueueState{
		{
			Name: "a", Parent: "root", Root: "root", Leaf: true, Pending: 1, Admitted: 1, Kinds: map[string]state.Count{"": {Pending: 2, Admitted: 1}},
			Usage: []explain.Usage{use("cpu", 6000, 3000, 3000), use("memory", 1.5*gi, 2*gi, 0), use("pods", 3, quota.Unlimited, 0)},
			Heads: []explain.Head{{Key: keyOf("a2")}}, Waiting: map[string]int32{"WaitingForQuota": 1, "ExceedsQuota": 1}, Share: ptr.To(0.375),
		},
		{
			Name: "b", Parent: "root", Root: "root", Leaf: true, Admitted: 1, Kinds: map[string]state.Count{"": {Admitted: 1}}, Share: ptr.To(0.0),
			Usage: []explain.Usage{use("cpu", 3000, 5000, 0), use("memory", 0, 0, 0), use("pods", 3, quota.Unlimited, 0)},
		},
		{
			Name: "free", Root: "free", Leaf: true, Admitted: 1, Kinds: map[string]state.Count{"": {Admitted: 1}},
			Usage: []explain.Usage{use("cpu", 21000, quota.Unlimited, 0), use("pods", 3, quota.Unlimited, 0)},
		},
		{
			Name: "root", Root: "root", Pending: 1, Admitted: 2, Kinds: map[string]state.Count{"": {Pending: 2, Admitted: 2}},
			Usage: []explain.Usage{use("cpu", 9000, 12000, 0), use("memory", 1.5*gi, 2*gi, 0), use("pods", 6, quota.Unlimited, 0)},
		},
	}
	if diff := cmp.Diff(want, e.Queues().States()); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "free", "root"}, e.Queues().Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	one, exists := e.Queues().State("a")
	if diff := cmp.Diff(want[0], one); diff != "" || !exists {
		t.Errorf("state of a, exists %v (-want +got):\n%s", exists, diff)
	}
	for _, name := range []string{"nowhere", ""} {
		if s, exists := e.Queues().State(name); exists {
			t.Errorf("there is a state of %q: %+v", name, s)
		}
	}
}

// TestLentAndShare checks what a queue has lent, and its share of the quota that can be borrowed.
func TestLentAndShare(t *testing.T) {
	t.Parallel()
	const queues = "root cpu=2\na in=root cpu=6 memory=1Gi\nb in=root\nc in=b cpu=1"
	tests := map[string]struct {
		asks  string
		lent  map[string]int64 // by queue and resource, without those of which nothing is
		share map[string]float64
	}{
		"nobody":             {share: map[string]float64{"a": 0, "b": 0, "c": 0}},
		"out of the pool":    {asks: "x queue=c cpu=1", share: map[string]float64{"a": 0, "b": 2.0 / 9, "c": 2.0 / 9}},
		"out of another's":   {asks: "x queue=c cpu=1\ny queue=c cpu=1", lent: map[string]int64{"a/cpu": 3000}, share: map[string]float64{"a": 0, "b": 5.0 / 9, "c": 5.0 / 9}},
		"the lender uses it": {asks: "x queue=c cpu=1\ny queue=c cpu=1\nz queue=a cpu=1", lent: map[string]int64{"a/cpu": 3000}, share: map[string]float64{"a": 0, "b": 5.0 / 9, "c": 5.0 / 9}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := weighted(t, queues, tc.asks)
			e.Cycle(0)
			var lent map[string]int64
			share := map[string]float64{}
			for _, s := range e.Queues().States() {
				if s.Share != nil {
					share[s.Name] = *s.Share
				}
				for _, u := range s.Usage {
					if u.Lent > 0 {
						lent = map[string]int64{s.Name + "/" + u.Resource: u.Lent}
					}
				}
			}
			if diff := cmp.Diff(tc.share, share); diff != "" {
				t.Errorf("shares (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.lent, lent); diff != "" {
				t.Errorf("lent (-want +got):\n%s", diff)
			}
		})
	}
}

// Each ask that waits in a queue itself is counted once, by its reason.
func TestWaiting(t *testing.T) {
	t.Parallel()
	const asks = `
		x queue=a cpu=1 at=1
		y queue=a cpu=1 at=2
		z queue=a cpu=1 at=3
		twice queue=a cpu=2 at=4
		big queue=a cpu=9
		other queue=a cpu=1 label=team:b`
	tests := map[string]struct {
		queues string
		cycle  bool
		want   map[string]int32
	}{
		"nobody has looked": {queues: "a cpu=3", want: map[string]int32{"Undecided": 4, "ExceedsQuota": 2}},
		"no room":           {queues: "a cpu=3", cycle: true, want: map[string]int32{"WaitingForQuota": 3, "ExceedsQuota": 2}},
		"strict":            {queues: "a cpu=6 strict", cycle: true, want: map[string]int32{"WaitingForQuota": 3, "ExceedsQuota": 1}},
		"held":              {queues: "a cpu=6 hold", cycle: true, want: map[string]int32{"QueueHeld": 5, "ExceedsQuota": 1}},
		"full":              {queues: "a max=1 cpu=9", cycle: true, want: map[string]int32{"MaxRunning": 4, "ExceedsQuota": 1}},
		"selected":          {queues: "a cpu=3 only=team:b", cycle: true, want: map[string]int32{"NamespaceNotAllowed": 5}},
		"below":             {queues: "a\nb in=a", cycle: true, want: map[string]int32{"ReferenceNotFound": 6}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, tc.queues, asks)
			if tc.cycle {
				e.Cycle(0)
			}
			s, _ := e.Queues().State("a")
			if diff := cmp.Diff(tc.want, s.Waiting); diff != "" {
				t.Errorf("waiting (-want +got):\n%s", diff)
			}
			sum := int32(0)
			for reason, n := range s.Waiting {
				if reason != queueing.ReasonExceedsQuota { // these do not wait
					sum += n
				}
			}
			if sum != s.Pending {
				t.Errorf("%d wait, pending are %d", sum, s.Pending)
			}
			if below, exists := e.Queues().State("b"); exists && len(below.Waiting) > 0 {
				t.Errorf("in queue b wait %v", below.Waiting)
			}
		})
	}
}

func TestStateOfBrokenQueues(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "a in=nobody\nb in=a\nc in=d\nd in=c\nold deleted", "x queue=b")
	want := map[string]string{
		"a": "ParentNotFound: queue a has the parent nobody, which does not exist; create queue nobody, or change spec.parent of queue a",
		"b": "ParentNotFound: queue a, above b, has the parent nobody, which does not exist; create queue nobody, or change spec.parent of queue a",
		"c": "Cycle: queue c is its own ancestor: c → d → c; change spec.parent of one of these",
		"d": "Cycle: queue d is its own ancestor: d → c → d; change spec.parent of one of these",
	}
	got := map[string]string{}
	for _, s := range e.Queues().States() {
		got[s.Name] = s.Problem + ": " + s.Message
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// Heads lists the first asks in order, across shapes, without those that can never start.
func TestHeads(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		asks int
		want int
	}{
		"nobody":           {asks: 0, want: 0},
		"one":              {asks: 1, want: 1},
		"all of a few":     {asks: 17, want: 17},
		"exactly all":      {asks: explain.HeadsShown, want: explain.HeadsShown},
		"the first of all": {asks: 500, want: explain.HeadsShown},
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
			s, _ := e.Queues().State("a")
			if int(s.Pending) != tc.asks {
				t.Errorf("%d wait, want %d", s.Pending, tc.asks)
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
				if x.Pending.Position != i+1 {
					t.Errorf("%s is head %d, and its position is %d", h.Key.Name, i+1, x.Pending.Position)
				}
			}
		})
	}
}
