// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"strconv"
	"strings"

	yamlnode "sigs.k8s.io/yaml/goyaml.v3"
)

// lineOf returns the line of a field in the file, or of the innermost object around it if the field is missing.
func (o Object) lineOf(field string) int {
	line := o.Line
	node := o.node()
	if node.Kind == yamlnode.DocumentNode && len(node.Content) > 0 {
		node = node.Content[0]
		line = o.Line + node.Line - 1
	}
	steps := stepsOf(o.prefix + field)
	for len(steps) > 0 {
		place, below, used := descend(node, steps)
		if place == nil {
			return line
		}
		line, node, steps = o.Line+place.Line-1, below, steps[used:]
	}
	return line
}

// stepsOf splits a path at dots and brackets: spec.driver.labels[a.b/c] has four steps.
func stepsOf(path string) []string {
	var steps []string
	for path != "" {
		if rest, ok := strings.CutPrefix(path, "["); ok {
			step, behind, _ := strings.Cut(rest, "]")
			steps, path = append(steps, step), strings.TrimPrefix(behind, ".")
			continue
		}
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			return append(steps, path)
		}
		steps, path = append(steps, path[:end]), strings.TrimPrefix(path[end:], ".")
	}
	return steps
}

// descend follows one step of a path, or several if a key contains dots. It returns the node of the step, the node
// below it, and the number of steps; nil if there is no such node.
func descend(node *yamlnode.Node, steps []string) (place, below *yamlnode.Node, used int) {
	for node.Kind == yamlnode.AliasNode {
		node = node.Alias
	}
	switch node.Kind {
	case yamlnode.MappingNode:
		for used = len(steps); used > 0; used-- {
			if key, value := member(node, strings.Join(steps[:used], ".")); key != nil {
				return key, value, used
			}
		}
	case yamlnode.SequenceNode:
		if i, err := strconv.Atoi(steps[0]); err == nil && i >= 0 && i < len(node.Content) {
			return node.Content[i], node.Content[i], 1
		}
		for _, element := range node.Content {
			if _, name := member(element, "name"); name != nil && name.Value == steps[0] {
				return element, element, 1
			}
		}
	}
	return nil, nil, 0
}

// member returns key and value of a field of an object.
func member(node *yamlnode.Node, name string) (key, value *yamlnode.Node) {
	if node.Kind != yamlnode.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i], node.Content[i+1]
		}
	}
	return nil, nil
}
