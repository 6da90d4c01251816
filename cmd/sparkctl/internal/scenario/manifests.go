// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"cmp"
	"slices"

	kjson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/embedded/simulator"
)

// Kinds that a scenario may contain.
const (
	kindQueue    = v1alpha1.SparkQueueKind
	kindFlavor   = v1alpha1.SparkFlavorKind
	kindSchedule = v1alpha1.ScheduledSparkApplicationKind
)

// readManifest converts the manifest of a queue or a flavor into the change that applies it. It returns the zero Change
// if the manifest cannot be read.
func readManifest(p problems, data []byte) simulator.Change {
	var head head
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &head); err != nil {
		p.add("", "write the manifest of a %s or a %s", kindQueue, kindFlavor)
		return simulator.Change{}
	}
	if group := v1alpha1.GroupVersion.String(); head.APIVersion != "" && head.APIVersion != group {
		p.add("apiVersion", "%q is not known; write %s", head.APIVersion, group)
		return simulator.Change{}
	}
	switch head.Kind {
	case kindQueue:
		queue := &v1alpha1.SparkQueue{}
		if !checkHeadTimeout(p, data) || !checkQuantities(p, data) || !p.decode(data, queue) {
			return simulator.Change{}
		}
		checkQueue(p, queue)
		config := convert.QueueConfig(queue)
		return simulator.Change{Queue: &config}
	case kindFlavor:
		flavor := &v1alpha1.SparkFlavor{}
		if !p.decode(data, flavor) {
			return simulator.Change{}
		}
		checkFlavor(p, flavor)
		config := convert.FlavorConfig(flavor)
		return simulator.Change{Flavor: &config}
	}
	if head.Kind == kindSchedule {
		p.add("kind", "a %s cannot come or change later; write it as a document", kindSchedule)
		return simulator.Change{}
	}
	p.add("kind", "%q does not belong in a scenario; write %s, %s or %s, or remove it", head.Kind, kindQueue, kindFlavor, kindSchedule)
	return simulator.Change{}
}

// object identifies a queue or a flavor.
type object struct{ kind, name string }

// objectOf returns the object of a change, and whether the change deletes it.
func objectOf(c simulator.Change) (o object, goes bool) {
	switch {
	case c.Queue != nil:
		return object{kindQueue, c.Queue.Name}, false
	case c.Flavor != nil:
		return object{kindFlavor, c.Flavor.Name}, false
	case c.DeleteQueue != "":
		return object{kindQueue, c.DeleteQueue}, true
	}
	return object{kindFlavor, c.DeleteFlavor}, true
}

// objects are the objects that exist at some time.
type objects map[object]bool

// specs maps the names of the initial queues to their specs.
type specs map[string]*v1alpha1.SparkQueueSpec

// add records the spec of a manifest without mistakes, if it is a queue.
func (s specs) add(data []byte) {
	queue := &v1alpha1.SparkQueue{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, queue); err == nil && queue.Kind == kindQueue {
		s[queue.Name] = &queue.Spec
	}
}

// checkClasses reports priority classes of arrivals that their queues do not allow, as the operator does.
func (s specs) checkClasses(p problems, arrivals []arrival) {
	for i, in := range arrivals {
		spec := s[in.Queue]
		if in.PriorityClassName == "" || spec.AllowsPriorityClass(in.PriorityClassName) {
			continue
		}
		p.at("arrivals[%d]", i).add("priorityClassName", "priority class %q is not allowed in queue %s: %s",
			in.PriorityClassName, in.Queue, spec.PriorityClassRemedy(in.Queue))
	}
}

// checkSchedules does the same for the templates of schedules.
func (s specs) checkSchedules(p problems, schedules []*scheduled) {
	for _, in := range schedules {
		queue := cmp.Or(in.template.Queue.Name, v1alpha1.DefaultQueue)
		if class := in.template.Queue.PriorityClassName; class != "" && !s[queue].AllowsPriorityClass(class) {
			p.in(in.document).add("spec.template.spec.queue.priorityClassName", "priority class %q is not allowed in queue %s: %s",
				class, queue, s[queue].PriorityClassRemedy(queue))
		}
	}
}

// addInitial adds a queue or a flavor to the initial configuration.
func (o objects) addInitial(p problems, c simulator.Change, s *simulator.Scenario) {
	of, _ := objectOf(c)
	if o[of] {
		p.add("metadata.name", "another %s already has the name %s; choose another, or put it under changes", of.kind, of.name)
	}
	o[of] = true
	if c.Queue != nil {
		s.Queues = append(s.Queues, *c.Queue)
	} else {
		s.Flavors = append(s.Flavors, *c.Flavor)
	}
}

// readChanges converts the changes of the configuration, without those that have mistakes.
func readChanges(p problems, in []change, o objects) []simulator.Change {
	var out []simulator.Change
	var places []problems
	for i, c := range in {
		at := p.at("changes[%d]", i)
		if read := readChange(at, c); read != (simulator.Change{}) {
			read.At = at.duration("at", c.At)
			out, places = append(out, read), append(places, at)
		}
	}
	// An object has to exist when it is deleted.
	order := make([]int, len(out))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(out[a].At, out[b].At) })
	for _, i := range order {
		of, goes := objectOf(out[i])
		if goes && !o[of] {
			places[i].add("delete", "there is no %s %s at %s; correct the name or the time", of.kind, of.name, simulator.Time(out[i].At))
		}
		o[of] = !goes
	}
	return out
}

// readChange converts one change. It returns the zero Change if it cannot be read.
func readChange(p problems, in change) simulator.Change {
	switch {
	case (in.Apply == nil) == (in.Delete == nil):
		p.add("", "write either apply, with a manifest, or delete, with kind and name")
	case in.Apply != nil:
		return readManifest(p.at("apply"), in.Apply)
	case in.Delete.Name == "":
		p.add("delete.name", "is missing; name what is deleted")
	case in.Delete.Kind == kindQueue:
		return simulator.Change{DeleteQueue: in.Delete.Name}
	case in.Delete.Kind == kindFlavor:
		return simulator.Change{DeleteFlavor: in.Delete.Name}
	default:
		p.add("delete.kind", "%q does not belong in a scenario; write %s or %s", in.Delete.Kind, kindQueue, kindFlavor)
	}
	return simulator.Change{}
}
