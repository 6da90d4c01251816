// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
	"github.com/sparkgate/sparkgate/queueing"
)

// goldenCase is what stands in a golden folder beside the application: inputs that the application does not hold.
type goldenCase struct {
	Run       int64             `json:"run,omitempty"`
	Attempt   int64             `json:"attempt,omitempty"`
	Queue     string            `json:"queue,omitempty"`
	Grant     *queueing.Grant   `json:"grant,omitempty"`
	Operator  map[string]string `json:"operator,omitempty"`
	Namespace map[string]string `json:"namespace,omitempty"`
	ConfigMap map[string]string `json:"configMap,omitempty"`
	Secrets   map[string]string `json:"secrets,omitempty"`
}

// TestGolden renders testdata/golden/<case>/app.yaml (with case.yaml, if there is one) and compares the objects with want.yaml.
func TestGolden(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("testdata/golden/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no golden cases: %v", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			got := printed(t, renderFolder(t, folder))
			golden.Compare(t, filepath.Join(folder, "want.yaml"), got)
		})
	}
}

// renderFolder builds the objects of a golden case.
func renderFolder(t *testing.T, folder string) Objects {
	t.Helper()
	app := readApp(t, filepath.Join(folder, "app.yaml"))
	extra := goldenCase{Run: 1, Attempt: 1}
	if text, err := os.ReadFile(filepath.Join(folder, "case.yaml")); err == nil {
		if err := yaml.UnmarshalStrict(text, &extra); err != nil {
			t.Fatal(err)
		}
	}
	in, findings := NewInput(app, conf.Sources{Operator: extra.Operator, Namespace: extra.Namespace, ConfigMap: extra.ConfigMap})
	if len(findings) > 0 {
		t.Fatalf("findings of conf.Merge: %v", findings)
	}
	in.Run, in.Attempt, in.Queue, in.SubmitTime = extra.Run, extra.Attempt, extra.Queue, submitTime
	in.Grant, in.SchedulingGated, in.Secrets = extra.Grant, extra.Grant != nil && extra.Grant.SchedulingGated, extra.Secrets
	objects, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// submitTime of all tests.
var submitTime = time.Date(2026, time.January, 31, 12, 0, 0, 0, time.UTC)

// readApp reads an application and gives it the uid that all tests use unless it has one.
func readApp(t *testing.T, path string) *v1alpha1.SparkApplication {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var app v1alpha1.SparkApplication
	if err := yaml.UnmarshalStrict(text, &app); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if app.UID == "" {
		app.UID = "5d9c1f9e-8b1e-4b52-9d0c-3f5a1b1f7a11"
	}
	if app.Namespace == "" {
		app.Namespace = "default"
	}
	return &app
}

// printed writes the objects as people would read them: multi-line texts of the ConfigMap line by line.
func printed(t *testing.T, objects Objects) string {
	t.Helper()
	var documents []string
	all := objects.InOrder()
	if objects.Workers {
		all = append(all, objects.ExecutorTemplate)
	}
	for _, object := range all {
		object.GetObjectKind().SetGroupVersionKind(KindOf(object))
		text, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, string(text))
	}
	return strings.Join(documents, "---\n")
}
