// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// jealous is an engine that reclaims the quota of one application the first few times that another one arrives after
// it.
type jealous struct {
	*embedded.Engine
	victim string
	times  int
	// asked is the attempt whose quota is reclaimed.
	asked int64
	woken []queueing.Key
}

func (e *jealous) Submit(ask queueing.Ask) bool {
	if ask.Key.Name != e.victim && e.times > 0 {
		e.want(1)
	}
	return e.Engine.Submit(ask)
}

// want reclaims the quota of an attempt.
func (e *jealous) want(attempt int64) {
	e.times--
	e.asked = attempt
	e.woken = append(e.woken, queueing.Key{Namespace: "default", Name: e.victim, UID: "0000000000"})
}

func (e *jealous) Changed() []queueing.Key {
	keys := append(e.Engine.Changed(), e.woken...)
	e.woken = nil
	return keys
}

func (e *jealous) Eviction(key queueing.Key, run, attempt int64) *queueing.Eviction {
	if key.Name != e.victim || run != 1 || attempt != e.asked {
		return nil
	}
	return &queueing.Eviction{
		Reason: queueing.ReasonPreempted, Message: "somebody matters more", By: queueing.Key{Namespace: "default", Name: "b"},
	}
}

// TestPreemption: the application that has lost its quota waits with its old age, and runs its whole time again.
func TestPreemption(t *testing.T) {
	t.Parallel()
	e := &jealous{Engine: embedded.New(), victim: "a", times: 1}
	high := arrival(20*time.Second, "team/b", 2, time.Minute)
	high.Ask.Priority = 1
	got, err := told(t, Scenario{
		Queues:   []config.Queue{queueWith("team", "", 2)},
		Arrivals: []Arrival{arrival(0, "team/a", 2, time.Minute), high, arrival(30*time.Second, "team/c", 2, time.Minute)},
	}, e)
	if err != nil {
		t.Fatal(err)
	}
	want := `0s a admitted
20s a preempted by b (Preempted: somebody matters more)
20s b admitted
20s a waiting
30s c waiting
1m20s b finished
1m20s a admitted
2m20s a finished
2m20s c admitted
3m20s c finished
{"event":"summary","makespan":"3m20s","wait":{"p50":"1m20s","p95":"1m50s","max":"1m50s"},"usage":{"default/cpu":1},"preemptions":1}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("play (-want +got):\n%s", diff)
	}
}

// restless is an engine that reclaims each grant at once.
type restless struct{ *embedded.Engine }

func (restless) Eviction(queueing.Key, int64, int64) *queueing.Eviction {
	return &queueing.Eviction{Reason: queueing.ReasonPreempted}
}

func TestPreemptionWithoutEnd(t *testing.T) {
	t.Parallel()
	_, err := told(t, Scenario{
		Queues:   []config.Queue{queueWith("team", "", 2)},
		Arrivals: []Arrival{arrival(time.Second, "team/a", 2, time.Minute)},
	}, restless{embedded.New()})
	if err == nil || !strings.Contains(err.Error(), "at 1s default/a is admitted and preempted forever") {
		t.Errorf("error: got %v", err)
	}
}

// TestTheEngineTakesBack: with the engine's own rules, lent quota is returned at the instant at which it is reclaimed,
// and a drained queue is empty at once.
func TestTheEngineTakesBack(t *testing.T) {
	t.Parallel()
	lender, drained := queueWith("lender", "root", 2), queueWith("lender", "root", 2)
	lender.Preemption.Reclaim = config.PreemptAny
	drained.Stop = config.StopHoldAndDrain
	got, err := told(t, Scenario{
		Queues: []config.Queue{queueWith("root", ""), queueWith("borrower", "root", 2), lender},
		Arrivals: []Arrival{
			arrival(0, "borrower/own", 2, time.Minute), arrival(0, "borrower/lent", 2, time.Minute),
			arrival(30*time.Second, "lender/lender", 1, time.Minute),
		},
		Changes: []Change{{At: 40 * time.Second, Queue: &drained}, {At: 2 * time.Minute, Queue: &lender}},
	}, embedded.New())
	if err != nil {
		t.Fatal(err)
	}
	want := `0s own admitted
0s lent admitted
30s lent preempted by lender (Preempted: preempted by default/lender: queue lender reclaims quota that queue borrower borrowed)
30s lender admitted
30s lent waiting
40s lender preempted (QueueHeld: queue lender is drained (stopPolicy HoldAndDrain))
40s lent admitted
40s lender waiting
1m0s own finished
1m40s lent finished
2m0s lender admitted
3m0s lender finished
{"event":"summary","makespan":"3m0s","wait":{"p50":"40s","p95":"1m30s","max":"1m30s"},"usage":{"default/cpu":0.5138888888888888},"preemptions":2}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("play (-want +got):\n%s", diff)
	}
}
