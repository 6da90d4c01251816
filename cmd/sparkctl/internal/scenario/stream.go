// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// document is one document of the stream.
type document struct {
	// number counts the documents from 1; those with nothing but comments are not counted. line is where it begins,
	// from 1.
	number, line int
	text         string
}

// String returns where the document is, for messages.
func (d document) String() string { return fmt.Sprintf("document %d (line %d)", d.number, d.line) }

// split takes a stream apart at the lines that begin with "---". YAML has no other place where such a line may stand,
// apart from texts that are whole documents.
func split(stream string) []document {
	var out []document
	current := document{line: 1}
	var text strings.Builder
	end := func() {
		if current.text = text.String(); !blank(current.text) {
			current.number = len(out) + 1
			out = append(out, current)
		}
		text.Reset()
	}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(stream, "\uFEFF")) {
		n++
		rest, separates := strings.CutPrefix(line, "---")
		if separates && strings.TrimLeft(rest, " \t\r\n") != rest || line == "---" {
			end()
			current = document{line: n}
			line = rest
		}
		text.WriteString(line)
	}
	end()
	return out
}

// blank reports whether there is nothing but comments.
func blank(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// toJSON converts a document. What is JSON already is taken as it is: programs write it, and large.
func (d document) toJSON() ([]byte, error) {
	if strings.HasPrefix(strings.TrimSpace(d.text), "{") && json.Valid([]byte(d.text)) {
		return []byte(d.text), nil
	}
	// The parser's errors name lines: with as many empty ones before it, they are those of the file.
	out, err := yaml.YAMLToJSONStrict([]byte(strings.Repeat("\n", d.line-1) + d.text))
	if err != nil {
		return nil, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "error converting YAML to JSON: "))
	}
	return out, nil
}
