// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/strictdecode"
)

// kinds are the words for types of values, by their names in schemas.
var kinds = map[string]string{
	"object": "an object", "array": "a list", "string": "a string (in quotes)", "boolean": "true or false (without quotes)",
	"integer": "an integer (without quotes)", "number": "a number (without quotes)", "quantity": "a whole number or a string (in quotes)",
}

// kind returns the type of value that is expected; empty for any.
func (p place) kind() string {
	switch {
	case p.node == nil:
		return ""
	case p.node.XIntOrString:
		return "quantity"
	}
	return p.node.Type
}

// remedies reword messages of kube-openapi, by their beginning, so that they say what to do.
var remedies = []struct{ says, words, unit, end string }{
	{"should be less than or equal to ", "is too large: set at most ", "", ""},
	{"should be greater than or equal to ", "is too small: set at least ", "", ""},
	{"should be at least ", "is too short: give at least ", " chars long", " characters"},
	{"should have at least ", "has too few entries: give at least ", " items", ""},
	{"should match '", "does not match the pattern ", "'", ""},
}

const (
	notQuantity = "is not a quantity: give zero or more with an optional unit, such as 8, 500m or 32Gi"
	notName     = "is not a valid name: use lower-case letters, digits and '-', beginning and ending with a letter or digit"
)

// patterns are the messages about values that do not match a pattern of the schemas.
var patterns = map[string]string{
	"^[0-9.]{1,18}([KMGTPE]i|[numkMGTPE]|[eE][0-9]{1,2})?$":                                                             notQuantity,
	`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`: notQuantity,

	"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$":                                           notName,
	"^[A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?$":                                "is not a valid name: use letters, digits, '-', '.' and '_', beginning and ending with a letter or digit",
	"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$": "is not a qualified name: give a domain, '/' and a name, such as example.com/name",
	`^spark\.[^\s=:]+$`: "is not the name of a Spark property: begin with spark., and leave out spaces, '=' and ':'",
	"^/.+":              "is not an absolute path: begin with /",
}

// message rewords an error of the API server's validation with the value and a remedy.
func (p place) message(err *field.Error) string {
	switch err.Type {
	case field.ErrorTypeRequired:
		return "the field is required" + p.hint()
	case field.ErrorTypeNotSupported:
		return fmt.Sprintf("value %s is not known: set %s", p.show(), cmp.Or(p.choice(), "one of the "+err.Detail))
	case field.ErrorTypeDuplicate:
		return fmt.Sprintf("duplicate entry %s", identity(err.BadValue))
	case field.ErrorTypeTooLong:
		return p.tooLong(err)
	case field.ErrorTypeTooMany:
		return fmt.Sprintf("there are %d entries: %s", p.entries(), strings.Replace(err.Detail, "must have", "give", 1))
	}
	return p.invalid(err)
}

// tooLong returns the message about a string that is too long. The validation counts characters although its own
// message says bytes.
func (p place) tooLong(err *field.Error) string {
	text, isText := p.value.(string)
	if !isText || p.node == nil || p.node.ValueValidation == nil || p.node.ValueValidation.MaxLength == nil {
		return "value " + p.show() + " " + err.Detail
	}
	return fmt.Sprintf("value %s has %d characters: give at most %d", p.show(), utf8.RuneCountInString(text), *p.node.ValueValidation.MaxLength)
}

// entries returns how many entries a list or map has.
func (p place) entries() int {
	if elements, isList := p.value.([]any); isList {
		return len(elements)
	}
	members, _ := p.value.(map[string]any)
	return len(members)
}

// invalid returns the message for an error that is only a sentence.
func (p place) invalid(err *field.Error) string {
	says := strings.TrimSpace(err.Detail)
	if i := strings.LastIndex(says, inBody); i >= 0 { // the name before it may be a key of a user
		says = says[i+len(inBody):]
	}
	if words, known := kinds[p.kind()]; known && strings.HasPrefix(says, "must be of type ") {
		return p.ofWrongKind(words)
	}
	if pattern, ok := strings.CutPrefix(says, "should match '"); ok {
		if words, known := patterns[strings.TrimSuffix(pattern, "'")]; known {
			return "value " + p.show() + " " + words
		}
	}
	if p.value == "" && strings.HasPrefix(says, "should be at least ") {
		return "the value must not be empty"
	}
	for _, r := range remedies {
		if limit, ok := strings.CutPrefix(says, r.says); ok {
			return "value " + p.show() + " " + r.words + strings.TrimSuffix(limit, r.unit) + r.end
		}
	}
	return "value " + p.show() + " " + says
}

// ofWrongKind returns the message for a value of another kind than its field, which is that in words.
func (p place) ofWrongKind(words string) string {
	if number, is := p.value.(float64); is && p.kind() == "integer" && strings.HasSuffix(p.path, ".cores") {
		return fmt.Sprintf("write coreRequest: %dm instead, for a part of a CPU", int(number*1000))
	}
	return fmt.Sprintf("expected %s, found %s: %s%s", words, strictdecode.KindOf([]byte(shown(p.value))), p.show(), p.meant())
}

// meant says how to write a value that lacks quotes or a unit, or has a unit of Kubernetes; it is empty if that is not
// known.
func (p place) meant() string {
	text := strings.Trim(shown(p.value), `"`)
	if _, number := p.value.(float64); number && p.kind() == "quantity" {
		return fmt.Sprintf("; write %q", text)
	}
	if p.node == nil {
		return ""
	}
	for _, rule := range p.node.XValidations {
		switch n, err := strconv.Atoi(text); {
		case err == nil && strings.Contains(rule.Message, "duration"):
			if n%60 == 0 {
				return fmt.Sprintf("; write \"%dm\" if it counts seconds", n/60)
			}
			return fmt.Sprintf("; write \"%ds\" if it counts seconds", n)
		case strings.Contains(rule.Message, "Spark's notation") && conf.JavaHeap(text) != "":
			return fmt.Sprintf("; write %q", conf.JavaHeap(text))
		}
	}
	return ""
}

// inBody follows the name of the field in messages of kube-openapi.
const inBody = " in body "

// identity returns what must be unique in a list.
func identity(value any) string {
	keys, isMap := value.(map[string]any)
	if !isMap {
		return shown(value)
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		parts = append(parts, key+" "+shown(keys[key]))
	}
	return "with " + strings.Join(parts, ", ")
}

// show formats the value, masked if the field is sensitive.
func (p place) show() string {
	if conf.Sensitive(p.path) {
		return conf.Masked
	}
	return shown(p.value)
}

// shown formats a value for a message, cut to a readable length.
func shown(value any) string {
	const longest = 64
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "?"
	}
	return redact.FirstCharacters(strings.TrimSpace(text.String()), longest)
}

// choice returns the allowed values of an enum.
func (p place) choice() string {
	if p.node == nil || p.node.ValueValidation == nil {
		return ""
	}
	var texts []string
	for _, value := range p.node.ValueValidation.Enum {
		texts = append(texts, strings.Trim(shown(value.Object), `"`))
	}
	last := len(texts) - 1
	if last <= 0 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

// hint returns the allowed values for a missing field, if it is an enum.
func (p place) hint() string {
	if choice := p.choice(); choice != "" {
		return ": set " + choice
	}
	return ""
}
