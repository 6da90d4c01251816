// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/json"
	"time"

	kjson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/cron"
	"github.com/sparkgate/sparkgate/internal/offline"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/simulator"
)

// maxPeriod is the longest time for which schedules can be followed.
const maxPeriod = 366 * 24 * time.Hour

// scheduled is a schedule in the stream.
type scheduled struct {
	document
	offline.Schedule
	// template has the fields of its template that are needed in addition to the ask.
	template struct {
		SparkConfigMap string `json:"sparkConfigMap"`
		Queue          struct {
			Name              string `json:"name"`
			PriorityClassName string `json:"priorityClassName"`
		} `json:"queue"`
		DynamicAllocation struct {
			Enabled bool `json:"enabled"`
		} `json:"dynamicAllocation"`
	}
}

func (s *scheduled) key() queueing.Key { return queueing.Key{Namespace: s.Namespace, Name: s.Name} }

// readSchedule reads a schedule and checks it as the linter does. It returns nil if the schedule has mistakes.
func readSchedule(p problems, d document, data []byte) *scheduled {
	var object map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &object); err != nil {
		p.add("", "%v", err)
		return nil
	}
	if _, given := object["apiVersion"]; !given {
		object["apiVersion"] = v1alpha1.GroupVersion.String()
	}
	data, err := json.Marshal(object)
	if err != nil {
		p.add("", "%v", err)
		return nil
	}
	found, _, err := offline.Schedules([]offline.File{{Text: data}})
	if err != nil || len(found) != 1 {
		p.add("apiVersion", "%q is not known; write %s", object["apiVersion"], v1alpha1.GroupVersion)
		return nil
	}
	before := len(*p.all)
	for _, f := range found[0].Findings {
		if f.Warning {
			p.warn(f.Field, "%s", f.Message)
		} else {
			p.add(f.Field, "%s", f.Message)
		}
	}
	s := &scheduled{document: d, Schedule: found[0]}
	if s.Namespace == "" {
		s.Namespace = defaultNamespace
	}
	if len(*p.all) > before {
		return nil
	}
	s.note(p)
	return s
}

// note warns of settings that have no effect in a scenario.
func (s *scheduled) note(p problems) {
	template := &s.template
	if err := kjson.UnmarshalCaseSensitivePreserveInts(s.Spec.Template.Spec.Raw, template); err != nil {
		p.add("spec.template.spec", "%v", err)
	}
	if template.SparkConfigMap != "" {
		p.warn("spec.template.spec.sparkConfigMap", "the properties in ConfigMap %s are not known here", template.SparkConfigMap)
	}
	if template.DynamicAllocation.Enabled {
		p.warn("spec.template.spec.dynamicAllocation", "only the executors of the base gang are played")
	}
	if s.Spec.Suspend {
		p.warn("spec.suspend", "it is suspended, so nothing of it runs")
	}
}

// readSchedules converts the schedules of the stream, together with their runs in the document without a kind.
func readSchedules(p problems, f *script, all []*scheduled) []simulator.Schedule {
	if len(all) == 0 && f.Schedules == nil {
		return nil
	}
	if f.Schedules == nil {
		p.add("schedules", "is missing; say from when until when schedules are followed, and how long their runs take")
		return nil
	}
	p = p.at("schedules")
	from, until := p.period(f.Schedules)
	byKey := map[queueing.Key]*scheduled{}
	for _, s := range all {
		if byKey[s.key()] != nil {
			p.in(s.document).add("metadata.name", "another %s already has the name %s; choose another", kindSchedule, s.key())
		}
		byKey[s.key()] = s
	}
	listed := map[queueing.Key]bool{}
	var out []simulator.Schedule
	for i := range f.Schedules.Runs {
		in := &f.Schedules.Runs[i]
		if in.Namespace == "" {
			in.Namespace = defaultNamespace
		}
		at, key := p.at("runs[%d]", i), queueing.Key{Namespace: in.Namespace, Name: in.Name}
		switch {
		case listed[key]:
			at.add("name", "%s is listed twice; remove one", key)
		case byKey[key] == nil:
			at.add("name", "no document describes the %s %s, or it has mistakes; correct the name or the namespace", kindSchedule, key)
		default:
			out = append(out, in.translate(at, f, byKey[key], [2]time.Time{from, until}))
		}
		listed[key] = true
	}
	for _, s := range all {
		if !listed[s.key()] {
			p.add("runs", "%s is missing; say how long its runs take: {namespace: %s, name: %s, runFor: 10m}", s.key(), s.Namespace, s.Name)
		}
	}
	return out
}

// period parses the period in which schedules are followed.
func (p problems) period(in *schedules) (from, until time.Time) {
	from, until = p.instant("from", in.From), p.instant("until", in.Until)
	switch {
	case from.IsZero() || until.IsZero():
	case !until.After(from):
		p.add("until", "%q is not after from; write a later time", in.Until)
	case until.Sub(from) > maxPeriod:
		p.add("until", "%q is more than 366 days after from; write an earlier time", in.Until)
	}
	return from, until
}

// instant parses a time with its offset.
func (p problems) instant(key string, text scalar) time.Time {
	at, err := time.Parse(time.RFC3339, string(text))
	switch {
	case text == "":
		p.add(key, "is missing; write a time such as 2026-11-23T00:00:00+01:00")
	case err != nil:
		p.add(key, "invalid time %q; write it with seconds and offset, such as 2026-11-23T00:00:00+01:00", text)
	case at.Nanosecond() != 0:
		p.add(key, "%q has a fraction of a second; write whole seconds", text)
	}
	return at
}

// translate returns the follower of a schedule.
func (in *scheduledRuns) translate(p problems, f *script, s *scheduled, period [2]time.Time) simulator.Schedule {
	times, err := cron.Parse(s.Spec.Schedule, s.Spec.TimeZone)
	if err != nil {
		p.in(s.document).add("spec", "%v", err) // the linter has already reported it
		return nil
	}
	if in.RunFor == "" {
		p.add("runFor", "is missing; say how long each of its runs takes once it is admitted, such as 10m")
	}
	out := newFollower(&s.ScheduledSparkApplication, times, period[0], period[1])
	if out.ask, err = s.Ask(); err != nil {
		p.in(s.document).add("", "%v", err)
	}
	out.runFor = p.duration("runFor", in.RunFor)
	out.ask.Priority = in.Priority
	out.ask.NamespaceLabels = labelsOf(s.Namespace, f.Namespaces)
	out.ask.NeedsLimits = out.ask.NamespaceLabels[v1alpha1.GuardedLabel] == "true"
	return out
}
