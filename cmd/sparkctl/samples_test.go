// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/spark/submitrecording"
	"github.com/sparkgate/sparkgate/internal/testing/recordings"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

const samplesFolder = "testdata/samples"

// sampledAt is the current time of the calls.
var sampledAt = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

// TestSamplesOfCommands: the output below a call in the documentation is what the call prints. The cluster is
// testdata/samples/cluster.yaml; calls without a cluster read the files beside it.
func TestSamplesOfCommands(t *testing.T) {
	t.Parallel()
	kubeconfig := recordedCluster(t, "cluster.yaml")
	history, schedules := recordedCluster(t, "history.yaml"), recordedCluster(t, "schedules.yaml")
	for section, sample := range map[string]struct {
		page, kubeconfig, call string
		code                   int
	}{
		"list": {kubeconfig: kubeconfig, call: "list -n jobs"},

		"schedule list": {kubeconfig: schedules, call: "schedule list -A"},

		"get":       {kubeconfig: kubeconfig, call: "get etl -n jobs"},
		"watch":     {kubeconfig: kubeconfig, call: "watch -n jobs --until-ended --timeout 3s", code: cli.ExitTimeout},
		"queue":     {kubeconfig: kubeconfig, call: "queue"},
		"plan":      {kubeconfig: kubeconfig, call: "plan -f testdata/samples/jobs", code: cli.ExitPlan},
		"uninstall": {kubeconfig: kubeconfig, call: "uninstall --dry-run"},
		"lint":      {call: "lint testdata/samples/apps/etl.yaml", code: cli.ExitFailed},
		"Usage":     {page: "usage.md", kubeconfig: history, call: "usage"},
	} {
		t.Run(section, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(sample.call)
			if sample.kubeconfig != "" {
				args = append(args, "--kubeconfig", sample.kubeconfig)
			}
			var out, problems bytes.Buffer
			code := run(args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &problems, Clock: clocktesting.NewFakePassiveClock(sampledAt)})
			if code != sample.code {
				t.Fatalf("exit code %d, want %d: %s", code, sample.code, problems.String())
			}
			want := fence(sectionOf(t, cmp.Or(sample.page, "sparkctl.md"), section), "")
			printed := strings.ReplaceAll(out.String(), samplesFolder+"/", "")
			if diff := gocmp.Diff(strings.Split(want, "\n"), strings.Split(printed, "\n")); diff != "" {
				t.Errorf("%s%s (-page +real output):\n%s", problems.String(), section, diff)
			}
		})
	}
}

// TestSampleOfFromSubmit: the call on the page prints the application below it.
func TestSampleOfFromSubmit(t *testing.T) {
	t.Parallel()
	section := sectionOf(t, "sparkctl.md", "from-submit")
	_, command, _ := strings.Cut(section, "    sparkctl ")
	command, _, _ = strings.Cut(command, " > etl.yaml\n")
	code, out, problem := call("", shellWords(command)...)
	if diff := gocmp.Diff(strings.Split(fence(section, "yaml"), "\n"), strings.Split(out, "\n")); diff != "" || code != 0 {
		t.Errorf("exit code %d: %s, docs/sparkctl.md (-page +real output):\n%s", code, problem, diff)
	}
}

// TestSampleOfDiffSubmit: the output for an equal and a different recording contains the lines on the page.
func TestSampleOfDiffSubmit(t *testing.T) {
	t.Parallel()
	library, err := recordings.OpenLibrary("../../test/record/cases")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "recordings")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name string, more ...string) string {
		recorded, err := library.Read("../../internal/spark/render/testdata/recordings/4.1.4/typical-etl" + recordings.Suffix)
		if err != nil {
			t.Fatal(err)
		}
		r, err := submitrecording.Read(recorded)
		if err != nil {
			t.Fatal(err)
		}
		r.Args = append(more, r.Args...)
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	code, out, problem := call("", "diff-submit", write("etl.json"), write("odd.json", "--conf", "spark.ui.retainedJobs=7"))
	if code != cli.ExitFailed {
		t.Fatalf("exit code %d: %s", code, problem)
	}
	printed := strings.Split(strings.ReplaceAll(out, filepath.Dir(folder)+"/", ""), "\n")
	for line := range strings.Lines(fence(sectionOf(t, "sparkctl.md", "diff-submit"), "")) {
		line, shortened := strings.CutSuffix(strings.TrimSuffix(line, "\n"), "…")
		for len(printed) > 0 && printed[0] != line && !(shortened && strings.HasPrefix(printed[0], line)) {
			printed = printed[1:]
		}
		if len(printed) == 0 {
			t.Fatalf("docs/sparkctl.md has the line %q, which is not printed, or not in its place:\n%s", line, out)
		}
	}
}

// sectionOf returns the text from a heading of a page to the end of the page.
func sectionOf(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs", page))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut("\n"+string(text), "# "+heading+"\n")
	if !found {
		t.Fatalf("docs/%s has no heading %q", page, heading)
	}
	return section
}

// shellWords splits a call as a shell does: at spaces outside single quotes. A line that ends with a backslash
// continues.
func shellWords(call string) []string {
	var words []string
	for i, part := range strings.Split(strings.ReplaceAll(call, "\\\n", " "), "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// recordedCluster starts an API server with the objects of a file, and returns the path of a kubeconfig for it.
func recordedCluster(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(samplesFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]client.Kind{
		v1alpha1.SparkApplicationKind: client.Applications, v1alpha1.ScheduledSparkApplicationKind: client.Schedules, v1alpha1.SparkQueueKind: client.Queues,
		v1alpha1.SparkFlavorKind: client.Flavors, "Workload": client.Workloads, "Namespace": client.Namespaces, "LimitRange": client.LimitRanges,
		"PriorityClass": client.PriorityClasses, "RuntimeClass": client.RuntimeClasses, "Pod": client.Pods,
	}
	lists, replies := map[string][]any{"GET /api/v1/namespaces/sparkgate-system/pods": {}}, map[string][]reply{}
	for _, kind := range kinds {
		lists["GET "+kind.Root+"/"+kind.Resource] = []any{}
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var object metav1.PartialObjectMetadata
		var whole any
		if err := errors.Join(yaml.Unmarshal([]byte(document), &object), yaml.Unmarshal([]byte(document), &whole)); err != nil {
			t.Fatal(err)
		}
		kind, known := kinds[object.Kind]
		if !known {
			t.Fatalf("%s has a %s", name, object.Kind)
		}
		all, within := "GET "+kind.Root+"/"+kind.Resource, "GET "+kind.Root+"/namespaces/"+object.Namespace+"/"+kind.Resource
		lists[all] = append(lists[all], whole)
		if kind.Namespaced {
			lists[within] = append(lists[within], whole)
			all = within
		}
		replies[all+"/"+object.Name] = []reply{{200, whole}}
	}
	for call, items := range lists {
		replies[call] = []reply{{200, map[string]any{"metadata": map[string]any{"resourceVersion": "1"}, "items": items}}}
	}
	_, kubeconfig := startAPIServer(t, "mine", replies)
	return kubeconfig
}
