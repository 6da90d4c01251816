// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/explain"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/phrases"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// shown returns an explanation as lines.
func shown(x explain.Explanation) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s in %s\n", says(queueing.Verdict{State: x.State, Reason: x.Reason}), x.Queue)
	if w := x.Pending; w != nil {
		fmt.Fprintf(&out, "position %d of %d behind%s\n", w.Position, w.InLine, headNames(w.Ahead))
		if len(w.ReservedFor) > 0 {
			fmt.Fprintf(&out, "kept for%s\n", headNames(w.ReservedFor))
		}
		for _, n := range w.Needs {
			fmt.Fprintln(&out, needShown(n))
		}
		for _, u := range w.Remedies {
			fmt.Fprintf(&out, "- %s\n", u)
		}
	}
	if h := x.Holding; h != nil {
		fmt.Fprintf(&out, "holds run %d attempt %d:", h.Run, h.Attempt)
		for _, p := range h.PodSets {
			fmt.Fprintf(&out, " %d %s in %s", p.Count, p.Name, p.Flavor)
		}
		if h.Eviction != nil {
			fmt.Fprintf(&out, "; wanted back by %q: %s: %s", h.Eviction.By.Name, h.Eviction.Reason, h.Eviction.Message)
		}
		if h.Terminating {
			out.WriteString("; leaving")
		}
	}
	return strings.TrimSpace(out.String())
}

func headNames(heads []explain.Head) string {
	out := ""
	for _, h := range heads {
		out += fmt.Sprintf(" %s(%d)", h.Key.Name, h.Priority)
	}
	return out
}

func needShown(n explain.Need) string {
	out := fmt.Sprintf("%s/%s needs %s free %s most %s", n.Resource, n.Flavor, phrases.Amount(n.Resource, n.Need), phrases.Amount(n.Resource, n.Available),
		phrases.Amount(n.Resource, n.Most))
	for _, o := range n.BlockedBy {
		out += fmt.Sprintf("; %s uses %s of %s", o.Queue, phrases.Amount(n.Resource, o.Used), phrases.Amount(n.Resource, o.Limit))
	}
	if n.Missing > 0 {
		out += "; missing " + phrases.Amount(n.Resource, n.Missing)
	}
	return out
}

func TestExplain(t *testing.T) {
	t.Parallel()
	const tree = "root cpu=4\na in=root cpu=3 borrow:cpu=2\nb in=root cpu=3"
	const pods = "\npods/default needs 3 free without limit most without limit"
	tests := map[string]struct {
		queues string
		// running are granted first, then asks are submitted, then late ones.
		running, asks, late string
		of, want            string
	}{
		"room is missing": {
			queues: "a cpu=6", running: "x queue=a cpu=1\ny queue=a cpu=500m", asks: "pi queue=a cpu=1 at=1", of: "pi",
			want: "Waiting/WaitingForQuota in a\nposition 1 of 1 behind\ncpu/default needs 3 free 1.5 most 6; a uses 4.5 of 6; missing 1.5" + pods +
				"\n- cpu 1.5 more of flavor default must be released in queue a; or raise nominal of queue a",
		},
		"two limits are in the way": {
			queues: tree, running: "x queue=a cpu=1\ny queue=b cpu=2", asks: "pi queue=a cpu=1", of: "pi",
			want: "Waiting/WaitingForQuota in a\nposition 1 of 1 behind\ncpu/default needs 3 free 1 most 5; a uses 3 of 5; root uses 9 of 10; missing 2" + pods +
				"\n- cpu 1 more of flavor default must be released in queue a, and 2 in all in and below queue root; or raise nominal or borrowingLimit of queue a, and nominal of queue root",
		},
		"the nearest before it": {
			queues: "a cpu=3", running: "x queue=a cpu=1",
			asks: "p1 queue=a cpu=1 prio=5\np2 queue=a cpu=900m at=1\np3 queue=a cpu=1 at=2\np4 queue=a cpu=1 at=3\np5 queue=a cpu=800m at=4\np6 queue=a cpu=1 at=5\n" +
				"pi queue=a cpu=1 at=6\np8 queue=a cpu=700m at=7\nbig queue=a cpu=9 prio=9",
			of: "pi",
			want: "Waiting/WaitingForQuota in a\nposition 7 of 8 behind p2(0) p3(0) p4(0) p5(0) p6(0)\ncpu/default needs 3 free 0 most 3; a uses 3 of 3; missing 3" + pods +
				"\n- cpu 3 more of flavor default must be released in queue a; or raise nominal of queue a",
		},
		"above quota": {
			queues: "a cpu=3 max=9", running: "x queue=a cpu=1", asks: "pi queue=a cpu=500m min=1 executors=9", of: "pi",
			want: "Waiting/WaitingForQuota in a\nposition 1 of 1 behind\ncpu/default needs 1 free 0 most 3; a uses 3 of 3; missing 1" +
				"\npods/default needs 2 free without limit most without limit" +
				"\n- cpu 1 more of flavor default must be released in queue a; or raise nominal of queue a",
		},
		"another flavor": {
			queues: "a cpu=3 cpu/spot=4", running: "x queue=a cpu=1\ny queue=a cpu=1", asks: "pi queue=a cpu=1", of: "pi",
			want: "Waiting/WaitingForQuota in a\nposition 1 of 1 behind\ncpu/default needs 3 free 0 most 3; a uses 3 of 3; missing 3" + pods +
				"\n- cpu 3 more of flavor default must be released in queue a; or raise nominal of queue a" +
				"\n- or, in flavors default for the driver and spot for the executor, cpu 1 more of flavor default must be released in queue a; or raise nominal of queue a" +
				"\n- cpu 1 more of flavor spot must be released in queue a; or raise nominal of queue a" +
				"\n- or, in flavors spot for the driver and default for the executor, cpu 2 more of flavor default must be released in queue a; or raise nominal of queue a",
		},
		"held, full and no room": {
			queues: "root hold\ndept in=root max=1 borrow:cpu=0 cpu=3\na in=dept hold", running: "", asks: "pi queue=a cpu=1", of: "pi",
			want: "Waiting/QueueHeld in a\nposition 1 of 1 behind\ncpu/default needs 3 free 3 most 3" + pods +
				"\n- resume queue a: its stopPolicy is Hold\n- resume queue root: its stopPolicy is Hold",
		},
		"full": {
			queues: "root max=1\na in=root\nb in=root", running: "x queue=b cpu=1", asks: "pi queue=a cpu=1", of: "pi",
			want: "Waiting/MaxRunning in a\nposition 1 of 1 behind\ncpu/default needs 3 free without limit most without limit" + pods +
				"\n- wait for one of the 1 that queue root has admitted to end, or raise its maxRunning (1)",
		},
		"not first in a strict queue": {
			queues: "a cpu=3 strict", running: "x queue=a cpu=100m", asks: "big queue=a cpu=1\npi queue=a cpu=200m at=1", of: "pi",
			want: "Waiting/WaitingForQuota in a\nposition 2 of 2 behind big(0)\ncpu/default needs 600m free 2.7 most 3" + pods +
				"\n- the head of queue a must start first: the queue is StrictFIFO",
		},
		"first in a strict queue": {
			queues: "a cpu=3 strict", running: "x queue=a cpu=100m", asks: "big queue=a cpu=1\npi queue=a cpu=200m at=1", of: "big",
			want: "Waiting/WaitingForQuota in a\nposition 1 of 2 behind\ncpu/default needs 3 free 2.7 most 3; a uses 300m of 3; missing 300m" + pods +
				"\n- cpu 300m more of flavor default must be released in queue a; or raise nominal of queue a",
		},
		"too much for the queue": {
			queues: tree, asks: "pi queue=a cpu=2", of: "pi",
			want: "Refused/ExceedsQuota in a\nposition 0 of 0 behind\ncpu/default needs 6 free 5 most 5; a uses 0 of 5; missing 1" + pods +
				"\n- raise nominal or borrowingLimit of queue a by cpu 1 of flavor default, or request less",
		},
		"too much for all": {
			queues: "root cpu=4\na in=root", asks: "pi queue=a cpu=2", of: "pi",
			want: "Refused/ExceedsQuota in a\nposition 0 of 0 behind\ncpu/default needs 6 free 4 most 4; root uses 0 of 4; missing 2" + pods +
				"\n- raise nominal of queue root by cpu 2 of flavor default, or request less",
		},
		"another namespace": {
			queues: "a only=team:a", asks: "pi queue=a cpu=1", of: "pi",
			want: "Waiting/NamespaceNotAllowed in a\nposition 0 of 0 behind\ncpu/default needs 3 free without limit most without limit" + pods +
				"\n- label namespace default so that it matches team=a, or change the namespaceSelector of queue a",
		},
		"no namespace": {
			queues: "a nobody", asks: "pi queue=a", of: "pi",
			want: "Waiting/NamespaceNotAllowed in a\nposition 0 of 0 behind" + pods + "\n- set the namespaceSelector of queue a; {} admits every namespace",
		},
		"no limits": {
			queues: "a", asks: "pi queue=a guarded", of: "pi",
			want: "Waiting/NamespaceNotAllowed in a\nposition 0 of 0 behind" + pods + "\n- use a queue with quotas, or ask an administrator to allow " +
				"namespace default to use queue a: in the namespace's list of allowed queues, in the queue's namespaceSelector, or by giving the queue quotas",
		},
		"no flavor": {
			queues: "a cpu=4", asks: "pi queue=a cpu=1 flavor=gpu", of: "pi",
			want: "Waiting/FlavorMismatch in a\nposition 0 of 0 behind" +
				"\n- change tolerations, nodeSelector or spec.queue.flavors so that the pods fit a flavor of queue a (default), or add a flavor to the queue",
		},
		"no queue": {
			asks: "pi queue=a", of: "pi",
			want: "Waiting/ReferenceNotFound in a\nposition 0 of 0 behind\n- create queue a, or name another one in spec.queue.name",
		},
		"no parent": {
			queues: "dept in=org\na in=dept", asks: "pi queue=a", of: "pi",
			want: "Waiting/ReferenceNotFound in a\nposition 0 of 0 behind\n- create queue org, or change the parent of queue dept",
		},
		"a circle": {
			queues: "a in=b\nb in=a", asks: "pi queue=a", of: "pi",
			want: "Waiting/ReferenceNotFound in a\nposition 0 of 0 behind\n- change the parent of queue a, which is its own ancestor",
		},
		"not a leaf": {
			queues: "root\na in=root\nb in=root", asks: "pi queue=root", of: "pi",
			want: "Waiting/ReferenceNotFound in root\nposition 0 of 0 behind\n- name a leaf queue in spec.queue.name: a, b",
		},
		"nobody has looked": {
			queues: "a cpu=6", late: "pi queue=a cpu=1", of: "pi",
			want: "Undecided in a\nposition 1 of 1 behind\ncpu/default needs 3 free 6 most 6" + pods +
				"\n- nothing: enough quota is free; it will be admitted in the next cycle",
		},
		"holds": {
			queues: "a cpu=6", running: "pi queue=a cpu=1 executors=3 min=1", of: "pi",
			want: "Granted in a\nholds run 1 attempt 1: 1 driver in default 3 executor in default",
		},
		"holds another attempt": {
			queues: "a cpu=6", running: "pi queue=a cpu=1", late: "pi queue=a cpu=1 attempt=2", of: "pi",
			want: "Waiting/WaitingForQuota in a\nposition 0 of 0 behind" +
				"\n- run 1 attempt 1 must end: its grant is released when none of its pods is active" +
				"\nholds run 1 attempt 1: 1 driver in default 2 executor in default",
		},
		"holds, and the queue is gone": {
			queues: "a cpu=6 deleted", running: "pi queue=a cpu=1", of: "pi",
			want: "Waiting/ReferenceNotFound in a\nposition 0 of 0 behind\n- create queue a, or name another one in spec.queue.name",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := New()
			e.Configure(queuesOf(t, tc.queues), []config.Flavor{{Name: "spot"}})
			submit(t, e, tc.running)
			e.Cycle(0)
			submit(t, e, tc.asks)
			e.Cycle(0)
			submit(t, e, tc.late)
			before := e.Queues().States()
			x, found := e.Explain(keyOf(tc.of))
			if !found {
				t.Fatal("nothing is explained")
			}
			if diff := cmp.Diff(strings.Split(tc.want, "\n"), strings.Split(shown(x), "\n")); diff != "" {
				t.Errorf("explanation (-want +got):\n%s", diff)
			}
			again, _ := e.Explain(keyOf(tc.of))
			if diff := cmp.Diff(shown(x), shown(again)) + cmp.Diff(before, e.Queues().States()); diff != "" {
				t.Errorf("it has changed something (-before +after):\n%s", diff)
			}
		})
	}
}

func TestExplainUnknown(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "a cpu=6", "pi queue=a cpu=1")
	e.Release(keyOf("pi"))
	for _, name := range []string{"pi", "nobody"} {
		if x, found := e.Explain(keyOf(name)); found {
			t.Errorf("%s is explained: %s", name, shown(x))
		}
	}
}

// The explanation names the ask that reclaims quota, the grant that loses it, and the reservation because of which an
// ask cannot use free quota.
func TestExplainClaims(t *testing.T) {
	t.Parallel()
	const queues = "root\na in=root cpu=6\nb in=root cpu=6\nc in=root"
	e := New()
	configs := queuesOf(t, queues)
	configs[2].Preemption.Reclaim = config.PreemptAny
	e.SetQueues(configs)
	submit(t, e, "x queue=a cpu=2\ny queue=a cpu=2")
	e.Cycle(0)
	submit(t, e, "pi queue=b cpu=2")
	e.Cycle(0)
	submit(t, e, "z queue=c cpu=1 at=9")
	e.Cycle(0)
	wants := map[string]string{
		"y": `Evicting in a
			holds run 1 attempt 1: 1 driver in default 2 executor in default; wanted back by "pi": Preempted: preempted by default/pi: queue b reclaims quota that queue a borrowed`,
		"pi": `Waiting/WaitingForQuota in b
			position 1 of 1 behind
			cpu/default needs 6 free 0 most 12; root uses 12 of 12; missing 6
			pods/default needs 3 free without limit most without limit
			- the preempted holders of quota must end; the quota that they release is reserved for this ask`,
		"z": `Waiting/WaitingForQuota in c
			position 1 of 1 behind
			cpu/default needs 3 free 0 most 12; root uses 12 of 12; missing 3
			pods/default needs 3 free without limit most without limit
			- cpu 3 more of flavor default must be released in and below queue root; or raise nominal of queue root`,
	}
	for name, want := range wants {
		x, _ := e.Explain(keyOf(name))
		if diff := cmp.Diff(linesOf(want), linesOf(shown(x))); diff != "" {
			t.Errorf("explanation of %s (-want +got):\n%s", name, diff)
		}
	}
	e.Release(keyOf("y"))
	x, _ := e.Explain(keyOf("z"))
	const want = `Waiting/WaitingForQuota in c
		position 1 of 1 behind
		kept for pi(0)
		cpu/default needs 3 free 6 most 12
		pods/default needs 3 free without limit most without limit
		- asks that preempted others start first; the free quota is reserved for them`
	if diff := cmp.Diff(linesOf(want), linesOf(shown(x))); diff != "" {
		t.Errorf("explanation of one for whom the free room is not (-want +got):\n%s", diff)
	}
}

// An ask that has waited too long gets a reservation, and the verdicts of the asks that it blocks say so.
func TestExplainReservation(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "a cpu=6", "x queue=a cpu=1")
	e.Advance(epoch)
	e.Cycle(0)
	submit(t, e, "big queue=a cpu=2 at=1")
	e.Cycle(0)
	e.Advance(epoch.Add(config.DefaultHeadTimeout + time.Second))
	submit(t, e, "pi queue=a cpu=1 at=2")
	e.Cycle(0)
	x, _ := e.Explain(keyOf("pi"))
	const want = `Waiting/WaitingForQuota in a
		position 2 of 2 behind big(0)
		kept for big(0)
		cpu/default needs 3 free 3 most 6
		pods/default needs 3 free without limit most without limit
		- the head of queue a must start first: free quota is reserved for it because it has waited longer than the queue's headTimeout (10m0s)`
	if diff := cmp.Diff(linesOf(want), linesOf(shown(x))); diff != "" {
		t.Errorf("explanation (-want +got):\n%s", diff)
	}
	q, _ := e.Queues().Explain("a")
	if diff := cmp.Diff([]explain.Head{{Key: keyOf("big")}}, q.ReservedFor); diff != "" {
		t.Errorf("kept for (-want +got):\n%s", diff)
	}
}

func TestExplainQueue(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "root cpu=4 hold\ndept in=root cpu=3 max=1\na in=dept cpu=3 borrow:cpu=1\nb in=root", "")
	e.Restore(keyOf("x"), queueing.Grant{Run: 1, Attempt: 1, Queue: "a", PodSets: []queueing.PodSetGrant{
		{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 5000, "pods": 1}},
	}})
	e.Cycle(0)
	tests := map[string]struct {
		full string
		room []explain.Headroom
	}{
		"root": {room: []explain.Headroom{{Available: 5000, Most: 10000}, {Available: quota.Unlimited, Most: quota.Unlimited}}},
		"dept": {full: "dept", room: []explain.Headroom{{Available: 5000, Most: 10000}, {Available: quota.Unlimited, Most: quota.Unlimited}}},
		"a":    {full: "dept", room: []explain.Headroom{{Available: -1000, Most: 4000}, {Available: quota.Unlimited, Most: quota.Unlimited}}},
		"b":    {room: []explain.Headroom{{Available: 5000, Most: 10000}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, exists := e.Queues().Explain(name)
			state, _ := e.Queues().State(name)
			want := explain.QueueExplanation{QueueState: state, AtMaxRunning: tc.full, Headroom: tc.room}
			if diff := cmp.Diff(want, got); diff != "" || !exists {
				t.Errorf("explanation, exists %t (-want +got):\n%s", exists, diff)
			}
		})
	}
	if got, exists := e.Queues().Explain("nobody"); exists {
		t.Errorf("there is a queue nobody: %+v", got)
	}
}
