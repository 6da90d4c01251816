// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

// TestConvert converts manifests of kubeflow's operator. What is printed passes the linter.
func TestConvert(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/convert/*.yaml")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d manifests: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			code, out, notes := call("", "convert", "-f", file)
			name := strings.TrimSuffix(file, ".yaml")
			golden.Compare(t, name+".ours", out)
			golden.Compare(t, name+".notes", notes)
			if refused := strings.Contains(notes, ": refused"); refused != (code == cli.ExitFailed) {
				t.Errorf("exit code %d: %s", code, notes)
			}
			if out == "" {
				return
			}
			if code, found, _ := call(out, "lint", "-"); code != 0 {
				t.Errorf("the linter finds: %s", found)
			}
		})
	}
}

func TestConvertCalls(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/convert/python-pi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const other = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n"
	pi := string(text)
	noted := strings.Replace(pi, `pythonVersion: "3"`, `pythonVersion: "2"`, 1)
	for name, test := range map[string]struct {
		in       string
		args     []string
		code     int
		out, err string
		without  string
	}{
		"without files":        {args: []string{"convert"}, code: cli.ExitUsage, err: "name files with -f FILE"},
		"other documents":      {in: pi + other, args: []string{"convert", "-"}, out: "name: python-pi", without: "ConfigMap"},
		"other documents kept": {in: pi + other, args: []string{"convert", "--keep", "-f", "-"}, out: "---\napiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\n"},
		"notes":                {in: noted, args: []string{"convert", "-"}, err: "converted with 1 note\nstandard input:10: note: spec.pythonVersion: left out: "},
		"notes, strictly":      {in: noted, args: []string{"convert", "--strict", "-"}, code: cli.ExitFailed, err: "there are notes, which --strict treats as errors"},
		"none, strictly":       {in: pi, args: []string{"convert", "--strict", "-"}, err: "SparkApplication python-pi: converted as it was\n"},
		"refused is not kept":  {in: strings.Replace(pi, "cluster", "client", 1), args: []string{"convert", "--keep", "-"}, code: cli.ExitFailed, err: `refused: spec.mode: value "client"`, without: "python-pi"},
		"ours":                 {in: strings.Replace(pi, "sparkoperator.k8s.io/v1beta2", "sparkgate.io/v1alpha1", 1), args: []string{"convert", "-"}, err: "nothing was converted"},
		"a chart's template":   {in: "spec: {{ .Values.spec }}\n", args: []string{"convert", "-"}, code: cli.ExitFailed, err: "the document cannot be read"},
		"a list for a spec": {in: "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\nmetadata: {name: a}\nspec: [1]\n", args: []string{"convert", "-"},
			code: cli.ExitFailed, err: "refused: spec: expected an object, found a list"},
		"a password in a value": {in: strings.Replace(pi, "local:///opt", "https://me:hunter2@/opt", 1) + "  timeToLiveSeconds: -1\n", args: []string{"convert", "-"},
			code: cli.ExitFailed, err: "refused: spec.timeToLiveSeconds"},
		"lint":           {in: pi, args: []string{"lint", "--strict", "-"}, out: "1 object checked: 0 to correct, 0 warnings\n", err: "1 object of kubeflow's operator, which sparkctl convert prints as ours"},
		"lint of a note": {in: noted, args: []string{"lint", "-"}, out: "standard input:10: warning: SparkApplication python-pi: spec.pythonVersion: left out: "},
		"lint of what is refused": {in: strings.Replace(pi, "cluster", "client", 1), args: []string{"lint", "-"},
			code: cli.ExitFailed, out: `SparkApplication python-pi: spec.mode: value "client"`, err: "the files have errors"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, problem := call(test.in, test.args...)
			if code != test.code || !strings.Contains(out, test.out) || !strings.Contains(problem, test.err) {
				t.Errorf("exit code %d\n%s\n%s", code, out, problem)
			}
			if test.without != "" && strings.Contains(out, test.without) || strings.Contains(problem, "hunter2") {
				t.Errorf("what should not be printed is:\n%s%s", out, problem)
			}
		})
	}
}
