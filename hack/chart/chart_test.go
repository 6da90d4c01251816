// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheChartIsCurrent: what is generated is as the generator writes it now, and no other CRD lies beside it.
func TestTheChartIsCurrent(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		have, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(have), "\n"), strings.Split(want, "\n")); diff != "" {
			t.Errorf("run make manifests; %s would change (-have +want):\n%s", path, diff)
		}
	}
	crds, err := filepath.Glob(filepath.Join(root, chart, "crds", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range crds {
		if _, ok := files[filepath.Join(chart, "crds", filepath.Base(path))]; !ok {
			t.Errorf("%s has no origin in config/crd: remove it", path)
		}
	}
}

// TestAReleaseLeavesTheChart: with the tag of a release in the bases, the same is generated.
func TestAReleaseLeavesTheChart(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	want, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	released := t.TempDir()
	if err := os.CopyFS(filepath.Join(released, "config"), os.DirFS(filepath.Join(root, "config"))); err != nil {
		t.Fatal(err)
	}
	for _, deployment := range []string{"manager", "dashboard"} {
		path := filepath.Join(released, "config", deployment, "deployment.yaml")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tagged := operatorImage.ReplaceAllString(string(text), "$1:v1.2.3-rc.1")
		if tagged == string(text) {
			t.Errorf("%s does not name the image of the operator", path)
		}
		if err := os.WriteFile(path, []byte(tagged), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := generate(released)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the chart changes (-want +got):\n%s", diff)
	}
}

// TestEveryValueIsExplained: a value without a comment is an error, with its path.
func TestEveryValueIsExplained(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ values, want, err string }{
		"a group":          {values: "image:\n  # Its tag.\n  tag: \"1\"\n", want: "| `image.tag` | `\"1\"` | Its tag. |"},
		"a map":            {values: "# Of nodes,\n# all of them.\nlabels: {}\n", want: "| `labels` | `{}` | Of nodes, all of them. |"},
		"without":          {values: "image:\n  tag: \"1\"\n", err: "values.yaml: image.tag has no comment"},
		"no YAML":          {values: "image: [", err: "yaml: line 1: did not find expected node content"},
		"a list of groups": {values: "# Queues.\nqueues:\n- name: a\n", want: "| `queues` | `[{\"name\":\"a\"}]` | Queues. |"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readme([]byte(tc.values))
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("error %v, want %s", err, tc.err)
				}
				return
			}
			if err != nil || !strings.Contains(got, tc.want) {
				t.Errorf("no %s in (%v):\n%s", tc.want, err, got)
			}
		})
	}
}
