// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package crds reads the CustomResourceDefinitions for tests.
package crds

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/config/crd"
)

// Schema returns the schema of the only version in a file of config/crd/bases. The caller may change it.
func Schema(t *testing.T, file string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	text, err := crd.Bases.ReadFile("bases/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &definition); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if n := len(definition.Spec.Versions); n != 1 {
		t.Fatalf("%s defines %d versions, want one", file, n)
	}
	return definition.Spec.Versions[0].Schema.OpenAPIV3Schema
}
