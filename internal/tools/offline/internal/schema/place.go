// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// place is the place of an error in an object: its path as it is written in messages, its schema (nil if there is
// none), and the value.
type place struct {
	path  string
	node  *schema.Structural
	value any
}

// find returns the place of a path as the validation writes it, which does not distinguish fields from keys of maps:
// spec.sparkConf.spark.a means spec.sparkConf[spark.a].
func (s *Schema) find(object map[string]any, path string) place {
	at := place{node: s.root, value: object}
	for rest := path; rest != ""; {
		step, after := at.step(rest)
		at, rest = at.below(step), after
	}
	return at
}

// step returns the first step of a path: an index, the longest matching key of a map, or a field.
func (p place) step(rest string) (step, after string) {
	name := strings.TrimPrefix(rest, ".")
	if p.isMap() {
		if step, after = p.key(name); step != "" {
			return step, after
		}
	} else if end := strings.IndexByte(name, ']'); end > 0 && name[0] == '[' {
		return name[:end+1], name[end+1:]
	}
	if end := strings.IndexAny(name, ".["); end > 0 {
		return name[:end], name[end:]
	}
	return name, ""
}

// key returns the longest key of a map with which a path begins, bare or in brackets; empty if there is none.
func (p place) key(path string) (key, after string) {
	members, _ := p.value.(map[string]any)
	for candidate := range members {
		for _, text := range []string{candidate, "[" + candidate + "]"} {
			tail, found := strings.CutPrefix(path, text)
			if found && len(candidate) > len(key) && (tail == "" || strings.HasPrefix(tail, ".") || strings.HasPrefix(tail, "[")) {
				key, after = candidate, tail
			}
		}
	}
	return key, after
}

// isMap reports whether the members of the value are keys that users choose.
func (p place) isMap() bool {
	return p.node != nil && p.node.AdditionalProperties != nil && p.node.AdditionalProperties.Structural != nil
}

// below returns the place that a step leads to.
func (p place) below(step string) (next place) {
	if elements, isList := p.value.([]any); isList && strings.HasPrefix(step, "[") {
		if i, err := strconv.Atoi(strings.Trim(step, "[]")); err == nil && i < len(elements) {
			next.value = elements[i]
		}
		if p.node != nil {
			next.node = p.node.Items
		}
		next.path = p.path + step
		return next
	}
	members, _ := p.value.(map[string]any)
	next.value = members[step]
	if p.isMap() {
		next.node, next.path = p.node.AdditionalProperties.Structural, conf.At(p.path, step)
		return next
	}
	if p.node != nil {
		if field, ok := p.node.Properties[step]; ok {
			next.node = &field
		}
	}
	next.path = strings.TrimPrefix(p.path+"."+step, ".")
	return next
}
