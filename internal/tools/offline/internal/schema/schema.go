// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"io/fs"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/config/crd"
)

// Schema is what the API server checks for one kind.
type Schema struct {
	root   *schema.Structural
	values validation.SchemaValidator
	rules  *cel.Validator
}

// Of returns the schema of a kind, and whether the kind exists. An error means that the CRDs of this program are
// broken.
func Of(kind string) (*Schema, bool, error) {
	all, err := schemas()
	return all[kind], all[kind] != nil, err
}

// schemas reads the CRDs once.
var schemas = sync.OnceValues(func() (map[string]*Schema, error) {
	files, err := fs.Glob(crd.Bases, "bases/*.yaml")
	if err != nil {
		return nil, err
	}
	all := map[string]*Schema{}
	for _, file := range files {
		kind, s, err := read(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all[kind] = s
	}
	return all, nil
})

// read reads a CRD, which must have one version. The schema has no status, because users do not write it.
func read(file string) (kind string, s *Schema, err error) {
	text, err := crd.Bases.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &definition); err != nil {
		return "", nil, err
	}
	if n := len(definition.Spec.Versions); n != 1 {
		return "", nil, fmt.Errorf("there are %d versions, and only one is known here", n)
	}
	delete(definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties, "status")
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(definition.Spec.Versions[0].Schema.OpenAPIV3Schema, &props, nil); err != nil {
		return "", nil, err
	}
	s = &Schema{}
	if s.root, err = schema.NewStructural(&props); err != nil {
		return "", nil, err
	}
	s.values, _, err = validation.NewSchemaValidator(&props)
	s.rules = cel.NewValidator(s.root, true, celconfig.PerCallLimit)
	return definition.Spec.Names.Kind, s, err
}
