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

func TestLoadCases(t *testing.T) {
	t.Parallel()
	const good = "- {name: a, description: d}\n"
	tests := map[string]struct {
		files   map[string]string
		version string
		want    []string
		err     string
	}{
		"ordered by name": {files: map[string]string{"x.yaml": "- {name: b, description: d}\n" + good, "y.yaml": "- {name: aa, description: d}\n"}, want: []string{"a", "aa", "b"}},
		"refused by a version, but taken": {
			files: map[string]string{"x.yaml": "- {name: a, description: d, refusedFrom: \"4.0\"}\n"}, err: "refusedFrom"},
		"none":                   {files: map[string]string{}, err: "no case"},
		"a field nobody knows":   {files: map[string]string{"x.yaml": "- {name: a, description: d, arg: []}\n"}, err: "arg"},
		"the same name twice":    {files: map[string]string{"x.yaml": good, "y.yaml": good}, err: "is in x.yaml too"},
		"a name for no folder":   {files: map[string]string{"x.yaml": "- {name: ../a, description: d}\n"}, err: "DNS label"},
		"no description":         {files: map[string]string{"x.yaml": "- {name: a}\n"}, err: "description"},
		"a language nobody runs": {files: map[string]string{"x.yaml": "- {name: a, description: d, language: go}\n"}, err: "language"},
		"two templates of a role": {
			files: map[string]string{"x.yaml": "- {name: a, description: d, driverTemplate: {}, submitDriverTemplate: {}}\n"}, err: "template"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for file, text := range test.files {
				if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if test.version == "" {
				test.version = "4.1.4"
			}
			cases, err := LoadCases(folder, test.version)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, want one about %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range cases {
				got = append(got, c.Name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("cases (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefusedByVersion(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := "- {name: always, description: d, refused: true}\n- {name: later, description: d, refused: true, refusedFrom: \"4.0\"}\n- {name: taken, description: d}\n" +
		"- {name: early, description: d, refused: true, refusedBefore: \"4.1\"}\n"
	if err := os.WriteFile(filepath.Join(folder, "x.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string][]string{
		"3.5.9": {"always", "early"}, "4.0.0": {"always", "early", "later"}, "4.1.4": {"always", "later"},
	} {
		cases, err := LoadCases(folder, version)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range cases {
			if c.Refused {
				got = append(got, c.Name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("refused by %s (-want +got):\n%s", version, diff)
		}
	}
}

func TestVersionInText(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "x.yaml"), []byte("- {name: a, description: d, conf: {spark.x: v@VERSION@}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases, err := LoadCases(folder, "4.1.4")
	if err != nil {
		t.Fatal(err)
	}
	if got := cases[0].Conf["spark.x"]; got != "v4.1.4" {
		t.Errorf("spark.x is %q", got)
	}
}

func TestBothSides(t *testing.T) {
	t.Parallel()
	c := Case{
		Name: "n", Description: "d", Language: "python", AppName: "My Job", Arguments: []string{"--x", ""},
		Conf: map[string]string{"spark.b": "1"}, SubmitConf: map[string]string{"spark.a": "2"}, Args: []string{"--proxy-user", "u"},
		DriverTemplate: map[string]any{"spec": map[string]any{}}, SubmitExecutorTemplate: map[string]any{"spec": map[string]any{}},
		ConfFiles: map[string]string{"a.txt": "x"},
		Spec:      map[string]any{"podSecurity": nil, "proxyUser": "u", "driver": map[string]any{"cores": 2}, "executor": map[string]any{"env": []any{}}},
	}
	wantCommand := []string{
		"--master", "k8s://m", "--deploy-mode", "cluster", "--name", "My Job", "--proxy-user", "u",
		"--conf", "spark.a=2", "--conf", "spark.b=1",
		"--conf", "spark.kubernetes.container.image=docker.io/apache/spark:4.1.4",
		"--conf", "spark.kubernetes.driver.podTemplateFile=driver-template.yaml",
		"--conf", "spark.kubernetes.executor.podTemplateFile=executor-template.yaml",
		"--conf", "spark.kubernetes.namespace=spark-jobs",
		"--conf", "spark.kubernetes.submission.waitAppCompletion=false",
		"local:///opt/spark/examples/src/main/python/pi.py", "--x", "",
	}
	if diff := cmp.Diff(wantCommand, c.Command("k8s://m", "4.1.4")); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	got, err := yamlText(c.Manifest("4.1.4"))
	if err != nil {
		t.Fatal(err)
	}
	want := `apiVersion: sparkgate.io/v1alpha1
kind: SparkApplication
metadata:
  name: "n"
  namespace: spark-jobs
spec:
  arguments:
  - --x
  - ""
  driver:
    cores: 2
    template:
      spec: {}
  executor:
    env: []
  image: docker.io/apache/spark:4.1.4
  mainApplicationFile: local:///opt/spark/examples/src/main/python/pi.py
  proxyUser: u
  sparkConf:
    spark.app.name: My Job
    spark.b: "1"
  sparkConfigMap: spark-conf-files
  sparkVersion: 4.1.4
  type: Python
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("manifest (-want +got):\n%s", diff)
	}
}

func TestShellLine(t *testing.T) {
	t.Parallel()
	got := shellLine(map[string]string{"B": "x y", "A": "1"}, []string{"--conf", "a=b", "--supervise", "local:///x.jar", "it's", "", "two\nlines"})
	want := "A=1 \\\nB='x y' \\\nspark-submit \\\n  --conf a=b \\\n  --supervise \\\n  local:///x.jar \\\n  'it'\\''s' \\\n  '' \\\n  'two\nlines'\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
}

// TestCommitted checks that every recording belongs to a case as it is now,
// so that neither was edited without the other.
func TestCommitted(t *testing.T) {
	t.Parallel()
	recordings := filepath.FromSlash("../../internal/spark/render/testdata/recordings")
	folders, err := filepath.Glob(filepath.Join(recordings, "*.*.*"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no recordings in %s: %v", recordings, err)
	}
	for _, folder := range folders {
		version := filepath.Base(folder)
		cases, err := LoadCases("cases", version)
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{"README.md": true}
		for _, c := range cases {
			known[c.Name+archiveSuffix] = true
			t.Run(version+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				checkCommitted(t, c, filepath.Join(folder, c.Name+archiveSuffix), version)
			})
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if !known[entry.Name()] {
				t.Errorf("%s/%s belongs to no case", version, entry.Name())
			}
		}
	}
}

func checkCommitted(t *testing.T, c Case, path, version string) {
	t.Helper()
	want, err := c.files(version)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("record it: %v", err)
	}
	got := partsOf(data)
	for name, text := range want {
		if diff := cmp.Diff(text, got[name]); diff != "" {
			t.Errorf("%s is not that of the case, record it again (-case +recording):\n%s", name, diff)
		}
	}
	if _, refused := got[errorFile]; refused != c.Refused {
		t.Errorf("recorded as refused: %t, the case says %t", refused, c.Refused)
	}
}
