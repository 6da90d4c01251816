// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// kinds are the CRDs under test by their plural; the folder testdata has an object with every field of each.
var kinds = map[string]string{
	"sparkapplications":          "sparkapplication.yaml",
	"scheduledsparkapplications": "scheduledsparkapplication.yaml",
	"sparkclusters":              "sparkcluster.yaml",
	"sparkqueues":                "sparkqueue.yaml",
	"sparkflavors":               "sparkflavor.yaml",
}

func crdPath(plural string) string {
	return filepath.Join(env.Root(), "config", "crd", "bases", "sparkgate.io_"+plural+".yaml")
}

func readCRD(t *testing.T, plural string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	decode(t, crdPath(plural), crd)
	return crd
}

// schemaOf returns the schema of a kind's whole object.
func schemaOf(t *testing.T, plural string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	return readCRD(t, plural).Spec.Versions[0].Schema.OpenAPIV3Schema
}

// complete returns the object of testdata with every field; without a namespace.
func complete(t *testing.T, plural string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	decode(t, filepath.Join("testdata", kinds[plural]), &obj.Object)
	return obj
}

func decode(t *testing.T, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(raw, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// place is a field of a schema and, in step with it, of an object: list items are [0], values of maps are skipped.
type place struct {
	schema *apiextensionsv1.JSONSchemaProps
	// keys lead to the field in an object: string for a field, int for a list item.
	keys []any
	// required by its parent.
	required bool
}

// String returns the path as the API server writes it.
func (p place) String() string {
	var b strings.Builder
	for i, key := range p.keys {
		switch k := key.(type) {
		case int:
			b.WriteString("[" + strconv.Itoa(k) + "]")
		case string:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(k)
		}
	}
	return b.String()
}

// places lists every field below spec, outermost first, in a fixed order.
func places(t *testing.T, plural string) []place {
	t.Helper()
	spec := schemaOf(t, plural).Properties["spec"]
	var all []place
	var walk func(p place)
	walk = func(p place) {
		all = append(all, p)
		for _, name := range slices.Sorted(maps.Keys(p.schema.Properties)) {
			property := p.schema.Properties[name]
			walk(place{&property, append(slices.Clone(p.keys), name), slices.Contains(p.schema.Required, name)})
		}
		if p.schema.Items != nil && p.schema.Items.Schema != nil {
			walk(place{p.schema.Items.Schema, append(slices.Clone(p.keys), 0), false})
		}
	}
	walk(place{&spec, []any{"spec"}, false})
	return all
}

// at returns the value of a place, of the first list item that has it. found is false where the object lacks it.
func at(value any, keys []any) (any, bool) {
	if len(keys) == 0 {
		return value, true
	}
	switch key := keys[0].(type) {
	case string:
		object, _ := value.(map[string]any)
		inner, ok := object[key]
		if !ok {
			return nil, false
		}
		return at(inner, keys[1:])
	case int:
		items, _ := value.([]any)
		for _, item := range items {
			if found, ok := at(item, keys[1:]); ok {
				return found, true
			}
		}
	}
	return nil, false
}

// set returns a copy of the object in which the place has another value, or is gone if value is nil, and the path of the change. In
// a list it changes the first item that has the place.
func set(obj *unstructured.Unstructured, p place, value any) (*unstructured.Unstructured, string, error) {
	changed := obj.DeepCopy()
	actual := place{}
	var walk func(node any, keys []any) (any, error)
	walk = func(node any, keys []any) (any, error) {
		if len(keys) == 0 {
			return value, nil
		}
		switch key := keys[0].(type) {
		case string:
			object, ok := node.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("testdata has no object at %s", actual)
			}
			actual.keys = append(actual.keys, key)
			inner, err := walk(object[key], keys[1:])
			object[key] = inner
			if inner == nil {
				delete(object, key)
			}
			return object, err
		case int:
			items, _ := node.([]any)
			for i, item := range items {
				if _, ok := at(item, keys[1:]); ok {
					actual.keys = append(actual.keys, i)
					var err error
					items[i], err = walk(item, keys[1:])
					return items, err
				}
			}
		}
		return nil, fmt.Errorf("testdata has no list item with %s", p)
	}
	_, err := walk(changed.Object, p.keys)
	return changed, actual.String(), err
}
