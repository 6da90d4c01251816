// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeflow

import (
	"maps"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/spark/strictdecode"
)

// SpecAnnotation, on an object of theirs or on its namespace, has fields of our spec that their kinds do not have, in
// YAML: queue: {name: nightly}.
const SpecAnnotation = v1alpha1.Group + "/spec"

// annotated are the fields that SpecAnnotation may have. Two of them hold only where the spec of theirs does not say it.
var annotated = []string{
	"queue", "timeouts", "retention", "podDisruptionBudget", "driverService", "podSecurity", "sparkVersion", "dynamicAllocation",
}

// leastRetention is how long the driver of a failed run stays: Airflow takes one that is gone for a success.
const leastRetention = time.Minute

// annotation is an annotation SpecAnnotation.
type annotation struct {
	// at is its path, as it is reported.
	at     string
	fields map[string]any
}

// annotated reads the annotations of the namespace and of the object.
func (t *translator) annotated(o *object) {
	t.annotation(o.ofNamespace, SpecAnnotation+" of the namespace")
	t.annotation(o.Metadata.Annotations[SpecAnnotation], "metadata.annotations["+SpecAnnotation+"]")
}

func (t *translator) annotation(text, at string) {
	a := annotation{at: at}
	refuse := func(field, message string) {
		t.Refusals = append(t.Refusals, finding.Finding{Field: strings.TrimSuffix(at+"."+field, "."), Message: message})
	}
	if err := yaml.UnmarshalStrict([]byte(text), &a.fields); err != nil {
		refuse("", "write fields of the spec of a SparkApplication of "+v1alpha1.Group+" in YAML, such as queue: {name: nightly}")
		return
	}
	t.Refusals = append(t.Refusals, strictdecode.Decode([]byte(shown(a.fields)), at, &v1alpha1.SparkApplicationSpec{})...)
	for _, field := range slices.Sorted(maps.Keys(a.fields)) {
		group, _ := a.fields[field].(map[string]any)
		switch {
		case !slices.Contains(annotated, field):
			refuse(field, "it cannot be set here: write it into the spec, or one of "+strings.Join(annotated, ", "))
		case field == "dynamicAllocation" && (len(group) != 1 || group["maxExecutors"] == nil):
			refuse(field, "only maxExecutors can be set here")
		case field == "retention" && tooShort(group):
			refuse(field, "write policy Always or OnFailure, and a duration of a minute or more: Airflow takes a driver that is gone for a success")
		}
	}
	t.said = append(t.said, a)
}

// tooShort reports whether a retention would remove the driver of a failed run too early.
func tooShort(retention map[string]any) bool {
	text, _ := retention["duration"].(string)
	duration, err := time.ParseDuration(text)
	return retention["policy"] == string(v1alpha1.RetentionNever) || err == nil && duration < leastRetention
}

// saidOf returns the value of a field in the annotations; nil if none has it.
func (t *translator) saidOf(path ...string) any {
	var found any
	for _, a := range t.said {
		var value any = a.fields
		for _, step := range path {
			group, _ := value.(map[string]any)
			value = group[step]
		}
		if value != nil {
			found = value
		}
	}
	return found
}

// overlay sets what the annotations say.
func (t *translator) overlay() {
	for _, a := range t.said {
		fields := maps.Clone(a.fields)
		delete(fields, "dynamicAllocation") // holds only where the spec needs it
		t.merge("", a.at, t.made, fields)
	}
}

// merge sets fields of our spec below a path to those of an annotation; null removes one.
func (t *translator) merge(path, at string, into, fields map[string]any) {
	for name, value := range fields {
		group, isGroup := value.(map[string]any)
		switch {
		case isGroup:
			inner, ok := into[name].(map[string]any)
			if !ok {
				inner = map[string]any{}
				into[name] = inner
			}
			t.merge(path+name+".", at, inner, group)
		case value == nil:
			delete(into, name)
		default:
			into[name] = value
			t.origins[t.base+"."+path+name] = at + "." + path + name
		}
	}
}
