// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/demand"
	"github.com/sparkgate/sparkgate/internal/spark/inputs"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/templatehash"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/queueing"
)

// objectBuilder builds the objects of an attempt: for the plan of a start, and with its grant.
type objectBuilder struct {
	*state
	reader    *reader
	placement *placement
	// template is the hash of the run template, once the pass has planned.
	template string
	// inputs identify what the objects of the pass were last built from.
	inputs string
}

// build renders the objects of a start. Findings are mistakes that show only together with the referenced configuration.
func (bl *objectBuilder) build(ctx context.Context, start lifecycle.Start, queue string, grant *queueing.Grant) (render.Objects, []lifecycle.Finding, error) {
	files, err := bl.reader.confFiles(ctx)
	if err != nil {
		return render.Objects{}, nil, err
	}
	sources := conf.Sources{ConfigMap: files}
	properties, contradictions := conf.Merge(bl.app, sources)
	if bl.inputs, err = bl.inputsOf(ctx, properties); err != nil {
		return render.Objects{}, nil, err
	}
	if files != nil {
		if found := findings(validate.Submission(bl.app, sources)); len(found) > 0 {
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
	values, err := bl.reader.secretValues(ctx)
	if err != nil {
		return render.Objects{}, nil, err
	}
	if found := values.findings(); len(found) > 0 {
		return render.Objects{}, found, nil
	}
	submitted := bl.o.Now
	if bl.app.Status.Times.Admitted != nil {
		submitted = bl.app.Status.Times.Admitted.Time
	}
	objects, err := render.Build(render.Input{
		App: bl.app, Run: start.Run, Attempt: start.Attempt, Queue: queue, Grant: grant, SchedulingGated: bl.schedulingGated(properties, grant),
		Properties: properties, Secrets: values.values(), ConfFiles: render.ConfFiles(files), SubmitTime: submitted,
		ServiceAnnotation: bl.Exposure.ServiceAnnotation,
	})
	if err != nil {
		return objects, []lifecycle.Finding{{Reason: v1alpha1.InvalidSpecReason, Message: err.Error()}}, nil
	}
	if values != nil { // else the size is known already
		return objects, findings(validate.Size(bl.app, objects)), nil
	}
	return objects, nil, nil
}

// inputsOf identifies what a start with these properties is made from, as it stands now.
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
		Properties: properties, ConfigMap: bl.reader.configMaps[bl.app.Spec.SparkConfigMap], Settings: inputs.SettingsOf(namespace), Environment: environment,
	}
	if in.Template, err = bl.templateHash(); err != nil {
		return "", err
	}
	return in.Hash()
}

// templateHash identifies the run template. A pass that has planned knows it; so does one that goes on with what was planned.
func (bl *objectBuilder) templateHash() (string, error) {
	switch {
	case bl.template != "":
		return bl.template, nil
	case bl.o.SameTemplate:
		return bl.app.Status.TemplateHash, nil
	}
	return templatehash.Of(&bl.app.Spec)
}

// podSets returns what objects need that were built for a gate. An error is a mistake in the spec.
func (bl *objectBuilder) podSets(objects render.Objects, environment demand.Environment, gate string) ([]queueing.PodSet, error) {
	if bl.Gates.Capabilities(gate).LeavesExecutors {
		return demand.BaseSets(bl.app, objects, environment)
	}
	return demand.PodSets(bl.app, objects, environment)
}

// schedulingGated reports whether executors wait behind the scheduling gate of the quota: as the grant says, and before there is one, under dynamic
// allocation and in guarded namespaces, if the gate that is asked lets grants grow.
func (bl *objectBuilder) schedulingGated(properties conf.Properties, grant *queueing.Grant) bool {
	if grant != nil {
		return grant.SchedulingGated
	}
	gang, err := properties.Executors()
	return bl.Gates.Capabilities(bl.placement.target.name).Resizes && (bl.placement.target.guarded || err == nil && gang.Dynamic)
}

func findings(found []validate.Finding) []lifecycle.Finding {
	out := make([]lifecycle.Finding, 0, len(found))
	for _, f := range found {
		out = append(out, lifecycle.Finding{Reason: f.Reason, Message: f.String()})
	}
	return out
}
