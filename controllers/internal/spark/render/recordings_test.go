// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/spark/conf"
	"github.com/sparkgate/sparkgate/controllers/internal/spark/render"
	"github.com/sparkgate/sparkgate/controllers/internal/spark/validate"
)

// TestRecordings renders the application of every recorded submission and compares the objects with those that the real client sent. What
// differs has to be one of render.Deviations; every deviation has to be met.
func TestRecordings(t *testing.T) {
	folders, err := filepath.Glob("testdata/recordings/*/*/app.yaml")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	met := map[string]bool{}
	outcomes := map[string]int{}
	for _, app := range folders {
		folder := filepath.Dir(app)
		t.Run(filepath.Base(filepath.Dir(folder))+"/"+filepath.Base(folder), func(t *testing.T) {
			outcomes[compareRecording(t, folder, met)]++
		})
	}
	for _, deviation := range render.Deviations {
		for _, where := range deviation.Where {
			if !met[where] && !t.Failed() {
				t.Errorf("no recording shows the deviation %q: remove it, or record a case", where)
			}
		}
	}
	t.Logf("recordings: %v", outcomes)
}

// compareRecording compares one recording, notes the deviations that it shows, and returns what came of it.
func compareRecording(t *testing.T, folder string, met map[string]bool) string {
	app, sources := readRecording(t, folder)
	findings := validate.Submission(app, sources)
	if text, err := os.ReadFile(filepath.Join(folder, "error.txt")); err == nil {
		return compareRefusal(t, findings, string(text))
	}
	if slices.ContainsFunc(findings, func(f validate.Finding) bool { return f.Reason == v1alpha1.NotYetSupportedReason }) {
		return "not yet supported"
	}
	if len(findings) > 0 {
		t.Fatalf("the real client took it, we do not: %v", findings)
	}
	recorded := recordedObjects(t, folder)
	rendered := renderedObjects(t, app, sources)
	for _, difference := range compare(recorded, rendered) {
		where := deviationOf(difference.path)
		if where == "" {
			t.Errorf("%s\n  real client: %s\n  rendered:    %s", strings.Join(difference.path, " "), difference.recorded, difference.rendered)
		}
		met[where] = true
	}
	return "compared"
}

// compareRefusal makes sure that we refuse what the real client refuses.
func compareRefusal(t *testing.T, findings []validate.Finding, message string) string {
	t.Helper()
	if len(findings) == 0 {
		t.Errorf("the real client refused it, we do not: %s", message)
	}
	return "refused"
}

// readRecording reads the application, with the uid that it would have, and the ConfigMap that it names.
func readRecording(t *testing.T, folder string) (*v1alpha1.SparkApplication, conf.Sources) {
	t.Helper()
	var app v1alpha1.SparkApplication
	decode(t, filepath.Join(folder, "app.yaml"), &app)
	app.UID = "22222222-2222-2222-2222-222222222222"
	var sources conf.Sources
	if _, err := os.Stat(filepath.Join(folder, "inputs.yaml")); err == nil {
		var configMap corev1.ConfigMap
		decode(t, filepath.Join(folder, "inputs.yaml"), &configMap)
		if configMap.Name != app.Spec.SparkConfigMap {
			t.Fatalf("inputs.yaml holds ConfigMap %q, the application names %q", configMap.Name, app.Spec.SparkConfigMap)
		}
		sources.ConfigMap = configMap.Data
	}
	return &app, sources
}

// decode reads a YAML or JSON file strictly.
func decode(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// objectSet are the objects of a submission in the form in which they are compared.
type objectSet struct {
	pod        *corev1.Pod
	service    *corev1.Service
	configMap  *corev1.ConfigMap
	properties map[string]string
	executor   *corev1.Pod
	// names maps what is random, or differs by intention, to what it stands for. Earlier ones are replaced first.
	names []string
}

// recordedObjects reads what the real client sent.
func recordedObjects(t *testing.T, folder string) objectSet {
	t.Helper()
	set := objectSet{pod: &corev1.Pod{}, service: &corev1.Service{}, configMap: &corev1.ConfigMap{}, executor: &corev1.Pod{}}
	decode(t, filepath.Join(folder, "pod.json"), set.pod)
	decode(t, filepath.Join(folder, "service.json"), set.service)
	decode(t, filepath.Join(folder, "configmap.json"), set.configMap)
	text, err := os.ReadFile(filepath.Join(folder, "spark.properties"))
	if err != nil {
		t.Fatal(err)
	}
	set.properties = conf.Parse(string(text))
	delete(set.configMap.Data, "spark.properties")
	for _, path := range glob(t, filepath.Join(folder, "*-driver-podspec-conf-map.json")) {
		var template corev1.ConfigMap
		decode(t, path, &template)
		set.names = append(set.names, template.Name, "TEMPLATE-CONFIGMAP")
		if err := yaml.UnmarshalStrict([]byte(template.Data["podspec-configmap-key"]), set.executor); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	set.names = append(set.names,
		set.service.Name, "SERVICE", set.configMap.Name, "CONFIGMAP", set.pod.Name, "DRIVER-POD",
		set.properties[conf.AppID], "APPLICATION-ID", "/var/data/spark-00000000-0000-0000-0000-000000000000", "LOCAL-DIR")
	return set
}

// glob lists files.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// renderedObjects builds what we would send.
func renderedObjects(t *testing.T, app *v1alpha1.SparkApplication, sources conf.Sources) objectSet {
	t.Helper()
	properties, findings := conf.Merge(app, sources)
	if len(findings) > 0 {
		t.Fatalf("findings of conf.Merge: %v", findings)
	}
	objects, err := render.Build(render.Input{
		App: app, Run: 1, Attempt: 1, Queue: "default", Properties: properties,
		ConfFiles: render.ConfFiles(sources.ConfigMap), SubmitTime: time.UnixMilli(1700000000000),
	})
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimPrefix(objects.Names.ApplicationID, "spark-")
	localDir := fmt.Sprintf("/var/data/spark-%s-%s-%s-%s-%s", id[:8], id[8:12], id[12:16], id[16:20], id[20:])
	set := objectSet{
		pod: objects.Pod, service: objects.Service, configMap: objects.ConfigMap, executor: objects.ExecutorTemplate,
		properties: conf.Parse(objects.ConfigMap.Data["spark.properties"]),
		names: []string{
			objects.Names.Service, "SERVICE", objects.Names.ConfigMap, "CONFIGMAP", objects.Names.DriverPod, "DRIVER-POD",
			localDir, "LOCAL-DIR", objects.Names.ApplicationID, "APPLICATION-ID",
		},
	}
	delete(set.configMap.Data, "spark.properties")
	set.pod.APIVersion, set.pod.Kind = "v1", "Pod"
	set.service.APIVersion, set.service.Kind = "v1", "Service"
	set.configMap.APIVersion, set.configMap.Kind = "v1", "ConfigMap"
	return set
}

// plain turns an object into maps and texts with its names replaced.
func (s objectSet) plain(object any) any {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err) // objects that were decoded or built can be encoded
	}
	var value any
	if err := json.Unmarshal([]byte(strings.NewReplacer(s.names...).Replace(string(text))), &value); err != nil {
		panic(err)
	}
	return value
}
