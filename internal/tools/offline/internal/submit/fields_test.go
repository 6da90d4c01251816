// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// TestEveryTypedFieldIsKnown holds this package to the source of conf: each field that is turned into a property there is one that a
// property is turned into here.
func TestEveryTypedFieldIsKnown(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../../../spark/conf/fields.go")
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(`f\.(?:text|number|list|each)\([^,]+, (?:path ?\+ ?)?"(?:spec)?\.?([A-Za-z.]+)"`).FindAllStringSubmatch(string(source), -1)
	const least = 30
	if len(calls) < least {
		t.Fatalf("only %d fields were found in conf", len(calls))
	}
	known := slices.Concat(slices.Collect(maps.Values(knownFields().single)), slices.Collect(maps.Values(knownFields().families)))
	for _, call := range calls {
		path := call[1]
		if !slices.ContainsFunc(known, func(k string) bool { return k == path || strings.HasSuffix(k, "."+path) }) {
			t.Errorf("the field %s stands for a property in conf, and from-submit does not know it", path)
		}
	}
}

// TestEveryKnownFieldCanBeSet sets each property that has a field and expects it in the field, saying the same.
func TestEveryKnownFieldCanBeSet(t *testing.T) {
	t.Parallel()
	app := &v1alpha1.SparkApplication{}
	fill(reflect.ValueOf(&app.Spec).Elem())
	for key, property := range typed(app) {
		field, ok := knownFields().of(key)
		if !ok {
			t.Errorf("%s has no field", key)
			continue
		}
		made := &v1alpha1.SparkApplication{}
		if !field.set(&made.Spec, property.Value) {
			t.Errorf("%s = %q cannot be written into %s", key, property.Value, field.path)
		}
		if got := typed(made)[key]; got.Value != property.Value || got.Origin != property.Origin {
			t.Errorf("%s: the field says %+v, want %+v", key, got, property)
		}
	}
}

// TestEveryOptionIsAProperty makes sure that no option leads to a property that the operator does not read.
func TestEveryOptionIsAProperty(t *testing.T) {
	t.Parallel()
	for option, key := range options {
		if !strings.HasPrefix(key, "spark.") {
			t.Errorf("%s stands for %q, which is no property", option, key)
		}
	}
	if options["--num-executors"] != conf.ExecutorInstances {
		t.Error("--num-executors is not the number of executors")
	}
}
