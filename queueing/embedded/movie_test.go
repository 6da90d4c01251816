// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/testing/movies"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/phrases"
)

// movie plays a story.
type movie struct {
	t       *testing.T
	out     io.Writer
	engine  *Engine
	queues  []config.Queue
	flavors []config.Flavor
}

// TestMovies plays the stories in testdata. Run it with -update to update their results, and review the difference.
func TestMovies(t *testing.T) {
	t.Parallel()
	movies.Play(t, func(t *testing.T, out io.Writer) movies.Player { return &movie{t: t, out: out, engine: New()} })
}

func (m *movie) say(format string, args ...any) { fmt.Fprintf(m.out, format+"\n", args...) }

// Play implements movies.Player.
func (m *movie) Play(verb, rest string) bool {
	act := acts[verb]
	if act != nil {
		act(m, rest)
	}
	return act != nil
}

// acts are the verbs of stories.
var acts = map[string]func(m *movie, rest string){
	"queue":  func(m *movie, rest string) { m.setQueue(nameIn(rest), queueOf(m.t, rest)) },
	"delete": func(m *movie, rest string) { m.setQueue(nameIn(rest)) },
	"flavor": func(m *movie, rest string) {
		m.flavors = append(m.flavors, config.Flavor{Name: rest, NodeLabels: map[string]string{"nodes": rest}})
		m.engine.SetFlavors(m.flavors)
	},
	"submit":  func(m *movie, rest string) { m.engine.Submit(askFrom(m.t, rest)) },
	"release": func(m *movie, rest string) { m.engine.Release(keyOf(rest)) },
	"revert":  func(m *movie, rest string) { m.engine.Revert(keyOf(rest)) },
	"confirm": func(m *movie, rest string) { m.engine.Confirm(keyOf(rest), 1, 1) },
	"rank":    func(m *movie, rest string) { m.rank(rest) },
	"want":    func(m *movie, rest string) { m.want(rest) },
	"settle":  func(m *movie, rest string) { m.settle(rest, "", 0) },
	"gone":    func(m *movie, rest string) { m.gone(rest) },
	"restart": func(m *movie, _ string) { m.restart() },
	"time":    func(m *movie, rest string) { m.engine.Advance(epoch.Add(duration(m.t, rest))) },
	"cycle":   func(m *movie, rest string) { m.cycle(rest) },
	"show":    func(m *movie, _ string) { m.show() },
}

// nameIn returns the first word.
func nameIn(rest string) string {
	name, _, _ := strings.Cut(rest, " ")
	return name
}

// rank changes the priority of a holder.
func (m *movie) rank(rest string) {
	name, priority, _ := strings.Cut(rest, " prio=")
	standing := m.engine.registry.Askers[keyOf(name)].Held.Standing
	standing.Priority = int32(integer(m.t, priority))
	m.engine.SetHolderState(keyOf(name), 1, 1, standing)
}

// want sets the number of executors that a holder wants above its base gang.
func (m *movie) want(rest string) {
	name, count, _ := strings.Cut(rest, " ")
	m.engine.SetResizeRequest(keyOf(name), 1, 1, queueing.ResizeRequest{PodSet: "executor", Count: int32(integer(m.t, count))})
}

// gone parses "pi 2" or "pi 2 spot": that many executors above the base gang are gone, in that flavor.
func (m *movie) gone(rest string) {
	words := append(strings.Fields(rest), config.DefaultFlavor)
	m.settle(words[0], words[2], int32(integer(m.t, words[1])))
}

// settle records what a holder has, minus some executors of a flavor.
func (m *movie) settle(name, flavor string, less int32) {
	grant := *m.engine.Allocation(keyOf(name), 1, 1).Grant
	grant.PodSets = slices.Clone(grant.PodSets)
	for i := range grant.PodSets {
		if p := &grant.PodSets[i]; p.Elastic && p.Flavor == flavor {
			p.Count -= less
		}
	}
	m.engine.Settle(keyOf(name), grant)
}

// setQueue replaces or removes one queue.
func (m *movie) setQueue(name string, q ...config.Queue) {
	m.queues = slices.DeleteFunc(slices.Clone(m.queues), func(q config.Queue) bool { return q.Name == name })
	m.queues = append(m.queues, q...)
	m.engine.SetQueues(m.queues)
}

// restart creates a new engine from the objects in the API server.
func (m *movie) restart() {
	old := m.engine
	m.engine = New()
	m.engine.Configure(m.queues, m.flavors)
	for _, key := range old.registry.SortedKeys() {
		a := old.registry.Askers[key]
		if a.Held != nil {
			m.engine.Restore(key, a.Held.Grant)
		}
		if a.Ask != nil {
			m.engine.Submit(queueing.Ask{
				Key: key, Run: a.Ask.Run, Attempt: a.Ask.Attempt, Queue: a.Ask.Queue, NamespaceLabels: a.Ask.Labels,
				Priority: a.Ask.Priority, QueuedAt: a.Ask.QueuedAt, HoldsFor: a.Ask.HoldsFor, PodSets: a.Ask.Signature.PodSets,
			})
		}
	}
	m.engine.Changed()
}

// cycle decides, and lists the grants, followed by all other verdicts that have changed.
func (m *movie) cycle(rest string) {
	limit, _ := strconv.Atoi(rest)
	granted := map[queueing.Key]bool{}
	for _, d := range m.engine.Cycle(limit) {
		granted[d.Key] = true
		pods := make([]string, 0, len(d.Grant.PodSets))
		for _, p := range d.Grant.PodSets {
			above := ""
			if p.Elastic {
				above = " more"
			}
			pods = append(pods, fmt.Sprintf("%d%s %s", p.Count, above, p.Name)+elsewhere(p.Flavor))
		}
		sign := "+"
		if d.Grown > 0 {
			sign = fmt.Sprintf("+%d", d.Grown)
		}
		m.say("  %s %s from %s: %s", sign, d.Key.Name, d.Grant.Queue, strings.Join(pods, ", "))
	}
	for _, key := range m.engine.Changed() {
		m.allocation(key)
		switch eviction := m.engine.Eviction(key, 1, 1); {
		case granted[key], eviction == nil && m.isGated(key):
		case eviction != nil:
			m.say("  - %s gives its quota back: %s", key.Name, eviction.Message)
		default:
			m.say("  %s: %s", key.Name, says(m.engine.Verdict(key)))
		}
	}
}

// isGated reports whether a key holds a grant that may grow.
func (m *movie) isGated(key queueing.Key) bool {
	grant := m.engine.Allocation(key, 1, 1).Grant
	return grant != nil && grant.SchedulingGated
}

// allocation prints what a holder has to release, and why it does not get all that it wants.
func (m *movie) allocation(key queueing.Key) {
	held := m.engine.Allocation(key, 1, 1)
	for _, g := range held.Reclaims {
		m.say("  -%d %s gives executors%s back: %s", g.Count, key.Name, elsewhere(g.Flavor), g.Why.Message)
	}
	if held.Why != "" {
		m.say("  %s wants more: %s", key.Name, held.Why)
	}
}

// elsewhere returns " on" and the flavor, or "" for the built-in one.
func elsewhere(flavor string) string {
	if flavor == config.DefaultFlavor {
		return ""
	}
	return " on " + flavor
}

// show lists the queues.
func (m *movie) show() {
	for _, s := range m.engine.Queues().States() {
		line := fmt.Sprintf("  %-8s %d waiting, %d admitted", s.Name, s.Pending, s.Admitted)
		for _, u := range s.Usage {
			if u.Resource == "pods" {
				continue
			}
			line += fmt.Sprintf(", %s %s/%s", u.Resource, phrases.Amount(u.Resource, u.Used), phrases.Amount(u.Resource, u.Nominal))
			if u.Borrowed > 0 {
				line += fmt.Sprintf(" (%s borrowed)", phrases.Amount(u.Resource, u.Borrowed))
			}
		}
		if s.ElasticPods > 0 || s.WantedPods > 0 {
			line += fmt.Sprintf(", %d above base gangs, %d more wanted", s.ElasticPods, s.WantedPods)
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
