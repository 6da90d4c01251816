// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"cmp"
	"time"

	kjson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/simulator"
)

// maxPeriod is the longest time for which schedules can be followed.
const maxPeriod = 366 * 24 * time.Hour

// scheduled is a schedule in the stream.
type scheduled struct {
	object *offline.Object
	v1alpha1.ScheduledSparkApplication
}

func (s *scheduled) key() queueing.Key { return queueing.Key{Namespace: s.Namespace, Name: s.Name} }

// readScheduled reads a schedule, and warns of settings that have no effect in a scenario. It returns false if it
// cannot be read, which the check has reported.
func (c configuration) readScheduled(p problems, o *offline.Object) (*scheduled, bool) {
	s := &scheduled{object: o}
	var template v1alpha1.SparkApplicationSpec
	if kjson.UnmarshalCaseSensitivePreserveInts(o.JSON, &s.ScheduledSparkApplication) != nil ||
		kjson.UnmarshalCaseSensitivePreserveInts(s.Spec.Template.Spec.Raw, &template) != nil {
		return nil, false
	}
	if s.Namespace == "" {
		s.Namespace = defaultNamespace
	}
	if template.SparkConfigMap != "" {
		p.warn("spec.template.spec.sparkConfigMap", "the properties in ConfigMap %s are not known here", template.SparkConfigMap)
	}
	if d := template.DynamicAllocation; d != nil && d.Enabled {
		p.warn("spec.template.spec.dynamicAllocation", "only the executors of the base gang are played")
	}
	if s.Spec.Suspend {
		p.warn("spec.suspend", "it is suspended, so nothing of it runs")
	}
	if q := template.Queue; q != nil {
		c.checkClass(p, "spec.template.spec.queue.priorityClassName", q.PriorityClassName, cmp.Or(q.Name, v1alpha1.DefaultQueue))
	}
	return s, true
}

// readSchedules converts the schedules of the stream, together with their runs in the document without a kind.
func (c configuration) readSchedules(p problems, f *script, manifests []offline.Object) []simulator.Schedule {
	var all []*scheduled
	byKey := map[queueing.Key]*scheduled{}
	for i := range manifests {
		if manifests[i].Kind != kindSchedule {
			continue
		}
		at := p.in(&manifests[i])
		s, ok := c.readScheduled(at, &manifests[i])
		if !ok {
			continue
		}
		if byKey[s.key()] != nil {
			at.add("metadata.name", "another %s already has the name %s; choose another", kindSchedule, s.key())
		}
		all, byKey[s.key()] = append(all, s), s
	}
	if len(all) == 0 && f.Schedules == nil {
		return nil
	}
	if f.Schedules == nil {
		p.add("schedules", "is missing; say from when until when schedules are followed, and how long their runs take")
		return nil
	}
	return f.follow(p, all, byKey)
}

// follow returns the followers of the schedules whose runs are listed.
func (f *script) follow(p problems, all []*scheduled, byKey map[queueing.Key]*scheduled) []simulator.Schedule {
	p = p.at("schedules")
	f.Schedules.check(p)
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
			at.add("name", "no document describes the %s %s; correct the name or the namespace", kindSchedule, key)
		default:
			out = append(out, in.translate(at, f, byKey[key]))
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

// check checks the period in which schedules are followed.
func (s *schedules) check(p problems) {
	whole := p.wholeSecond("from", s.From) && p.wholeSecond("until", s.Until)
	switch {
	case !whole:
	case !s.Until.After(s.From):
		p.add("until", "%q is not after from; write a later time", s.Until.Format(time.RFC3339))
	case s.Until.Sub(s.From) > maxPeriod:
		p.add("until", "%q is more than 366 days after from; write an earlier time", s.Until.Format(time.RFC3339))
	}
}

func (p problems) wholeSecond(key string, at time.Time) bool {
	switch {
	case at.IsZero():
		p.add(key, "is missing; write a time such as 2026-11-23T00:00:00+01:00")
	case at.Nanosecond() != 0:
		p.add(key, "%q has a fraction of a second; write whole seconds", at.Format(time.RFC3339Nano))
	default:
		return true
	}
	return false
}

// translate returns the follower of a schedule, nil if there are mistakes.
func (in *scheduledRuns) translate(p problems, f *script, s *scheduled) simulator.Schedule {
	runFor := p.runFor(in.RunFor)
	if p.found() {
		return nil
	}
	times, err := cron.Parse(s.Spec.Schedule, s.Spec.TimeZone)
	if err != nil {
		p.in(s.object).add("spec", "%v", err) // the check has already reported it
		return nil
	}
	ask, err := offline.AskOf(&s.ScheduledSparkApplication)
	if err != nil {
		p.in(s.object).add("", "%v", err)
		return nil
	}
	ask.Priority = in.Priority
	ask.NamespaceLabels = labelsOf(s.Namespace, f.Namespaces)
	ask.NeedsLimits = ask.NamespaceLabels[v1alpha1.GuardedLabel] == "true"
	out := newFollower(&s.ScheduledSparkApplication, times, f.Schedules)
	if out.ask, out.runFor = ask, runFor; ask.HoldsFor > 0 {
		out.runFor = min(runFor, ask.HoldsFor)
	}
	return out
}
