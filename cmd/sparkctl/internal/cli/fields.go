// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"k8s.io/client-go/util/jsonpath"
	kjson "sigs.k8s.io/json"
)

// Beginnings of the values of -o that are followed by an expression, as in kubectl.
const (
	jsonPathFormat = "jsonpath="
	columnsFormat  = "custom-columns="
)

// IsExpression reports whether a value of -o has an expression.
func IsExpression(format string) bool {
	return strings.HasPrefix(format, jsonPathFormat) || strings.HasPrefix(format, columnsFormat)
}

// Fields are those that the expression of a value of -o selects.
type Fields struct {
	Format string
	// NoHeaders leaves out the names of custom columns.
	NoHeaders bool
}

// Write writes the fields: those of jsonpath in the object, which may be a List, and those of custom-columns in each of
// the items.
func (f Fields) Write(out io.Writer, object any, items []json.RawMessage) error {
	if expression, is := strings.CutPrefix(f.Format, jsonPathFormat); is {
		template := jsonpath.New("output").AllowMissingKeys(true)
		if err := template.Parse(expression); err != nil {
			return UsageErrorf("-o jsonpath: %w", err)
		}
		text, err := valueOf(template, object)
		if err == nil {
			_, err = io.WriteString(out, text)
		}
		return err
	}
	return writeColumns(out, strings.TrimPrefix(f.Format, columnsFormat), items, !f.NoHeaders)
}

// writeColumns writes a table with columns such as NAME:.metadata.name,QUEUE:.status.queue.
func writeColumns(out io.Writer, columns string, items []json.RawMessage, headers bool) error {
	table := tabwriter.NewWriter(out, 0, 0, columnGap, ' ', 0)
	var names []string
	var fields []*jsonpath.JSONPath
	for column := range strings.SplitSeq(columns, ",") {
		name, path, found := strings.Cut(column, ":")
		field, err := fieldAt(path)
		if !found || err != nil {
			return UsageErrorf("-o custom-columns: %q is not a valid column; write NAME:.metadata.name,QUEUE:.status.queue", column)
		}
		names, fields = append(names, name), append(fields, field)
	}
	if headers {
		fmt.Fprintln(table, strings.Join(names, "\t"))
	}
	for _, item := range items {
		var row []string
		for _, field := range fields {
			text, err := valueOf(field, item)
			if err != nil {
				return err
			}
			row = append(row, cmp.Or(text, "<none>"))
		}
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return table.Flush()
}

// columnGap is the number of blanks between columns.
const columnGap = 3

// fieldAt returns the JSONPath of a field such as .metadata.name or {.metadata.name}. A missing field is empty.
func fieldAt(path string) (*jsonpath.JSONPath, error) {
	path = strings.TrimSuffix(strings.TrimPrefix(path, "{"), "}")
	field := jsonpath.New("field").AllowMissingKeys(true)
	return field, field.Parse("{." + strings.TrimPrefix(path, ".") + "}")
}

// valueOf returns the value of a field of an object as text.
func valueOf(field *jsonpath.JSONPath, object any) (string, error) {
	content, err := contentOf(object)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	err = field.Execute(&text, content)
	return text.String(), err
}

func contentOf(object any) (content map[string]any, err error) {
	text, err := json.Marshal(object)
	if err == nil {
		err = kjson.UnmarshalCaseSensitivePreserveInts(text, &content)
	}
	return content, err
}

// SortBy sorts objects by the field at a path; numbers by their value. An empty path changes nothing.
func SortBy[T any](objects []T, path string) error {
	if path == "" {
		return nil
	}
	field, err := fieldAt(path)
	if err != nil {
		return UsageErrorf("--sort-by: %q is not a valid path; write one such as .metadata.creationTimestamp", path)
	}
	type keyed struct {
		key    string
		object T
	}
	all := make([]keyed, len(objects))
	for i := range objects {
		all[i].object = objects[i]
		if all[i].key, err = valueOf(field, objects[i]); err != nil {
			return err
		}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		x, notA := strconv.ParseFloat(a.key, 64)
		y, notB := strconv.ParseFloat(b.key, 64)
		if notA == nil && notB == nil {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(a.key, b.key)
	})
	for i := range all {
		objects[i] = all[i].object
	}
	return nil
}
