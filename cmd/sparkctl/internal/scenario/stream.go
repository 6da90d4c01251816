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
	// number counts the documents from 1, without those that have only comments. line is its first line, from 1.
	number, line int
	text         string
}

// String describes the place of the document, for messages.
func (d document) String() string { return fmt.Sprintf("document %d (line %d)", d.number, d.line) }

// split splits a stream at the lines that begin with "---". In YAML such a line can appear elsewhere only in a text
// that is a whole document.
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

// blank reports whether a text has only comments.
func blank(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// toJSON converts a document to JSON. JSON is returned unchanged, because programs write it, and it may be large.
func (d document) toJSON() ([]byte, error) {
	if strings.HasPrefix(strings.TrimSpace(d.text), "{") && json.Valid([]byte(d.text)) {
		return []byte(d.text), nil
	}
	// Empty lines are put before the document, so that the parser's errors have the line numbers of the file.
	out, err := yaml.YAMLToJSONStrict([]byte(strings.Repeat("\n", d.line-1) + d.text))
	if err != nil {
		return nil, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "error converting YAML to JSON: "))
	}
	return out, nil
}
