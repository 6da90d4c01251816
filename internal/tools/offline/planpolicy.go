// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// refusal returns the message about what administrators do not allow for an application, as the operator words it;
// empty if they allow everything. The flags of the operator, and the allowed service accounts, are not known.
func (p *planning) refusal(app *v1alpha1.SparkApplication, placed namespacepolicy.Placement) string {
	policy, can := p.live.policy(app.Namespace), catalog.Of(placed.Gate)
	gate, queue := "", ""
	if policy.Gates.Set {
		gate = policy.Gate(string(placed.Gate), placed.GateField, nil)
	}
	if can.Queues {
		queue = policy.Queue(placed.Queue, placed.QueueField)
	}
	says := cmp.Or(gate, queue, policy.PodSecurity(app.Spec.PodSecurity, true))
	if says == "" && policy.Guarded && !can.Resizes {
		return policy.UnguardedGate(placed, resizing())
	}
	if says != "" || !can.SparkQueues {
		return says
	}
	return p.refusedClass(app, placed)
}

// resizing returns the gates that admit executors one by one.
func resizing() (names []string) {
	for _, gate := range catalog.Names(func(can queueing.Capabilities) bool { return can.Resizes }) {
		names = append(names, string(gate))
	}
	return names
}

// refusedClass returns why the application may not use one of its PriorityClasses in its queue; empty if it may use
// all, or if the user may not read PriorityClasses.
func (p *planning) refusedClass(app *v1alpha1.SparkApplication, placed namespacepolicy.Placement) string {
	objects, err := objectsOf(app, placed)
	if err != nil || len(p.live.Priorities) == 0 {
		return "" // the mistake is reported elsewhere
	}
	var queue *v1alpha1.SparkQueueSpec
	if found, exists := p.queues[placed.Queue]; exists {
		queue = &found.Spec
	}
	classes := []struct{ name, field string }{
		{"", "spec.queue.priorityClassName"},
		{objects.Pod.Spec.PriorityClassName, "spec.driver.template.spec.priorityClassName"},
		{objects.ExecutorTemplate.Spec.PriorityClassName, "spec.executor.template.spec.priorityClassName"},
	}
	if app.Spec.Queue != nil {
		classes[0].name = app.Spec.Queue.PriorityClassName
	}
	for _, class := range classes {
		if class.name != "" && class.name != p.live.DefaultClass && !queue.AllowsPriorityClass(class.name) {
			return queue.PriorityClassRefusal(class.name, class.field, placed.Queue)
		}
	}
	return ""
}

// reconsider asks again for applications that wait in a namespace of the files, or in a queue whose list of
// PriorityClasses they change: both can decide where an application asks, and whether it may. Those that hold quota
// keep it; the change takes effect for them when they are preempted.
func (p *planning) reconsider() {
	for _, key := range p.simulation.keys() {
		ask := p.simulation.asks[key]
		if !p.namespaces[key.Namespace] && !p.classListChanged[ask.Queue] {
			continue
		}
		app := p.apps[key.Namespace+"/"+key.Name]
		if key.Kind == v1alpha1.PodKind {
			app = nil
		}
		placed, was := p.live.place(app, key.Namespace), p.original.place(app, key.Namespace)
		if placed.Gate != was.Gate || placed.Queue != was.Queue {
			ask.Queue, ask.QueuedAt = placed.Queue, p.live.Now
		}
		p.live.say(&ask)
		_, holds := p.simulation.engine.Held(key)
		refused := p.refusalOf(app, key.Namespace, placed)
		switch {
		case holds:
			p.simulation.asks[key] = ask
		case !catalog.Of(placed.Gate).SparkQueues:
			p.simulation.stop(ask, appOutcome{outcome: Elsewhere, message: "gate " + string(placed.Gate) + " decides on it"})
		case refused != "":
			p.simulation.stop(ask, appOutcome{outcome: Refused, reason: v1alpha1.InvalidSpecReason, message: refused})
		default:
			p.simulation.submit(ask)
		}
	}
}

// refusalOf returns the refusal of an application, or of an unmanaged pod if app is nil.
func (p *planning) refusalOf(app *v1alpha1.SparkApplication, namespace string, placed namespacepolicy.Placement) string {
	if app == nil {
		return p.live.policy(namespace).Queue(placed.Queue, placed.QueueField)
	}
	return p.refusal(app, placed)
}
