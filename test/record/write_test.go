// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var smallCase = Case{Name: "pi", Description: "d"}

// smallRun returns what spark-submit would send for it.
func smallRun() Run {
	prefix, config := "pi-"+uniqueID("a1b2c3", time.Second), "spark-drv-"+uniqueID("0f1e2d", time.Second)+"-conf-map"
	return runWith(
		post("pods", `{"kind":"Pod","metadata":{"name":"`+prefix+`-driver"}}`),
		post("services", `{"kind":"Service","metadata":{"name":"`+prefix+`-driver-svc"}}`),
		post("configmaps", `{"kind":"ConfigMap","metadata":{"name":"`+prefix+`-driver-podspec-conf-map"},"data":{"k":"<v> & w"}}`),
		post("persistentvolumeclaims", `{"kind":"PersistentVolumeClaim","metadata":{"name":"my-claim"}}`),
		post("configmaps", `{"kind":"ConfigMap","metadata":{"name":"`+config+`"},"data":{"spark.properties":"#a\n#b\nz=1\na=2\n"}}`),
	)
}

func TestRecording(t *testing.T) {
	t.Parallel()
	files, err := Recording(smallCase, smallRun(), "4.1.4")
	if err != nil {
		t.Fatal(err)
	}
	wantNames := []string{
		"app.yaml", "command.txt", "configmap-driver-podspec-conf-map.json", "configmap.json", "persistentvolumeclaim-my-claim.json",
		"pod.json", "requests.txt", "service.json", "spark.properties",
	}
	if diff := cmp.Diff(wantNames, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	want := map[string]string{
		"spark.properties": "#a\n#DATE\na=2\nz=1\n",
		"configmap.json": `{
  "data": {
    "spark.properties": "<the file spark.properties beside this one>"
  },
  "kind": "ConfigMap",
  "metadata": {
    "name": "spark-drv-cccccccccccccccc-conf-map"
  }
}
`,
		"configmap-driver-podspec-conf-map.json": `{
  "data": {
    "k": "<v> & w"
  },
  "kind": "ConfigMap",
  "metadata": {
    "name": "pi-aaaaaaaaaaaaaaaa-driver-podspec-conf-map"
  }
}
`,
	}
	for name, text := range want {
		if diff := cmp.Diff(text, files[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRecordingOfRefusal(t *testing.T) {
	t.Parallel()
	const scala = "WARN x\nException in thread \"main\" java.lang.IllegalArgumentException: requirement failed: no\nsecond line\n\tat org.x\nCaused by: y\n"
	tests := map[string]struct {
		output string
		want   string
		err    string
	}{
		"exception":  {output: scala, want: "java.lang.IllegalArgumentException: requirement failed: no\nsecond line\n"},
		"message":    {output: "INFO a\nError: Driver cores must be a positive number\nRun with --help for usage help\n", want: "Driver cores must be a positive number\nRun with --help for usage help\n"},
		"no message": {output: "INFO a\n", err: "no message"},
		"own folder": {output: "Error: no /tmp/spark-record-1/x\n", want: "no /submit/x\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, run := smallCase, runWith()
			c.Refused, run.Failed, run.Output = true, true, test.output
			files, err := Recording(c, run, "4.1.4")
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, want one about %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, files[errorFile]); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRecordingIsNotWhatTheCaseSays(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*Case, *Run)
		err    string
	}{
		"failed":            {func(_ *Case, run *Run) { run.Failed, run.Output = true, "Boom" }, "Boom"},
		"accepted":          {func(c *Case, _ *Run) { c.Refused = true }, "expected: true"},
		"sent, then failed": {func(c *Case, run *Run) { c.Refused, run.Failed = true, true }, "sent 5 requests"},
		"no Service":        {func(_ *Case, run *Run) { run.Requests = slices.Delete(run.Requests, 1, 2) }, "no service"},
		"two of a name":     {func(_ *Case, run *Run) { run.Requests = append(run.Requests, run.Requests[0]) }, "two objects"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, run := smallCase, smallRun()
			test.change(&c, &run)
			if _, err := Recording(c, run, "4.1.4"); err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want one about %q", err, test.err)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "4.1.4", "pi.txtar")
	if err := Write(path, map[string]string{"old.txt": "x\n", "a.txt": "x\n"}, nil); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"in /home/me/spark\n": "a.txt",
		"no newline":          "newline",
		"a\n-- b --\nc\n":     "begins a part",
	} {
		if err := Write(path, map[string]string{"a.txt": text}, []string{"/home/me"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one about %q", text, err, want)
		}
	}
	files := map[string]string{"b.json": "{}\n", "a.txt": "y\n"}
	if err := Write(path, files, []string{"/home/me"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("-- a.txt --\ny\n-- b.json --\n{}\n", string(data)); diff != "" {
		t.Errorf("recording (-want +got):\n%s", diff)
	}
}

func TestTidy(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"pi", "gone"} {
		if err := os.WriteFile(filepath.Join(folder, name+archiveSuffix), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := tidy(folder, "4.1.4", []Case{{Name: "pi", Description: "two\nlines"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "gone"+archiveSuffix)); !os.IsNotExist(err) {
		t.Errorf("the recording of a case that is no longer there: %v", err)
	}
	if list := readFolder(t, folder)["README.md"]; !strings.Contains(list, "| [pi](pi.txtar) | two lines |\n") {
		t.Errorf("list of cases:\n%s", list)
	}
}

func readFolder(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(text)
	}
	return files
}

func TestRecordRefusesFlags(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		options options
		err     string
	}{
		"a version that is none":   {options{version: "4.1", cases: "cases"}, "--version"},
		"a case that is not there": {options{version: "4.1.4", cases: "cases", only: "nobody"}, `no case "nobody"`},
		"no cases":                 {options{version: "4.1.4", cases: t.TempDir()}, "no case in"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := record(t.Context(), test.options, io.Discard); err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want one about %q", err, test.err)
			}
		})
	}
}
