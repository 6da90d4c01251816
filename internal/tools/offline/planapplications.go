// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kjson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/internal/tools/offline/internal/manifests"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// applyApplication submits an application of the files that is new or runs again, and checks whether runs of a schedule
// fit.
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
		manifests.Generate(&app.ObjectMeta)
		app.Namespace, app.Status = p.namespaceOf(app.Namespace), v1alpha1.SparkApplicationStatus{}
		return p.submit(app)
	case v1alpha1.SparkClusterKind:
		app, err := manifests.ClusterApplication(o)
		if err != nil {
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

// submit does what the operator would do with an application of the files.
func (p *planning) submit(app *v1alpha1.SparkApplication) error {
	live := p.apps[app.Namespace+"/"+app.Name]
	if live != nil {
		app.UID = live.UID
	}
	change, err := p.changeOf(app, live)
	if change == Unchanged && err == nil {
		p.prioritize(app)
	}
	if change == Unchanged || err != nil {
		return err
	}
	placed := p.live.place(app, app.Namespace)
	effect := Effect{
		Kind: v1alpha1.SparkApplicationKind, Namespace: app.Namespace, Name: app.Name, Queue: placed.Queue,
		Change: change, Before: cmp.Or(p.before[podsets.KeyOf(app).Named()].outcome, Absent),
	}
	refused := p.refusal(app, placed)
	switch {
	case app.Spec.Suspend:
		effect.After, effect.Message = Absent, "spec.suspend is true"
		p.simulation.drop(podsets.KeyOf(app))
	case refused != "":
		effect.After, effect.Reason, effect.Message = Refused, v1alpha1.InvalidSpecReason, refused
		if !follows(app, effect) {
			p.simulation.drop(podsets.KeyOf(app))
		}
	case !catalog.Of(placed.Gate).SparkQueues:
		effect.After, effect.Message = Elsewhere, "gate "+string(placed.Gate)+" decides on it"
		p.simulation.drop(podsets.KeyOf(app))
	default:
		return p.start(app, placed, effect)
	}
	p.declared = append(p.declared, effect)
	return nil
}

// prioritize gives an application that holds quota the priority in the files, if its queue allows the PriorityClass.
func (p *planning) prioritize(app *v1alpha1.SparkApplication) {
	key := podsets.KeyOf(app)
	held, holds := p.simulation.engine.Held(key)
	value, known := p.live.priorityOf(app)
	if !holds || !known || value == p.simulation.asks[key].Priority || p.refusedClass(app, namespacepolicy.Placement{Queue: held.Queue, Gate: v1alpha1.GateEmbedded}) != "" {
		return
	}
	p.simulation.prioritize(key, value)
}

// start asks for the run. If another run has to end first, it only checks whether the new one can be admitted.
func (p *planning) start(app *v1alpha1.SparkApplication, placed namespacepolicy.Placement, effect Effect) error {
	ask, err := p.ask(app, placed)
	if err != nil {
		return err
	}
	if follows(app, effect) {
		p.declared = append(p.declared, p.whenIdle(effect, ask, "it follows the current run"))
		return nil
	}
	if effect.Change == Moved {
		p.keepPlace(&ask, placed)
	}
	p.changes[podsets.KeyOf(app).Named()] = effect.Change
	p.simulation.replace(ask)
	return nil
}

// keepPlace lets a waiting application keep its place in the queue if its changed ask is for the same queue and for no
// more than before.
func (p *planning) keepPlace(ask *queueing.Ask, placed namespacepolicy.Placement) {
	s := &p.apps[ask.Key.Namespace+"/"+ask.Key.Name].Status
	if s.Ask == nil || s.Times.Queued == nil || s.Queue != placed.Queue || s.Ask.Gate != string(placed.Gate) || len(s.Ask.PodSets) != len(ask.PodSets) {
		return
	}
	stage, _ := status.StageOf(s.Conditions)
	d := convert.CompareAsks(s.Ask, convert.AskToAPI(s.Ask.Gate, ask.PodSets))
	if !d.More && !d.Flavors && !(d.Any && stage.Blocked()) {
		ask.QueuedAt = s.Times.Queued.Time
	}
}

// follows reports whether the run begins only after the current one has ended.
func follows(app *v1alpha1.SparkApplication, effect Effect) bool {
	return effect.Change == Rerun && effect.Before == Admitted && app.Spec.TemplatePolicy() != v1alpha1.TemplateChangeRestart
}

// changeOf returns what the files do to an application. live is nil for a new one.
func (p *planning) changeOf(app, live *v1alpha1.SparkApplication) (Change, error) {
	if live == nil {
		return Created, nil
	}
	if app.Spec.Suspend {
		return p.suspensionOf(app, live), nil
	}
	same, err := sameRun(&app.Spec, &live.Status)
	stage, _ := status.StageOf(live.Status.Conditions)
	switch waits := stage.Waiting() && live.Status.Grant == nil; {
	case err != nil:
		return Unchanged, err
	case !same:
		return Rerun, nil
	case live.Spec.Suspend && !stage.Ended():
		return Resumed, nil
	case waits && !equality.Semantic.DeepEqual(app.Spec.Queue, live.Spec.Queue):
		return Moved, nil
	}
	return Unchanged, nil
}

// suspensionOf returns Suspended if suspending the application stops anything, else Unchanged.
func (p *planning) suspensionOf(app, live *v1alpha1.SparkApplication) Change {
	if _, moves := p.before[podsets.KeyOf(app).Named()]; moves && !live.Spec.Suspend {
		return Suspended
	}
	return Unchanged
}

// sameRun reports whether the current or last run has the run template of a spec.
func sameRun(spec *v1alpha1.SparkApplicationSpec, s *v1alpha1.SparkApplicationStatus) (bool, error) {
	if spec.TemplatePolicy() == v1alpha1.TemplateChangeIgnore {
		return spec.RunID == s.RunID, nil
	}
	return templatehash.Matches(spec, s.TemplateHash)
}

// ask returns what an application of the files would ask for now.
func (p *planning) ask(app *v1alpha1.SparkApplication, placed namespacepolicy.Placement) (queueing.Ask, error) {
	ask, err := applicationAsk(app, placed, p.live.environment(app.Namespace))
	if err != nil {
		return queueing.Ask{}, err
	}
	ask.Key, ask.Run, ask.Attempt = podsets.KeyOf(app), 1, 1
	if live := p.apps[app.Namespace+"/"+app.Name]; live != nil {
		ask.Run = live.Status.Run + 1
	}
	p.live.complete(&ask, app)
	ask.QueuedAt = p.live.Now
	return ask, nil
}

// try checks whether a future run of a schedule fits into its queue.
func (p *planning) try(schedule *v1alpha1.ScheduledSparkApplication) error {
	app := &v1alpha1.SparkApplication{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(schedule.Spec.Template.Spec.Raw, &app.Spec); err != nil {
		return err
	}
	app.Name, app.Namespace, app.Labels = schedule.Name, schedule.Namespace, schedule.Spec.Template.Metadata.Labels
	placed := p.live.place(app, app.Namespace)
	effect := Effect{Kind: v1alpha1.ScheduledSparkApplicationKind, Namespace: app.Namespace, Name: app.Name, Queue: placed.Queue, Change: Updated, Before: Absent}
	if refused := p.refusal(app, placed); refused != "" {
		effect.After, effect.Reason, effect.Message = Refused, v1alpha1.InvalidSpecReason, refused
		p.declared = append(p.declared, effect)
		return nil
	}
	if !catalog.Of(placed.Gate).SparkQueues {
		effect.After, effect.Message = Elsewhere, "gate "+string(placed.Gate)+" decides on its runs"
		p.declared = append(p.declared, effect)
		return nil
	}
	ask, err := p.ask(app, placed)
	if err != nil {
		return err
	}
	p.declared = append(p.declared, p.whenIdle(effect, ask, ""))
	return nil
}

// whenIdle completes an effect with the outcome of an ask if nothing else asks for quota or holds it.
func (p *planning) whenIdle(effect Effect, ask queueing.Ask, message string) Effect {
	idle := newSimulation(p.live.Now)
	idle.configure(p.queues, p.flavors)
	idle.replace(ask)
	idle.settle()
	effect.After, effect.Message = Fits, message
	if stands := idle.outcomes()[ask.Key.Named()]; stands.outcome != Admitted {
		effect.After, effect.Reason, effect.Message = stands.outcome, stands.reason, stands.message
	}
	return effect
}

// policy returns the policy of a namespace.
func (l *Live) policy(namespace string) namespacepolicy.Policy {
	meta := l.Namespaces[namespace]
	meta.Name = namespace
	return namespacepolicy.Of(&meta)
}

// place returns gate and queue of an application of a namespace, or of its unmanaged pods if app is nil.
func (l *Live) place(app *v1alpha1.SparkApplication, namespace string) namespacepolicy.Placement {
	return l.policy(namespace).Place(app, namespacepolicy.Defaults{
		Gate: l.DefaultGate, QueueLabel: func(gate v1alpha1.GateType) string { return catalog.Of(gate).QueueLabel },
	})
}

// environment returns what namespace and cluster add to pods.
func (l *Live) environment(namespace string) podsets.Environment {
	ranges := slices.DeleteFunc(slices.Clone(l.LimitRanges), func(r corev1.LimitRange) bool { return r.Namespace != namespace })
	return podsets.Environment{LimitRanges: ranges, RuntimeClasses: l.RuntimeClasses}
}

// labelsOf returns the labels of a namespace, including the one that the API server sets on every namespace, even if
// the namespace does not exist yet or could not be read.
func (l *Live) labelsOf(namespace string) map[string]string {
	return joined(map[string]string{corev1.LabelMetadataName: namespace}, l.Namespaces[namespace].Labels)
}

// complete adds what the cluster knows about the application to an ask.
func (l *Live) complete(ask *queueing.Ask, app *v1alpha1.SparkApplication) {
	l.say(ask)
	known := false
	if ask.Priority, known = l.priorityOf(app); !known && app.Status.Grant != nil {
		ask.Priority = app.Status.Grant.Priority
	}
}

// priorityOf returns the priority of an application. known is false if the user may not read PriorityClasses, or if the
// application names one that does not exist.
func (l *Live) priorityOf(app *v1alpha1.SparkApplication) (value int32, known bool) {
	if q := app.Spec.Queue; q != nil && q.PriorityClassName != "" {
		value, known = l.Priorities[q.PriorityClassName]
		return value, known
	}
	return l.DefaultPriority, len(l.Priorities) > 0
}

// say adds what the namespace determines to an ask.
func (l *Live) say(ask *queueing.Ask) {
	ask.NamespaceLabels = l.labelsOf(ask.Key.Namespace)
	ask.NeedsLimits = l.policy(ask.Key.Namespace).NeedsLimits(ask.Queue)
}

// liveAsk returns what an application of the cluster asks for or holds, according to its status. It has no pod sets if
// the application neither waits in a SparkQueue nor holds quota of one.
func (l *Live) liveAsk(app *v1alpha1.SparkApplication) queueing.Ask {
	s := &app.Status
	ask := queueing.Ask{Key: podsets.KeyOf(app), Run: s.Run, Attempt: s.Attempt, Queue: s.Queue, QueuedAt: app.CreationTimestamp.Time}
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
			if set.Elastic {
				continue
			}
			ask.PodSets = append(ask.PodSets, queueing.PodSet{Name: set.Name, Count: set.Count, Requests: amounts.ClampAll(set.Requests)})
		}
	}
	l.complete(&ask, app)
	return ask
}

// choose adds tolerations and node selectors to an ask, which the status does not contain.
func (l *Live) choose(ask *queueing.Ask, app *v1alpha1.SparkApplication) {
	if len(ask.PodSets) == 0 {
		return
	}
	now, err := applicationAsk(app, l.place(app, app.Namespace), podsets.Environment{})
	if err != nil {
		// The application then waits for another reason, or continues unchanged.
		return
	}
	for i := range ask.PodSets {
		set := &ask.PodSets[i]
		if at := slices.IndexFunc(now.PodSets, func(p queueing.PodSet) bool { return p.Name == set.Name }); at >= 0 {
			set.Tolerations, set.NodeSelector = now.PodSets[at].Tolerations, now.PodSets[at].NodeSelector
		}
	}
}
