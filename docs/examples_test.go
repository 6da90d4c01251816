// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// examples returns the text of every example by its file name.
func examples(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "examples", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(data)
	}
	return texts
}

// TestExamplesAreForUsers: the first file that a user copies is short, and no example carries a setting that only a test bench needs.
func TestExamplesAreForUsers(t *testing.T) {
	t.Parallel()
	all := examples(t)
	if n := strings.Count(all["pi.yaml"], "\n"); n == 0 || n > 10 {
		t.Errorf("examples/pi.yaml has %d lines, want 1 to 10", n)
	}
	bench := regexp.MustCompile(`spark\.kubernetes\.driver\.\w+Timeout|coreRequest: \d+m\b|memory: 512m\b`)
	for name, text := range all {
		if setting := bench.FindString(text); setting != "" {
			t.Errorf("examples/%s: %q belongs into hack/demo/overlay or test/e2e/env, not into an example", name, setting)
		}
		if strings.Contains(text, "cores: 1\n") || strings.Contains(text, "type: Never\n") {
			t.Errorf("examples/%s repeats a default", name)
		}
	}
}

// TestEveryExampleIsNamed: a page leads to every example, and every example that a page names exists.
func TestEveryExampleIsNamed(t *testing.T) {
	t.Parallel()
	all, named := examples(t), map[string]bool{}
	mention := regexp.MustCompile(`(?:\bexamples/|\]\()([a-z-]+\.yaml)`)
	for _, p := range pages(t) {
		for _, m := range mention.FindAllStringSubmatch(p.text(), -1) {
			named[m[1]] = true
			if all[m[1]] == "" {
				t.Errorf("%s names examples/%s, which does not exist", p.path, m[1])
			}
		}
	}
	for name := range all {
		if !named[name] {
			t.Errorf("no page names examples/%s", name)
		}
	}
}

// TestDemoFitsOnASmallNode builds what make demo applies: three applications, each of which fits into
// its queue's own quota, two of them in one queue.
func TestDemoFitsOnASmallNode(t *testing.T) {
	t.Parallel()
	queues, applications := demo(t)
	if len(applications) != 3 {
		t.Errorf("%d applications, want 3", len(applications))
	}
	perQueue := map[string]int{}
	for _, app := range applications {
		if app.Spec.Queue == nil || len(queues[app.Spec.Queue.Name].Spec.Flavors) != 1 {
			t.Errorf("%s has no queue with quotas: %+v", app.Name, app.Spec.Queue)
			continue
		}
		perQueue[app.Spec.Queue.Name]++
		isOfTheDemo(t, &app)
		if app.Spec.Driver.CoreRequest != "200m" || app.Spec.Executor.CoreRequest != "200m" {
			t.Errorf("%s requests %q and %q of CPU, want 200m each: three pods in the 1 CPU of the queue", app.Name, app.Spec.Driver.CoreRequest, app.Spec.Executor.CoreRequest)
		}
		if cpu := queues[app.Spec.Queue.Name].Spec.Flavors[0].Quotas[0]; cpu.Nominal.String() != "1" {
			t.Errorf("queue %s has %s of %s, want 1 cpu", app.Spec.Queue.Name, cpu.Nominal.String(), cpu.Resource)
		}
	}
	if perQueue["team-a"] != 1 || perQueue["team-b"] != 2 {
		t.Errorf("applications per queue: %v, want one in team-a and two in team-b, so that one has to wait", perQueue)
	}
}

// isOfTheDemo checks that an application runs a program of this repository's image, and that no example has its name.
func isOfTheDemo(t *testing.T, app *v1alpha1.SparkApplication) {
	t.Helper()
	if app.Spec.Image != "docker.io/sparkgate/spark:4.1" || strings.Contains(app.Spec.MainApplicationFile, "src/main") || strings.HasPrefix(app.Spec.MainClass, "org.apache") {
		t.Errorf("%s runs %s %s of %s, which is not in the image of this repository", app.Name, app.Spec.MainClass, app.Spec.MainApplicationFile, app.Spec.Image)
	}
	for file, text := range examples(t) {
		if strings.Contains(text, "name: "+app.Name+"\n") || strings.Contains(text, "name: "+app.Name+",") {
			t.Errorf("applying examples/%s changes %s of the demo", file, app.Name)
		}
	}
}

// demo returns what make demo applies.
func demo(t *testing.T) (map[string]v1alpha1.SparkQueue, []v1alpha1.SparkApplication) {
	t.Helper()
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = types.LoadRestrictionsNone
	built, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), filepath.Join(root, "hack", "demo", "overlay"))
	if err != nil {
		t.Fatal(err)
	}
	queues := map[string]v1alpha1.SparkQueue{}
	var applications []v1alpha1.SparkApplication
	for _, object := range built.Resources() {
		text, err := object.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		switch object.GetKind() {
		case v1alpha1.SparkQueueKind:
			var queue v1alpha1.SparkQueue
			if err := yaml.UnmarshalStrict(text, &queue); err != nil {
				t.Fatal(err)
			}
			queues[queue.Name] = queue
		case v1alpha1.SparkApplicationKind:
			var app v1alpha1.SparkApplication
			if err := yaml.UnmarshalStrict(text, &app); err != nil {
				t.Fatal(err)
			}
			applications = append(applications, app)
		}
	}
	return queues, applications
}
