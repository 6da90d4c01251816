// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// Applications that run under the first configuration continue under the second, and are charged to the right queues.
func TestReconfigure(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before, running, after, asks string
		// want are the grants after the change, in order.
		want string
		// verdicts are the verdicts after the change.
		verdicts map[string]string
	}{
		"quota cut below usage evicts nobody and admits nobody": {
			before: "a cpu=9", running: "x queue=a cpu=1\ny queue=a cpu=1",
			after: "a cpu=4", asks: "z queue=a cpu=10m",
			verdicts: map[string]string{
				"x": "Granted", "y": "Granted",
				"z": "Waiting/WaitingForQuota: needs cpu 30m of flavor default; queue a may use at most 4 (nominal 4, borrowing 0) and others hold the rest",
			},
		},
		"quota cut to nothing": {
			before: "a cpu=9", running: "x queue=a cpu=1", after: "a cpu=0", asks: "z queue=a cpu=10m",
			verdicts: map[string]string{
				"x": "Granted",
				"z": "Refused/ExceedsQuota: needs cpu 30m of flavor default; queue a can never use more than 0: request less, or raise nominal of queue a by cpu 30m",
			},
		},
		"quota raised": {
			before: "a cpu=3", running: "x queue=a cpu=1\ny queue=a cpu=1 at=1\nz queue=a cpu=1 at=2", after: "a cpu=9", want: "y z",
		},
		"too large before, not any more": {
			before: "a cpu=1", running: "x queue=a cpu=1", after: "a cpu=3", want: "x",
		},
		"no limits any more": {
			before: "a cpu=1", running: "x queue=a cpu=1", after: "a", want: "x",
		},
		"a neighbour keeps its unlent quota": {
			before: "root\na in=root cpu=6\nb in=root cpu=3 lend:cpu=0", running: "x queue=a cpu=2",
			after: "root\na in=root cpu=3\nb in=root cpu=6 lend:cpu=0", asks: "y queue=b cpu=1", want: "y",
		},
		"moved to another tree, with what it holds": {
			before: "r cpu=6\ns cpu=6\na in=r\nb in=s", running: "x queue=a cpu=1",
			after: "r cpu=6\ns cpu=6\na in=s\nb in=s", asks: "y queue=b cpu=1\nz queue=b cpu=1 at=1", want: "y",
		},
		"deleted, what it holds weighs on its parent": {
			before: "root cpu=3\na in=root cpu=3\nb in=root cpu=3", running: "x queue=a cpu=2",
			after: "root cpu=3\nb in=root cpu=3", asks: "y queue=b cpu=1\nz queue=a cpu=1",
			verdicts: map[string]string{
				"x": "Granted",
				"y": "Waiting/WaitingForQuota: needs cpu 3 of flavor default; queue root, above b, may use at most 6 (nominal 6 with what its children lend, borrowing 0) and others hold the rest",
				"z": "Waiting/ReferenceNotFound: queue a does not exist",
			},
		},
		"being deleted": {
			before: "root cpu=3\na in=root cpu=3\nb in=root cpu=3", running: "x queue=a cpu=2",
			after: "root cpu=3\na in=root cpu=3 deleted\nb in=root cpu=3", asks: "y queue=b cpu=1",
			verdicts: map[string]string{
				"y": "Waiting/WaitingForQuota: needs cpu 3 of flavor default; queue root, above b, may use at most 6 (nominal 6 with what its children lend, borrowing 0) and others hold the rest",
			},
		},
		"deleted without use weighs nothing": {
			before: "root cpu=3\na in=root cpu=3\nb in=root cpu=3", running: "w queue=b cpu=10m",
			after: "root cpu=3\nb in=root cpu=3", asks: "y queue=b cpu=1\nz queue=b cpu=900m at=1", want: "y z",
		},
		"deleted and back": {
			before: "a cpu=6", running: "x queue=a cpu=1", after: "a cpu=6", asks: "y queue=a cpu=1\nz queue=a cpu=1 at=1", want: "y",
		},
		"the parent is deleted": {
			before: "top cpu=3\nmid in=top cpu=3\na in=mid cpu=3\nb in=top", running: "x queue=a cpu=2",
			after: "top cpu=3\na in=mid cpu=3\nb in=top", asks: "y queue=b cpu=500m\nz queue=a cpu=10m",
			verdicts: map[string]string{
				"x": "Granted",
				"y": "Waiting/WaitingForQuota: needs cpu 1.5 of flavor default; queue top, above b, may use at most 3 (nominal 3 with what its children lend, borrowing 0) and others hold the rest",
				"z": "Waiting/ReferenceNotFound: queue a has the parent mid, which does not exist",
			},
		},
		"both are deleted": {
			before: "top cpu=6\nmid in=top\na in=mid cpu=3\nb in=top", running: "x queue=a cpu=2",
			after: "top cpu=6\nb in=top", asks: "y queue=b cpu=100m", verdicts: map[string]string{
				"y": "Waiting/WaitingForQuota: needs cpu 300m of flavor default; queue top, above b, may use at most 6 (nominal 6 with what its children lend, borrowing 0) and others hold the rest",
			},
		},
		"got children while in use": {
			before: "a cpu=6", running: "x queue=a cpu=1",
			after: "a cpu=6\nb in=a", asks: "y queue=b cpu=1\nz queue=b cpu=1 at=1\nw queue=a cpu=1", want: "y",
			verdicts: map[string]string{"x": "Granted", "w": "Waiting/ReferenceNotFound: queue a admits nothing itself; submit to one of its leaf queues: b"},
		},
		"became a cycle while in use": {
			before: "a cpu=6\nb in=a", running: "x queue=b cpu=1", after: "a cpu=6 in=b\nb in=a", asks: "y queue=b cpu=1",
			verdicts: map[string]string{"x": "Granted", "y": "Waiting/ReferenceNotFound: queue b is its own ancestor: b → a → b"},
		},
		"a flavor is taken away": {
			before: "a cpu=6", running: "x queue=a cpu=1", after: "a cpu/spot=6", asks: "y queue=a cpu=1",
			verdicts: map[string]string{"x": "Granted", "y": "Waiting/FlavorMismatch: no flavor of queue a fits the driver pods: flavor spot does not exist"},
		},
		"another selector": {
			before: "a only=team:a", running: "x queue=a label=team:b\ny queue=a label=team:a",
			after: "a only=team:b", asks: "z queue=a label=team:a", want: "x",
			verdicts: map[string]string{"y": "Granted", "z": "Waiting/NamespaceNotAllowed: queue a admits namespaces with team=b; the labels of this namespace do not match"},
		},
		"held and let go": {
			before: "a hold", running: "x queue=a", after: "a", want: "x",
		},
		"fewer may run": {
			before: "a max=2", running: "x queue=a\ny queue=a", after: "a max=1", asks: "z queue=a",
			verdicts: map[string]string{"x": "Granted", "y": "Granted", "z": "Waiting/MaxRunning: queue a has reached its maxRunning of 1"},
		},
		"queues without a name are ignored": {
			before: "a", running: "x queue=a", after: "a\n=1", asks: "y queue=\nz queue=a", want: "z",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, tc.before, tc.running)
			e.Cycle(0)
			e.SetQueues(queuesOf(t, tc.after))
			submit(t, e, tc.asks)
			if got := names(e.Cycle(0)); got != tc.want {
				t.Errorf("granted %q, want %q", got, tc.want)
			}
			for name, want := range tc.verdicts {
				if got := says(e.Verdict(keyOf(name))); got != want {
					t.Errorf("%s:\n got %s\nwant %s", name, got, want)
				}
			}
		})
	}
}

// A ghost is removed once its grants are released. A queue that is created again finds its grants.
func TestGhost(t *testing.T) {
	t.Parallel()
	const all = "root cpu=3\na in=root cpu=3\nb in=root cpu=3"
	const without = "root cpu=3\nb in=root cpu=3"
	tests := map[string]struct {
		act  func(t *testing.T, e *Engine)
		used map[string]int64
	}{
		"there": {act: func(*testing.T, *Engine) {}, used: map[string]int64{"root": 6000, "b": 0}},
		"given back": {
			act: func(_ *testing.T, e *Engine) { e.Release(keyOf("x")) }, used: map[string]int64{"root": 0, "b": 0},
		},
		"another configuration": {
			act: func(t *testing.T, e *Engine) { e.SetQueues(queuesOf(t, without)) }, used: map[string]int64{"root": 6000, "b": 0},
		},
		"back": {
			act: func(t *testing.T, e *Engine) { e.SetQueues(queuesOf(t, all)) }, used: map[string]int64{"root": 6000, "a": 6000, "b": 0},
		},
		"back elsewhere": {
			act: func(t *testing.T, e *Engine) {
				e.SetQueues(queuesOf(t, "root cpu=3\na cpu=1\nb in=root"))
			}, used: map[string]int64{"root": 0, "a": 6000, "b": 0},
		},
		"its parent is gone too": {
			act: func(t *testing.T, e *Engine) { e.SetQueues(queuesOf(t, "b cpu=3")) }, used: map[string]int64{"b": 0},
		},
		"its parent is back": {
			act: func(t *testing.T, e *Engine) {
				e.SetQueues(queuesOf(t, "b cpu=3"))
				e.SetQueues(queuesOf(t, without))
			}, used: map[string]int64{"root": 6000, "b": 0},
		},
		"its parent moves below it": {
			act: func(t *testing.T, e *Engine) {
				e.SetQueues(queuesOf(t, "root in=a cpu=3\nb in=root"))
			}, used: map[string]int64{"root": 0, "b": 0},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, all, "x queue=a cpu=2")
			e.Cycle(0)
			e.SetQueues(queuesOf(t, without))
			tc.act(t, e)
			got := map[string]int64{}
			for _, s := range e.Queues().States() {
				got[s.Name] = s.Usage[0].Used
			}
			if diff := cmp.Diff(tc.used, got); diff != "" {
				t.Errorf("used (-want +got):\n%s", diff)
			}
			e.Cycle(0)
		})
	}
}

// An engine that has never seen a deleted queue charges its grants to the nearest existing ancestor.
func TestGhostOfBefore(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		queues    string
		ancestors []string
		used      map[string]int64
	}{
		"its parent exists":             {"root cpu=3\nb in=root cpu=3", []string{"root"}, map[string]int64{"root": 6000, "b": 0}},
		"its parent is gone":            {"root cpu=3\nb in=root cpu=3", []string{"mid", "root"}, map[string]int64{"root": 6000, "b": 0}},
		"it exists, its parent is gone": {"root cpu=3\na in=mid cpu=3\nb in=root cpu=3", []string{"mid", "root"}, map[string]int64{"root": 3000, "a": 6000, "b": 0}},
		"one above its parent, too": {
			"root cpu=3\nmid in=low cpu=3\nb in=root cpu=3", []string{"mid", "low", "root"}, map[string]int64{"root": 3000, "mid": 6000, "b": 0},
		},
		"its parent has moved": {"top cpu=3\nroot in=top\nb in=root cpu=3", []string{"root"}, map[string]int64{"top": 6000, "root": 6000, "b": 0}},
		"its tree is gone":     {"b cpu=3", []string{"root"}, map[string]int64{"b": 0}},
		"it was a root":        {"root cpu=3\nb in=root cpu=3", nil, map[string]int64{"root": 0, "b": 0}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			granted := engineWith(t, "root cpu=3\na in=root cpu=3", "x queue=a cpu=2").Cycle(0)[0]
			if diff := cmp.Diff([]string{"root"}, granted.Grant.Ancestors); diff != "" {
				t.Errorf("ancestors (-want +got):\n%s", diff)
			}
			granted.Grant.Ancestors = tc.ancestors
			e := engineWith(t, tc.queues, "")
			e.Restore(granted.Key, granted.Grant)
			got := map[string]int64{}
			for _, s := range e.Queues().States() {
				got[s.Name] = s.Usage[0].Used
			}
			if diff := cmp.Diff(tc.used, got); diff != "" {
				t.Errorf("used (-want +got):\n%s", diff)
			}
			e.Release(granted.Key)
			for _, s := range e.Queues().States() {
				if s.Usage[0].Used != 0 {
					t.Errorf("queue %s still has %d in use", s.Name, s.Usage[0].Used)
				}
			}
		})
	}
}

// A queue that is not configured, and in which nothing waits or runs, takes no memory.
func TestUnknownQueuesAreForgotten(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "a", "x queue=nowhere\ny queue=nowhere")
	e.Restore(keyOf("z"), grantOf(1, 1, "elsewhere", 5))
	if got := len(e.hierarchy.Queues); got != 3 {
		t.Errorf("%d queues are known, want 3", got)
	}
	for _, name := range []string{"x", "y", "z"} {
		e.Release(keyOf(name))
	}
	if got := len(e.hierarchy.Queues); got != 1 {
		t.Errorf("%d queues are known, want 1", got)
	}
	if got := len(e.registry.Askers); got != 0 {
		t.Errorf("%d applications are known, want none", got)
	}
}

// The order of the listed queues does not matter, and the engine does not keep the list.
func TestSetQueuesTakesACopy(t *testing.T) {
	t.Parallel()
	e := New()
	queues := queuesOf(t, "root cpu=3\nb in=root\na in=root")
	e.SetQueues(queues)
	if queues[0].Name != "root" || queues[2].Name != "a" {
		t.Error("the list was sorted in place")
	}
	queues[0].Stop = config.StopHold
	submit(t, e, "x queue=a cpu=1")
	if got := names(e.Cycle(0)); got != "x" {
		t.Errorf("granted %q, want x", got)
	}
}

// TestClaimAfterAReload: when an application with a claim is gone, asks that fit without it start, also if queues were
// configured in between.
func TestClaimAfterAReload(t *testing.T) {
	t.Parallel()
	queues := "root\na in=root cpu=6 within=LowerPriority"
	e := engineWith(t, queues, "low queue=a cpu=1")
	e.Cycle(0)
	submit(t, e, "high queue=a prio=5 cpu=2")
	e.Cycle(0)
	e.SetQueues(queuesOf(t, queues+"\nb in=root"))
	submit(t, e, "small queue=a cpu=1 executors=0")
	if got := names(e.Cycle(0)); got != "" {
		t.Fatalf("%s is granted while quota is claimed", got)
	}
	e.Release(keyOf("high"))
	if got := names(e.Cycle(0)); got != "small" {
		t.Errorf("granted %q, want small, which fits now", got)
	}
}

// TestALimitThatIsGone: after a change of queues, a message no longer names the limit of a queue that is gone or no
// longer an ancestor, also while quota is reserved for another application.
func TestALimitThatIsGone(t *testing.T) {
	t.Parallel()
	before := "root\ndept in=root cpu=3 borrow:cpu=0\nteam in=dept\nbig in=root cpu=9"
	for name, after := range map[string]string{
		"deleted":         "root cpu=3\nteam in=root\nbig in=root cpu=9",
		"no longer above": "root cpu=3\ndept in=root borrow:cpu=0\nteam in=root\nbig in=root cpu=9",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, before, "x queue=team cpu=1\ny queue=big cpu=2")
			e.Advance(epoch)
			e.Cycle(0)
			submit(t, e, "late queue=team cpu=1 at=1\nhead queue=big cpu=2 at=1")
			e.Cycle(0)
			want := "Waiting/WaitingForQuota: needs cpu 3 of flavor default; queue dept, above team, may use at most 3 (nominal 3 with what its children lend, borrowing 0) and others hold the rest"
			if got := says(e.Verdict(keyOf("late"))); got != want {
				t.Fatalf("before:\n%s, want\n%s", got, want)
			}
			e.Advance(epoch.Add(config.DefaultHeadTimeout))
			e.SetQueues(queuesOf(t, after))
			e.Cycle(0)
			want = "Waiting/WaitingForQuota: needs cpu 3 of flavor default; free quota is reserved for asks that have headed their queue for longer than its headTimeout"
			if got := says(e.Verdict(keyOf("late"))); got != want {
				t.Errorf("after:\n%s, want\n%s", got, want)
			}
		})
	}
}

// TestNoGrowthWithoutARoot: while an ancestor is missing no grant grows, because no ledger could record it. The holder
// gets the reason.
func TestNoGrowthWithoutARoot(t *testing.T) {
	t.Parallel()
	whole := "root\na in=root cpu=9"
	e := engineWith(t, whole, "x queue=a cpu=1 executors=1 gated")
	e.Cycle(0)
	e.SetResizeRequest(keyOf("x"), 1, 1, queueing.ResizeRequest{PodSet: "executor", Count: 2})
	e.SetQueues(queuesOf(t, "a in=root cpu=9"))
	for _, d := range e.Cycle(0) {
		t.Errorf("grows by %d, in the ledger of queue %s", d.Grown, d.Root)
	}
	if got, want := e.Allocation(keyOf("x"), 1, 1).Why, "queue a has the parent root, which does not exist"; got != want {
		t.Errorf("hears %q, want %q", got, want)
	}
	e.SetQueues(queuesOf(t, whole))
	if got := names(e.Cycle(0)); got != "x" {
		t.Errorf("%q grows once the root is back, want x", got)
	}
}

// TestGrowthInAChangedFlavor: the pods by which a grant grows are placed on the nodes of the flavor's current
// configuration.
func TestGrowthInAChangedFlavor(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "a cpu/spot=9", "")
	for i, class := range []string{"spot", "preemptible"} {
		e.SetFlavors([]config.Flavor{{Name: "spot", NodeLabels: map[string]string{"class": class}}})
		submit(t, e, "x queue=a cpu=1 executors=1 gated")
		e.Cycle(0)
		e.SetResizeRequest(keyOf("x"), 1, 1, queueing.ResizeRequest{PodSet: "executor", Count: int32(i + 1)})
		grown := e.Cycle(0)
		if len(grown) != 1 {
			t.Fatalf("%d grow while the nodes are %s, want 1", len(grown), class)
		}
		e.Settle(keyOf("x"), grown[0].Grant)
		last := grown[0].Grant.PodSets[len(grown[0].Grant.PodSets)-1]
		if last.Count != int32(i+1) || last.NodeSelector["class"] != class {
			t.Errorf("%d pods above the base gang are placed on %v, want %d on %s", last.Count, last.NodeSelector, i+1, class)
		}
	}
}
