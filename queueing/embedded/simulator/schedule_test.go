// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// script is a schedule that returns a given step for each instant, and records when it was called and what had ended.
type script struct {
	steps map[time.Duration][]Step
	asked []string
}

func (s *script) Name() string { return "default/script" }

func (s *script) Step(now time.Duration, ended []queueing.Key, _ func(queueing.Key) bool) (step Step) {
	s.asked = append(s.asked, strings.TrimSpace(fmt.Sprint(now, " ", strings.Trim(fmt.Sprint(ended), "[]"))))
	if steps := s.steps[now]; len(steps) > 0 {
		step, s.steps[now] = steps[0], steps[1:]
	}
	return step
}

// TestSchedule: a schedule is called at the times that it has requested and when its applications end. Applications
// that it creates arrive, those that it deletes release their quota or leave the line, and those that it passes over
// are reported.
func TestSchedule(t *testing.T) {
	t.Parallel()
	create := func(name string, runFor time.Duration) []Creation {
		return []Creation{{Arrival: arrival(time.Hour, "team/"+name, 2, runFor), For: "noon"}}
	}
	remove := func(name, by string) []Deletion {
		return []Deletion{{Key: queueing.Key{Namespace: "default", Name: name}, By: queueing.Key{Namespace: "default", Name: by}}}
	}
	s := &script{steps: map[time.Duration][]Step{
		0:               {{Look: time.Minute}},
		time.Minute:     {{Create: create("a", 10*time.Minute), Look: 2 * time.Minute}},
		2 * time.Minute: {{Create: create("b", time.Minute), Look: 3 * time.Minute}},
		3 * time.Minute: {
			{Delete: append(remove("a", "c"), remove("b", "c")...)},
			{Create: create("c", time.Minute), PassedOver: []PassedOver{{Key: queueing.Key{Namespace: "default", Name: "d"}, Queue: "team", For: "one", Reason: "Why"}}},
		},
	}}
	got, err := told(t, Scenario{
		Queues: []config.Queue{queueWith("team", "", 2)}, Schedules: []Schedule{s},
		Arrivals: []Arrival{arrival(3*time.Minute, "team/other", 2, time.Minute)},
	}, embedded.New())
	if err != nil {
		t.Fatal(err)
	}
	const want = `1m0s a created
1m0s a admitted
2m0s b created
2m0s b waiting
3m0s a deleted by c
3m0s b deleted by c
3m0s d missed
3m0s c created
3m0s other admitted
3m0s c waiting
4m0s other finished
4m0s c admitted
5m0s c finished
{"event":"summary","makespan":"5m0s","wait":{"p50":"0s","p95":"1m0s","max":"1m0s"},"usage":{"default/cpu":0.8},"preemptions":0,` +
		`"schedules":{"default/script":{"created":3,"deleted":2,"missed":{"Why":1}}}}
`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"0s", "1m0s", "2m0s", "3m0s", "3m0s default/a default/b", "5m0s default/c"}, s.asked); diff != "" {
		t.Errorf("calls of the schedule (-want +got):\n%s", diff)
	}
}
