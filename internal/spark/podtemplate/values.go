// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podtemplate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	yaml "sigs.k8s.io/yaml/goyaml.v3"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// Patterns of unquoted strings that are numbers.
var (
	wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	fraction    = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]*)?([eE][-+]?[0-9]+)?$`)
	endless     = regexp.MustCompile(`^(-?\.inf|\.nan)$`)
)

// deepest is the maximum number of levels of a document. Without it, a document that contains itself would never end.
const deepest = 200

// plainYAML converts a node to maps, lists, strings, numbers and booleans. kind is the type of the field, nil if it is
// not known.
func plainYAML(node *yaml.Node, kind reflect.Type, depth int) (any, error) {
	if depth > deepest {
		return nil, fmt.Errorf("line %d: the document has more than %d levels", node.Line, deepest)
	}
	for kind != nil && kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch node.Kind {
	case yaml.DocumentNode:
		return plainYAML(node.Content[0], kind, depth+1)
	case yaml.AliasNode:
		return plainYAML(node.Alias, kind, depth+1)
	case yaml.MappingNode:
		return plainMap(node, kind, depth)
	case yaml.SequenceNode:
		list := make([]any, 0, len(node.Content))
		for _, member := range node.Content {
			value, err := plainYAML(member, elementOf(kind, reflect.Slice), depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	case yaml.ScalarNode:
		return plainScalar(node, kind)
	}
	return nil, nil
}

// elementOf returns the type of the elements of a list or map; nil if kind is not a type of that sort.
func elementOf(kind reflect.Type, want reflect.Kind) reflect.Type {
	if kind == nil || kind.Kind() != want {
		return nil
	}
	return kind.Elem()
}

// plainMap converts an object. Merge keys are not supported: for Spark's client, << is the name of a field.
func plainMap(node *yaml.Node, kind reflect.Type, depth int) (any, error) {
	members := map[string]any{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, content := node.Content[i], node.Content[i+1]
		if _, twice := members[key.Value]; twice {
			return nil, fmt.Errorf("line %d: duplicate field %s", key.Line, key.Value)
		}
		value, err := plainYAML(content, typeOfMember(kind, key.Value), depth+1)
		if err != nil {
			return nil, err
		}
		members[key.Value] = value
	}
	return members, nil
}

// typeOfMember returns the type of a field of a struct, or of the members of a map; nil if it is not known.
func typeOfMember(kind reflect.Type, name string) reflect.Type {
	if kind == nil || kind.Kind() != reflect.Struct || reflect.PointerTo(kind).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return elementOf(kind, reflect.Map)
	}
	for i := range kind.NumField() {
		field := kind.Field(i)
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == name {
			return field.Type
		}
		if key == "" && field.Anonymous {
			if inner := typeOfMember(field.Type, name); inner != nil {
				return inner
			}
		}
	}
	return nil
}

// plainScalar converts a scalar.
func plainScalar(node *yaml.Node, kind reflect.Type) (any, error) {
	const written = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if node.Style&yaml.TaggedStyle != 0 && !strings.HasPrefix(node.Tag, "!!") {
		return nil, fmt.Errorf("line %d: the tag %s is not known: remove it", node.Line, node.Tag)
	}
	var value any = node.Value
	if node.Style&written == 0 && (node.Style&yaml.TaggedStyle == 0 || node.Tag != "!!str") {
		value = resolved(node.Value)
	}
	return fitted(value, kind)
}

// resolved returns the value of an unquoted string.
func resolved(text string) any {
	switch {
	case text == "" || text == "null":
		return nil
	case text == "true" || text == "false":
		return text == "true"
	case wholeNumber.MatchString(text):
		number, _ := new(big.Int).SetString(text, 10)
		return json.Number(number.String())
	case fraction.MatchString(text):
		number, _ := strconv.ParseFloat(text, 64)
		return number
	case endless.MatchString(text):
		return map[string]float64{".inf": math.Inf(1), "-.inf": math.Inf(-1), ".nan": math.NaN()}[text]
	}
	return text
}

// fitted converts a value to the type of its field, as Spark's client does. A field of unknown type takes any value.
func fitted(value any, kind reflect.Type) (any, error) {
	wanted := reflect.Invalid
	if kind != nil {
		wanted = kind.Kind()
	}
	switch wanted {
	case reflect.String:
		return asText(value), nil
	case reflect.Bool:
		return asSwitch(value), nil
	case reflect.Int32:
		return asNumber(value), nil
	case reflect.Int64:
		return asWhole(value), nil
	}
	if number, ok := value.(float64); ok && (math.IsInf(number, 0) || math.IsNaN(number)) {
		return nil, errors.New("no field takes an infinite number")
	}
	return value, nil
}

func asText(value any) any {
	switch v := value.(type) {
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN"
		case math.IsInf(v, 1):
			return "Infinity"
		case math.IsInf(v, -1):
			return "-Infinity"
		}
		return conf.FormatDouble(v)
	}
	return value
}

func asSwitch(value any) any {
	switch v := value.(type) {
	case json.Number:
		return v.String() != "0"
	case string:
		switch v {
		case "true", "True", "TRUE":
			return true
		case "false", "False", "FALSE":
			return false
		case "":
			return nil
		}
	}
	return value
}

// asNumber converts a value for a 32-bit field. A string that begins with 0 is octal, as file modes are.
func asNumber(value any) any {
	switch v := value.(type) {
	case string:
		if digits := strings.TrimPrefix(v, "0o"); len(v) > 1 && v[0] == '0' {
			if number, err := strconv.ParseInt(digits, 8, 32); err == nil {
				return number
			}
		}
		return asWhole(v)
	case float64:
		return conf.FormatDouble(v) // no such field takes it
	}
	return value
}

func asWhole(value any) any {
	switch v := value.(type) {
	case string:
		if v == "" {
			return nil
		}
		if number, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64); err == nil {
			return number
		}
	case float64:
		if math.Abs(v) < math.MaxInt32 {
			return int64(v)
		}
	}
	return value
}
