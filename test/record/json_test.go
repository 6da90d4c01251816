// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInOneFile: everything is as it was sent, but for the places of this machine.
func TestInOneFile(t *testing.T) {
	t.Parallel()
	c := Case{
		Name: "pi", Description: "two\nlines", Args: []string{"--files", "/folder/f.txt"}, Env: map[string]string{"PYSPARK_PYTHON": "p"},
		Files: map[string]string{"f.txt": "F"}, ConfFiles: map[string]string{"log4j2.properties": "L"}, DriverTemplate: map[string]any{"spec": map[string]any{}},
	}
	run := Run{
		Folder: "/folder", Address: "127.0.0.1:12345", Failed: true, Exit: 1,
		Output:   "INFO\nException in thread \"main\" java.lang.X: /opt/spark-home/jars\n\tat a\nCaused by: y\n",
		Requests: []Request{{Method: "POST", Path: "/pods", Query: "a=b", ContentType: "c", Text: []byte(`{"x": "/folder/f.txt k8s\\://http\\://127.0.0.1\\:12345"}`)}},
	}
	text, err := InOneFile(c, run, &Spark{Version: "4.1.4", Home: "/opt/spark-home"})
	if err != nil {
		t.Fatal(err)
	}
	var got Recorded
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if i := slices.Index(got.Args, "--files"); i < 0 || got.Args[i+1] != "/TMP/f.txt" || got.Args[1] != "k8s://http://127.0.0.1:8001" {
		t.Errorf("arguments %q", got.Args)
	}
	got.Args = nil
	want := Recorded{
		SparkVersion: "4.1.4", Name: "pi", Description: "two lines",
		Env:      map[string]string{"SPARK_USER": "spark", "PYSPARK_PYTHON": "p", "SPARK_CONF_DIR": "/TMP/conf"},
		Files:    map[string]string{"f.txt": "F", "conf/log4j2.properties": "L", "driver-template.yaml": "apiVersion: v1\nkind: Pod\nspec: {}\n"},
		Requests: []RecordedRequest{{"POST", "/pods?a=b", "c", `{"x": "/TMP/f.txt k8s\\://http\\://127.0.0.1\\:8001"}`}},
		Exit:     1, ErrorLines: []string{`Exception in thread "main" java.lang.X: /SPARK_HOME/jars`, "Caused by: y"},
		StderrTail: "INFO\nException in thread \"main\" java.lang.X: /SPARK_HOME/jars\n\tat a\nCaused by: y\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("recording (-want +got):\n%s", diff)
	}
}

// TestCommittedSubmissions: every version has a recording of every case, of the call that the case is now.
func TestCommittedSubmissions(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob(filepath.FromSlash("../../internal/spark/render/testdata/submissions/*.*.*"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, folder := range folders {
		version := filepath.Base(folder)
		cases, err := LoadCases("submissions", version)
		if err != nil {
			t.Fatal(err)
		}
		unknown := map[string]bool{}
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			unknown[entry.Name()] = true
		}
		for _, c := range cases {
			name := c.Name + ".json"
			text, err := os.ReadFile(filepath.Join(folder, name))
			delete(unknown, name)
			var recorded Recorded
			if err != nil || json.Unmarshal(text, &recorded) != nil {
				t.Errorf("%s/%s cannot be read (%v): record it", version, name, err)
				continue
			}
			if diff := cmp.Diff(c.Command("k8s://http://"+recordedAddress, version), recorded.Args); diff != "" {
				t.Errorf("%s/%s was recorded of another call: record it again (-case +recording):\n%s", version, name, diff)
			}
		}
		if len(unknown) > 0 {
			t.Errorf("%s has recordings without a case: %s", version, strings.Join(slices.Sorted(maps.Keys(unknown)), ", "))
		}
	}
}
