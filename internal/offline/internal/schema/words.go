// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"strings"
)

// kinds are the words for the kinds of values, by the names that schemas give them.
var kinds = map[string]string{
	"object": "a group of fields", "array": "a list", "string": "text (in quotes)", "boolean": "true or false (without quotes)",
	"integer": "a whole number (without quotes)", "number": "a number (without quotes)", "quantity": "a number or text",
}

// kind is the kind of value that a level expects; empty for any.
func (n *node) kind() string {
	if n.IntOrString {
		return "quantity"
	}
	return n.Type
}

// isKind says whether a value is of the kind that is expected.
func (n *node) isKind(value any) bool {
	switch n.kind() {
	case "":
		return true
	case "quantity":
		return nameOf(value) == "string" || nameOf(value) == "integer"
	case "number":
		return nameOf(value) == "number" || nameOf(value) == "integer"
	}
	return nameOf(value) == n.Type
}

// nameOf is the kind of a value in the words of schemas; empty for null.
func nameOf(value any) string {
	switch value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case int64:
		return "integer"
	case float64:
		return "number"
	}
	return ""
}

// kindOf is the kind of a value in words.
func kindOf(value any) string {
	if words, ok := kinds[nameOf(value)]; ok {
		word, _, _ := strings.Cut(words, " (")
		return word
	}
	return "nothing"
}

func numberOf(value any) (float64, bool) {
	switch v := value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// shown prints a value for a message, cut to a readable length.
func shown(value any) string {
	const longest = 64
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "?"
	}
	runes := []rune(strings.TrimSpace(text.String()))
	if len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return string(runes)
}

// choice lists the values of a closed set.
func choice(values []any) string {
	var texts []string
	for _, value := range values {
		texts = append(texts, strings.Trim(shown(value), `"`))
	}
	last := len(texts) - 1
	if last == 0 {
		return texts[0]
	}
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

// hint says which values a missing field can have, where they are few.
func hint(n *node) string {
	if n == nil || len(n.Enum) == 0 {
		return ""
	}
	return " to " + choice(n.Enum)
}
