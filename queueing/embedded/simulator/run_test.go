// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// queueWith returns a queue with that many cores in the flavor default that admits every namespace. Without cores it
// limits nothing.
func queueWith(name, parent string, cores ...int64) config.Queue {
	q := config.Queue{Name: name, Parent: parent, Weight: 1, Admits: func(map[string]string) bool { return true }}
	q.Unlimited = parent == "" && len(cores) == 0
	for _, n := range cores {
		q.Flavors = []config.FlavorQuota{{Name: "default", Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: 1000 * n}}}}
	}
	return q
}

// arrival returns an arrival of queue/name that requests that many pods of one core each.
func arrival(at time.Duration, app string, pods int32, runFor time.Duration) Arrival {
	queue, name, _ := strings.Cut(app, "/")
	return Arrival{At: at, RunFor: runFor, Ask: queueing.Ask{
		Key: queueing.Key{Namespace: "default", Name: name}, Queue: queue,
		PodSets: []queueing.PodSet{{Name: "driver", Count: pods, Requests: queueing.Resources{"cpu": 1000}}},
	}}
}

// told returns a play as text: a line for each event without its reason, and the summary.
func told(t *testing.T, s Scenario, e engine) (string, error) {
	t.Helper()
	var out strings.Builder
	summary, err := run(s, e, func(e Event) error {
		fmt.Fprintf(&out, "%s %s %s", e.T, strings.TrimPrefix(e.App, "default/"), e.Event)
		if e.By != "" {
			fmt.Fprintf(&out, " by %s", strings.TrimPrefix(e.By, "default/"))
		}
		if e.Event == Preempted {
			fmt.Fprintf(&out, " (%s)", e.Reason)
		}
		out.WriteString("\n")
		return nil
	})
	if err != nil {
		return out.String(), err
	}
	text, err := json.Marshal(summary)
	if err != nil {
		t.Fatal(err)
	}
	return out.String() + string(text) + "\n", nil
}

func TestRun(t *testing.T) {
	t.Parallel()
	team := []config.Queue{queueWith("team", "", 2)}
	more, gone := queueWith("team", "", 4), Change{At: 30 * time.Second, DeleteQueue: "team"}
	tests := map[string]struct {
		scenario Scenario
		want     string
	}{
		"nothing happens": {
			scenario: Scenario{Queues: team},
			want:     `{"event":"summary","makespan":"0s","wait":{"p50":"0s","p95":"0s","max":"0s"},"usage":{"default/cpu":0},"preemptions":0}`,
		},
		"one after the other, by age": {
			scenario: Scenario{Queues: team, Arrivals: []Arrival{
				arrival(2*time.Second, "team/b", 2, time.Minute), arrival(time.Second, "team/a", 2, time.Minute),
			}},
			want: `
1s a admitted
2s b waiting
1m1s a finished
1m1s b admitted
2m1s b finished
{"event":"summary","makespan":"2m1s","wait":{"p50":"0s","p95":"59s","max":"59s"},"usage":{"default/cpu":0.9917355371900827},"preemptions":0}`,
		},
		"of equals the first in the scenario, although its name is the last": {
			scenario: Scenario{Queues: team, Arrivals: []Arrival{
				arrival(0, "team/z", 2, time.Minute), arrival(0, "team/a", 2, time.Minute),
			}},
			want: `
0s z admitted
0s a waiting
1m0s z finished
1m0s a admitted
2m0s a finished
{"event":"summary","makespan":"2m0s","wait":{"p50":"0s","p95":"1m0s","max":"1m0s"},"usage":{"default/cpu":1},"preemptions":0}`,
		},
		"a finish makes room for an arrival of the same instant": {
			scenario: Scenario{Queues: team, Arrivals: []Arrival{
				arrival(time.Minute, "team/b", 2, time.Minute), arrival(0, "team/a", 2, time.Minute),
			}},
			want: `
0s a admitted
1m0s a finished
1m0s b admitted
2m0s b finished
{"event":"summary","makespan":"2m0s","wait":{"p50":"0s","p95":"0s","max":"0s"},"usage":{"default/cpu":1},"preemptions":0}`,
		},
		"what takes no time never keeps anybody waiting": {
			scenario: Scenario{Queues: team, Arrivals: []Arrival{
				arrival(0, "team/a", 2, 0), arrival(0, "team/b", 2, 0), arrival(0, "team/c", 2, time.Second),
			}},
			want: `
0s a admitted
0s a finished
0s b admitted
0s b finished
0s c admitted
1s c finished
{"event":"summary","makespan":"1s","wait":{"p50":"0s","p95":"0s","max":"0s"},"usage":{"default/cpu":1},"preemptions":0}`,
		},
		"a deleted queue: what runs ends, what waits waits for ever": {
			scenario: Scenario{Queues: team, Changes: []Change{gone}, Arrivals: []Arrival{
				arrival(0, "team/a", 2, time.Minute), arrival(0, "team/b", 2, time.Minute), arrival(0, "team/c", 3, time.Minute),
			}},
			want: `
0s a admitted
0s b waiting
0s c refused
30s b waiting
30s c waiting
1m0s a finished
{"event":"summary","makespan":"1m0s","wait":{"p50":"0s","p95":"0s","max":"0s"},"usage":{"default/cpu":1},"preemptions":0,"unfinished":2}`,
		},
		"quota that is raised counts from then on, and nothing counts after the last finish": {
			scenario: Scenario{Queues: team, Changes: []Change{{At: time.Hour, DeleteQueue: "team"}, {At: 30 * time.Second, Queue: &more}}, Arrivals: []Arrival{
				arrival(0, "team/a", 2, time.Minute), arrival(0, "team/b", 2, 30*time.Second),
			}},
			want: `
0s a admitted
0s b waiting
30s b admitted
1m0s a finished
1m0s b finished
{"event":"summary","makespan":"1m0s","wait":{"p50":"0s","p95":"30s","max":"30s"},"usage":{"default/cpu":1},"preemptions":0}`,
		},
		"what has no limit is not measured": {
			scenario: Scenario{Queues: []config.Queue{queueWith("free", "")}, Arrivals: []Arrival{arrival(0, "free/a", 2, time.Minute)}},
			want: `
0s a admitted
1m0s a finished
{"event":"summary","makespan":"1m0s","wait":{"p50":"0s","p95":"0s","max":"0s"},"usage":{},"preemptions":0}`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := told(t, tc.scenario, embedded.New())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(tc.want), strings.TrimSpace(got)); diff != "" {
				t.Errorf("play (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFlavorsComeAndGo(t *testing.T) {
	t.Parallel()
	queue := queueWith("team", "", 2)
	queue.Flavors[0].Name = "spot"
	got, err := told(t, Scenario{
		Queues:   []config.Queue{queue},
		Arrivals: []Arrival{arrival(0, "team/a", 2, time.Minute), arrival(0, "team/b", 2, time.Minute)},
		Changes: []Change{
			{At: time.Minute, Flavor: &config.Flavor{Name: "spot"}},
			{At: 90 * time.Second, DeleteFlavor: "spot"},
		},
	}, embedded.New())
	if err != nil {
		t.Fatal(err)
	}
	want := `0s a waiting
0s b waiting
1m0s a admitted
1m0s b waiting
1m30s b waiting
2m0s a finished
{"event":"summary","makespan":"2m0s","wait":{"p50":"1m0s","p95":"1m0s","max":"1m0s"},"usage":{"spot/cpu":0.5},"preemptions":0,"unfinished":1}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("play (-want +got):\n%s", diff)
	}
}

func TestEndOfTime(t *testing.T) {
	t.Parallel()
	_, err := told(t, Scenario{
		Queues:   []config.Queue{queueWith("team", "", 2)},
		Arrivals: []Arrival{arrival(time.Minute, "team/a", 1, math.MaxInt64)},
	}, embedded.New())
	if err == nil || !strings.Contains(err.Error(), "default/a would end after more than 2562047h47m16.854775807s") {
		t.Errorf("error: got %v", err)
	}
}

func TestErrorsOfTheReaderEndThePlay(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left")
	calls := 0
	_, err := Run(Scenario{
		Queues:   []config.Queue{queueWith("team", "", 2)},
		Arrivals: []Arrival{arrival(0, "team/a", 1, time.Minute), arrival(0, "team/b", 1, time.Minute)},
	}, func(Event) error {
		calls++
		return full
	})
	if !errors.Is(err, full) || calls != 1 {
		t.Errorf("got %v after %d calls, want %v after one", err, calls, full)
	}
}

func TestNearestRank(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		waits []Time
		want  Waits
	}{
		"none":    {},
		"one":     {waits: []Time{7}, want: Waits{7, 7, 7}},
		"two":     {waits: []Time{9, 1}, want: Waits{1, 9, 9}},
		"three":   {waits: []Time{3, 1, 2}, want: Waits{2, 3, 3}},
		"twenty":  {waits: upTo(20), want: Waits{10, 19, 20}},
		"hundred": {waits: upTo(100), want: Waits{50, 95, 100}},
		"101":     {waits: upTo(101), want: Waits{51, 96, 101}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, waitsOf(tc.waits)); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
		})
	}
}

// upTo returns the numbers from n down to 1.
func upTo(n int) []Time {
	var out []Time
	for i := n; i > 0; i-- {
		out = append(out, Time(i))
	}
	return out
}
