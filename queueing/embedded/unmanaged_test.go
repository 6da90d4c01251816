// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

func podKey(name string) queueing.Key {
	return queueing.Key{Kind: "Pod", Namespace: "default", Name: name, UID: name}
}

// podAsk returns the ask of an unmanaged pod that is queued at a second of the tests' day.
func podAsk(name, queue, podSet string, at int) queueing.Ask {
	return queueing.Ask{
		Key: podKey(name), Run: 1, Attempt: 1, Queue: queue, Part: podSet != "driver", QueuedAt: epoch.Add(time.Duration(at) * time.Second),
		PodSets: []queueing.PodSet{{Name: podSet, Count: 1, Requests: queueing.Resources{"pods": 1, "cpu": 1000}}},
	}
}

// TestExecutorsBeforeAFullHead: the head of a StrictFIFO queue that waits for maxRunning does not block the executors
// of the driver that it waits for, even if its priority is higher. It stays the head for all others.
func TestExecutorsBeforeAFullHead(t *testing.T) {
	t.Parallel()
	for name, queue := range map[string]string{
		"full":       "team-a cpu=6 max=1 strict",
		"full above": "root cpu=6 max=1\nteam-a in=root cpu=6 strict",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, queue, "")
			e.Submit(podAsk("driver", "team-a", "driver", 1))
			decide(t, e, "driver")
			submit(t, e, "urgent queue=team-a cpu=1 prio=9 at=2")
			submit(t, e, "later queue=team-a cpu=1 at=3")
			e.Submit(podAsk("exec-1", "team-a", "executor", 1))
			e.Submit(podAsk("exec-2", "team-a", "executor", 1))
			decide(t, e, "exec-1 exec-2")
			for _, waits := range []string{"urgent", "later"} {
				if got, want := says(e.Verdict(keyOf(waits))), "Waiting/MaxRunning"; got[:len(want)] != want {
					t.Errorf("%s is told %s", waits, got)
				}
			}
			e.Release(podKey("driver"))
			decide(t, e, "urgent")
		})
	}
}

// TestExecutorsAsSoonAsTheHeadIsFull: executors overtake the head of a StrictFIFO queue in the same cycle in which
// maxRunning is reached, and their verdicts say what else blocks them.
func TestExecutorsAsSoonAsTheHeadIsFull(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "root cpu=10 max=2\nteam-a in=root strict\nteam-b in=root", "")
	e.Submit(podAsk("driver", "team-a", "driver", 1))
	decide(t, e, "driver")
	submit(t, e, "urgent queue=team-a cpu=3100m prio=9 at=2")
	e.Submit(podAsk("exec-1", "team-a", "executor", 1))
	decide(t, e, "")
	submit(t, e, "other queue=team-b cpu=1 at=3")
	large := podAsk("exec-2", "team-a", "executor", 2)
	large.PodSets[0].Requests["cpu"] = 6000
	e.Submit(large)
	decide(t, e, "other exec-1")
	if got, want := e.Verdict(large.Key).Message, "needs cpu 6 of flavor default; queue root"; !strings.HasPrefix(got, want) {
		t.Errorf("exec-2 is told %q, want %q", got, want)
	}
}

// TestPodsOfNoApplication: a driver counts as an application and waits for maxRunning like one. Its executors do
// neither, and come before applications that were queued after the driver.
func TestPodsOfNoApplication(t *testing.T) {
	t.Parallel()
	for name, queue := range map[string]string{
		"best effort": "root cpu=10\nteam-a in=root cpu=4 borrow:cpu=0 max=1",
		"strict":      "root cpu=10\nteam-a in=root cpu=4 borrow:cpu=0 max=1 strict",
		"full above":  "root cpu=10 max=1\nteam-a in=root cpu=4 borrow:cpu=0",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, queue, "")
			e.Submit(podAsk("driver", "team-a", "driver", 1))
			decide(t, e, "driver")
			submit(t, e, "pi queue=team-a cpu=200m at=2")
			e.Submit(podAsk("second", "team-a", "driver", 3))
			for _, exec := range []string{"exec-1", "exec-2", "exec-3", "exec-4"} {
				e.Submit(podAsk(exec, "team-a", "executor", 1))
			}
			decide(t, e, "exec-1 exec-2 exec-3")
			if got, want := says(e.Verdict(keyOf("pi"))), "Waiting/MaxRunning"; got[:len(want)] != want {
				t.Errorf("the application is told %s", got)
			}
			if got, want := says(e.Verdict(podKey("exec-4"))), "Waiting/WaitingForQuota"; got[:len(want)] != want {
				t.Errorf("the last executor is told %s", got)
			}
			counts(t, e, "team-a", [4]int32{2, 1, 2, 4}) // pi and second wait, the driver is in; pods: second and exec-4 wait
			counts(t, e, "root", [4]int32{2, 1, 2, 4})

			for _, pod := range []string{"exec-1", "exec-2", "exec-3", "driver"} {
				e.Release(podKey(pod))
			}
			e.Release(podKey("exec-4"))
			decide(t, e, "pi")
			counts(t, e, "team-a", [4]int32{1, 1, 1, 0})
		})
	}
}

// TestRestoredPods: pods that ran before a restart are charged and counted as before.
func TestRestoredPods(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "team-a cpu=2 max=5", "")
	for _, pod := range []struct{ name, set string }{{"driver", "driver"}, {"exec-1", "executor"}} {
		e.Restore(podKey(pod.name), queueing.Grant{
			Run: 1, Attempt: 1, Gate: state.GateName, Queue: "team-a", Part: pod.set != "driver",
			PodSets: []queueing.PodSetGrant{{Name: pod.set, Flavor: config.DefaultFlavor, Count: 1, Requests: queueing.Resources{"cpu": 1000}}},
		})
	}
	counts(t, e, "team-a", [4]int32{0, 1, 0, 2})
	e.Submit(podAsk("exec-2", "team-a", "executor", 1))
	decide(t, e, "")
	e.Release(podKey("exec-1"))
	decide(t, e, "exec-2")
	e.SetQueues(queuesOf(t, "root cpu=9\nteam-a in=root cpu=2"))
	counts(t, e, "root", [4]int32{0, 1, 0, 2})
}

func decide(t *testing.T, e *Engine, want string) {
	t.Helper()
	if got := names(e.Cycle(0)); got != want {
		t.Fatalf("granted %q, want %q", got, want)
	}
}

// counts compares the pending and admitted counts, of applications and of pods.
func counts(t *testing.T, e *Engine, queue string, want [4]int32) {
	t.Helper()
	s, _ := e.Queues().State(queue)
	pods := s.Kinds["Pod"]
	if got := [4]int32{s.Pending, s.Admitted, pods.Pending, pods.Admitted}; got != want {
		t.Errorf("queue %s counts %v, want %v", queue, got, want)
	}
}
