// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

const offlineFolder = "testdata/offline"

// submission returns the arguments of spark-submit for the golden files.
func submission(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(offlineFolder, "etl.json"))
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	if err := json.Unmarshal(text, &args); err != nil {
		t.Fatal(err)
	}
	return args
}

// TestFromSubmitAndRender translates a call of spark-submit, and renders the printed application.
func TestFromSubmitAndRender(t *testing.T) {
	t.Parallel()
	args := submission(t)
	code, app, notes := call("", append([]string{"from-submit", "--"}, args...)...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, notes)
	}
	golden.Compare(t, filepath.Join(offlineFolder, "etl.yaml"), app)
	golden.Compare(t, filepath.Join(offlineFolder, "etl.notes"), notes)
	if strings.Contains(app+notes, "hunter2") {
		t.Error("a secret is told")
	}
	var printed v1alpha1.SparkApplication
	if err := yaml.UnmarshalStrict([]byte(app), &printed); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(printed.Spec.Arguments, "|"), strings.Join(args[len(args)-6:], "|"); got != want {
		t.Errorf("arguments %q, want %q", got, want)
	}

	code, objects, problem := call(app, "render", "-f", "-")
	if code != 0 || problem != "sparkctl render: note: spec.sparkConfFrom: values of Secrets are never shown: (hidden) stands in their place\n" {
		t.Fatalf("exit code %d: %s", code, problem)
	}
	golden.Compare(t, filepath.Join(offlineFolder, "etl.objects.yaml"), objects)
	if _, again, _ := call(app, "render", "-f", "-"); again != objects {
		t.Error("rendered again it is something else")
	}
}

func TestLint(t *testing.T) {
	t.Parallel()
	code, out, _ := call("", "lint", "-f", filepath.Join(offlineFolder, "lint"))
	if code != cli.ExitFailed {
		t.Errorf("exit code %d", code)
	}
	golden.Compare(t, filepath.Join(offlineFolder, "lint.txt"), out)
}

// TestWhatUsersAreToldToApply: the linter finds no errors in examples and configuration.
func TestWhatUsersAreToldToApply(t *testing.T) {
	t.Parallel()
	if code, out, problem := call("", "lint", "--strict", "-f", "../../examples", "-f", "../../config/queues"); code != 0 {
		t.Errorf("exit code %d: %s%s", code, out, problem)
	}
}

func TestOfflineCalls(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: sparkgate.io/v1alpha1\nkind: SparkApplication\nmetadata: {name: pi}\n"
	const right = head + "spec: {type: Python, sparkVersion: 4.1.4, image: spark, mainApplicationFile: 'local:///a.py', driver: {serviceAccountName: spark}}\n"
	const warned = head + "spec: {type: Python, sparkVersion: 4.1.4, image: spark, mainApplicationFile: 'local:///a.py', driver: {serviceAccountName: spark, memory: 300m}}\n"
	for name, test := range map[string]struct {
		in       string
		args     []string
		code     int
		out, err string
	}{
		"from-submit without arguments": {args: []string{"from-submit"}, code: cli.ExitUsage, err: "after --"},
		"from-submit with a wrong flag": {args: []string{"from-submit", "--master", "k8s://x"}, code: cli.ExitUsage, err: "after --"},
		"from-submit help":              {args: []string{"help", "from-submit"}, out: "--spark-version VERSION"},
		"from-submit in client mode": {
			args: []string{"from-submit", "--", "--deploy-mode", "client", "a.py"}, code: cli.ExitFailed, err: "drivers always run in a pod",
		},
		"from-submit of the whole command": {
			args: []string{"from-submit", "--spark-version", "4.1.4", "--", "/opt/spark/bin/spark-submit", "--conf", "spark.kubernetes.container.image=spark", "local:///job.py"},
			out:  "mainApplicationFile: local:///job.py",
		},
		"from-submit that would be refused": {
			args: []string{"from-submit", "--spark-version", "4.1.4", "--", "--conf", "spark.kubernetes.container.image=spark", "job.py"},
			code: cli.ExitFailed, out: "mainApplicationFile: job.py", err: `error: spec.mainApplicationFile: value "job.py" has no scheme: write local://`,
		},
		"lint without files":  {args: []string{"lint"}, code: cli.ExitUsage, err: "name files with -f FILE"},
		"lint of an argument": {in: right, args: []string{"lint", "-"}, out: "1 object checked: 0 to correct, 0 warnings\n"},
		"lint of another operator": {in: "apiVersion: spark.apache.org/v1\nkind: SparkApplication\n", args: []string{"lint", "-"},
			out: "0 objects checked", err: "note: nothing was checked, because no object has the apiVersion sparkgate.io/v1alpha1"},
		"strict lint of another operator": {in: "apiVersion: spark.apache.org/v1\nkind: SparkApplication\n", args: []string{"lint", "--strict", "-"},
			code: cli.ExitFailed, out: "0 objects checked", err: "nothing was checked, which --strict treats as an error"},
		"lint of two":             {in: right, args: []string{"lint", "--strict", "-f", "-", "../../examples/java.yaml"}, out: "2 objects checked: 0 to correct, 0 warnings\n"},
		"lint of what failed":     {in: "\n", args: []string{"lint", "-"}, code: cli.ExitFailed, err: "there is nothing in standard input: if another program writes that"},
		"lint of comments":        {in: "# none yet\n", args: []string{"lint", "-"}, out: "0 objects checked"},
		"plan of what failed":     {args: []string{"plan", "-f", "-"}, code: cli.ExitFailed, err: "there is nothing in standard input"},
		"lint of nothing":         {args: []string{"lint", "-f", "testdata/none"}, code: cli.ExitFailed, err: "no such file"},
		"lint of an empty folder": {args: []string{"lint", "-f", "internal/live"}, code: cli.ExitFailed, err: "has no file that ends with .yaml, .yml, .json"},
		"lint of what is right":   {in: right, args: []string{"lint", "-f", "-"}, out: "1 object checked: 0 to correct, 0 warnings\n"},
		"lint with a warning":     {in: warned, args: []string{"lint", "-f", "-"}, out: "0 to correct, 1 warning"},
		"lint with it, strictly":  {in: warned, args: []string{"lint", "-f", "-", "--strict"}, code: cli.ExitFailed, out: "standard input:4: warning: ", err: "the files have warnings, which --strict treats as errors"},
		"lint of one file twice":  {args: []string{"lint", "-f", "../../examples", "-f", "../../examples/java.yaml"}, out: " 0 to correct"},
		"lint without an account": {in: strings.Replace(right, "serviceAccountName: spark", "", 1), args: []string{"lint", "-f", "-"},
			out: "standard input:4: warning: SparkApplication pi: spec.driver.serviceAccountName: not set, so the driver runs under the namespace's ServiceAccount default"},
		"lint of a schedule without one": {in: "apiVersion: sparkgate.io/v1alpha1\nkind: ScheduledSparkApplication\nmetadata: {name: nightly}\nspec:\n  schedule: '@daily'\n  template:\n    " +
			"spec: {type: Python, sparkVersion: 4.1.4, image: spark, mainApplicationFile: 'local:///a.py'}\n", args: []string{"lint", "-f", "-"},
			out: "warning: ScheduledSparkApplication nightly: spec.template.spec.driver.serviceAccountName: not set"},
		"from-submit without an account": {
			args: []string{"from-submit", "--spark-version", "4.1.4", "--", "--conf", "spark.kubernetes.container.image=spark", "local:///job.py"},
			out:  "mainApplicationFile: local:///job.py", err: "spec.driver.serviceAccountName: not set",
		},
		"render of what is wrong":  {in: strings.Replace(right, "Python", "Perl", 1), args: []string{"render", "-f", "-"}, code: cli.ExitFailed, err: `spec.type: value "Perl"`},
		"render of nothing":        {in: "a: b\n", args: []string{"render", "-f", "-"}, code: cli.ExitFailed, err: "the files contain no SparkApplication"},
		"render of generateName":   {in: strings.Replace(right, "name: pi", "generateName: pi-", 1), args: []string{"render", "-f", "-"}, out: "sparkgate.io/application: pi-x2k7q\n"},
		"render in a namespace":    {in: right, args: []string{"render", "-n", "jobs", "-f", "-"}, out: "\n  namespace: jobs\n"},
		"render of a later run":    {in: right, args: []string{"render", "-f", "-", "--run", "3", "--attempt", "2"}, out: "-3-2-driver\n"},
		"render of run 0":          {in: right, args: []string{"render", "-f", "-", "--run", "0"}, code: cli.ExitUsage, err: "count from 1"},
		"render with a ConfigMap":  {in: right[:len(right)-2] + ", sparkConfigMap: c}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a.txt: hello}\n", args: []string{"render", "-f", "-"}, out: "  a.txt: hello\n"},
		"render without it":        {in: right[:len(right)-2] + ", sparkConfigMap: c}\n", args: []string{"render", "-f", "-"}, out: "kind: Pod", err: "note: spec.sparkConfigMap: the ConfigMap c is not in the files"},
		"render for a newer Spark": {in: strings.Replace(right, "4.1.4", "4.2.1", 1), args: []string{"render", "-f", "-"}, out: "kind: NetworkPolicy"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, problem := call(test.in, test.args...)
			if code != test.code {
				t.Errorf("exit code %d, want %d: %s", code, test.code, problem)
			}
			if !strings.Contains(out, test.out) || !strings.Contains(problem, test.err) {
				t.Errorf("output %q, want %q in it; error %q, want %q in it", out, test.out, problem, test.err)
			}
		})
	}
}

// TestDiagnose: the cause, its line and the remedy are found in a log of a driver, and of an executor.
func TestDiagnose(t *testing.T) {
	t.Parallel()
	const heap = "26/01/01 10:00:00 INFO SparkContext: Running Spark version 4.1.4\nException in thread \"main\" java.lang.OutOfMemoryError: Java heap space\n\tat x.Y\n"
	for name, tc := range map[string]struct {
		in, flag, out, err string
		code               int
	}{
		"a driver":    {heap, "", "standard input:2: java.lang.OutOfMemoryError: Java heap space\nraise driver.memory\n", "", 0},
		"an executor": {"26/01/01 10:00:00 INFO KubernetesExecutorBackend: Started\n" + heap, "", "standard input:3: java.lang.OutOfMemoryError: Java heap space\nraise executor.memory\n", "", 0},
		"no remedy":   {"sorry\n", "", "standard input:1: its last line: sorry\n", "", 0},
		"JSON":        {heap, "-ojson", "{\n    \"cause\": \"java.lang.OutOfMemoryError: Java heap space\",\n    \"remedy\": \"raise driver.memory\",\n    \"line\": 2\n}\n", "", 0},
		"no cause":    {"26/01/01 10:00:00 INFO SparkContext: bye\n", "", "", "sparkctl diagnose: the log does not say why the program failed\n", 1},
		"YAML":        {heap, "-oyaml", "", "sparkctl diagnose: invalid argument \"yaml\" for \"-o, --output\" flag: set it to text or json; see sparkctl diagnose --help\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"diagnose", "-"}
			if tc.flag != "" {
				args = append(args, tc.flag)
			}
			if code, out, err := call(tc.in, args...); code != tc.code || out != tc.out || err != tc.err {
				t.Errorf("got exit code %d, output %q and %q; want %d, %q and %q", code, out, err, tc.code, tc.out, tc.err)
			}
		})
	}
}
