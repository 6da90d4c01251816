// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

//go:embed readme.md
var introduction string

// readme returns the introduction and a table of all values.
func readme(values []byte) (string, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(values, &doc); err != nil {
		return "", err
	}
	rows, err := rows(doc.Content[0], "")
	if err != nil {
		return "", err
	}
	return introduction + "\n| value | default | meaning |\n| --- | --- | --- |\n" + strings.Join(rows, "\n") + "\n", nil
}

// rows returns one row for each value that has a comment. A mapping without a comment is a group of values, whose rows
// it returns.
func rows(mapping *yaml.Node, prefix string) ([]string, error) {
	var out []string
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		path, comment := prefix+key.Value, key.HeadComment
		if comment == "" && value.Kind == yaml.MappingNode {
			below, err := rows(value, path+".")
			if err != nil {
				return nil, err
			}
			out = append(out, below...)
			continue
		}
		if comment == "" {
			return nil, fmt.Errorf("values.yaml: %s has no comment", path)
		}
		var decoded any
		if err := value.Decode(&decoded); err != nil {
			return nil, err
		}
		shown, err := json.Marshal(decoded)
		if err != nil {
			return nil, err
		}
		text := strings.TrimPrefix(strings.ReplaceAll(comment, "\n# ", " "), "# ")
		out = append(out, fmt.Sprintf("| `%s` | `%s` | %s |", path, shown, text))
	}
	return out, nil
}
