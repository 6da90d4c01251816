// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/demand"
	"github.com/sparkgate/sparkgate/internal/spark/inputs"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/queueing"
)

// planned returns the plan of one start of the application: of one that is too large, that it cannot be.
func (p *pass) planned(ctx context.Context, start lifecycle.Start) (*lifecycle.Plan, error) {
	if found := findings(validate.Stub(p.app)); len(found) > 0 {
		return &lifecycle.Plan{Findings: found}, nil
	}
	return p.planStart(ctx, start)
}

// planStart finds out what one start of the application would be, and what it asks of its gate.
func (p *pass) planStart(ctx context.Context, start lifecycle.Start) (*lifecycle.Plan, error) {
	namespace, err := p.namespace(ctx)
	if err != nil {
		return nil, err
	}
	p.policy = namespacepolicy.Of(namespace)
	plan := p.choose(p.policy)
	p.target.settings = fmt.Sprint(inputs.SettingsOf(namespace))
	if len(plan.Findings) > 0 {
		return plan, nil
	}
	ready := p.expectations.prepared(p.app, attempt{start.Run, start.Attempt})
	if ready != nil {
		plan.Hash = ready.hash
	} else if plan.Hash, err = templatehash.Of(&p.app.Spec); err != nil {
		return nil, err
	} else if plan.Findings = findings(validate.Application(p.app)); len(plan.Findings) > 0 {
		return plan, nil
	}
	if p.recalled, err = p.recalls(ctx, ready); err != nil {
		return nil, err
	}
	p.template = plan.Hash
	refs, err := p.references(ctx, plan.Gate)
	if err != nil {
		return nil, err
	}
	if plan.Missing = refs.missing; len(plan.Missing) > 0 {
		return plan, nil
	}
	if ready, plan.Findings, err = p.prepareAllowed(ctx, start, plan, ready); err != nil || ready == nil {
		return plan, err
	}
	plan.Executors, plan.Inputs, plan.PodSets = ready.executors, ready.inputs, ready.podSets
	plan.DriverPod, plan.ApplicationID, plan.UIAddress = ready.names.DriverPod, ready.names.ApplicationID, ready.uiAddress
	plan.HistoryAddress = ready.historyAddress
	p.ask = &queueing.Ask{
		Key: keyOf(p.app), Run: start.Run, Attempt: start.Attempt, Queue: plan.Queue, PodSets: ready.podSets,
		NamespaceLabels: namespace.Labels, Priority: refs.priority, QueuedAt: start.QueuedAt, HoldsFor: lifecycle.HoldsFor(p.app, p.MaxTermination),
		SchedulingGated: ready.gated, NeedsLimits: p.policy.NeedsLimits(plan.Queue), Inputs: ready.inputs,
	}
	if ready.templates != nil {
		p.ask.Objects = p.gateObjects(start, ready, plan.Queue)
	}
	return plan, nil
}

// choose finds out which gate and queue a start asks, and whether it may.
func (p *pass) choose(policy namespacepolicy.Policy) *lifecycle.Plan {
	plan := &lifecycle.Plan{Gate: string(p.gateOf(policy))}
	plan.Queue, p.queueField = queueOf(p.app, policy, p.Gates.Capabilities(plan.Gate))
	p.gateField = gateField(p.app, policy)
	p.target = targetGate{name: plan.Gate, guarded: policy.Guarded}
	plan.Findings = append(findings(validate.Queue(p.app, v1alpha1.GateType(plan.Gate))), p.closedTo(policy, plan)...)
	return plan
}

// gateObjects tells a gate how objects that it makes for a start are to look.
func (p *pass) gateObjects(start lifecycle.Start, ready *prepared, queue string) queueing.Objects {
	objects := queueing.Objects{
		Name: ready.names.Prefix, Templates: ready.templates, Owner: render.OwnerOf(p.app), Labels: render.LabelsOf(p.app, start.Run, start.Attempt, queue),
		UserLabels: p.app.Labels, UserAnnotations: p.app.Annotations,
	}
	if q := p.app.Spec.Queue; q != nil {
		objects.PriorityClass = q.PriorityClassName
		objects.StartEarly = q.Volcano != nil && q.Volcano.WaitForInqueue != nil && !*q.Volcano.WaitForInqueue
	}
	return objects
}

// prepareAllowed returns prepare, with what administrators do not allow among the findings: they may change that at any time.
func (p *pass) prepareAllowed(ctx context.Context, start lifecycle.Start, plan *lifecycle.Plan, ready *prepared) (*prepared, []lifecycle.Finding, error) {
	ready, found, err := p.prepare(ctx, start, plan, ready)
	if err != nil || ready == nil {
		return nil, found, err
	}
	if found, err = p.forbidden(ctx, p.policy, plan, ready); err != nil || len(found) > 0 {
		return nil, found, err
	}
	return ready, nil, nil
}

// prepare renders a start to learn its names, its executors and what it asks of its gate; unless ready, of an earlier pass, says so
// already. It returns nothing if there are findings, or something is missing after all, which the plan then says.
func (p *pass) prepare(ctx context.Context, start lifecycle.Start, plan *lifecycle.Plan, ready *prepared) (*prepared, []lifecycle.Finding, error) {
	environment, version, err := p.environment(ctx)
	// What a ConfigMap says may change at any time.
	if err != nil || ready.validFor(version, p.target) && (p.recalled || p.app.Spec.SparkConfigMap == "") {
		return ready, nil, err
	}
	ready = &prepared{looked: p.Clock.Now(), generation: p.app.Generation, attempt: attempt{start.Run, start.Attempt}, environment: version, target: p.target, hash: plan.Hash}
	objects, found, err := p.build(ctx, start, plan.Queue, nil)
	if plan.Missing = p.goneSince(err); len(plan.Missing) > 0 {
		return nil, nil, nil
	}
	if err != nil || len(found) > 0 {
		return nil, found, err
	}
	if found := findings(validate.Gate(p.app, v1alpha1.GateType(plan.Gate), objects.Properties)); len(found) > 0 {
		return nil, found, nil
	}
	ready.names, ready.uiAddress, ready.historyAddress = objects.Names, objects.UIAddress, p.historyAddress(objects)
	ready.accounts, ready.classes, ready.inputs = accountsOf(objects), classesOf(objects), p.inputs
	ready.gated = objects.Gated
	if err := p.measure(objects, environment, plan.Gate, ready); err != nil {
		var outside *demand.EnvironmentError
		return nil, []lifecycle.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: err.Error(), Outside: errors.As(err, &outside)}}, nil
	}
	p.expectations.storePrepared(p.app, ready)
	return ready, nil, nil
}

// measure finds out what a start asks of its gate. An error is a mistake in the spec.
func (p *pass) measure(objects render.Objects, environment demand.Environment, gate string, ready *prepared) (err error) {
	ready.podSets, err = p.podSets(objects, environment, gate)
	if err == nil && p.Gates.Capabilities(gate).DescribesPods {
		ready.templates, err = demand.Templates(objects)
	}
	if err == nil {
		ready.executors, err = demand.Wanted(objects.Properties)
	}
	return err
}

// podSets returns what objects need that were built for a gate. An error is a mistake in the spec.
func (p *pass) podSets(objects render.Objects, environment demand.Environment, gate string) ([]queueing.PodSet, error) {
	if p.Gates.Capabilities(gate).LeavesExecutors {
		return demand.BaseSets(p.app, objects, environment)
	}
	return demand.PodSets(p.app, objects, environment)
}

// build renders the objects of a start. Findings are mistakes that show only together with the referenced configuration.
func (p *pass) build(ctx context.Context, start lifecycle.Start, queue string, grant *queueing.Grant) (render.Objects, []lifecycle.Finding, error) {
	files, err := p.confFiles(ctx)
	if err != nil {
		return render.Objects{}, nil, err
	}
	sources := conf.Sources{ConfigMap: files}
	properties, contradictions := conf.Merge(p.app, sources)
	if p.inputs, err = p.inputsOf(ctx, properties); err != nil {
		return render.Objects{}, nil, err
	}
	if files != nil {
		if found := findings(validate.Submission(p.app, sources)); len(found) > 0 {
			return render.Objects{}, found, nil
		}
	}
	if len(contradictions) > 0 {
		found := make([]lifecycle.Finding, 0, len(contradictions))
		for _, c := range contradictions {
			found = append(found, lifecycle.Finding{Reason: v1alpha1.InvalidSpecReason, Message: c.String()})
		}
		return render.Objects{}, found, nil
	}
	values, err := p.secretValues(ctx)
	if err != nil {
		return render.Objects{}, nil, err
	}
	if found := values.findings(); len(found) > 0 {
		return render.Objects{}, found, nil
	}
	submitted := p.o.Now
	if p.app.Status.Times.Admitted != nil {
		submitted = p.app.Status.Times.Admitted.Time
	}
	objects, err := render.Build(render.Input{
		App: p.app, Run: start.Run, Attempt: start.Attempt, Queue: queue, Grant: grant, SchedulingGated: p.schedulingGated(properties, grant),
		Properties: properties, Secrets: values.values(), ConfFiles: render.ConfFiles(files), SubmitTime: submitted,
		ServiceAnnotation: p.Exposure.ServiceAnnotation,
	})
	if err != nil {
		return objects, []lifecycle.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: err.Error()}}, nil
	}
	if values != nil { // else the size is known already
		return objects, findings(validate.Size(p.app, objects)), nil
	}
	return objects, nil, nil
}

func findings(found []validate.Finding) []lifecycle.Finding {
	out := make([]lifecycle.Finding, 0, len(found))
	for _, f := range found {
		out = append(out, lifecycle.Finding{Reason: f.Reason, Message: f.String()})
	}
	return out
}

// namespace reads labels and annotations of the application's namespace.
func (p *pass) namespace(ctx context.Context) (*metav1.PartialObjectMetadata, error) {
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	if err := p.Client.Get(ctx, types.NamespacedName{Name: p.app.Namespace}, namespace); err != nil {
		return nil, fmt.Errorf("read namespace %s: %w", p.app.Namespace, err)
	}
	return namespace, nil
}

// references is what was found of the things that the spec names.
type references struct {
	missing  []string
	priority int32
}

// references looks for what the driver cannot be made without.
func (p *pass) references(ctx context.Context, gate string) (refs references, err error) {
	if !p.recalled {
		if refs.missing, err = p.missing(ctx); err != nil {
			return refs, err
		}
	}
	err = p.priority(ctx, &refs, gate)
	return refs, err
}

// missing returns what the spec names and does not exist in the namespace.
func (p *pass) missing(ctx context.Context) (missing []string, err error) {
	name := p.app.Spec.Driver.ServiceAccountName
	if name != "" {
		there, err := p.isThere(ctx, accountKind, name, metadata(accountKind))
		if err != nil {
			return nil, err
		}
		if !there {
			missing = append(missing, fmt.Sprintf("ServiceAccount %q named by spec.driver.serviceAccountName does not exist in namespace %s", name, p.app.Namespace))
		}
	}
	for _, ref := range []struct{ field, name string }{
		{"spec.sparkConfigMap", p.app.Spec.SparkConfigMap}, {"spec.hadoopConfigMap", p.app.Spec.HadoopConfigMap},
	} {
		if ref.name == "" {
			continue
		}
		if there, err := p.isThere(ctx, configMapKind, ref.name, metadata(configMapKind)); err != nil {
			return nil, err
		} else if !there {
			missing = append(missing, p.noConfigMap(ref.name, ref.field))
		}
	}
	secrets, err := p.missingSecrets(ctx)
	return append(missing, secrets...), err
}

// priority returns the value of the PriorityClass of the queue, else of the cluster's default, else 0. A gate's own class goes first.
func (p *pass) priority(ctx context.Context, refs *references, gate string) error {
	if q := p.app.Spec.Queue; q != nil && q.PriorityClassName != "" {
		class, kinds := &schedulingv1.PriorityClass{}, "PriorityClass"
		switch value, known, asked := p.Gates.Priority(gate, q.PriorityClassName); {
		case known:
			refs.priority = value
			return nil
		case asked:
			kinds = "WorkloadPriorityClass or PriorityClass"
		}
		err := p.Client.Get(ctx, types.NamespacedName{Name: q.PriorityClassName}, class)
		if apierrors.IsNotFound(err) {
			refs.missing = append(refs.missing, fmt.Sprintf("%s %q named by spec.queue.priorityClassName does not exist", kinds, q.PriorityClassName))
			return nil
		}
		refs.priority = class.Value
		return err
	}
	classes := &schedulingv1.PriorityClassList{}
	if err := p.Client.List(ctx, classes, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list priority classes: %w", err)
	}
	for i := range classes.Items {
		if classes.Items[i].GlobalDefault {
			refs.priority = classes.Items[i].Value
		}
	}
	return nil
}

// metadata stands for an object of a core kind of which only the metadata is read.
func metadata(kind string) *metav1.PartialObjectMetadata {
	obj := &metav1.PartialObjectMetadata{}
	obj.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
	return obj
}

// confFiles returns the files of spec.sparkConfigMap; nil if there is none.
func (p *pass) confFiles(ctx context.Context) (map[string]string, error) {
	if p.app.Spec.SparkConfigMap == "" {
		return nil, nil
	}
	files, err := p.configMap(ctx, p.app.Spec.SparkConfigMap)
	if err == nil && files == nil {
		return nil, configMapGone(p.app.Spec.SparkConfigMap)
	}
	return files, err
}

// configMap reads a ConfigMap live, and once a pass; nil if it does not exist.
func (p *pass) configMap(ctx context.Context, name string) (map[string]string, error) {
	cm, read := p.configMaps[name]
	if !read {
		cm = &corev1.ConfigMap{}
		err := p.read(ctx, name, cm)
		switch {
		case apierrors.IsNotFound(err):
			p.lookups.put(p.toReference(configMapKind, name, ""), notThere)
			cm = nil
		case err != nil:
			return nil, fmt.Errorf("read config map %s: %w", name, err)
		case cm.Data == nil:
			cm.Data = map[string]string{}
		}
		if p.configMaps == nil {
			p.configMaps = map[string]*corev1.ConfigMap{}
		}
		p.configMaps[name] = cm
	}
	if cm == nil {
		return nil, nil
	}
	return cm.Data, nil
}

// environment returns what the API server adds to requests of pods. The version changes whenever anything of it does.
func (p *pass) environment(ctx context.Context) (e demand.Environment, version string, err error) {
	ranges := &corev1.LimitRangeList{}
	if err := p.Client.List(ctx, ranges, client.InNamespace(p.app.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return e, "", fmt.Errorf("list limit ranges: %w", err)
	}
	e.LimitRanges = ranges.Items
	var versions []string
	for i := range ranges.Items {
		versions = append(versions, string(ranges.Items[i].UID)+ranges.Items[i].ResourceVersion)
	}
	classes := &nodev1.RuntimeClassList{}
	if err := p.Client.List(ctx, classes, client.UnsafeDisableDeepCopy); err != nil {
		return e, "", fmt.Errorf("list runtime classes: %w", err)
	}
	for i := range classes.Items {
		versions = append(versions, string(classes.Items[i].UID)+classes.Items[i].ResourceVersion)
		if o := classes.Items[i].Overhead; o != nil {
			if e.RuntimeClasses == nil {
				e.RuntimeClasses = map[string]corev1.ResourceList{}
			}
			e.RuntimeClasses[classes.Items[i].Name] = o.PodFixed
		}
	}
	slices.Sort(versions)
	return e, strings.Join(versions, ","), nil
}

func keyOf(app *v1alpha1.SparkApplication) queueing.Key {
	return queueing.Key{Namespace: app.Namespace, Name: app.Name, UID: string(app.UID)}
}
