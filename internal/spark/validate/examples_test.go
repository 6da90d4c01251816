// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestExamplesAreWell looks through everything that users are asked to apply.
func TestExamplesAreWell(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range regexp.MustCompile(`(?m)^---.*$`).Split(string(text), -1) {
			if !strings.Contains(document, "kind: "+v1alpha1.SparkApplicationKind+"\n") {
				continue
			}
			var app v1alpha1.SparkApplication
			if err := yaml.UnmarshalStrict([]byte(document), &app); err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			looked++
			for _, finding := range Application(&app) {
				t.Errorf("%s: %s: %s", file, app.Name, finding)
			}
			for _, warning := range Warnings(&app) {
				t.Errorf("%s: %s: warning: %s", file, app.Name, warning)
			}
		}
	}
	if looked == 0 {
		t.Error("no application among the examples")
	}
}
