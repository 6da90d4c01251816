// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/finding"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/inputs"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/queueing"
)

// objectBuilder builds the objects of an attempt, once for the plan and once with the grant.
type objectBuilder struct {
	*state
	reader    *reader
	placement *placement
	// template is the hash of the run template; empty before the pass has planned.
	template string
	// inputs is the hash of what the objects were last built from.
	inputs string
	// checked holds the objects that check built last, so that build can return them. It is nil once they were
	// returned, or if a ConfigMap or Secrets add properties to them.
	checked *render.Objects
}

// check returns what is wrong with a start, judging by the application alone, or together with its sparkConfigMap where
// that may complete the spec. The objects it builds are reused by build, unless a ConfigMap or Secrets add properties
// to them.
func (bl *objectBuilder) check(ctx context.Context, start lifecycle.Start, queue string) ([]finding.Finding, error) {
	in, contradictions := bl.input(start, queue, nil, conf.Sources{})
	objects, found := validate.Build(in, contradictions)
	if bl.checked = nil; len(found) == 0 && bl.app.Spec.SparkConfigMap == "" && len(bl.app.Spec.SparkConfFrom) == 0 {
		bl.checked = &objects
	}
	if validate.ConfigMapMayMend(bl.app, found) {
		return bl.checkWithFiles(ctx, start, queue)
	}
	return found, nil
}

// checkWithFiles is check with the properties of the sparkConfigMap. It returns no findings if the ConfigMap is known
// not to exist: it will be reported as missing, and applications of a namespace that name it share one read.
func (bl *objectBuilder) checkWithFiles(ctx context.Context, start lifecycle.Start, queue string) ([]finding.Finding, error) {
	if found, known := bl.reader.known(bl.reader.toReference(configMapKind, bl.app.Spec.SparkConfigMap, "")); known && found.problem != "" {
		return nil, nil
	}
	files, err := bl.reader.confFiles(ctx)
	var gone configMapGone
	switch {
	case errors.As(err, &gone):
		return nil, nil
	case err != nil:
		return nil, err
	}
	_, found := validate.Build(bl.input(start, queue, nil, conf.Sources{ConfigMap: files}))
	return found, nil
}

// input returns the input for rendering a start, and contradictions between its properties.
func (bl *objectBuilder) input(start lifecycle.Start, queue string, grant *queueing.Grant, sources conf.Sources) (render.Input, []conf.Finding) {
	in, contradictions := render.NewInput(bl.app, sources)
	in.Run, in.Attempt, in.Queue, in.Grant = start.Run, start.Attempt, queue, grant
	in.SchedulingGated, in.ServiceAnnotation = bl.schedulingGated(in.Properties, grant), bl.Exposure.ServiceAnnotation
	in.SubmitTime = bl.observed.Now
	if admitted := bl.app.Status.Times.Admitted; admitted != nil {
		in.SubmitTime = admitted.Time
	}
	return in, contradictions
}

// build renders the objects of a start, without a grant for the plan, and with it before they are created. Findings are
// mistakes that only show together with the referenced configuration. Objects are validated only without a grant,
// because a grant is for the same inputs.
func (bl *objectBuilder) build(ctx context.Context, start lifecycle.Start, queue string, grant *queueing.Grant) (render.Objects, []finding.Finding, error) {
	files, err := bl.reader.confFiles(ctx)
	if err != nil {
		return render.Objects{}, nil, err
	}
	in, contradictions := bl.input(start, queue, grant, conf.Sources{ConfigMap: files})
	if bl.inputs, err = bl.inputsOf(ctx, in.Properties); err != nil {
		return render.Objects{}, nil, err
	}
	if checked := bl.checked; checked != nil && grant == nil {
		bl.checked = nil
		return *checked, nil, nil
	}
	values, err := bl.reader.secretValues(ctx)
	if err != nil {
		return render.Objects{}, nil, err
	}
	in.Secrets = values.values()
	if files != nil && grant == nil {
		objects, found := validate.Build(in, contradictions)
		if len(found) > 0 {
			return render.Objects{}, found, nil
		}
		return objects, values.findings(), nil
	}
	if found := append(contradicting(contradictions), values.findings()...); len(found) > 0 {
		return render.Objects{}, found, nil
	}
	objects, err := render.Build(in)
	if err != nil {
		return objects, []finding.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: err.Error()}}, nil
	}
	if values != nil { // without Secrets the size was checked when the objects were planned
		return objects, validate.Size(bl.app, objects), nil
	}
	return objects, nil, nil
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
func (bl *objectBuilder) inputsOf(ctx context.Context, properties conf.Properties) (string, error) {
	namespace, err := bl.reader.namespace(ctx)
	if err != nil {
		return "", err
	}
	environment, _, err := bl.reader.environment(ctx)
	if err != nil {
		return "", err
	}
	in := inputs.Inputs{
		Properties: properties, ConfigMap: bl.reader.conf, Settings: inputs.SettingsOf(namespace), Environment: environment,
	}
	if in.Template, err = bl.templateHash(); err != nil {
		return "", err
	}
	return in.Hash()
}

// templateHash returns the hash of the run template. It is computed only if the pass has not planned and the template
// is not that of the current run.
func (bl *objectBuilder) templateHash() (string, error) {
	switch {
	case bl.template != "":
		return bl.template, nil
	case bl.observed.SameTemplate:
		return bl.app.Status.TemplateHash, nil
	}
	return templatehash.Of(&bl.app.Spec)
}

// podSets returns what the pods of a start request from a gate. An error means a mistake in the spec.
func (bl *objectBuilder) podSets(objects render.Objects, environment podsets.Environment, gate string) ([]queueing.PodSet, error) {
	if bl.Gates.Capabilities(gate).LeavesExecutors {
		return podsets.BaseSets(bl.app, objects, environment)
	}
	return podsets.PodSets(bl.app, objects, environment)
}

// schedulingGated reports whether executors are created with the quota's scheduling gate. A grant says so itself.
// Without one they are, under dynamic allocation and in guarded namespaces, if the gate can resize grants.
func (bl *objectBuilder) schedulingGated(properties conf.Properties, grant *queueing.Grant) bool {
	if grant != nil {
		return grant.SchedulingGated
	}
	gang, err := properties.Executors()
	return bl.Gates.Capabilities(bl.placement.target.Gate).Resizes && (bl.placement.target.Guarded || err == nil && gang.Dynamic)
}
