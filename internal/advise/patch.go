// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Patch returns the changes as a merge patch (RFC 7386) of a SparkApplication: where its sparkConf sets the property, it
// is changed there, else the field is set. Changes that lower something with low confidence are left out. It has no
// field "spec" if nothing is to be changed.
func Patch(a Advice, app *v1alpha1.SparkApplication) map[string]any {
	patch := map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": v1alpha1.SparkApplicationKind, "metadata": map[string]any{"name": app.Name},
	}
	if app.Namespace != "" {
		patch["metadata"] = map[string]any{"name": app.Name, "namespace": app.Namespace}
	}
	spec := map[string]any{}
	for _, c := range a.Changes {
		if c.Confidence == Low && !c.Raises {
			continue
		}
		if _, set := app.Spec.SparkConf[c.Property]; set {
			child(spec, "sparkConf")[c.Property] = c.Advised
			continue
		}
		role, field, _ := strings.Cut(c.Field, ".")
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

func child(of map[string]any, name string) map[string]any {
	if of[name] == nil {
		of[name] = map[string]any{}
	}
	return of[name].(map[string]any)
}
