// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// scene is an engine with applications of one pod that arrive, run and are preempted, by name.
type scene struct {
	t      *testing.T
	engine *Engine
	jobs   map[string]queueing.Ask
}

// job is an application with that much cpu and that priority.
type job struct {
	queue    string
	cpu      int64
	priority int32
}

func newScene(t *testing.T, queues ...config.Queue) *scene {
	t.Helper()
	for i := range queues {
		queues[i].Admits = func(map[string]string) bool { return true }
	}
	s := &scene{t: t, engine: New(), jobs: map[string]queueing.Ask{}}
	s.engine.SetQueues(queues)
	return s
}

// leaf returns a queue below root with that much cpu.
func leaf(name string, nominal int64, p config.Preemption) config.Queue {
	return config.Queue{Name: name, Parent: "root", Preemption: p,
		Flavors: []config.FlavorQuota{{Name: config.DefaultFlavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: nominal}}}}}
}

// comes submits applications, one second after the other, and decides.
func (s *scene) comes(name string, j job) {
	s.t.Helper()
	key := queueing.Key{Namespace: "ns", Name: name, UID: name}
	ask := queueing.Ask{Key: key, Run: 1, Attempt: 1, Queue: j.queue, Priority: j.priority, QueuedAt: epoch.Add(time.Duration(len(s.jobs)) * time.Second),
		PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": j.cpu}}}}
	s.jobs[name] = ask
	s.engine.Submit(ask)
	s.engine.Cycle(0)
}

// goes ends the applications that were asked to, which then ask again.
func (s *scene) goes() {
	s.t.Helper()
	for _, name := range s.displaced() {
		ask := s.jobs[name]
		s.engine.Release(ask.Key)
		s.engine.Cycle(0)
		ask.Attempt++
		s.jobs[name] = ask
		s.engine.Submit(ask)
	}
	s.engine.Cycle(0)
}

func (s *scene) ends(name string) {
	s.t.Helper()
	s.engine.Release(s.jobs[name].Key)
	s.engine.Cycle(0)
}

// displaced returns the names of the preempted applications.
func (s *scene) displaced() []string {
	var out []string
	for name, ask := range s.jobs {
		if s.engine.Eviction(ask.Key, ask.Run, ask.Attempt) != nil {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func (s *scene) running() []string {
	var out []string
	for name, ask := range s.jobs {
		if v := s.engine.Verdict(ask.Key); v.State == queueing.Granted {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func (s *scene) want(what string, got []string, want ...string) {
	s.t.Helper()
	if diff := cmp.Diff(strings.Join(want, " "), strings.Join(got, " ")); diff != "" {
		s.t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

var (
	reclaimAny   = config.Preemption{Reclaim: config.PreemptAny}
	lowerWithin  = config.Preemption{Within: config.PreemptLowerPriority}
	newestWithin = config.Preemption{Within: config.PreemptLowerOrNewerEqualPriority}
)

func TestReclaim(t *testing.T) {
	s := newScene(t, config.Queue{Name: "root"}, leaf("a", 4, reclaimAny), leaf("b", 4, reclaimAny))
	for i := range 4 {
		s.comes(fmt.Sprintf("a%d", i), job{"a", 2, 0})
	}
	s.want("a borrows", s.running(), "a0", "a1", "a2", "a3")
	s.comes("b0", job{"b", 3, 0})
	s.want("the newest of those who borrow go, as many as it takes", s.displaced(), "a2", "a3")
	if v, want := s.engine.Verdict(s.jobs["b0"].Key), "Waiting/WaitingForQuota: waiting for ns/a3 and 1 more to release their quota"; says(v) != want {
		t.Errorf("got %s, want %s", says(v), want)
	}
	e := s.engine.Eviction(s.jobs["a3"].Key, 1, 1)
	if want := "preempted by ns/b0: queue b reclaims quota that queue a borrowed"; e.Reason != queueing.ReasonPreempted || e.Message != want || e.By.Name != "b0" {
		t.Errorf("got %+v, want %s", e, want)
	}
	s.comes("a4", job{"a", 1, 9})
	s.want("nobody takes the room meanwhile", s.running(), "a0", "a1")
	s.goes()
	s.want("and then", s.running(), "a0", "a1", "a4", "b0")
	s.want("it is over", s.displaced())
	s.ends("b0")
	s.want("whoever was displaced comes back in its turn", s.running(), "a0", "a1", "a2", "a4")
}

func withAll(q config.Queue) config.Queue {
	q.Admits = func(map[string]string) bool { return true }
	return q
}

func TestWithinAQueue(t *testing.T) {
	tests := map[string]struct {
		policy config.Preemption
		comes  job
		want   []string
	}{
		"never":                            {config.Preemption{}, job{"q", 2, 9}, nil},
		"lower priority":                   {lowerWithin, job{"q", 2, 5}, []string{"low"}},
		"the lowest first":                 {lowerWithin, job{"q", 4, 9}, []string{"low", "same"}},
		"nobody for less than it takes":    {lowerWithin, job{"q", 6, 5}, nil},
		"equal priority stays":             {lowerWithin, job{"q", 4, 5}, nil},
		"older ones of equal priority":     {newestWithin, job{"q", 4, 5}, nil}, // they all are older than the newcomer
		"reclaim is for other queues only": {reclaimAny, job{"q", 2, 9}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			q := withAll(leaf("q", 6, tc.policy))
			q.Parent = ""
			s := newScene(t, q)
			s.comes("same", job{"q", 2, 5})
			s.comes("low", job{"q", 2, 1})
			s.comes("high", job{"q", 2, 8})
			s.comes("new", tc.comes)
			s.want("displaced", s.displaced(), tc.want...)
		})
	}
}

// The ask that has waited longest preempts a newer application, also one that has overtaken it.
func TestNewerOfEqualPriority(t *testing.T) {
	q := withAll(leaf("q", 4, newestWithin))
	q.Parent = ""
	s := newScene(t, q)
	s.comes("first", job{"q", 2, 0})
	s.comes("big", job{"q", 4, 0}) // waits
	s.comes("small", job{"q", 2, 0})
	s.want("it is displaced as soon as it helps", s.displaced())
	s.ends("first")
	s.want("now", s.displaced(), "small")
	s.goes()
	s.want("then", s.running(), "big")
}

func TestBorrowWithinTree(t *testing.T) {
	three := int32(3)
	policy := config.Preemption{Reclaim: config.PreemptLowerPriority, Borrow: config.PreemptLowerPriority, BorrowThreshold: &three}
	s := newScene(t, config.Queue{Name: "root"}, leaf("a", 4, policy), leaf("b", 4, config.Preemption{}), leaf("c", 4, config.Preemption{}))
	s.comes("b-low", job{"b", 6, 3})
	s.comes("c-high", job{"c", 6, 4})
	s.comes("a0", job{"a", 6, 9})
	s.want("who borrows displaces up to the threshold only", s.displaced(), "b-low")
	if got, want := s.engine.Eviction(s.jobs["b-low"].Key, 1, 1).Message, "preempted by ns/a0: both borrow, and its priority 9 is higher than 3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.goes()
	s.want("then", s.running(), "a0", "c-high")
}

// A subtree reclaims its own quota from the other one, whichever of its queues asks.
func TestReclaimOnEveryLevel(t *testing.T) {
	below := func(parent string, q config.Queue) config.Queue { q.Parent = parent; return q }
	s := newScene(t, config.Queue{Name: "root"}, leaf("x", 4, config.Preemption{}), leaf("y", 4, config.Preemption{}),
		below("x", leaf("x1", 0, reclaimAny)), below("x", leaf("x2", 0, reclaimAny)), below("y", leaf("y1", 0, reclaimAny)))
	s.comes("y-a", job{"y1", 4, 0})
	s.comes("y-b", job{"y1", 4, 9})
	s.comes("x-a", job{"x1", 2, 0})
	s.want("the newest of those who borrow from x", s.displaced(), "y-a")
	s.goes()
	s.want("it has room", s.running(), "x-a", "y-b")
	s.comes("x-b", job{"x2", 2, 0})
	s.want("neighbours in x do not displace each other", s.displaced())
	s.want("there was room", s.running(), "x-a", "x-b", "y-b")
}

func TestDrain(t *testing.T) {
	drained := leaf("q", 4, config.Preemption{})
	drained.Parent = ""
	s := newScene(t, drained)
	s.comes("one", job{"q", 2, 0})
	s.engine.Changed()
	drained.Stop = config.StopHoldAndDrain
	s.engine.SetQueues([]config.Queue{withAll(drained)})
	s.engine.Cycle(0)
	s.want("all go", s.displaced(), "one")
	if changed := s.engine.Changed(); len(changed) != 1 {
		t.Errorf("changed: %v", changed)
	}
	if e := s.engine.Eviction(s.jobs["one"].Key, 1, 1); e.Reason != queueing.ReasonQueueHeld || e.Message != "queue q is drained (stopPolicy HoldAndDrain)" {
		t.Errorf("got %+v", e)
	}
	s.goes()
	s.want("and wait", s.running())
	drained.Stop = config.StopNone
	s.engine.SetQueues([]config.Queue{withAll(drained)})
	s.engine.Cycle(0)
	s.want("until it is open again", s.running(), "one")
}

// A restored grant is not preempted before its priority is known. One that terminates anyway counts as released.
func TestStandingAfterARestart(t *testing.T) {
	q := withAll(leaf("q", 4, lowerWithin))
	q.Parent = ""
	s := newScene(t, q)
	s.comes("a", job{"q", 2, 1})
	s.comes("b", job{"q", 2, 1})
	grants := map[string]queueing.Grant{}
	for _, name := range []string{"a", "b"} {
		grants[name] = *s.engine.Verdict(s.jobs[name].Key).Grant
	}
	s.engine = New()
	s.engine.SetQueues([]config.Queue{q})
	for _, name := range []string{"a", "b"} {
		s.engine.Restore(s.jobs[name].Key, grants[name])
	}
	s.comes("high", job{"q", 2, 5})
	s.want("nobody is displaced in the dark", s.displaced())
	s.engine.SetHolderState(s.jobs["b"].Key, 1, 1, queueing.HolderState{Priority: 1, QueuedAt: epoch})
	s.engine.Cycle(0)
	s.want("nor in the half-dark: the other one may be leaving", s.displaced())
	s.engine.SetHolderState(s.jobs["a"].Key, 1, 1, queueing.HolderState{Priority: 7, QueuedAt: epoch, Terminating: true})
	s.engine.Cycle(0)
	s.want("nor for room that will be free", s.displaced())
	s.ends("a")
	s.want("then", s.running(), "b", "high")
}
