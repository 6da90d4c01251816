// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"io"

	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// KindName is the prefix of application names in the output of -o name and of kubectl.
const KindName = "sparkapplication." + v1alpha1.Group + "/"

// ScheduleKindName is the prefix of schedule names in the output of -o name and of kubectl.
const ScheduleKindName = "scheduledsparkapplication." + v1alpha1.Group + "/"

// WithoutManagers removes metadata.managedFields from an object, as kubectl does: it is longer than the rest, and of
// use to programs only.
func WithoutManagers(object json.RawMessage) json.RawMessage {
	var fields, meta map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || json.Unmarshal(fields["metadata"], &meta) != nil || meta["managedFields"] == nil {
		return object
	}
	delete(meta, "managedFields")
	var err error
	if fields["metadata"], err = json.Marshal(meta); err != nil {
		return object
	}
	without, err := json.Marshal(fields)
	if err != nil {
		return object
	}
	return without
}

// WriteItems writes objects as a List, as kubectl does.
func WriteItems[T any](out io.Writer, format string, items []T) error {
	return WriteObject(out, format, listOf(items))
}

func listOf[T any](items []T) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{}, "items": items}
}

// WriteObject writes an object as JSON or YAML.
func WriteObject(out io.Writer, format string, object any) error {
	text, err := json.MarshalIndent(object, "", "    ")
	if err != nil {
		return err
	}
	text = append(Escaped(text), '\n')
	if format == "yaml" {
		inYAML, err := yaml.JSONToYAML(text)
		if err != nil {
			return err
		}
		if !bytes.ContainsFunc(inYAML, writtenOut) { // otherwise it stays JSON, which is valid YAML
			text = inYAML
		}
	}
	_, err = out.Write(text)
	return err
}
