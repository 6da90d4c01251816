// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// Patch returns the changes as a merge patch (RFC 7386) of a SparkApplication. Where the application's sparkConf sets
// the property, the patch changes it there, otherwise it sets the field; where both are set, it changes both, because
// they have to agree. It leaves out changes that lower a value with low confidence. It has no field "spec" if there is
// nothing to change.
func Patch(a Advice, app *v1alpha1.SparkApplication) map[string]any {
	patch := map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": v1alpha1.SparkApplicationKind, "metadata": map[string]any{"name": app.Name},
	}
	if app.Namespace != "" {
		patch["metadata"] = map[string]any{"name": app.Name, "namespace": app.Namespace}
	}
	spec, fields := map[string]any{}, fieldsOf(app)
	for _, c := range a.Changes {
		if c.Confidence == Low && !c.Raises {
			continue
		}
		role, field, _ := strings.Cut(c.Field, ".")
		if _, set := app.Spec.SparkConf[c.Property]; set {
			child(spec, "sparkConf")[c.Property] = c.Advised
			if fields[role][field] == nil {
				continue
			}
		}
		child(spec, role)[field] = c.Advised
		if n, err := strconv.Atoi(c.Advised); err == nil && field == "instances" {
			child(spec, role)[field] = n
		}
	}
	if len(spec) > 0 {
		patch["spec"] = spec
	}
	return patch
}

// fieldsOf returns the fields that an application sets, by role.
func fieldsOf(app *v1alpha1.SparkApplication) map[string]map[string]any {
	fields := map[string]map[string]any{}
	for role, of := range map[string]any{string(conf.Driver): app.Spec.Driver, string(conf.Executor): app.Spec.Executor} {
		set := map[string]any{}
		if text, err := json.Marshal(of); err == nil {
			// Text that Marshal wrote can be read.
			_ = json.Unmarshal(text, &set)
		}
		fields[role] = set
	}
	return fields
}

func child(of map[string]any, name string) map[string]any {
	if of[name] == nil {
		of[name] = map[string]any{}
	}
	return of[name].(map[string]any)
}
