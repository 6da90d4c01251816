// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	kjson "sigs.k8s.io/json"
)

// mostProblems is how many are listed.
const mostProblems = 20

// problems collects what is wrong in one place, and what is worth a warning.
type problems struct {
	all, warnings *[]string
	// document and path are the place; the path ends with a point unless it is empty.
	document, path string
}

func newProblems() problems { return problems{all: &[]string{}, warnings: &[]string{}} }

// in returns a collector for a document.
func (p problems) in(d document) problems {
	p.document, p.path = d.String(), ""
	return p
}

// at returns a collector for what is below a path.
func (p problems) at(format string, args ...any) problems {
	p.path += fmt.Sprintf(format, args...) + "."
	return p
}

// add says what is wrong with a key, or with the place itself, and what to do.
func (p problems) add(key, format string, args ...any) {
	*p.all = append(*p.all, p.text(key, fmt.Sprintf(format, args...)))
}

// warn says what will not be as written.
func (p problems) warn(key, format string, args ...any) {
	*p.warnings = append(*p.warnings, p.text(key, fmt.Sprintf(format, args...)))
}

func (p problems) text(key, message string) string {
	var parts []string
	for _, part := range []string{p.document, strings.TrimSuffix(p.path+key, "."), message} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ": ")
}

// err returns all that was collected, one a line; nil if there is nothing.
func (p problems) err() error {
	list := *p.all
	if len(list) == 0 {
		return nil
	}
	if len(list) > mostProblems {
		list = append(list[:mostProblems:mostProblems], fmt.Sprintf("and %d more", len(list)-mostProblems))
	}
	return errors.New(strings.Join(list, "\n"))
}

// decode reads JSON into a struct. It reports whether the values could be read; unknown and doubled keys are reported
// but do not hinder that.
func (p problems) decode(data []byte, into any) bool {
	strict, err := kjson.UnmarshalStrict(data, into)
	for _, s := range strict {
		p.addStrict(s, reflect.TypeOf(into).Elem())
	}
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped):
		p.add(mistyped.Field, "unexpected %s; write %s", mistyped.Value, wanted(mistyped.Type))
	case err != nil:
		p.add("", "%v; correct the value", err)
	}
	return err == nil
}

func (p problems) addStrict(err error, in reflect.Type) {
	var field kjson.FieldError
	if !errors.As(err, &field) {
		p.add("", "%v", err)
		return
	}
	if strings.HasPrefix(err.Error(), "duplicate") {
		p.add(field.FieldPath(), "the key is given twice; remove one")
		return
	}
	known := ""
	if keys := keysAt(in, field.FieldPath()); len(keys) > 0 {
		known = " to one of " + strings.Join(keys, ", ")
	}
	p.add(field.FieldPath(), "the key is not known; remove it or correct it%s", known)
}

// wanted returns a type in words.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("a whole number of %d bits", t.Bits())
	case reflect.String:
		return "a text, in quotes if it looks like a number"
	case reflect.Slice:
		return "a list"
	}
	return "keys and values"
}

// keysAt returns the keys that are known where the last key of a path stands; none where they are free. Members of
// lists appear as [n] after the key.
func keysAt(t reflect.Type, path string) []string {
	steps := strings.Split(path, ".")
	for _, step := range steps[:len(steps)-1] {
		name, _, _ := strings.Cut(step, "[")
		if t = fieldOf(inner(t), name); t == nil {
			return nil
		}
	}
	var keys []string
	eachField(inner(t), func(name string, _ reflect.Type) { keys = append(keys, name) })
	slices.Sort(keys)
	return keys
}

// inner takes pointers and lists off.
func inner(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// fieldOf returns the type of what stands below a key; nil if there is no such key.
func fieldOf(t reflect.Type, name string) (found reflect.Type) {
	if t.Kind() == reflect.Map {
		return t.Elem()
	}
	eachField(t, func(key string, field reflect.Type) {
		if key == name {
			found = field
		}
	})
	return found
}

// eachField calls do with the keys of a struct and their types.
func eachField(t reflect.Type, do func(key string, field reflect.Type)) {
	if t.Kind() != reflect.Struct {
		return
	}
	for f := range t.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case key == "-":
		case key == "" && f.Anonymous:
			eachField(f.Type, do)
		case key != "":
			do(key, f.Type)
		}
	}
}

// scalar is the text of a value that may stand with or without quotes; empty for none.
type scalar string

// UnmarshalJSON implements json.Unmarshaler.
func (s *scalar) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	switch {
	case bytes.Equal(data, []byte("null")):
		return nil
	case data[0] == '"':
		return json.Unmarshal(data, (*string)(s))
	case data[0] == '{', data[0] == '[':
		return &json.UnmarshalTypeError{Value: "list or map", Type: reflect.TypeFor[string]()}
	}
	*s = scalar(data)
	return nil
}
