// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline/internal/manifests"
	"github.com/sparkgate/sparkgate/internal/tools/offline/internal/submit"
)

// Submission is a spark-submit command.
type Submission struct {
	// Arguments are those of spark-submit, without its name.
	Arguments []string
	// SparkVersion is the version of Spark in the image, such as 4.1.4. If empty, it is taken from the tag of the
	// image.
	SparkVersion string
	// Namespace is the namespace of the application. If empty, it is taken from the arguments, else it is default.
	Namespace string
	// ReadFile reads the files that the arguments name: properties and pod templates. It is called in the order in
	// which they are needed.
	ReadFile func(name string) ([]byte, error)
	// Suffix is appended to the name of the application, so that the same command can be submitted again.
	Suffix string
	// CreatesSecret reports that the caller creates Submitted.Secret. Otherwise a note asks for it.
	CreatesSecret bool
	// Queue and Gate are those of the application; empty for the defaults.
	Queue, Gate string
	// Variable returns an environment variable of this machine, of which notes say that it is not read; nil for no notes.
	Variable func(name string) string
}

// Note is about something that was left out or changed, and why.
type Note struct {
	// Subject is an option, a property or a field.
	Subject string
	Message string
}

// String returns subject and message.
func (n Note) String() string { return n.Subject + ": " + n.Message }

// Submitted is the application for a spark-submit command.
type Submitted struct {
	Application *v1alpha1.SparkApplication
	// Manifest is the application in YAML.
	Manifest []byte
	Notes    []Note
	// Findings are those of Lint for the manifest. If there are none, it can run.
	Findings []Finding
	// Secret is the Secret that the application uses, with the values that looked like secrets; nil for none.
	Secret *corev1.Secret
	// Waits reports whether spark-submit would wait for the end of the job.
	Waits bool
	// Master is the address of the API server to which spark-submit would send the job; empty if it is not given.
	Master string
}

// FromSubmit translates a spark-submit command to an application. It returns an error if the command does not submit a
// job to Kubernetes in cluster mode, if a file cannot be read, or if the version of Spark in the image is not known.
// Other reasons for which the job cannot run are findings.
func FromSubmit(s Submission) (Submitted, error) {
	return fromSubmit(submit.Input{
		Arguments: s.Arguments, SparkVersion: s.SparkVersion, Namespace: s.Namespace, ReadFile: s.ReadFile, Suffix: s.Suffix, CreatesSecret: s.CreatesSecret,
		Queue: s.Queue, Gate: s.Gate, Variable: s.Variable,
	})
}

// fromSubmit translates a command and checks the result.
func fromSubmit(in submit.Input) (Submitted, error) {
	translated, mistake := submit.Translate(in)
	app := translated.Application
	if app == nil {
		return Submitted{}, mistake
	}
	var err error
	out := Submitted{Application: app, Waits: translated.Waits, Master: translated.Master}
	if len(translated.Secrets) > 0 {
		out.Secret = &corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: submit.SecretName(app.Name)},
			StringData: translated.Secrets,
		}
	}
	for _, n := range translated.Notes {
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

// toYAML writes an object in YAML, without its status and without the empty fields that Go adds.
func toYAML(object any) ([]byte, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("write the object: %w", err)
	}
	delete(fields, "status")
	removeEmpty(fields)
	asJSON, err := json.MarshalIndent(fields, "", "  ")
	if err != nil || !slices.ContainsFunc(lostInYAML, func(lost string) bool { return bytes.Contains(asJSON, []byte(lost)) }) {
		return yaml.Marshal(fields)
	}
	return append(bytes.ReplaceAll(asJSON, []byte(nextLine), []byte(`\u0085`)), '\n'), nil
}

// nextLine is a character that YAML reads as a line break, even within quotes, and that the YAML writer does not
// escape.
const nextLine = "\u0085"

// lostInYAML is what the YAML writer changes, as encoding/json writes it: nextLine, and the key << of a template, which
// would merge a group into its own. An object with it is written in JSON, which is also YAML.
var lostInYAML = []string{nextLine, `"\u003c\u003c":`}

// removeEmpty removes empty objects and null.
func removeEmpty(fields map[string]any) {
	for name, value := range fields {
		group, isGroup := value.(map[string]any)
		if value == nil || isGroup && len(group) == 0 {
			delete(fields, name)
		}
	}
	for _, name := range []string{"metadata", "spec", "template"} {
		if group, ok := fields[name].(map[string]any); ok {
			removeEmpty(group)
		}
	}
}
