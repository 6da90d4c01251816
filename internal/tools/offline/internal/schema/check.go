// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/sparkgate/sparkgate/internal/base/finding"
)

// Finding is a value that the API server would refuse.
type Finding = finding.Finding

// Check returns the mistakes in an object, which consists of the maps, lists, strings and numbers of its JSON: at most
// one for each field, sorted by field. Numbers may have any of the types that JSON decoders use.
func (s *Schema) Check(object map[string]any) []Finding {
	value := normal(object).(map[string]any)
	var c collector
	var compound []*field.Error // errors about several schemas together, about which the single errors are clearer
	for _, err := range validation.ValidateCustomResource(nil, value, s.values) {
		if err.Field == rootField {
			compound = append(compound, err)
			continue
		}
		c.add(s.find(value, err.Field), err)
	}
	for _, err := range listtype.ValidateListSetsAndMaps(nil, s.root, value) {
		c.add(s.find(value, err.Field), err)
	}
	for _, err := range compound {
		_, name, named := strings.Cut(err.Detail, `"`)
		if !named && len(c.findings) > 0 {
			continue // it is the reason of one that names the field
		}
		name, detail, _ := strings.Cut(name, `"`)
		c.add(s.find(value, name), &field.Error{Type: err.Type, Detail: detail})
	}
	broken, _ := s.rules.Validate(context.Background(), nil, s.root, value, nil, celconfig.RuntimeCELCostBudget)
	for _, err := range broken {
		if !notEvaluated(err) {
			at := s.find(value, s.fieldOfRule(err))
			if err.Type == field.ErrorTypeRequired {
				c.addMessage(at, "the field is required: "+err.Detail)
				continue
			}
			c.addMessage(at, fmt.Sprintf("value %s is not allowed: %s%s", at.show(), err.Detail, at.meant()))
		}
	}
	slices.SortStableFunc(c.findings, func(a, b Finding) int { return cmp.Compare(a.Field, b.Field) })
	return c.findings
}

// rootField is the field of an error that names none.
var rootField = (*field.Path)(nil).String()

// fieldOfRule returns the field of a broken rule. For a rule of the whole object it is the first field in the rule.
func (s *Schema) fieldOfRule(err *field.Error) string {
	if err.Field != rootField {
		return err.Field
	}
	for _, rule := range s.root.XValidations {
		if rule.Message == err.Detail {
			name, _, _ := strings.Cut(rule.Rule[strings.Index(rule.Rule, "self.")+len("self."):], " ")
			return strings.Trim(strings.TrimRight(name, ")"), ".")
		}
	}
	return ""
}

// collector collects findings, at most one for each field.
type collector struct{ findings []Finding }

func (c *collector) add(at place, err *field.Error) { c.addMessage(at, at.message(err)) }

func (c *collector) addMessage(at place, message string) {
	if !slices.ContainsFunc(c.findings, func(known Finding) bool { return known.Field == at.path }) {
		c.findings = append(c.findings, Finding{Field: at.path, Message: message})
	}
}

// notEvaluated reports whether a rule failed because a value that it reads is missing or has the wrong type. The API
// server evaluates rules only after it has checked types and set defaults.
func notEvaluated(err *field.Error) bool {
	return err.Type == field.ErrorTypeInternal || strings.Contains(err.Detail, " evaluating rule: ") || strings.Contains(err.Detail, " for rule: ")
}

// normal converts whole numbers to int64, as the API server does.
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
