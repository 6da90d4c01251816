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

// maxProblems bounds the number of problems that are listed.
const maxProblems = 20

// problems collects errors and warnings at one place of the input. Copies share the lists.
type problems struct {
	all, warnings *[]string
	// document and path are the place. The path is empty or ends with a dot.
	document, path string
}

func newProblems() problems { return problems{all: &[]string{}, warnings: &[]string{}} }

// in returns a collector for a document.
func (p problems) in(d document) problems {
	p.document, p.path = d.String(), ""
	return p
}

// at returns a collector for the fields below a path.
func (p problems) at(format string, args ...any) problems {
	p.path += fmt.Sprintf(format, args...) + "."
	return p
}

// add adds an error about a key, or about the place itself, with a remedy.
func (p problems) add(key, format string, args ...any) {
	*p.all = append(*p.all, p.text(key, fmt.Sprintf(format, args...)))
}

// warn adds a warning about something that will not be played as it is written.
func (p problems) warn(key, format string, args ...any) {
	*p.warnings = append(*p.warnings, p.text(key, fmt.Sprintf(format, args...)))
}

// text prefixes a message with its document and path.
func (p problems) text(key, message string) string {
	var parts []string
	for _, part := range []string{p.document, strings.TrimSuffix(p.path+key, "."), message} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ": ")
}

// err returns all errors, one per line, or nil if there are none.
func (p problems) err() error {
	list := *p.all
	if len(list) == 0 {
		return nil
	}
	if len(list) > maxProblems {
		list = append(list[:maxProblems:maxProblems], fmt.Sprintf("and %d more", len(list)-maxProblems))
	}
	return errors.New(strings.Join(list, "\n"))
}

// decode decodes JSON into a struct, and reports whether its values can be read. Unknown and duplicate keys are
// reported as errors, but do not make it return false.
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

// addStrict adds an error of strict decoding, with a remedy.
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

// wanted describes a type in words.
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

// keysAt returns the keys that are known at the place of the last key of a path, or none where any key is allowed. A
// list element is written as [n] after the key.
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

// inner returns the element type of pointers and slices.
func inner(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// fieldOf returns the type of the field with a key, or nil if there is no such key.
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

// eachField calls do with each key of a struct and the type of its field.
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

// scalar is the text of a value that may be written with or without quotes; it is empty if there is none.
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
