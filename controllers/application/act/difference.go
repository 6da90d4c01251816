// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"encoding/json"
	"reflect"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// difference returns the JSON merge patch (RFC 7386) from one status to another, by field. It encodes only the fields
// that differ, and compares as JSON only objects that both statuses have.
func difference(before, after *v1alpha1.SparkApplicationStatus) (map[string]json.RawMessage, error) {
	patch := map[string]json.RawMessage{}
	return patch, addDifferences(patch, reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem())
}

func addDifferences(patch map[string]json.RawMessage, before, after reflect.Value) error {
	for i := range after.NumField() {
		field, was, now := after.Type().Field(i), before.Field(i), after.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			if err := addDifferences(patch, was, now); err != nil {
				return err
			}
		case name == "-" || equality.Semantic.DeepEqual(was.Interface(), now.Interface()):
		default:
			change, err := changeOf(was, now)
			if err != nil {
				return err
			}
			patch[name] = change
		}
	}
	return nil
}

// changeOf returns the value that a merge patch has for a field with omitempty.
func changeOf(before, after reflect.Value) (json.RawMessage, error) {
	isObject := after.Kind() == reflect.Struct || after.Kind() == reflect.Pointer && !before.IsNil() && !after.IsNil()
	isEmpty := after.IsZero() || after.Kind() == reflect.Slice && after.Len() == 0
	if isEmpty && !isObject {
		return json.RawMessage("null"), nil
	}
	now, err := json.Marshal(after.Interface())
	if err != nil || !isObject || now[0] != '{' { // a duration is encoded as a string
		return now, err
	}
	was, err := json.Marshal(before.Interface())
	if err != nil {
		return nil, err
	}
	return jsonpatch.CreateMergePatch(was, now)
}
