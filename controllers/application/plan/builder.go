// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"

	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/inputs"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/queueing"
)

// Builder builds the objects of an attempt, once for the plan and once with the grant.
type Builder struct {
	Reader *Reader
	Gates  reservation.Gates
	// ServiceAnnotation reports whether applications may set an annotation on their Service.
	ServiceAnnotation func(key string) bool
	// Plans remembers whether the run template is that of the current run.
	Plans *memory.Plans
	Clock clock.Clock
	// checked holds the objects that check built last, so that build can return them. It is nil once they were
	// returned, or if a ConfigMap or Secrets add properties to them.
	checked *render.Objects
}

// order is a start whose objects are to be built.
type order struct {
	app   *v1alpha1.SparkApplication
	start lifecycle.AttemptID
	queue string
	// target is the gate that the start asks; it does not matter once there is a grant.
	target memory.Target
	// template is the hash of the run template.
	template string
	// grant is what the start was granted; nil while it is planned.
	grant *queueing.Grant
}

// built are the objects of a start, and the hash of everything that they were derived from. If there are findings,
// which are mistakes that only show together with the referenced configuration, there are no objects.
type built struct {
	objects render.Objects
	inputs  string
	found   []finding.Finding
}

// check returns what is wrong with a start, judging by the application alone, or together with its sparkConfigMap where
// that may complete the spec. The objects it builds are reused by build, unless a ConfigMap or Secrets add properties
// to them.
func (bl *Builder) check(ctx context.Context, of order) ([]finding.Finding, error) {
	in, contradictions := bl.input(of, conf.Sources{})
	objects, found := validate.Build(in, contradictions)
	if bl.checked = nil; len(found) == 0 && of.app.Spec.SparkConfigMap == "" && len(of.app.Spec.SparkConfFrom) == 0 {
		bl.checked = &objects
	}
	if validate.ConfigMapMayMend(of.app, found) {
		return bl.checkWithFiles(ctx, of)
	}
	return found, nil
}

// checkWithFiles is check with the properties of the sparkConfigMap. It returns no findings if the ConfigMap is known
// not to exist: it will be reported as missing, and applications of a namespace that name it share one read.
func (bl *Builder) checkWithFiles(ctx context.Context, of order) ([]finding.Finding, error) {
	if found, known := bl.Reader.known(refer(of.app, configMapKind, of.app.Spec.SparkConfigMap, "")); known && found.problem != "" {
		return nil, nil
	}
	files, err := bl.Reader.confFiles(ctx, of.app)
	var gone configMapGone
	switch {
	case errors.As(err, &gone):
		return nil, nil
	case err != nil:
		return nil, err
	}
	_, found := validate.Build(bl.input(of, conf.Sources{ConfigMap: files}))
	return found, nil
}

// input returns the input for rendering a start, and contradictions between its properties.
func (bl *Builder) input(of order, sources conf.Sources) (render.Input, []conf.Finding) {
	in, contradictions := render.NewInput(of.app, sources)
	in.Run, in.Attempt, in.Queue, in.Grant = of.start.Run, of.start.Attempt, of.queue, of.grant
	in.SchedulingGated, in.ServiceAnnotation = bl.schedulingGated(in.Properties, of), bl.ServiceAnnotation
	in.SubmitTime = bl.Clock.Now()
	if admitted := of.app.Status.Times.Admitted; admitted != nil {
		in.SubmitTime = admitted.Time
	}
	return in, contradictions
}

// build renders the objects of a start, without a grant for the plan, and with it before they are created. Objects are
// validated only without a grant, because a grant is for the same inputs.
func (bl *Builder) build(ctx context.Context, of order) (b built, err error) {
	files, err := bl.Reader.confFiles(ctx, of.app)
	if err != nil {
		return b, err
	}
	in, contradictions := bl.input(of, conf.Sources{ConfigMap: files})
	if b.inputs, err = bl.inputsOf(ctx, of, in.Properties); err != nil {
		return b, err
	}
	if checked := bl.checked; checked != nil && of.grant == nil {
		bl.checked = nil
		b.objects = *checked
		return b, nil
	}
	values, err := bl.Reader.secretValues(ctx, of.app)
	if err != nil {
		return b, err
	}
	in.Secrets = values.values()
	if files != nil && of.grant == nil {
		if b.objects, b.found = validate.Build(in, contradictions); len(b.found) == 0 {
			b.found = values.findings()
		}
		return b, nil
	}
	if b.found = append(contradicting(contradictions), values.findings()...); len(b.found) > 0 {
		return b, nil
	}
	if b.objects, err = render.Build(in); err != nil {
		b.found = []finding.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: err.Error()}}
	} else if values != nil { // without Secrets the size was checked when the objects were planned
		b.found = validate.Size(of.app, b.objects)
	}
	return b, nil
}

// contradicting converts contradictions between properties to findings.
func contradicting(contradictions []conf.Finding) []finding.Finding {
	found := make([]finding.Finding, 0, len(contradictions))
	for _, c := range contradictions {
		found = append(found, finding.Finding{Reason: v1alpha1.InvalidSpecReason, Field: c.Field, Message: c.Message})
	}
	return found
}

// inputsOf returns the hash of everything that a start with these properties would be derived from now.
func (bl *Builder) inputsOf(ctx context.Context, of order, properties conf.Properties) (string, error) {
	namespace, err := bl.Reader.Namespace(ctx, of.app)
	if err != nil {
		return "", err
	}
	environment, _, err := bl.Reader.environment(ctx, of.app)
	if err != nil {
		return "", err
	}
	return inputs.Inputs{
		Template: of.template, Properties: properties, ConfigMap: bl.Reader.once.conf, Settings: inputs.SettingsOf(namespace), Environment: environment,
	}.Hash()
}

// podSets returns what the pods of a start request from a gate. An error means a mistake in the spec.
func (bl *Builder) podSets(app *v1alpha1.SparkApplication, objects render.Objects, environment podsets.Environment, gate string) ([]queueing.PodSet, error) {
	if bl.Gates.Capabilities(gate).LeavesRest {
		return podsets.BaseSets(app, objects, environment)
	}
	return podsets.PodSets(app, objects, environment)
}

// schedulingGated reports whether executors are created with the quota's scheduling gate. A grant says so itself.
// Without one they are, under dynamic allocation and in guarded namespaces, if there are any and the gate can resize
// grants.
func (bl *Builder) schedulingGated(properties conf.Properties, of order) bool {
	if of.grant != nil {
		return of.grant.SchedulingGated
	}
	gang, err := properties.Executors()
	return bl.Gates.Capabilities(of.target.Gate).Resizes && (of.target.Guarded && gang.Most > 0 || err == nil && gang.Dynamic)
}
