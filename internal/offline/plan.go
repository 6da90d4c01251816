// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	kjson "sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/offline/internal/manifests"
	"github.com/sparkgate/sparkgate/queueing"
)

// Live is what there is in a cluster, as it was read from the API server.
type Live struct {
	Queues       []v1alpha1.SparkQueue
	Flavors      []v1alpha1.SparkFlavor
	Applications []v1alpha1.SparkApplication
	// Schedules are needed to know what is pruned, and for nothing else.
	Schedules []v1alpha1.ScheduledSparkApplication
	// Pods of guarded namespaces that belong to no application.
	Pods []Pod
	// Namespaces by name: labels and annotations. One that is not among them has none.
	Namespaces map[string]metav1.ObjectMeta
	// Priorities are the values of PriorityClasses by name; DefaultClass is the global default, DefaultPriority its value.
	Priorities      map[string]int32
	DefaultClass    string
	DefaultPriority int32
	// LimitRanges of all namespaces, and the overheads of RuntimeClasses by name.
	LimitRanges    []corev1.LimitRange
	RuntimeClasses map[string]corev1.ResourceList
	// DefaultGate is the operator's. Default: Embedded.
	DefaultGate v1alpha1.GateType
	Now         time.Time
}

// Pod is a Spark pod of a guarded namespace that belongs to no application.
type Pod struct {
	// Ask says what it asks for while it waits behind the scheduling gate; of one that runs it has key, queue, priority
	// and time.
	Ask queueing.Ask
	// Grant is what one that runs is charged; nil if it waits.
	Grant       *queueing.Grant
	Terminating bool
}

// Outcome is where an application stands once nothing moves.
type Outcome string

// Where applications stand.
const (
	// Absent: it does not exist, has ended, or is suspended.
	Absent   Outcome = "Absent"
	Admitted Outcome = "Admitted"
	Waiting  Outcome = "Waiting"
	// Refused: it cannot start until it, a queue, a flavor or its namespace is changed.
	Refused Outcome = "Refused"
	// Preempted: it gives up what it holds, and waits again.
	Preempted Outcome = "Preempted"
	// Elsewhere: no SparkQueue decides on it.
	Elsewhere Outcome = "Elsewhere"
	// Fits: a run that is to come can be admitted, at least when its queues are idle.
	Fits Outcome = "Fits"
)

// Outcomes are all of them, in the order in which people read their counts.
var Outcomes = []Outcome{Admitted, Fits, Waiting, Preempted, Refused, Elsewhere, Absent}

// Change is what files do to an object.
type Change string

// Changes. An object that the files do not change may be affected nevertheless.
const (
	Unchanged Change = ""
	Created   Change = "Created"
	// Rerun: what runs is changed, so that the application runs again: at once, or after its current run, as
	// spec.onTemplateChange says.
	Rerun Change = "Rerun"
	// Moved: it waits, and asks another queue or in another way.
	Moved Change = "Moved"
	// Suspended and Resumed: spec.suspend is changed.
	Suspended Change = "Suspended"
	Resumed   Change = "Resumed"
	// Updated: a schedule, whose coming runs are different.
	Updated Change = "Updated"
	// Deleted: it is pruned, or belongs to a schedule that is.
	Deleted Change = "Deleted"
)

// Effect is what becomes of one application, of an unmanaged pod, or of the coming runs of a schedule.
type Effect struct {
	Kind      string  `json:"kind"`
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Queue     string  `json:"queue"`
	Change    Change  `json:"change,omitempty"`
	Before    Outcome `json:"before"`
	After     Outcome `json:"after"`
	// Reason and Message say why, in the words of the condition Admitted.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// Plan is what files would do.
type Plan struct {
	// Queues and Flavors that the files create or change, by name.
	Queues, Flavors []string
	// DeletedQueues and DeletedFlavors are those that are pruned, by name.
	DeletedQueues, DeletedFlavors []string
	// Effects on applications: those of the files that run or run again, and others that would stand elsewhere than
	// without the change.
	Effects []Effect
	// Warnings of Lint.
	Warnings []Finding
}

// PlanOptions say how files are applied.
type PlanOptions struct {
	// Namespace of what names none. Default: default.
	Namespace string
	// Prune selects, by its labels, what is deleted if the files do not name it; nil deletes nothing. Objects that tell
	// Flux or Argo CD to keep them are kept.
	Prune labels.Selector
}

// NewPlan finds out what would happen at once if the files were applied: queues and flavors first, then what is pruned,
// then applications in the order of the files. All else stays as it is. Time does not pass: what runs keeps running,
// and what is preempted has stopped. An error says what is wrong with the files.
func NewPlan(live Live, files []File, options PlanOptions) (Plan, error) {
	objects, findings := read(files)
	found, _, err := manifests.Check(objects)
	if err != nil {
		return Plan{}, err
	}
	all := slices.Concat(findings, found)
	if wrong := slices.DeleteFunc(slices.Clone(all), isWarning); len(wrong) > 0 {
		return Plan{}, errors.New(problems(wrong))
	}
	p := &planning{live: live, original: live, namespace: options.Namespace, world: newWorld(live.Now), out: Plan{Warnings: all}}
	p.flavored = len(live.Flavors) > 0 || slices.ContainsFunc(objects, isFlavor)
	if p.live.Namespaces = maps.Clone(live.Namespaces); live.Namespaces == nil { // those of the files are added
		p.live.Namespaces = map[string]metav1.ObjectMeta{}
	}
	p.begin()
	if err := p.apply(objects, options.Prune); err != nil {
		return Plan{}, err
	}
	return p.result(), nil
}

// planning is one plan in the making.
type planning struct {
	// original is what there is in the cluster, live with what the files say of namespaces.
	live, original Live
	namespace      string
	// flavored: there are flavors, so that it matters what pods tolerate and select.
	flavored bool
	world    *world
	out      Plan
	// namespaces are those that the files name, relisted the queues in which they let other PriorityClasses be named.
	namespaces, relisted map[string]bool

	queues  map[string]v1alpha1.SparkQueue
	flavors map[string]v1alpha1.SparkFlavor
	apps    map[string]*v1alpha1.SparkApplication
	// before is where everything stood before the change, by what is there.
	before map[string]standing
	// changes are the applications that the files make run, by namespace/name, and declared what was decided on others
	// of the files.
	changes  map[string]Change
	declared []Effect
}

// begin brings the world to rest as it is now.
func (p *planning) begin() {
	p.queues, p.flavors = byName(p.live.Queues, nameOfQueue), byName(p.live.Flavors, nameOfFlavor)
	p.apps, p.changes = map[string]*v1alpha1.SparkApplication{}, map[string]Change{}
	p.namespaces, p.relisted = map[string]bool{}, map[string]bool{}
	p.world.configure(p.queues, p.flavors)
	for _, app := range byGrant(p.live.Applications) {
		p.apps[app.Namespace+"/"+app.Name] = app
		ask := p.live.liveAsk(app)
		if p.flavored {
			p.live.choose(&ask, app)
		}
		p.world.take(ask, app)
	}
	for i := range p.live.Pods {
		p.world.takePod(&p.live.Pods[i])
	}
	for i := range p.live.Queues {
		p.world.reserve(&p.live.Queues[i].Status)
	}
	p.world.settle()
	p.before = p.world.standings()
}

// byGrant returns applications in the order in which they were granted what they hold: the newest is preempted first.
func byGrant(apps []v1alpha1.SparkApplication) []*v1alpha1.SparkApplication {
	sorted := make([]*v1alpha1.SparkApplication, len(apps))
	for i := range apps {
		sorted[i] = &apps[i]
	}
	since := func(app *v1alpha1.SparkApplication) time.Time {
		if at := app.Status.Times.Admitted; at != nil {
			return at.Time
		}
		return time.Time{}
	}
	slices.SortStableFunc(sorted, func(a, b *v1alpha1.SparkApplication) int { return since(a).Compare(since(b)) })
	return sorted
}

// apply brings what the files say.
func (p *planning) apply(objects []manifests.Object, prune labels.Selector) error {
	for i := range objects {
		if err := p.applyConfiguration(&objects[i]); err != nil {
			return err
		}
	}
	p.prune(objects, prune)
	p.world.configure(p.queues, p.flavors)
	p.reconsider()
	for i := range objects {
		if err := p.applyApplication(&objects[i]); err != nil {
			return fmt.Errorf("%s:%d: %s %s: %w", objects[i].File, objects[i].Line, objects[i].Kind, objects[i].Name, err)
		}
	}
	p.world.settle()
	return nil
}

// applyConfiguration takes over a queue, a flavor, or what a namespace says.
func (p *planning) applyConfiguration(o *manifests.Object) error {
	if o.APIVersion == "v1" && o.Kind == "Namespace" {
		return p.applyNamespace(o)
	}
	if o.APIVersion != v1alpha1.GroupVersion.String() {
		return nil
	}
	switch o.Kind {
	case v1alpha1.SparkQueueKind:
		return p.applyQueue(o)
	case v1alpha1.SparkFlavorKind:
		return p.applyFlavor(o)
	}
	return nil
}

func (p *planning) applyQueue(o *manifests.Object) error {
	queue := v1alpha1.SparkQueue{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(o.JSON, &queue); err != nil {
		return err
	}
	before, exists := p.queues[queue.Name]
	relisted := otherList(before.Spec.PriorityClassNames, queue.Spec.PriorityClassNames)
	if !exists || relisted || !equality.Semantic.DeepEqual(before.Spec, queue.Spec) {
		p.out.Queues = append(p.out.Queues, queue.Name)
	}
	p.relisted[queue.Name] = p.relisted[queue.Name] || relisted
	p.queues[queue.Name] = queue
	return nil
}

func (p *planning) applyFlavor(o *manifests.Object) error {
	flavor := v1alpha1.SparkFlavor{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(o.JSON, &flavor); err != nil {
		return err
	}
	if before, exists := p.flavors[flavor.Name]; !exists || !equality.Semantic.DeepEqual(before.Spec, flavor.Spec) {
		p.out.Flavors = append(p.out.Flavors, flavor.Name)
	}
	p.flavors[flavor.Name] = flavor
	return nil
}

// otherList reports whether two lists differ, of which an empty one says something else than one that is absent.
func otherList(a, b []string) bool { return (a == nil) != (b == nil) || !slices.Equal(a, b) }

// applyNamespace adds labels and annotations of the files to those that a namespace has.
func (p *planning) applyNamespace(o *manifests.Object) error {
	var said corev1.Namespace
	if err := kjson.UnmarshalCaseSensitivePreserveInts(o.JSON, &said); err != nil {
		return err
	}
	meta := p.live.Namespaces[o.Name]
	meta.Labels, meta.Annotations = joined(meta.Labels, said.Labels), joined(meta.Annotations, said.Annotations)
	p.live.Namespaces[o.Name], p.namespaces[o.Name] = meta, true
	return nil
}

// joined returns a map with the entries of both, of which those of the second count.
func joined(first, second map[string]string) map[string]string {
	all := make(map[string]string, len(first)+len(second))
	maps.Copy(all, first)
	maps.Copy(all, second)
	return all
}

// result compares how everything stands with how it stood.
func (p *planning) result() Plan {
	p.out.Effects = p.declared
	for name, after := range p.world.standings() {
		before, change := p.before[name], p.changes[name]
		if before.outcome == "" || change == Created {
			before.outcome = Absent
		}
		after, less := after.comparedWith(before.outcome)
		if change == Unchanged && !less && (after.outcome == before.outcome || before.outcome == Absent) {
			continue
		}
		p.out.Effects = append(p.out.Effects, Effect{
			Kind: kindOf(after.key), Namespace: after.key.Namespace, Name: after.key.Name, Queue: after.queue,
			Change: change, Before: before.outcome, After: after.outcome, Reason: after.reason, Message: after.message,
		})
	}
	slices.SortFunc(p.out.Effects, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(own(a), own(b)), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return p.out
}

// own returns 0 for what the files name, which comes first, else 1.
func own(e Effect) int {
	if e.Change != Unchanged {
		return 0
	}
	return 1
}

// kindOf returns the kind of the object of a key.
func kindOf(key queueing.Key) string {
	if key.Kind == queueing.Pod {
		return "Pod"
	}
	return v1alpha1.SparkApplicationKind
}

func isFlavor(o manifests.Object) bool {
	return o.APIVersion == v1alpha1.GroupVersion.String() && o.Kind == v1alpha1.SparkFlavorKind
}

func nameOfQueue(q *v1alpha1.SparkQueue) string   { return q.Name }
func nameOfFlavor(f *v1alpha1.SparkFlavor) string { return f.Name }

func byName[T any](items []T, name func(*T) string) map[string]T {
	out := make(map[string]T, len(items))
	for i := range items {
		out[name(&items[i])] = items[i]
	}
	return out
}

// standing is where an application stands.
type standing struct {
	key             queueing.Key
	queue           string
	outcome         Outcome
	reason, message string
	// preempted is why it had to release what it held since the world was last compared; nil if it had not. reclaimed is
	// what it had to release of its executors.
	preempted *queueing.Eviction
	reclaimed reclaimed
}

// comparedWith returns where an application stands that stood elsewhere before, and whether it holds less than then. One that
// is preempted has lost its work, also if it is admitted again at once, where there is quota for it; one that did not hold
// anything has lost nothing.
func (s standing) comparedWith(before Outcome) (now standing, less bool) {
	switch {
	case before != Admitted:
		return s, false
	case s.preempted != nil:
		if s.reason, s.message = s.preempted.Reason, s.preempted.Message; s.outcome == Admitted {
			s.message += "; then it is admitted again"
		}
		s.outcome = Preempted
		return s, true
	case s.reclaimed.count > 0:
		s.reason, s.message = ExecutorsReclaimed, s.reclaimed.message()
		return s, true
	}
	return s, false
}
