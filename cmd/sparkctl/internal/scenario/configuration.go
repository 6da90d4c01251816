// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"cmp"
	"slices"

	kjson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/queueing/convert"
	"github.com/sparkgate/sparkgate/queueing/embedded/simulator"
)

// object identifies a queue or a flavor.
type object struct{ kind, name string }

// configuration are the queues and flavors of a scenario.
type configuration struct {
	// exist are those that exist at some time.
	exist map[object]bool
	// queues are the specs of the initial queues, by name.
	queues map[string]*v1alpha1.SparkQueueSpec
}

// readInitial reads the initial queues and flavors. If there are mistakes, it records only that they exist.
func (c configuration) readInitial(p problems, manifests []offline.Object, s *simulator.Scenario) {
	clean := !p.found()
	for i := range manifests {
		o := &manifests[i]
		if o.Kind == kindSchedule {
			continue
		}
		of := object{o.Kind, o.Name}
		if c.exist[of] {
			p.in(o).add("metadata.name", "another %s already has the name %s; choose another, or put it under changes", of.kind, of.name)
		}
		c.exist[of] = true
		if !clean {
			continue
		}
		read, queue := changeOf(p, o)
		if read.Queue != nil {
			s.Queues = append(s.Queues, *read.Queue)
			c.queues[o.Name] = &queue.Spec
		} else if read.Flavor != nil {
			s.Flavors = append(s.Flavors, *read.Flavor)
		}
	}
}

// changeOf returns the change that applies a manifest without mistakes, and the queue, if it is one.
func changeOf(p problems, o *offline.Object) (c simulator.Change, queue v1alpha1.SparkQueue) {
	var flavor v1alpha1.SparkFlavor
	into := any(&flavor)
	if o.Kind == kindQueue {
		into = &queue
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(o.JSON, into); err != nil {
		p.in(o).add("", "%v", err) // the check has already reported it
		return c, queue
	}
	if o.Kind == kindQueue {
		config := convert.QueueConfig(&queue)
		c.Queue = &config
	} else {
		config := convert.FlavorConfig(&flavor)
		c.Flavor = &config
	}
	return c, queue
}

// checkClasses reports priority classes of arrivals that their queues do not allow, as the operator does.
func (c configuration) checkClasses(p problems, arrivals []arrival) {
	for i, in := range arrivals {
		c.checkClass(p.at("arrivals[%d]", i), "priorityClassName", in.PriorityClassName, in.Queue)
	}
}

func (c configuration) checkClass(p problems, field, class, queue string) {
	if spec := c.queues[queue]; class != "" && !spec.AllowsPriorityClass(class) {
		p.add(field, "priority class %q is not allowed in queue %s: %s", class, queue, spec.PriorityClassRemedy(queue))
	}
}

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

// readChanges converts the changes of the configuration, without those that have mistakes.
func (c configuration) readChanges(p problems, in []change) ([]simulator.Change, error) {
	var out []simulator.Change
	var places []problems
	for i, in := range in {
		at := p.at("changes[%d]", i)
		read, err := readChange(at, in)
		if err != nil {
			return nil, err
		}
		if read != (simulator.Change{}) {
			read.At = at.time("at", in.At)
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
		if goes && !c.exist[of] {
			places[i].add("delete", "%s %s not found at %s; correct the name or the time", of.kind, of.name, simulator.Time(out[i].At))
		}
		c.exist[of] = !goes
	}
	return out, nil
}

// readChange converts one change. It returns the zero Change if the change has mistakes.
func readChange(p problems, in change) (simulator.Change, error) {
	switch {
	case (in.Apply == nil) == (in.Delete == nil):
		p.add("", "write either apply, with a manifest, or delete, with kind and name")
	case in.Apply != nil:
		return readApplied(p, p.object.Below(p.path+"apply", in.Apply))
	case in.Delete.Name == "":
		p.add("delete.name", "is missing; name what is deleted")
	case in.Delete.Kind == kindQueue:
		return simulator.Change{DeleteQueue: in.Delete.Name}, nil
	case in.Delete.Kind == kindFlavor:
		return simulator.Change{DeleteFlavor: in.Delete.Name}, nil
	default:
		p.add("delete.kind", "%q does not belong in a scenario; write %s or %s", in.Delete.Kind, kindQueue, kindFlavor)
	}
	return simulator.Change{}, nil
}

// readApplied converts the manifest of a queue or a flavor that is new or changed.
func readApplied(p problems, o offline.Object) (simulator.Change, error) {
	p = p.in(&o)
	if !belongs(p, &o) {
		return simulator.Change{}, nil
	}
	if o.Kind == kindSchedule {
		p.add("kind", "a %s cannot come or change later; write it as a document", kindSchedule)
		return simulator.Change{}, nil
	}
	findings, _, err := offline.Check([]offline.Object{o})
	*p.all = append(*p.all, findings...)
	if err != nil || (problems{all: &findings}).found() {
		return simulator.Change{}, err
	}
	c, _ := changeOf(p, &o)
	return c, nil
}
