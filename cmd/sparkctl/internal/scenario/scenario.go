// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/json"

	kjson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/queueing/embedded/simulator"
)

// Types of the document without a kind, as it is written.
type (
	script struct {
		document   document             `json:"-"`
		Namespaces map[string]namespace `json:"namespaces"`
		Arrivals   []arrival            `json:"arrivals"`
		Changes    []change             `json:"changes"`
		Schedules  *schedules           `json:"schedules"`
	}
	schedules struct {
		From  scalar          `json:"from"`
		Until scalar          `json:"until"`
		Runs  []scheduledRuns `json:"runs"`
	}
	scheduledRuns struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		Priority  int32  `json:"priority"`
		RunFor    scalar `json:"runFor"`
	}
	namespace struct {
		Labels map[string]string `json:"labels"`
	}
	arrival struct {
		At        scalar   `json:"at"`
		Name      string   `json:"name"`
		Namespace string   `json:"namespace"`
		Queue     string   `json:"queue"`
		Priority  int32    `json:"priority"`
		PodSets   []podSet `json:"podSets"`
		RunFor    scalar   `json:"runFor"`
		// PriorityClassName is checked against the classes that the queue allows. The number that counts is Priority.
		PriorityClassName string `json:"priorityClassName"`
	}
	podSet struct {
		Name     string            `json:"name"`
		Count    *int32            `json:"count"`
		Requests map[string]scalar `json:"requests"`
	}
	change struct {
		At     scalar          `json:"at"`
		Apply  json.RawMessage `json:"apply"`
		Delete *reference      `json:"delete"`
	}
	reference struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
	}
)

// Parse reads a stream. Its error lists all mistakes, one per line, each with its document and a remedy. The warnings
// name fields that this version ignores; the scenario can be played without them.
func Parse(stream string) (s simulator.Scenario, warnings []string, err error) {
	p := newProblems()
	exist, queues := objects{}, specs{}
	var bodies []body
	var all []*scheduled
	for _, d := range split(stream) {
		data, err := d.toJSON()
		if err != nil {
			p.in(d).add("", "%v", err)
			continue
		}
		var head head
		if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &head); err != nil {
			p.in(d).add("", "write keys and values, or remove the document")
			continue
		}
		if head.Kind == "" {
			bodies = append(bodies, body{d, data})
			continue
		}
		if head.Kind == kindSchedule {
			if found := readSchedule(p.in(d), d, data); found != nil {
				all = append(all, found)
			}
			continue
		}
		if c := readManifest(p.in(d), data); c != (simulator.Change{}) {
			exist.addInitial(p.in(d), c, &s)
			queues.add(data)
		}
	}
	f := readBody(p, bodies, exist, &s)
	s.Schedules = readSchedules(p.in(f.document), &f, all)
	queues.checkClasses(p.in(f.document), f.Arrivals)
	queues.checkSchedules(p, all)
	return s, *p.warnings, p.err()
}

// head contains the fields that are read first of every document.
type head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
}

// body is a document without a kind.
type body struct {
	document
	data []byte
}

// readBody reads the document without a kind into s. It returns the document as far as it could be read.
func readBody(p problems, bodies []body, exist objects, s *simulator.Scenario) (f script) {
	switch {
	case len(bodies) == 0:
		p.add("", "no document says what happens; add one without kind, with the key arrivals or schedules")
		return f
	case len(bodies) > 1:
		p.in(bodies[1].document).add("", "another document without kind precedes it, in line %d; merge them, or add the kind", bodies[0].line)
		return f
	}
	f.document = bodies[0].document
	p = p.in(f.document)
	if !p.decode(bodies[0].data, &f) {
		return f
	}
	s.Arrivals = readArrivals(p, &f)
	s.Changes = readChanges(p, f.Changes, exist)
	return f
}
