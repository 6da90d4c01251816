// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// mark is a label or annotation by which a scheduler recognizes the pods of a gate. The gate sets it, so users may not.
type mark struct {
	key string
	// remedy is what to do instead; if it is empty, the mark is simply to be removed.
	remedy string
	// driver reports that the gate sets the mark on drivers only.
	driver bool
}

// scheduled are the marks of a gate whose pods a scheduler of its own places.
type scheduled struct {
	labels, annotations []mark
}

const nameTheQueue = "remove it, and name the queue in spec.queue.name"

// schedulers are the marks by the name of the scheduler. A test in controllers compares them with those that the gates
// set.
var schedulers = map[string]scheduled{
	"volcano": {
		annotations: []mark{
			{key: "scheduling.k8s.io/group-name"}, {key: "scheduling.volcano.sh/group-name"}, {key: "volcano.sh/task-spec"},
			{key: "volcano.sh/preemptable", driver: true},
		},
	},
	"yunikorn": {
		labels: []mark{
			{key: "yunikorn.apache.org/app-id"}, {key: "applicationId"},
			{key: "yunikorn.apache.org/queue", remedy: nameTheQueue}, {key: "queue", remedy: nameTheQueue},
		},
		annotations: []mark{
			{key: "yunikorn.apache.org/task-group-name"}, {key: "yunikorn.apache.org/task-groups"}, {key: "yunikorn.apache.org/app-id"},
			{key: "yunikorn.apache.org/queue", remedy: nameTheQueue},
			{key: "yunikorn.apache.org/schedulingPolicyParameters", driver: true, remedy: "set it as an annotation of the SparkApplication"},
		},
	},
}

// Queue returns contradictions between the application's labels and queue and the gate that decides on the application,
// even if another object names that gate.
func Queue(app *v1alpha1.SparkApplication, gate v1alpha1.GateType) []Finding {
	q, can := app.Spec.Queue, catalog.Of(gate)
	found := unreadLabels(app, gate)
	if q == nil {
		return found
	}
	if label := app.Labels[can.QueueLabel]; label != "" && q.Name != "" && q.Name != label {
		found = append(found, invalid("spec.queue.name", "value %q contradicts the label %s=%s of the application: remove one of them, or set them to the same value",
			q.Name, can.QueueLabel, label))
	}
	if can.OwnFlavors && q.Flavors != nil {
		found = append(found, invalid("spec.queue.flavors", "these are flavors of SparkQueues, which %s does not know: remove it, and set nodeSelector or "+
			"affinity of driver and executor to what distinguishes the flavor of %s", gate, gate))
	}
	return found
}

// unreadLabels returns a finding for each label that the other system reads on its own kinds of jobs only, and that would
// be ignored silently here.
func unreadLabels(app *v1alpha1.SparkApplication, gate v1alpha1.GateType) []Finding {
	var found []Finding
	unread := catalog.Of(gate).UnreadLabels
	for _, label := range slices.Sorted(maps.Keys(unread)) {
		if _, set := app.Labels[label]; set {
			found = append(found, invalid(conf.At("metadata.labels", label), "%s reads this label on its own kinds of jobs only: remove it and set %s", gate, unread[label]))
		}
	}
	return found
}

// checkGate checks the pods against the gate that the application names.
func checkGate(s *subject) []Finding {
	if s.spec.Queue == nil {
		return nil
	}
	return gateFindings(s, s.spec.Queue.Gate)
}

// Gate returns contradictions between the pods and the gate that decides on the application, even if another object
// names that gate: pods for another scheduler, and labels and annotations that the gate sets.
func Gate(app *v1alpha1.SparkApplication, gate v1alpha1.GateType, properties conf.Properties) []Finding {
	if catalog.Of(gate).Scheduler == "" {
		return nil
	}
	s := newSubject(app)
	s.properties = properties
	return gateFindings(s, gate)
}

func gateFindings(s *subject, gate v1alpha1.GateType) []Finding {
	scheduler := catalog.Of(gate).Scheduler
	if scheduler == "" {
		return nil
	}
	by := schedulers[scheduler]
	var findings []Finding
	for _, key := range []string{conf.SchedulerName, conf.Driver.Key("scheduler.name"), conf.Executor.Key("scheduler.name")} {
		if property, set := s.properties[key]; set && property.Value != scheduler {
			findings = append(findings, otherScheduler(s.properties.Field(key), property.Value, gate))
		}
	}
	for _, r := range s.roles {
		if name := r.parts.Template.Spec.SchedulerName; name != "" && name != scheduler {
			findings = append(findings, otherScheduler(r.Path+".template.spec.schedulerName", name, gate))
		}
		if node := r.parts.Template.Spec.NodeName; node != "" {
			findings = append(findings, invalid(nodeField(r), "value %q takes the pods past the scheduler %q, by which the gate %s grants quota: %s",
				node, scheduler, gate, selectTheNode))
		}
		metadata := r.parts.Template.ObjectMeta
		findings = append(findings, marked{gate, "label", by.labels}.findings(s, r.Role, metadata.Labels)...)
		findings = append(findings, marked{gate, "annotation", by.annotations}.findings(s, r.Role, metadata.Annotations)...)
	}
	return findings
}

const selectTheNode = "remove it, and select the node by its labels in nodeSelector"

func nodeField(r role) string { return r.Path + ".template.spec.nodeName" }

// checkNode reports executors with a spec.nodeName that also wait behind the operator's scheduling gate. The API server
// refuses such pods, and the driver would try to create them forever.
func checkNode(s *subject) []Finding {
	var findings []Finding
	for _, r := range s.roles {
		if node := r.parts.Template.Spec.NodeName; node != "" && r.Name == conf.Executor && s.in.SchedulingGated {
			findings = append(findings, invalid(nodeField(r), "value %q contradicts the scheduling gate behind which executors wait for their quota, "+
				"and Kubernetes refuses pods with both: %s", node, selectTheNode))
		}
	}
	return findings
}

func otherScheduler(field, name string, gate v1alpha1.GateType) Finding {
	return invalid(field, "value %q contradicts the gate %s, whose pods are placed by the scheduler %q: remove it, or choose another gate in spec.queue.gate",
		name, gate, catalog.Of(gate).Scheduler)
}

// marked are the labels or the annotations among the marks of a gate.
type marked struct {
	gate v1alpha1.GateType
	// what is "label" or "annotation".
	what  string
	marks []mark
}

// findings reports the marks that the user sets on pods of a role.
func (m marked) findings(s *subject, r render.Role, template map[string]string) []Finding {
	fields := map[string]string{}
	for key := range template {
		fields[key] = fmt.Sprintf("%s.template.metadata.%ss[%s]", r.Path, m.what, key)
	}
	for _, property := range s.properties.WithPrefix(r.Name.Key(m.what + ".")) {
		fields[property.Name] = s.properties.Field(property.Key)
	}
	var findings []Finding
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		i := slices.IndexFunc(m.marks, func(own mark) bool { return own.key == key && (!own.driver || r.Name == conf.Driver) })
		if i < 0 {
			continue
		}
		remedy := m.marks[i].remedy
		if remedy == "" {
			remedy = "remove it"
		}
		findings = append(findings, invalid(fields[key], "the %s %s is set by the gate %s: %s", m.what, key, m.gate, remedy))
	}
	return findings
}

// checkQueue compares queue.minExecutors with the number of executors.
func checkQueue(s *subject) []Finding {
	queue := s.spec.Queue
	if queue == nil || queue.MinExecutors == nil {
		return nil
	}
	gang, err := s.properties.Executors()
	switch {
	case err != nil || gang.Most == 0 || *queue.MinExecutors <= gang.Base:
		return nil
	case gang.Dynamic && *queue.MinExecutors <= gang.Most:
		return nil
	case gang.Dynamic:
		return []Finding{invalid("spec.queue.minExecutors", "value %d is above %d of %s: lower it, or raise the other",
			*queue.MinExecutors, gang.Most, s.properties.Field(conf.DynamicAllocationMax))}
	}
	return []Finding{invalid("spec.queue.minExecutors", "value %d is above the %d executors of the job: lower it, or raise spec.executor.instances",
		*queue.MinExecutors, gang.Base)}
}
