// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeflow

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"
)

// FuzzTranslate: whatever an object says, it is translated or refused, and each reason names a field.
func FuzzTranslate(f *testing.F) {
	files, err := filepath.Glob("../../../cmd/sparkctl/testdata/convert/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatalf("no manifests: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if asJSON, err := yaml.YAMLToJSON(text); err == nil {
			f.Add(asJSON)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		out := Translate(text, "")
		if (out.Object == nil) != (len(out.Refusals) > 0) {
			t.Fatalf("object %v with refusals %v", out.Object, out.Refusals)
		}
		for _, finding := range append(out.Notes, out.Refusals...) {
			if finding.Message == "" {
				t.Errorf("nothing is said of %q", finding.Field)
			}
		}
	})
}
