// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// Finding is a value that the API server would not take.
type Finding struct {
	// Field is the full path, such as spec.executor.instances.
	Field string
	// Message says what is wrong with the value and what to do, without the field.
	Message string
}

// Check returns what is wrong with an object, given as the maps, lists, texts and numbers of its JSON. It is in the order of the names
// of fields. Numbers may be of any kind that decoders of JSON make.
func (s *Schema) Check(object map[string]any) []Finding {
	var c checker
	c.check("", s.root, normal(object))
	return c.findings
}

// normal turns whole numbers into int64, as the API server reads them.
func normal(value any) any {
	switch v := value.(type) {
	case map[string]any:
		members := make(map[string]any, len(v))
		for key, member := range v {
			members[key] = normal(member)
		}
		return members
	case []any:
		elements := make([]any, len(v))
		for i, element := range v {
			elements[i] = normal(element)
		}
		return elements
	case float64:
		if whole := int64(v); float64(whole) == v {
			return whole
		}
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		if number, err := v.Float64(); err == nil {
			return number
		}
	}
	return value
}

// checker collects findings.
type checker struct{ findings []Finding }

func (c *checker) add(field, format string, args ...any) {
	c.findings = append(c.findings, Finding{Field: field, Message: fmt.Sprintf(format, args...)})
}

// check looks at a value and everything below it. A value of the wrong kind has one finding, and nothing below it is looked at.
func (c *checker) check(path string, n *node, value any) {
	if !n.isKind(value) {
		c.add(path, "value %s is %s, but %s is expected: correct it", show(path, value), kindOf(value), kinds[n.kind()])
		return
	}
	before := len(c.findings)
	c.scalar(path, n, value)
	switch v := value.(type) {
	case map[string]any:
		c.object(path, n, v)
	case []any:
		c.list(path, n, v)
	}
	if slices.ContainsFunc(c.findings[before:], func(f Finding) bool { return f.Field == path }) {
		return // one finding a value
	}
	for i := range n.Rules {
		if r := &n.Rules[i]; !r.holds(value) {
			c.rule(path, r, value)
		}
	}
}

// rule reports a rule that does not hold. Those of the whole object say themselves which field they mean.
func (c *checker) rule(path string, r *rule, value any) {
	if path == "" {
		field, _, _ := strings.Cut(r.Rule[strings.Index(r.Rule, "self.")+len("self."):], " ")
		path = strings.Trim(strings.TrimRight(field, ")"), ".")
		for _, step := range strings.Split(path, ".") {
			members, _ := value.(map[string]any)
			value = members[step]
		}
	}
	c.add(path, "value %s is not allowed: %s", show(path, value), r.Message)
}

func (c *checker) object(path string, n *node, members map[string]any) {
	for _, name := range n.Required {
		if _, ok := members[name]; !ok {
			c.add(below(path, name), "the field is missing: set it%s", hint(n.Properties[name]))
		}
	}
	if n.MaxProperties != nil && len(members) > *n.MaxProperties {
		c.add(path, "there are %d entries: give at most %d", len(members), *n.MaxProperties)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if field := n.Properties[name]; field != nil {
			c.check(below(path, name), field, members[name])
		} else if n.AdditionalProperties != nil {
			c.check(conf.At(path, name), n.AdditionalProperties, members[name])
		}
	}
}

func (c *checker) list(path string, n *node, elements []any) {
	if n.MinItems != nil && len(elements) < *n.MinItems {
		c.add(path, "the list has %d entries: give at least %d", len(elements), *n.MinItems)
	}
	if n.MaxItems != nil && len(elements) > *n.MaxItems {
		c.add(path, "the list has %d entries: give at most %d", len(elements), *n.MaxItems)
	}
	seen := map[string]bool{}
	for i, element := range elements {
		at := path + "[" + strconv.Itoa(i) + "]"
		if n.Items != nil {
			c.check(at, n.Items, element)
		}
		if id := n.identity(element); id != "" {
			if seen[id] {
				c.add(at, "the list has an entry %s already: remove one of the two", id)
			}
			seen[id] = true
		}
	}
}

// identity is what may stand only once in a list; empty where that does not matter.
func (n *node) identity(element any) string {
	switch n.ListType {
	case "set":
		return shown(element)
	case "map":
		members, _ := element.(map[string]any)
		var parts []string
		for _, key := range n.ListKeys {
			parts = append(parts, key+" "+shown(members[key]))
		}
		return "with " + strings.Join(parts, ", ")
	}
	return ""
}

// scalar checks closed sets, bounds, lengths and patterns.
func (c *checker) scalar(path string, n *node, value any) {
	if len(n.Enum) > 0 && !slices.Contains(n.Enum, value) {
		c.add(path, "value %s is not known: set %s", show(path, value), choice(n.Enum))
		return
	}
	if number, ok := numberOf(value); ok {
		c.bounds(path, n, number)
	}
	if text, ok := value.(string); ok {
		c.text(path, n, text)
	}
	for _, part := range n.AllOf {
		c.scalar(path, part, value)
	}
}

func (c *checker) bounds(path string, n *node, number float64) {
	format := func(bound float64) string { return strconv.FormatFloat(bound, 'f', -1, 64) }
	if n.Minimum != nil && number < *n.Minimum {
		c.add(path, "value %s is too small: set at least %s", format(number), format(*n.Minimum))
	}
	if n.Maximum != nil && number > *n.Maximum {
		c.add(path, "value %s is too large: set at most %s", format(number), format(*n.Maximum))
	}
}

func (c *checker) text(path string, n *node, text string) {
	length := utf8.RuneCountInString(text)
	switch {
	case n.MinLength != nil && length < *n.MinLength:
		c.add(path, "value %s is too short: give at least %d characters", show(path, text), *n.MinLength)
	case n.MaxLength != nil && length > *n.MaxLength:
		c.add(path, "value %s has %d characters: give at most %d", show(path, text), length, *n.MaxLength)
	case n.pattern != nil && !n.pattern.MatchString(text):
		c.add(path, "value %s has another form than %s: correct it", show(path, text), n.Pattern)
	}
}

// show prints the value of a field, unless its name is that of a secret.
func show(path string, value any) string {
	if conf.Sensitive(path) {
		return conf.Masked
	}
	return shown(value)
}

func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
