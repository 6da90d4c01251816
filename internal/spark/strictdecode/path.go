// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package strictdecode

import (
	"bytes"
	gojson "encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/json"
)

// place is a value within a document, and the type that it should have.
type place struct {
	path  string
	value []byte
	kind  reflect.Type
}

// locate returns the innermost value that cannot be decoded into its type, and whether there is one.
func locate(value []byte, kind reflect.Type, path string) (place, bool) {
	if json.UnmarshalCaseSensitivePreserveInts(value, reflect.New(kind).Interface()) == nil {
		return place{}, false
	}
	value = bytes.TrimSpace(value)
	here := place{path: path, value: value, kind: deref(kind)}
	for _, child := range childrenOf(here) {
		if found, ok := locate(child.value, child.kind, child.path); ok {
			return found, true
		}
	}
	return here, true
}

// childrenOf returns the parts of a value that have types of their own. It returns none if the value has not the form
// of its type, or if the type decodes itself.
func childrenOf(p place) []place {
	if reflect.PointerTo(p.kind).Implements(reflect.TypeFor[gojson.Unmarshaler]()) {
		return nil
	}
	switch p.kind.Kind() {
	case reflect.Slice:
		return elementsOf(p)
	case reflect.Struct, reflect.Map:
		return membersOf(p)
	}
	return nil
}

// elementsOf returns the elements of a list.
func elementsOf(p place) []place {
	var values []gojson.RawMessage
	if gojson.Unmarshal(p.value, &values) != nil {
		return nil
	}
	var children []place
	for i, value := range values {
		children = append(children, place{path: fmt.Sprintf("%s[%d]", p.path, i), value: value, kind: p.kind.Elem()})
	}
	return children
}

// membersOf returns the known members of an object, sorted by name.
func membersOf(p place) []place {
	var values map[string]gojson.RawMessage
	if gojson.Unmarshal(p.value, &values) != nil {
		return nil
	}
	var children []place
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if kind := memberType(p.kind, name); kind != nil {
			children = append(children, place{path: p.path + "." + name, value: values[name], kind: kind})
		}
	}
	return children
}

// deref returns the type that a pointer type points to.
func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// memberType returns the type of a member of an object, nil if it has none with that name.
func memberType(t reflect.Type, name string) reflect.Type {
	switch t = deref(t); t.Kind() {
	case reflect.Map:
		return t.Elem()
	case reflect.Struct:
		return fieldsOf(t)[name]
	}
	return nil
}

// fieldsOf returns the types of a struct's fields by their JSON names, including those of inlined structs.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case name == "" && field.Anonymous:
			maps.Copy(fields, fieldsOf(deref(field.Type)))
		case name != "":
			fields[name] = field.Type
		}
	}
	return fields
}

// namesOf returns the sorted JSON names of a struct's fields; none for other types.
func namesOf(t reflect.Type) []string {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	return slices.Sorted(maps.Keys(fieldsOf(t)))
}

// typeAt returns the type at a path such as spec.containers[0], nil if the path leaves the known fields.
func typeAt(t reflect.Type, path string) reflect.Type {
	t = deref(t)
	for _, step := range splitPath(path) {
		name, rest, _ := strings.Cut(step, "[")
		member := memberType(t, name)
		if member == nil {
			return nil
		}
		t = deref(member)
		for range strings.Count(rest, "]") {
			t = deref(t.Elem())
		}
	}
	return t
}

// splitPath returns the steps of a path.
func splitPath(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

// parentOf returns a path without its last step; lastName returns that step.
func parentOf(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }
func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
