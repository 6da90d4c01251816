// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podsets

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/submitrecording"
)

// TestExecutorsAreSizedLikeSparkDoes compares Spark's container of every recorded application with what Spark's own builder makes of the
// same properties and template.
func TestExecutorsAreSizedLikeSparkDoes(t *testing.T) {
	t.Parallel()
	for _, minor := range render.Supported {
		paths, err := filepath.Glob("testdata/executors-" + minor + ".*.json")
		if err != nil || len(paths) != 1 {
			t.Errorf("Spark %s has %d files of executors: record one", minor, len(paths))
			continue
		}
		version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(paths[0]), "executors-"), ".json")
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			compareExecutors(t, paths[0], filepath.Join("../render/testdata/recordings", version))
		})
	}
}

// compareExecutors compares the executors of one version.
func compareExecutors(t *testing.T, path, recordings string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string]corev1.ResourceRequirements
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	for name, want := range recorded {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod, err := ExecutorPod(builtFrom(t, filepath.Join(recordings, name+submitrecording.ArchiveSuffix)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, pod.Spec.Containers[0].Resources); diff != "" {
				t.Errorf("resources (-Spark +ours):\n%s", diff)
			}
		})
	}
}

// builtFrom renders a recorded application.
func builtFrom(t *testing.T, path string) render.Objects {
	t.Helper()
	archive, err := submitrecording.OpenArchive(path)
	if err != nil {
		t.Fatal(err)
	}
	var app v1alpha1.SparkApplication
	if err := yaml.UnmarshalStrict(archive.Files["app.yaml"], &app); err != nil {
		t.Fatal(err)
	}
	in, _ := render.NewInput(&app, conf.Sources{})
	objects, err := render.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}
