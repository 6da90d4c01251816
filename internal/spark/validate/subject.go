// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// subject is an application with everything that the checks need, read once.
type subject struct {
	app  *v1alpha1.SparkApplication
	spec *v1alpha1.SparkApplicationSpec
	// properties are the merged properties; merging are the findings of the merge.
	properties conf.Properties
	merging    []conf.Finding
	roles      []role
	// in is the input for the objects; checkRendered sets objects.
	in      render.Input
	objects render.Objects
}

// role is driver or executor with its raw parts decoded.
type role struct {
	render.Role
	parts    render.Parts
	mistakes []error
	// spark is the index of Spark's container in the template; -1 if the template has no containers.
	spark int
}

// newSubject returns the subject for an application alone, without the properties of its ConfigMap.
func newSubject(app *v1alpha1.SparkApplication) *subject {
	return subjectOf(render.NewInput(app, conf.Sources{}))
}

func subjectOf(in render.Input, contradictions []conf.Finding) *subject {
	s := &subject{app: in.App, spec: &in.App.Spec, properties: in.Properties, merging: contradictions, in: in}
	for _, r := range render.Roles(in.App) {
		parts, mistakes := r.Decode()
		spark := r.SparkContainer(parts.Template.Spec.Containers, s.properties)
		s.roles = append(s.roles, role{Role: r, parts: parts, mistakes: mistakes, spark: spark})
	}
	return s
}
