// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/offline/internal/manifests"
	"github.com/sparkgate/sparkgate/internal/offline/internal/submit"
)

// Submission is a call of spark-submit.
type Submission struct {
	// Arguments of spark-submit, without its own name.
	Arguments []string
	// SparkVersion of the image, such as 4.1.4. Empty: what the tag of the image begins with.
	SparkVersion string
	// Namespace of the application. Empty: what the arguments say, else default.
	Namespace string
	// ReadFile reads the files that the arguments name: properties and pod templates. It is called in the order in
	// which they are needed.
	ReadFile func(name string) ([]byte, error)
}

// Note says what was left out or changed, and why.
type Note struct {
	// Subject is an option, a property or a field.
	Subject string
	Message string
}

// String returns subject and message.
func (n Note) String() string { return n.Subject + ": " + n.Message }

// Submitted is what a call of spark-submit means here.
type Submitted struct {
	Application *v1alpha1.SparkApplication
	// Manifest is the application in YAML.
	Manifest []byte
	Notes    []Note
	// Findings are about the manifest, as Lint returns them for a file of the name that the caller gives to it: none
	// means that it runs.
	Findings []Finding
}

// FromSubmit translates a call of spark-submit. An error means that the call does not submit a job to Kubernetes in
// cluster mode, that a file cannot be read, or that nothing says which Spark the image has. What cannot run for another
// reason is among the findings.
func FromSubmit(s Submission) (Submitted, error) {
	return fromSubmit(submit.Input{Arguments: s.Arguments, SparkVersion: s.SparkVersion, Namespace: s.Namespace, ReadFile: s.ReadFile})
}

// fromSubmit translates a call and checks the result.
func fromSubmit(in submit.Input) (Submitted, error) {
	app, notes, mistake := submit.Translate(in)
	if app == nil {
		return Submitted{}, mistake
	}
	var err error
	out := Submitted{Application: app}
	for _, n := range notes {
		out.Notes = append(out.Notes, Note(n))
	}
	if out.Manifest, err = toYAML(app); err != nil {
		return Submitted{}, err
	}
	objects, findings := manifests.Read("application", out.Manifest)
	found, _, err := manifests.Check(objects)
	if err != nil {
		return Submitted{}, err
	}
	out.Findings = append(out.Findings, slices.Concat(findings, found, manifests.Hints(objects))...)
	return out, mistake
}

// toYAML writes an object without its status, and without the empty fields that Go adds.
func toYAML(object any) ([]byte, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("write the object: %w", err)
	}
	delete(fields, "status")
	removeEmpty(fields)
	written, err := yaml.Marshal(fields)
	if err != nil {
		return nil, err
	}
	var read, want any
	asJSON, err := json.MarshalIndent(fields, "", "  ")
	if err != nil {
		return nil, err
	}
	if yaml.Unmarshal(written, &read) == nil && json.Unmarshal(asJSON, &want) == nil && reflect.DeepEqual(read, want) {
		return written, nil
	}
	return append(bytes.ReplaceAll(asJSON, []byte(nextLine), []byte(`\u0085`)), '\n'), nil
}

// nextLine is a character that YAML reads as the end of a line, even within quotes, and that its writer does not
// escape. Where it stands, the object is written in JSON, which is also YAML.
const nextLine = "\u0085"

// removeEmpty drops groups without fields, and null.
func removeEmpty(fields map[string]any) {
	for name, value := range fields {
		group, isGroup := value.(map[string]any)
		if value == nil || isGroup && len(group) == 0 {
			delete(fields, name)
		}
	}
	for _, name := range []string{"metadata", "spec"} {
		if group, ok := fields[name].(map[string]any); ok {
			removeEmpty(group)
		}
	}
}
