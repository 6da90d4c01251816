// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/offline/internal/manifests"
	"github.com/sparkgate/sparkgate/internal/spark/demand"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// applyApplication submits an application of the files that is new or runs again, and tries schedules.
func (p *planning) applyApplication(o *manifests.Object) error {
	if o.APIVersion != v1alpha1.GroupVersion.String() {
		return nil
	}
	switch o.Kind {
	case v1alpha1.SparkApplicationKind:
		app := &v1alpha1.SparkApplication{}
		if err := kjson.UnmarshalCaseSensitivePreserveInts(o.JSON, app); err != nil {
			return err
		}
		app.Namespace = p.namespaceOf(app.Namespace)
		return p.submit(app)
	case v1alpha1.ScheduledSparkApplicationKind:
		schedule := &v1alpha1.ScheduledSparkApplication{}
		if err := kjson.UnmarshalCaseSensitivePreserveInts(o.JSON, schedule); err != nil {
			return err
		}
		schedule.Namespace = p.namespaceOf(schedule.Namespace)
		return p.try(schedule)
	}
	return nil
}

func (p *planning) namespaceOf(name string) string {
	return cmp.Or(name, p.namespace, corev1.NamespaceDefault)
}

// submit asks for a run of the application, unless it has had it.
func (p *planning) submit(app *v1alpha1.SparkApplication) error {
	name := app.Namespace + "/" + app.Name
	change, err := p.changeOf(app)
	if change == Unchanged || err != nil {
		return err
	}
	placed := p.live.place(app)
	effect := Effect{
		Kind: v1alpha1.SparkApplicationKind, Namespace: app.Namespace, Name: app.Name, Queue: placed.Queue,
		Change: change, Before: cmp.Or(p.before[name].outcome, Absent),
	}
	switch {
	case app.Spec.Suspend:
		effect.After, effect.Message = Absent, "spec.suspend is true"
		p.declared = append(p.declared, effect)
	case !catalog.Of(placed.Gate).SparkQueues:
		effect.After, effect.Message = Elsewhere, "gate "+string(placed.Gate)+" decides on it"
		p.declared = append(p.declared, effect)
	default:
		ask, err := p.ask(app, placed)
		if err != nil {
			return err
		}
		p.changes[name] = change
		p.world.replace(ask)
		return nil
	}
	if live := p.apps[name]; live != nil {
		p.world.drop(keyOf(live))
	}
	return nil
}

// changeOf returns whether the files make an application run.
func (p *planning) changeOf(app *v1alpha1.SparkApplication) (Change, error) {
	live := p.apps[app.Namespace+"/"+app.Name]
	if live == nil {
		return Created, nil
	}
	app.UID = live.UID
	same, err := templatehash.Matches(&app.Spec, live.Status.TemplateHash)
	if err != nil || same && app.Spec.RunID == live.Status.RunID {
		return Unchanged, err
	}
	return Rerun, nil
}

// ask returns what an application of the files would ask for now.
func (p *planning) ask(app *v1alpha1.SparkApplication, placed namespacepolicy.Placement) (queueing.Ask, error) {
	ask, err := askOf(app, placed, p.live.environment(app.Namespace))
	if err != nil {
		return queueing.Ask{}, err
	}
	ask.Key, ask.Run, ask.Attempt = keyOf(app), 1, 1
	if live := p.apps[app.Namespace+"/"+app.Name]; live != nil {
		ask.Run = live.Status.Run + 1
	}
	p.live.complete(&ask, app)
	ask.QueuedAt = p.live.Now
	return ask, nil
}

// try finds out whether a coming run of a schedule fits into its queue at all.
func (p *planning) try(schedule *v1alpha1.ScheduledSparkApplication) error {
	app := &v1alpha1.SparkApplication{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(schedule.Spec.Template.Spec.Raw, &app.Spec); err != nil {
		return err
	}
	app.Name, app.Namespace, app.Labels = schedule.Name, schedule.Namespace, schedule.Spec.Template.Metadata.Labels
	placed := p.live.place(app)
	effect := Effect{Kind: v1alpha1.ScheduledSparkApplicationKind, Namespace: app.Namespace, Name: app.Name, Queue: placed.Queue, Change: Updated, Before: Absent}
	if !catalog.Of(placed.Gate).SparkQueues {
		effect.After, effect.Message = Elsewhere, "gate "+string(placed.Gate)+" decides on its runs"
		p.declared = append(p.declared, effect)
		return nil
	}
	ask, err := p.ask(app, placed)
	if err != nil {
		return err
	}
	idle := newWorld(p.live.Now)
	idle.configure(p.queues, p.flavors)
	idle.replace(ask)
	idle.settle()
	stands := idle.standings()[app.Namespace+"/"+app.Name]
	if effect.After = Fits; stands.outcome != Admitted {
		effect.After, effect.Reason, effect.Message = stands.outcome, stands.reason, stands.message
	}
	p.declared = append(p.declared, effect)
	return nil
}

func keyOf(app *v1alpha1.SparkApplication) queueing.Key {
	return queueing.Key{Namespace: app.Namespace, Name: app.Name, UID: string(app.UID)}
}

// policy returns what a namespace says.
func (l *Live) policy(namespace string) namespacepolicy.Policy {
	meta := l.Namespaces[namespace]
	meta.Name = namespace
	return namespacepolicy.Of(&meta)
}

// place returns the gate and the queue that decide on an application.
func (l *Live) place(app *v1alpha1.SparkApplication) namespacepolicy.Placement {
	return l.policy(app.Namespace).Place(app, namespacepolicy.Defaults{
		Gate: l.DefaultGate, QueueLabel: func(gate v1alpha1.GateType) string { return catalog.Of(gate).QueueLabel },
	})
}

// environment is what a namespace and the cluster add to pods.
func (l *Live) environment(namespace string) demand.Environment {
	ranges := slices.DeleteFunc(slices.Clone(l.LimitRanges), func(r corev1.LimitRange) bool { return r.Namespace != namespace })
	return demand.Environment{LimitRanges: ranges, RuntimeClasses: l.RuntimeClasses}
}

// complete adds to an ask what the cluster says of the application.
func (l *Live) complete(ask *queueing.Ask, app *v1alpha1.SparkApplication) {
	ask.NamespaceLabels = l.Namespaces[app.Namespace].Labels
	ask.NeedsLimits = l.policy(app.Namespace).NeedsLimits(ask.Queue)
	ask.Priority = l.DefaultPriority
	if q := app.Spec.Queue; q != nil && q.PriorityClassName != "" {
		ask.Priority = l.Priorities[q.PriorityClassName]
	}
}

// liveAsk returns what an application of the cluster asks for or holds, as its status says; nothing if it neither waits
// for a SparkQueue nor holds of one.
func (l *Live) liveAsk(app *v1alpha1.SparkApplication) queueing.Ask {
	s := &app.Status
	ask := queueing.Ask{Key: keyOf(app), Run: s.Run, Attempt: s.Attempt, Queue: s.Queue, QueuedAt: app.CreationTimestamp.Time}
	if s.Times.Queued != nil {
		ask.QueuedAt = s.Times.Queued.Time
	}
	if grant := s.Grant; grant != nil {
		ask.Run, ask.Attempt, ask.Queue = grant.Run, grant.Attempt, grant.Queue
	}
	stage, _ := status.StageOf(s.Conditions)
	switch {
	case s.Ask != nil && catalog.Of(v1alpha1.GateType(s.Ask.Gate)).SparkQueues && (stage.Waiting() || s.Grant != nil):
		for _, set := range s.Ask.PodSets {
			ask.PodSets = append(ask.PodSets, queueing.PodSet{
				Name: set.Name, Count: set.Count, MinCount: set.MinCount, Requests: amounts.ClampAll(set.Requests), Flavors: set.Flavors,
			})
		}
	case s.Grant != nil:
		for _, set := range s.Grant.PodSets {
			ask.PodSets = append(ask.PodSets, queueing.PodSet{Name: set.Name, Count: set.Count, Requests: amounts.ClampAll(set.Requests)})
		}
	}
	l.complete(&ask, app)
	return ask
}
