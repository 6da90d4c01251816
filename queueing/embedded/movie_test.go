// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
)

var updateFlag = flag.Bool("update", false, "write the outcome of the movies into their files")

// movie plays a story. A file of a story has lines that begin with "$ ", which are played, lines that begin with "#", which tell it,
// and below each played line what came of it.
type movie struct {
	t      *testing.T
	engine *Engine
	queues []QueueConfig
	out    strings.Builder
}

// TestMovies plays the stories in testdata. Run it with -update to write down what happens now, and read the difference.
func TestMovies(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.movie")
	if err != nil || len(files) == 0 {
		t.Fatalf("no movies: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".movie"), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := &movie{t: t, engine: New()}
			for line := range strings.Lines(string(want)) {
				m.play(strings.TrimRight(line, "\n"))
			}
			if *updateFlag {
				if err := os.WriteFile(file, []byte(m.out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(m.out.String(), "\n")); diff != "" {
				t.Errorf("%s (-want +got; run with -update if this is right):\n%s", file, diff)
			}
		})
	}
}

func (m *movie) say(format string, args ...any) { fmt.Fprintf(&m.out, format+"\n", args...) }

func (m *movie) play(line string) {
	command, played := strings.CutPrefix(line, "$ ")
	if !played {
		if line == "" || strings.HasPrefix(line, "#") {
			m.say("%s", line)
		}
		return
	}
	m.say("%s", line)
	verb, rest, _ := strings.Cut(command, " ")
	name, _, _ := strings.Cut(rest, " ")
	switch verb {
	case "queue":
		m.setQueue(name, queueOf(m.t, rest))
	case "delete":
		m.setQueue(name)
	case "submit":
		m.engine.Submit(askFrom(m.t, rest))
	case "release":
		m.engine.Release(keyOf(rest))
	case "revert":
		m.engine.Revert(keyOf(rest))
	case "confirm":
		m.engine.Confirm(keyOf(rest), 1, 1)
	case "restart":
		m.restart()
	case "cycle":
		m.cycle(rest)
	case "time":
		m.engine.Advance(epoch.Add(duration(m.t, rest)))
	case "show":
		m.show()
	default:
		m.t.Fatalf("%q is not known", verb)
	}
}

// setQueue replaces or removes one queue.
func (m *movie) setQueue(name string, q ...QueueConfig) {
	m.queues = slices.DeleteFunc(slices.Clone(m.queues), func(q QueueConfig) bool { return q.Name == name })
	m.queues = append(m.queues, q...)
	m.engine.SetQueues(m.queues)
}

// restart builds a new engine from what the objects in the API server would say.
func (m *movie) restart() {
	old := m.engine
	m.engine = New()
	m.engine.SetQueues(m.queues)
	for _, key := range old.sortedKeys() {
		a := old.apps[key]
		if a.held != nil {
			m.engine.Restore(key, a.held.grant)
		}
		if a.ask != nil {
			m.engine.Submit(queueing.Ask{
				Key: key, Run: a.ask.run, Attempt: a.ask.attempt, Queue: a.ask.queue, NamespaceLabels: a.ask.labels,
				Priority: a.ask.priority, QueuedAt: a.ask.queuedAt, HoldsFor: a.ask.holdsFor, PodSets: a.ask.shape.podSets,
			})
		}
	}
	m.engine.Changed()
}

// cycle decides, and lists the grants and then all other verdicts that have changed.
func (m *movie) cycle(rest string) {
	limit, _ := strconv.Atoi(rest)
	granted := map[queueing.Key]bool{}
	for _, d := range m.engine.Cycle(limit) {
		granted[d.Key] = true
		pods := make([]string, 0, len(d.Grant.PodSets))
		for _, p := range d.Grant.PodSets {
			pods = append(pods, fmt.Sprintf("%d %s", p.Count, p.Name))
		}
		m.say("  + %s from %s: %s", d.Key.Name, d.Grant.Queue, strings.Join(pods, ", "))
	}
	for _, key := range m.engine.Changed() {
		if !granted[key] {
			m.say("  %s: %s", key.Name, says(m.engine.Verdict(key)))
		}
	}
}

// show lists the queues.
func (m *movie) show() {
	for _, s := range m.engine.States() {
		line := fmt.Sprintf("  %-8s %d waiting, %d admitted", s.Name, s.Pending, s.Admitted)
		for _, u := range s.Usage {
			if u.Resource == "pods" {
				continue
			}
			line += fmt.Sprintf(", %s %s/%s", u.Resource, text(u.Resource, u.Used), text(u.Resource, u.Nominal))
			if u.Borrowed > 0 {
				line += fmt.Sprintf(" (%s borrowed)", text(u.Resource, u.Borrowed))
			}
		}
		if s.Problem != "" {
			line += ", " + s.Problem
		}
		for i, h := range s.Heads {
			line += fmt.Sprintf(" %d.%s", i+1, h.Key.Name)
		}
		m.say("%s", line)
	}
}
