// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package strictdecode

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"sigs.k8s.io/json"

	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/base/nearest"
	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// Decode decodes a JSON document and returns the findings in it: unknown and duplicate fields, values of the wrong
// type, and quantities with absurd exponents. path is the field that holds the document. If there are findings, into
// has the values that could be decoded.
func Decode(document []byte, path string, into any) []finding.Finding {
	if findings := endless(place{path: path, value: document, kind: reflect.TypeOf(into).Elem()}); len(findings) > 0 {
		return findings
	}
	strictErrors, err := json.UnmarshalStrict(document, into)
	if err != nil {
		return []finding.Finding{wrongKind(document, path, reflect.TypeOf(into).Elem(), err)}
	}
	var findings []finding.Finding
	for _, strictError := range strictErrors {
		findings = append(findings, misplaced(strictError, path, reflect.TypeOf(into).Elem()))
	}
	return findings
}

// misplaced returns the finding about a field that is unknown or occurs twice.
func misplaced(strictError error, path string, root reflect.Type) finding.Finding {
	var field json.FieldError
	if !errors.As(strictError, &field) {
		return finding.Finding{Field: path, Message: strictError.Error()}
	}
	found := finding.Finding{Field: path + "." + field.FieldPath()}
	name := lastName(field.FieldPath())
	switch near := nearest.To(name, namesOf(typeAt(root, parentOf(field.FieldPath())))); {
	case strings.HasPrefix(strictError.Error(), "duplicate"):
		found.Message = "duplicate field"
	case near != "":
		found.Message = fmt.Sprintf("unknown field %q: write %s, or remove it", name, near)
	default:
		found.Message = fmt.Sprintf("unknown field %q: remove it, or move it to where it belongs", name)
	}
	return found
}

// wrongKind returns the finding about a value that its field cannot hold.
func wrongKind(document []byte, path string, root reflect.Type, err error) finding.Finding {
	if isSyntax, offset := json.SyntaxErrorOffset(err); isSyntax {
		return finding.Finding{Field: path, Message: fmt.Sprintf("the document is not JSON (at byte %d): write valid YAML or JSON", offset)}
	}
	found, ok := locate(document, root, path)
	if !ok { // Each part can be decoded, but the whole document cannot.
		return finding.Finding{Field: path, Message: err.Error()}
	}
	return finding.Finding{
		Field:   found.path,
		Message: fmt.Sprintf("expected %s, found %s: %s", expected(found.kind), KindOf(found.value), shorten(found.value)),
	}
}

// shorten cuts a value to a length that fits into a message.
func shorten(value []byte) string {
	const longest = 64
	return redact.FirstCharacters(string(value), longest)
}

// KindOf returns the type of a JSON value in words.
func KindOf(value []byte) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	if bytes.ContainsAny(value, ".eE") {
		return "a number"
	}
	return "an integer"
}

// expected returns the JSON type that a Go type needs, in words.
func expected(kind reflect.Type) string {
	switch kind.String() {
	case "resource.Quantity":
		return "a quantity such as 500m or 2Gi"
	case "intstr.IntOrString":
		return "a number or a string"
	case "v1.Time", "v1.MicroTime", "time.Time":
		return "a time such as 2026-01-31T12:00:00Z"
	case "v1.Duration":
		return "a duration such as 30s, 5m or 1h30m"
	}
	switch kind.Kind() {
	case reflect.String:
		return "a string (in quotes)"
	case reflect.Bool:
		return "true or false (without quotes)"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "an integer (without quotes)"
}
