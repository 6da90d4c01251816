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
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/spark/conf"
	"github.com/sparkgate/sparkgate/controllers/internal/spark/render"
	"github.com/sparkgate/sparkgate/controllers/internal/spark/validate"
)

// TestRecordings renders the application of every recorded submission and compares the objects with those that the real client sent. What
// differs has to be one of render.Deviations, what only we refuse one of render.Refusals; every entry has to be met.
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
	for _, deviation := range slices.Concat(render.Deviations, render.Refusals) {
		for _, where := range deviation.Where {
			if !met[where] && !t.Failed() {
				t.Errorf("no recording shows the deviation %q: remove it, or record a case", where)
			}
		}
	}
	t.Logf("recordings: %v", outcomes)
}

// TestSupportedVersionsAreRecorded: a version is supported once recordings of its client hold, with as many cases as any other.
func TestSupportedVersionsAreRecorded(t *testing.T) {
	t.Parallel()
	cases := map[string]int{}
	for _, version := range render.Supported {
		cases[version] = len(glob(t, filepath.Join("testdata", "recordings", version+".*", "*", "app.yaml")))
		if cases[version] == 0 || cases[version] != cases[render.Supported[0]] {
			t.Errorf("Spark %s has %d recorded cases; record all of them with test/record (%v)", version, cases[version], cases)
		}
	}
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
		return compareOwnRefusal(t, findings, met)
	}
	recorded := recordedObjects(t, folder)
	rendered := renderedObjects(t, app, sources)
	for _, difference := range compare(recorded, rendered) {
		where := entryOf(render.Deviations, difference.path)
		if where == "" {
			t.Errorf("%s\n  real client: %s\n  rendered:    %s", strings.Join(difference.path, " "), difference.recorded, difference.rendered)
		}
		met[where] = true
	}
	return "compared"
}

// compareOwnRefusal makes sure that what we refuse and the real client takes is refused by intention.
func compareOwnRefusal(t *testing.T, findings []validate.Finding, met map[string]bool) string {
	t.Helper()
	for _, finding := range findings {
		where := entryOf(render.Refusals, []string{finding.Field})
		if where == "" {
			t.Errorf("the real client took it, we do not: %s", finding)
		}
		met[where] = true
	}
	return "refused by intention"
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
	pod       *corev1.Pod
	service   *corev1.Service
	configMap *corev1.ConfigMap
	// networkPolicy is nil where there is none.
	networkPolicy *networkingv1.NetworkPolicy
	// claims by the volume of the driver that they are for.
	claims     map[string]*corev1.PersistentVolumeClaim
	properties map[string]string
	executor   *corev1.Pod
	// names maps what is random, or differs by intention, to what it stands for. Earlier ones are replaced first.
	names []string
}

// comparedFiles are the objects of a recording that are compared.
var comparedFiles = []string{"pod.json", "service.json", "configmap.json", "networkpolicy.json", "configmap-driver-podspec-conf-map.json"}

// isCompared says whether a recorded object is compared.
func isCompared(name string) bool {
	return slices.Contains(comparedFiles, name) || strings.HasPrefix(name, "persistentvolumeclaim-")
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
	for _, path := range glob(t, filepath.Join(folder, "*.json")) {
		if !isCompared(filepath.Base(path)) {
			t.Errorf("%s is an object that is not compared", path)
		}
	}
	for _, path := range glob(t, filepath.Join(folder, "networkpolicy.json")) {
		set.networkPolicy = &networkingv1.NetworkPolicy{}
		decode(t, path, set.networkPolicy)
		set.names = append(set.names, set.networkPolicy.Name, "NETWORK-POLICY")
	}
	for _, path := range glob(t, filepath.Join(folder, "persistentvolumeclaim-*.json")) {
		claim := &corev1.PersistentVolumeClaim{}
		decode(t, path, claim)
		set.addClaim(claim)
	}
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
	if set.networkPolicy = objects.NetworkPolicy; set.networkPolicy != nil {
		set.names = append(set.names, objects.Names.NetworkPolicy, "NETWORK-POLICY")
		set.networkPolicy.APIVersion, set.networkPolicy.Kind = "networking.k8s.io/v1", "NetworkPolicy"
	}
	for _, claim := range objects.Claims {
		claim.APIVersion, claim.Kind = "v1", "PersistentVolumeClaim"
		set.addClaim(claim)
	}
	delete(set.configMap.Data, "spark.properties")
	set.pod.APIVersion, set.pod.Kind = "v1", "Pod"
	set.service.APIVersion, set.service.Kind = "v1", "Service"
	set.configMap.APIVersion, set.configMap.Kind = "v1", "ConfigMap"
	return set
}

// addClaim files a claim under the volume that names it: Spark counts volumes in the order of a set.
func (s *objectSet) addClaim(claim *corev1.PersistentVolumeClaim) {
	if s.claims == nil {
		s.claims = map[string]*corev1.PersistentVolumeClaim{}
	}
	for _, volume := range s.pod.Spec.Volumes {
		if source := volume.PersistentVolumeClaim; source != nil && source.ClaimName == claim.Name {
			s.claims[volume.Name] = claim
			s.names = append([]string{claim.Name, "CLAIM-" + volume.Name}, s.names...) // its name begins with that of the pod
		}
	}
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
