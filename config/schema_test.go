// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"math"
	"path/filepath"
	"regexp"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// reserved are the words that rules have to write as __word__ (Kubernetes, "Validation rules"): that of Kubernetes 1.31 refuses the CRD else.
var reserved = regexp.MustCompile(`\.(true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)\b`)

// TestSchemasForOldServers: what the API server of Kubernetes 1.31 refuses or does not check. It stores numbers that a field of its Go type cannot hold,
// whatever its format says, and one such object keeps the operator from reading any.
func TestSchemasForOldServers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRDs: %v", err)
	}
	for _, file := range files {
		for _, crd := range documents[apiextensionsv1.CustomResourceDefinition](t, file) {
			for _, version := range crd.Spec.Versions {
				checkSchema(t, crd.Spec.Names.Kind+".spec", version.Schema.OpenAPIV3Schema.Properties["spec"])
			}
		}
	}
}

func checkSchema(t *testing.T, path string, s apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	if s.Format == "int32" && (s.Maximum == nil || *s.Maximum > math.MaxInt32 || s.Minimum == nil || *s.Minimum < math.MinInt32) {
		t.Errorf("%s: set minimum and maximum to what int32 holds at most", path)
	}
	for _, rule := range s.XValidations {
		if word := reserved.FindString(rule.Rule); word != "" {
			t.Errorf("%s: write __%s__ in %q", path, word[1:], rule.Rule)
		}
	}
	for name, property := range s.Properties {
		checkSchema(t, path+"."+name, property)
	}
	if s.Items != nil && s.Items.Schema != nil {
		checkSchema(t, path+"[]", *s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		checkSchema(t, path+"{}", *s.AdditionalProperties.Schema)
	}
}
