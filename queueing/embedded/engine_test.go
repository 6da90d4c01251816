// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// one is a queue with quota for one application of the tests.
const one = "team-a cpu=1"

// step makes a call of the engine, given by a short name.
func step(t *testing.T, e *Engine, words ...string) {
	t.Helper()
	for _, w := range words {
		switch w {
		case "cycle":
			e.Cycle(0)
		case "release":
			e.Release(keyOf("pi"))
		case "revert":
			e.Revert(keyOf("pi"))
		case "confirm":
			e.Confirm(keyOf("pi"), 1, 1)
		case "confirm another":
			e.Confirm(keyOf("pi"), 1, 2)
		case "submit":
			submit(t, e, "pi queue=team-a cpu=300m")
		case "submit smaller":
			submit(t, e, "pi queue=team-a cpu=100m")
		case "submit attempt 2":
			submit(t, e, "pi queue=team-a cpu=300m attempt=2")
		case "submit large":
			submit(t, e, "pi queue=team-a cpu=9")
		case "restore":
			e.Restore(keyOf("pi"), grantOf(1, 1, "team-a", 900))
		case "restore attempt 2":
			e.Restore(keyOf("pi"), grantOf(1, 2, "team-a", 600))
		case "restore elsewhere":
			e.Restore(keyOf("pi"), grantOf(1, 1, "gone", 900))
		default:
			t.Fatalf("%q is not known", w)
		}
	}
}

func grantOf(run, attempt int64, queue string, cpu int64) queueing.Grant {
	return queueing.Grant{Run: run, Attempt: attempt, Gate: state.GateName, Queue: queue, PodSets: []queueing.PodSetGrant{
		{Name: "driver", Flavor: config.DefaultFlavor, Count: 1, Requests: queueing.Resources{"cpu": cpu}},
	}}
}

// TestLife plays the life of one key step by step, and checks its final state and charges.
func TestLife(t *testing.T) {
	t.Parallel()
	const behind = "Waiting/WaitingForQuota: waiting for run 1 attempt 1 to release its grant"
	tests := map[string]struct {
		steps []string
		want  string
		// attempt is the attempt of the grant, or 0 for none.
		attempt int64
		used    int64
		pending int32
	}{
		"unknown":                             {want: "Undecided"},
		"asked":                               {steps: []string{"submit"}, want: "Undecided", pending: 1},
		"granted":                             {steps: []string{"submit", "cycle"}, want: "Granted", attempt: 1, used: 900},
		"granted once":                        {steps: []string{"submit", "cycle", "cycle"}, want: "Granted", attempt: 1, used: 900},
		"asked twice":                         {steps: []string{"submit", "submit", "cycle"}, want: "Granted", attempt: 1, used: 900},
		"asked for less before the cycle":     {steps: []string{"submit", "submit smaller", "cycle"}, want: "Granted", attempt: 1, used: 300},
		"asked for less after the grant":      {steps: []string{"submit", "cycle", "submit smaller", "cycle"}, want: "Granted", attempt: 1, used: 900},
		"released":                            {steps: []string{"submit", "cycle", "release"}, want: "Undecided"},
		"released twice":                      {steps: []string{"submit", "cycle", "release", "release", "cycle"}, want: "Undecided"},
		"released before it was known":        {steps: []string{"release"}, want: "Undecided"},
		"released while it waits":             {steps: []string{"submit", "release", "cycle"}, want: "Undecided"},
		"asked again after the release":       {steps: []string{"submit", "cycle", "release", "submit", "cycle"}, want: "Granted", attempt: 1, used: 900},
		"reverted":                            {steps: []string{"submit", "cycle", "revert"}, want: "Undecided", pending: 1},
		"reverted and granted again":          {steps: []string{"submit", "cycle", "revert", "cycle"}, want: "Granted", attempt: 1, used: 900},
		"confirmed":                           {steps: []string{"submit", "cycle", "confirm"}, want: "Granted", attempt: 1, used: 900},
		"not reverted once confirmed":         {steps: []string{"submit", "cycle", "confirm", "revert"}, want: "Granted", attempt: 1, used: 900},
		"confirmed another":                   {steps: []string{"submit", "cycle", "confirm another", "revert"}, want: "Undecided", pending: 1},
		"confirmed before it was granted":     {steps: []string{"submit", "confirm", "cycle", "revert"}, want: "Undecided", pending: 1},
		"confirmed before it was known":       {steps: []string{"confirm", "revert"}, want: "Undecided"},
		"next attempt waits for the release":  {steps: []string{"submit", "cycle", "submit attempt 2", "cycle"}, want: behind, used: 900},
		"and goes with it":                    {steps: []string{"submit", "cycle", "submit attempt 2", "release", "cycle"}, want: "Undecided"},
		"next attempt after the release":      {steps: []string{"submit", "cycle", "release", "submit attempt 2", "cycle"}, want: "Granted", attempt: 2, used: 900},
		"next attempt replaces a waiting one": {steps: []string{"submit", "submit attempt 2", "cycle"}, want: "Granted", attempt: 2, used: 900},
		"reverted, the next attempt counts":   {steps: []string{"submit", "cycle", "submit attempt 2", "revert", "cycle"}, want: "Granted", attempt: 2, used: 900},
		"restored":                            {steps: []string{"restore"}, want: "Granted", attempt: 1, used: 900},
		"restored twice":                      {steps: []string{"restore", "restore"}, want: "Granted", attempt: 1, used: 900},
		"restored, then asked":                {steps: []string{"restore", "submit smaller", "cycle"}, want: "Granted", attempt: 1, used: 900},
		"asked, then restored":                {steps: []string{"submit", "restore", "cycle"}, want: "Granted", attempt: 1, used: 900},
		"restored is confirmed":               {steps: []string{"restore", "revert"}, want: "Granted", attempt: 1, used: 900},
		"restored another attempt":            {steps: []string{"restore", "restore attempt 2"}, want: "Granted", attempt: 2, used: 600},
		"restored, the next attempt waits":    {steps: []string{"submit attempt 2", "restore", "cycle"}, want: behind, used: 900},
		"restored, released":                  {steps: []string{"restore", "release"}, want: "Undecided"},
		"restored to a queue that is missing": {steps: []string{"restore elsewhere"}, want: "Granted", attempt: 1},
		"restored from there to here":         {steps: []string{"restore elsewhere", "restore"}, want: "Granted", attempt: 1, used: 900},
		"restored from here to there":         {steps: []string{"restore", "restore elsewhere"}, want: "Granted", attempt: 1},
		"released from a queue not there":     {steps: []string{"restore elsewhere", "release"}, want: "Undecided"},
		"changed after it was refused": {
			steps: []string{"submit large", "cycle", "submit"}, want: "Undecided", pending: 1,
		},
		"granted after it was refused": {
			steps: []string{"submit large", "cycle", "submit", "cycle"}, want: "Granted", attempt: 1, used: 900,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, one, "")
			step(t, e, tc.steps...)
			v := e.Verdict(keyOf("pi"))
			if got := says(v); got != tc.want {
				t.Errorf("verdict %s, want %s", got, tc.want)
			}
			if got := attemptOf(v); got != tc.attempt {
				t.Errorf("the grant is of attempt %d, want %d", got, tc.attempt)
			}
			s, _ := e.Queues().State("team-a")
			if got := s.Usage[0].Used; got != tc.used {
				t.Errorf("%dm are charged, want %dm", got, tc.used)
			}
			if s.Pending != tc.pending {
				t.Errorf("%d wait, want %d", s.Pending, tc.pending)
			}
		})
	}
}

func attemptOf(v queueing.Verdict) int64 {
	if v.Grant == nil {
		return 0
	}
	return v.Grant.Attempt
}

func TestSubmitReportsChange(t *testing.T) {
	t.Parallel()
	const first = "pi queue=team-a cpu=300m label=team:a"
	tests := map[string]struct {
		between []string
		again   string
		want    bool
	}{
		"same":              {again: first},
		"same, decided":     {between: []string{"cycle", "revert", "cycle"}, again: first},
		"another queue":     {again: "pi queue=team-b cpu=300m label=team:a", want: true},
		"another priority":  {again: "pi queue=team-a cpu=300m label=team:a prio=1", want: true},
		"another time":      {again: "pi queue=team-a cpu=300m label=team:a at=1", want: true},
		"another amount":    {again: "pi queue=team-a cpu=301m label=team:a", want: true},
		"another count":     {again: "pi queue=team-a cpu=300m label=team:a executors=3", want: true},
		"another least":     {again: "pi queue=team-a cpu=300m label=team:a min=1", want: true},
		"another flavor":    {again: "pi queue=team-a cpu=300m label=team:a flavor=default", want: true},
		"other labels":      {again: "pi queue=team-a cpu=300m label=team:b", want: true},
		"another attempt":   {again: "pi queue=team-a cpu=300m label=team:a attempt=2", want: true},
		"another run":       {again: "pi queue=team-a cpu=300m label=team:a run=2", want: true},
		"granted, changed":  {between: []string{"cycle"}, again: "pi queue=team-b cpu=1m prio=7"},
		"granted, next run": {between: []string{"cycle"}, again: "pi queue=team-b cpu=1m run=2", want: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, one, "")
			if !e.Submit(askFrom(t, first)) {
				t.Error("the first ask is no change")
			}
			step(t, e, tc.between...)
			if got := e.Submit(askFrom(t, tc.again)); got != tc.want {
				t.Errorf("change: %v, want %v", got, tc.want)
			}
			if e.Submit(askFrom(t, tc.again)) {
				t.Error("the same ask once more is a change")
			}
		})
	}
}

// An ask that changes queues before a cycle is reported in the new queue only.
func TestMovedUnseen(t *testing.T) {
	t.Parallel()
	const held, full = "Waiting/QueueHeld: queue b is held (stopPolicy Hold)", "Waiting/MaxRunning: queue b has reached its maxRunning of 0"
	tests := map[string]struct{ queues, first, second, want string }{
		"to an earlier queue": {queues: "b hold\nc max=0", first: "c", second: "b", want: held},
		"to a later queue":    {queues: "a hold\nb max=0", first: "a", second: "b", want: full},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, tc.queues, "stays queue="+tc.first)
			e.Cycle(0)
			submit(t, e, "x queue="+tc.first+"\nx queue="+tc.second)
			e.Cycle(0)
			if got := says(e.Verdict(keyOf("x"))); got != tc.want {
				t.Errorf("verdict %s, want %s", got, tc.want)
			}
		})
	}
}

// An application of the same name with another UID is a different one: it waits like any other for what the first one
// holds.
func TestAnotherUID(t *testing.T) {
	t.Parallel()
	e := engineWith(t, one, "pi queue=team-a cpu=300m uid=1\npi queue=team-a cpu=300m uid=2")
	if got := len(e.Cycle(0)); got != 1 {
		t.Fatalf("%d granted, want 1", got)
	}
	first, second := keyOf("pi"), keyOf("pi")
	first.UID, second.UID = "1", "2"
	e.Release(keyOf("pi"))
	if got := e.Verdict(first).State; got != queueing.Granted {
		t.Errorf("a release of another uid left the first one %s", got)
	}
	e.Release(first)
	e.Cycle(0)
	if got := e.Verdict(second).State; got != queueing.Granted {
		t.Errorf("after the release of the first the second is %s", got)
	}
}

// A grant says what is charged, and for which attempt.
func TestGrant(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "root cpu=5\nteam-a in=root", "pi queue=team-a cpu=1 run=3 attempt=7 executors=9 min=2")
	e.SetEpoch("root", 42)
	requests := queueing.Resources{"cpu": 1000, "pods": 1}
	want := []state.Decision{{Key: keyOf("pi"), Root: "root", Grant: queueing.Grant{
		Run: 3, Attempt: 7, Gate: "Embedded", Queue: "team-a", Ancestors: []string{"root"}, Epoch: 42, PodSets: []queueing.PodSetGrant{
			{Name: "driver", Flavor: "default", Count: 1, Requests: requests},
			{Name: "executor", Flavor: "default", Count: 4, Requests: requests},
		},
	}}}
	got := e.Cycle(0)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	v := e.Verdict(keyOf("pi"))
	if diff := cmp.Diff(&want[0].Grant, v.Grant); diff != "" {
		t.Errorf("grant of the verdict (-want +got):\n%s", diff)
	}
	v.Grant.Epoch = 1
	if e.Verdict(keyOf("pi")).Grant.Epoch != 42 {
		t.Error("the verdict gives the engine's own grant away")
	}
}

// A persisted grant is charged to the flavor that it names, and to the default one if it names none.
func TestRestoreFlavors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		flavor string
		want   map[string]int64
	}{
		"default":   {flavor: "default", want: map[string]int64{"default": 900, "spot": 0}},
		"none":      {flavor: "", want: map[string]int64{"default": 900, "spot": 0}},
		"another":   {flavor: "spot", want: map[string]int64{"default": 0, "spot": 900}},
		"not there": {flavor: "arm", want: map[string]int64{"arm": 900, "default": 0, "spot": 0}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, "team-a cpu=1 cpu/spot=1", "")
			g := grantOf(1, 1, "team-a", 900)
			g.PodSets[0].Flavor = tc.flavor
			e.Restore(keyOf("pi"), g)
			s, _ := e.Queues().State("team-a")
			got := map[string]int64{}
			for _, u := range s.Usage {
				got[u.Flavor] = u.Used
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("used by flavor (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRoot(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "root\nmid in=root\nleaf in=mid\nalone\nlost in=nobody\nold in=root deleted", "pi queue=asked-for")
	tests := map[string]string{
		"root": "root", "mid": "root", "leaf": "root", "alone": "alone", "lost": "lost", "old": "", "asked-for": "", "unheard-of": "", "": "",
	}
	for queue, want := range tests {
		t.Run("queue "+queue, func(t *testing.T) {
			t.Parallel()
			if got := e.Queues().Root(queue); got != want {
				t.Errorf("root %q, want %q", got, want)
			}
		})
	}
}

// A queue below one that was deleted while in use is the root of its own tree.
func TestRootBelowGhost(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "root cpu=3\nmid in=root\nleaf in=mid", "x queue=leaf cpu=1")
	e.Cycle(0)
	e.SetQueues(queuesOf(t, "root cpu=3\nleaf in=mid"))
	if got := e.Queues().Root("leaf"); got != "leaf" {
		t.Errorf("root %q, want leaf", got)
	}
	if s, _ := e.Queues().State("leaf"); s.Root != "leaf" || s.Problem != "ParentNotFound" || s.Admitted != 1 {
		t.Errorf("state of leaf: %+v", s)
	}
	if s, _ := e.Queues().State("root"); s.Admitted != 0 || s.Usage[0].Used != 3000 {
		t.Errorf("state of root: %+v", s)
	}
}

// Changed names each key whose verdict has changed once, and no other.
func TestChanged(t *testing.T) {
	t.Parallel()
	const queues = "team-a cpu=900m\nteam-b cpu=900m"
	const asks = `
		a1 queue=team-a cpu=300m at=1
		a2 queue=team-a cpu=300m at=2
		a3 queue=team-a cpu=300m at=3
		b1 queue=team-b cpu=300m
		lost queue=nowhere`
	tests := map[string]struct {
		act  func(t *testing.T, e *Engine)
		want string
	}{
		"nothing": {act: func(_ *testing.T, e *Engine) { e.Cycle(0) }},
		"a release wakes the next only": {
			act:  func(_ *testing.T, e *Engine) { e.Release(keyOf("a1")); e.Cycle(0) },
			want: "a2",
		},
		"a release of one who waits wakes nobody": {
			act: func(_ *testing.T, e *Engine) { e.Release(keyOf("a3")); e.Cycle(0) },
		},
		"a new ask wakes itself only": {
			act: func(t *testing.T, e *Engine) {
				submit(t, e, "a0 queue=team-a cpu=300m at=0")
				e.Cycle(0)
			},
			want: "a0",
		},
		"more quota for one queue": {
			act: func(t *testing.T, e *Engine) {
				e.SetQueues(queuesOf(t, "team-a cpu=900m\nteam-b cpu=1800m"))
				e.Cycle(0)
			},
		},
		"another limit is another sentence": {
			act: func(t *testing.T, e *Engine) {
				e.SetQueues(queuesOf(t, "team-a cpu=1\nteam-b cpu=900m"))
				e.Cycle(0)
			},
			want: "a2 a3",
		},
		"held": {
			act: func(t *testing.T, e *Engine) {
				e.SetQueues(queuesOf(t, "team-a cpu=900m hold\nteam-b cpu=900m"))
				e.Cycle(0)
			},
			want: "a2 a3",
		},
		"held and not held, unseen": {
			act: func(t *testing.T, e *Engine) {
				e.SetQueues(queuesOf(t, "team-a cpu=900m hold\nteam-b cpu=900m"))
				e.SetQueues(queuesOf(t, queues))
				e.Cycle(0)
			},
		},
		"the missing queue appears": {
			act: func(t *testing.T, e *Engine) {
				e.SetQueues(queuesOf(t, queues+"\nnowhere"))
				e.Cycle(0)
			},
			want: "lost",
		},
		"a queue is deleted": {
			act: func(t *testing.T, e *Engine) {
				e.SetQueues(queuesOf(t, "team-b cpu=900m"))
				e.Cycle(0)
			},
			want: "a2 a3",
		},
		"reverted":            {act: func(_ *testing.T, e *Engine) { e.Revert(keyOf("a1")) }, want: "a1"},
		"restored":            {act: func(_ *testing.T, e *Engine) { e.Restore(keyOf("a2"), grantOf(1, 1, "team-a", 900)) }, want: "a2"},
		"released in between": {act: func(_ *testing.T, e *Engine) { e.Revert(keyOf("a1")); e.Release(keyOf("a1")) }},
		"next attempt": {
			act:  func(t *testing.T, e *Engine) { submit(t, e, "a1 queue=team-a cpu=300m attempt=2") },
			want: "a1",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, queues, asks)
			e.Cycle(0)
			if got := keyNames(e.Changed()); got != "a1 a2 a3 b1 lost" {
				t.Fatalf("after the first cycle %q have changed", got)
			}
			tc.act(t, e)
			if got := keyNames(e.Changed()); got != tc.want {
				t.Errorf("%q have changed, want %q", got, tc.want)
			}
			if got := keyNames(e.Changed()); got != "" {
				t.Errorf("%q are named again", got)
			}
		})
	}
}

// TestInputsOfGrant: a grant names the latest inputs of its ask before the grant, and none that came later.
func TestInputsOfGrant(t *testing.T) {
	t.Parallel()
	e := engineWith(t, one, "")
	ask := askFrom(t, "pi queue=team-a cpu=300m")
	for _, ask.Inputs = range []string{"a", "b"} {
		e.Submit(ask)
	}
	e.Cycle(0)
	ask.Inputs = "c"
	e.Submit(ask)
	if v := e.Verdict(ask.Key); v.State != queueing.Granted || v.Grant.Inputs != "b" {
		t.Errorf("%s for %+v, want it for b", v.State, v.Grant)
	}
}
