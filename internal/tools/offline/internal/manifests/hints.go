// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"encoding/json"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
)

// Hints returns warnings about what only a cluster or an image can decide: applications, and templates of schedules,
// without a service account, and servers without their jar. Objects that cannot be parsed have none.
func Hints(objects []Object) []Finding {
	var hints []Finding
	for i := range objects {
		o := &objects[i]
		if o.APIVersion != v1alpha1.GroupVersion.String() {
			continue
		}
		spec, at := specOf(o)
		if spec == nil {
			continue
		}
		var found []Finding
		app := &v1alpha1.SparkApplication{Spec: *spec}
		for _, w := range append(validate.AccountWarnings(app), validate.ServerWarnings(app)...) {
			found = append(found, Finding{Field: strings.Replace(w.Field, "spec", at, 1), Message: w.Message, Warning: true})
		}
		hints = append(hints, o.Place(found)...)
	}
	return hints
}

// specOf returns the spec of the application in an object, and its path; nil if there is none.
func specOf(o *Object) (spec *v1alpha1.SparkApplicationSpec, at string) {
	switch o.Kind {
	case v1alpha1.SparkApplicationKind:
		var app v1alpha1.SparkApplication
		if json.Unmarshal(o.JSON, &app) == nil {
			return &app.Spec, "spec"
		}
	case v1alpha1.ScheduledSparkApplicationKind:
		var schedule v1alpha1.ScheduledSparkApplication
		spec = &v1alpha1.SparkApplicationSpec{}
		if json.Unmarshal(o.JSON, &schedule) == nil && json.Unmarshal(schedule.Spec.Template.Spec.Raw, spec) == nil {
			return spec, "spec.template.spec"
		}
	}
	return nil, ""
}
