// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"cmp"
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
	"github.com/sparkgate/sparkgate/internal/tools/offline/internal/manifests"
	"github.com/sparkgate/sparkgate/queueing"
)

// Live is the state of a cluster, as read from the API server.
type Live struct {
	Queues       []v1alpha1.SparkQueue
	Flavors      []v1alpha1.SparkFlavor
	Applications []v1alpha1.SparkApplication
	// Schedules are used only to decide what is pruned.
	Schedules []v1alpha1.ScheduledSparkApplication
	// Pods are the unmanaged pods of guarded namespaces.
	Pods []Pod
	// Namespaces are the metadata of namespaces by name: labels and annotations. A namespace that is missing has none.
	Namespaces map[string]metav1.ObjectMeta
	// Priorities are the values of PriorityClasses by name. DefaultClass is the global default, DefaultPriority its
	// value.
	Priorities      map[string]int32
	DefaultClass    string
	DefaultPriority int32
	// LimitRanges are those of all namespaces; RuntimeClasses are the overheads by name.
	LimitRanges    []corev1.LimitRange
	RuntimeClasses map[string]corev1.ResourceList
	// DefaultGate is the default gate of the operator. Default: Embedded.
	DefaultGate v1alpha1.GateType
	Now         time.Time
}

// Pod is an unmanaged Spark pod of a guarded namespace.
type Pod struct {
	// Ask is what the pod asks for while it waits behind the operator's scheduling gate. For a running pod only key,
	// queue, priority and time are set.
	Ask queueing.Ask
	// Grant is what a running pod is charged; nil if the pod waits.
	Grant       *queueing.Grant
	Terminating bool
}

// EndState is the state of an application when no more decisions are possible.
type EndState string

// The outcomes.
const (
	// Absent: the application does not exist, has ended, or is suspended.
	Absent   EndState = "Absent"
	Admitted EndState = "Admitted"
	Waiting  EndState = "Waiting"
	// Refused: the application cannot start until it, a queue, a flavor or its namespace is changed.
	Refused EndState = "Refused"
	// Preempted: the application loses its quota and waits again.
	Preempted EndState = "Preempted"
	// Elsewhere: the application does not use a SparkQueue.
	Elsewhere EndState = "Elsewhere"
	// Fits: a future run can be admitted, at least if its queues are idle.
	Fits EndState = "Fits"
)

// EndStates are all states, in the order in which their counts are shown.
var EndStates = []EndState{Admitted, Fits, Waiting, Preempted, Refused, Elsewhere, Absent}

// Change is what the files do to an object.
type Change string

// The changes. An object that the files do not change may still be affected.
const (
	Unchanged Change = ""
	Created   Change = "Created"
	// Rerun: the run template is changed, so the application runs again: at once or after its current run, depending on
	// spec.onTemplateChange.
	Rerun Change = "Rerun"
	// Moved: the application waits, and asks another queue or asks differently.
	Moved Change = "Moved"
	// Suspended and Resumed: spec.suspend is changed.
	Suspended Change = "Suspended"
	Resumed   Change = "Resumed"
	// Updated: the future runs of a schedule are changed.
	Updated Change = "Updated"
	// Deleted: the object is pruned, or belongs to a schedule that is.
	Deleted Change = "Deleted"
)

// Effect is the effect of the files on an application, an unmanaged pod, or the future runs of a schedule.
type Effect struct {
	Kind      string   `json:"kind"`
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Queue     string   `json:"queue"`
	Change    Change   `json:"change,omitempty"`
	Before    EndState `json:"before"`
	After     EndState `json:"after"`
	// Reason and Message explain After, in the words of the condition Admitted.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// Plan is what applying files would do.
type Plan struct {
	// Queues and Flavors are the names of those that the files create or change.
	Queues, Flavors []string
	// DeletedQueues and DeletedFlavors are the names of those that are pruned.
	DeletedQueues, DeletedFlavors []string
	// Effects are the effects on applications: those in the files that run or run again, and others whose outcome
	// changes.
	Effects []Effect
	// Warnings are those of Lint.
	Warnings []Finding
}

// PlanOptions are how files are applied.
type PlanOptions struct {
	// Namespace is the namespace of objects that name none. Default: default.
	Namespace string
	// Prune selects by label the objects that are deleted if the files do not contain them; nil deletes nothing.
	// Objects with an annotation that makes Flux or Argo CD keep them are kept.
	Prune labels.Selector
	// Applied returns what an object of the cluster becomes if a manifest in JSON is applied to it; nil if it becomes the
	// manifest.
	Applied func(kind, namespace, name string, manifest []byte) []byte
}

// NewPlan predicts what would happen at once if the files were applied: first queues and flavors, then pruning, then
// applications in the order of the files. Everything else stays as it is. No time passes: running applications continue
// to run, and preempted ones have stopped. An error says what is wrong with the files.
func NewPlan(live Live, files []File, options PlanOptions) (Plan, error) {
	objects, warnings, err := checked(files)
	if err != nil {
		return Plan{}, err
	}
	p := &planning{live: live, original: live, namespace: options.Namespace, simulation: newSimulation(live.Now), out: Plan{Warnings: warnings}}
	p.flavored = len(live.Flavors) > 0 || slices.ContainsFunc(objects, isFlavor)
	// The namespaces in the files are added to the copy.
	if p.live.Namespaces = maps.Clone(live.Namespaces); live.Namespaces == nil {
		p.live.Namespaces = map[string]metav1.ObjectMeta{}
	}
	for i := range objects {
		if o := &objects[i]; options.Applied != nil && o.APIVersion == v1alpha1.GroupVersion.String() && o.Name != "" {
			o.JSON = options.Applied(o.Kind, p.namespaceOf(o.Namespace), o.Name, o.JSON)
		}
	}
	p.begin()
	if err := p.apply(objects, options.Prune); err != nil {
		return Plan{}, err
	}
	return p.result(), nil
}

// planning is a plan in the making.
type planning struct {
	// original is the state of the cluster; live is that state with the namespaces in the files.
	live, original Live
	namespace      string
	// flavored reports that there are flavors, so that tolerations and node selectors matter.
	flavored   bool
	simulation *simulation
	out        Plan
	// namespaces are those in the files; classListChanged are queues whose list of allowed PriorityClasses the files
	// change.
	namespaces, classListChanged map[string]bool

	queues  map[string]v1alpha1.SparkQueue
	flavors map[string]v1alpha1.SparkFlavor
	apps    map[string]*v1alpha1.SparkApplication
	// before are the outcomes before the change, by key without uid.
	before map[queueing.Key]appOutcome
	// changes are the applications that the files start, by key without uid; declared are the effects on other objects
	// in the files, which are decided already.
	changes  map[queueing.Key]Change
	declared []Effect
}

// begin loads the current state into the simulation and decides until nothing changes.
func (p *planning) begin() {
	p.queues, p.flavors = byName(p.live.Queues, nameOfQueue), byName(p.live.Flavors, nameOfFlavor)
	p.apps, p.changes = map[string]*v1alpha1.SparkApplication{}, map[queueing.Key]Change{}
	p.namespaces, p.classListChanged = map[string]bool{}, map[string]bool{}
	p.simulation.configure(p.queues, p.flavors)
	for _, app := range byGrant(p.live.Applications) {
		p.apps[app.Namespace+"/"+app.Name] = app
		ask := p.live.liveAsk(app)
		if p.flavored {
			p.live.choose(&ask, app)
		}
		p.simulation.take(ask, app)
	}
	for i := range p.live.Pods {
		p.simulation.takePod(&p.live.Pods[i])
	}
	for i := range p.live.Queues {
		p.simulation.reserve(&p.live.Queues[i].Status)
	}
	p.simulation.settle()
	p.before = p.simulation.outcomes()
}

// byGrant returns applications in the order in which they were admitted, because the newest is preempted first.
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

// apply applies the files.
func (p *planning) apply(objects []manifests.Object, prune labels.Selector) error {
	for i := range objects {
		if err := p.applyConfiguration(&objects[i]); err != nil {
			return err
		}
	}
	p.prune(objects, prune)
	p.simulation.configure(p.queues, p.flavors)
	p.reconsider()
	for i := range objects {
		if err := p.applyApplication(&objects[i]); err != nil {
			return fmt.Errorf("%s:%d: %s %s: %w", objects[i].File, objects[i].Line, objects[i].Kind, objects[i].Name, err)
		}
	}
	p.simulation.settle()
	return nil
}

// applyConfiguration applies a queue, a flavor or a namespace.
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
	listChanged := otherList(before.Spec.PriorityClassNames, queue.Spec.PriorityClassNames)
	if !exists || listChanged || !equality.Semantic.DeepEqual(before.Spec, queue.Spec) {
		p.out.Queues = append(p.out.Queues, queue.Name)
	}
	p.classListChanged[queue.Name] = p.classListChanged[queue.Name] || listChanged
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

// otherList reports whether two lists differ. An empty list differs from an absent one.
func otherList(a, b []string) bool { return (a == nil) != (b == nil) || !slices.Equal(a, b) }

// applyNamespace adds labels and annotations of a namespace in the files to its existing ones.
func (p *planning) applyNamespace(o *manifests.Object) error {
	var declared corev1.Namespace
	if err := kjson.UnmarshalCaseSensitivePreserveInts(o.JSON, &declared); err != nil {
		return err
	}
	meta := p.live.Namespaces[o.Name]
	meta.Labels, meta.Annotations = joined(meta.Labels, declared.Labels), joined(meta.Annotations, declared.Annotations)
	p.live.Namespaces[o.Name], p.namespaces[o.Name] = meta, true
	return nil
}

// joined returns the entries of both maps; those of second win.
func joined(first, second map[string]string) map[string]string {
	all := make(map[string]string, len(first)+len(second))
	maps.Copy(all, first)
	maps.Copy(all, second)
	return all
}

// result compares the outcomes with those before the change.
func (p *planning) result() Plan {
	p.out.Effects = p.declared
	for name, after := range p.simulation.outcomes() {
		before, change := p.before[name], p.changes[name]
		if before.outcome == "" || change == Created {
			before.outcome = Absent
		}
		after, less := after.comparedWith(before.outcome)
		if change == Unchanged && !less && (after.outcome == before.outcome || before.outcome == Absent) {
			continue
		}
		p.out.Effects = append(p.out.Effects, Effect{
			Kind: after.key.Kind, Namespace: after.key.Namespace, Name: after.key.Name, Queue: after.queue,
			Change: change, Before: before.outcome, After: after.outcome, Reason: after.reason, Message: after.message,
		})
	}
	slices.SortFunc(p.out.Effects, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(own(a), own(b)), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return p.out
}

// own sorts objects in the files before others.
func own(e Effect) int {
	if e.Change != Unchanged {
		return 0
	}
	return 1
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

// appOutcome is the outcome for an application.
type appOutcome struct {
	key             queueing.Key
	queue           string
	outcome         EndState
	reason, message string
	// preempted is why the application lost its quota since the last comparison; nil if it did not. reclaimed is what
	// it lost of its executors.
	preempted *queueing.Eviction
	reclaimed reclaimed
}

// comparedWith returns the outcome to report, given the one before, and whether the application holds less than then. A
// preempted application has lost its work even if it is admitted again at once. An application that held nothing has
// lost nothing.
func (s appOutcome) comparedWith(before EndState) (now appOutcome, less bool) {
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
