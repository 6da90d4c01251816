// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podsets

import (
	stdcmp "cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/testing/recordings"
)

// recordedExecutor is an executor as Spark built it, without Spark's own variables and arguments.
type recordedExecutor struct {
	Metadata struct {
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	} `json:"metadata"`
	Spec corev1.PodSpec `json:"spec"`
}

// pod returns the executor as a pod.
func (e *recordedExecutor) pod() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: e.Metadata.Labels, Annotations: e.Metadata.Annotations}, Spec: e.Spec}
}

// eachExecutor calls compare with what Spark's own builder made of every recorded application, and with what is rendered for the application.
func eachExecutor(t *testing.T, compare func(t *testing.T, sparks *corev1.Pod, objects render.Objects)) {
	t.Helper()
	for _, minor := range render.Supported {
		paths, err := filepath.Glob("testdata/executors-" + minor + ".*.json")
		if err != nil || len(paths) != 1 {
			t.Errorf("Spark %s has %d files of executors: record one, see test/record", minor, len(paths))
			continue
		}
		version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(paths[0]), "executors-"), ".json")
		text, err := os.ReadFile(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		var recorded map[string]*recordedExecutor // nil for an application that is refused
		if err := json.Unmarshal(text, &recorded); err != nil {
			t.Fatal(err)
		}
		for _, name := range applications(t, version) {
			sparks, known := recorded[name]
			if !known {
				t.Errorf("Spark %s has no executor of %s: record all again, see test/record", version, name)
			}
			if sparks == nil {
				continue
			}
			t.Run(version+"/"+name, func(t *testing.T) {
				t.Parallel()
				compare(t, sparks.pod(), rendered(t, manifest(t, name, version)))
			})
		}
	}
}

// applications returns the names of all that are recorded of a version, and of those in the folder applications.
func applications(t *testing.T, version string) (names []string) {
	t.Helper()
	for folder, suffix := range map[string]string{filepath.Join("../render/testdata/recordings", version): recordings.Suffix, "testdata/applications": ".yaml"} {
		paths, err := filepath.Glob(filepath.Join(folder, "*"+suffix))
		if err != nil || len(paths) == 0 {
			t.Fatalf("there is nothing in %s: %v", folder, err)
		}
		for _, path := range paths {
			names = append(names, strings.TrimSuffix(filepath.Base(path), suffix))
		}
	}
	slices.Sort(names)
	return names
}

// TestExecutorPodIsLikeSparks: what queues and schedulers go by is foretold as Spark creates it.
func TestExecutorPodIsLikeSparks(t *testing.T) {
	t.Parallel()
	eachExecutor(t, func(t *testing.T, sparks *corev1.Pod, objects render.Objects) {
		t.Helper()
		pod, err := ExecutorPod(objects)
		if err != nil {
			t.Fatal(err)
		}
		for family, values := range map[string]map[string]string{"label.": sparks.Labels, "annotation.": sparks.Annotations} {
			for _, property := range objects.Properties.WithPrefix(conf.Executor.Key(family)) {
				if strings.Contains(property.Value, "{{EXECUTOR_ID}}") {
					delete(values, property.Name) // each has another
				}
			}
		}
		if diff := cmp.Diff(foretold(sparks), foretold(pod), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("executor (-Spark's +ours):\n%s", diff)
		}
	})
}

// asSparkMakes returns the executor of an attempt with what Spark adds to it.
func asSparkMakes(t *testing.T, objects render.Objects) *corev1.Pod {
	t.Helper()
	pod, err := ExecutorPod(objects)
	if err == nil {
		err = render.CompleteExecutor(pod, objects)
	}
	if err != nil {
		t.Fatal(err)
	}
	return pod
}

// TestExecutorMountsAreSparks: what the check of executors takes for their volumes and mounts is what Spark adds. Spark was recorded without
// the variable by which executors have their scratch space where the driver has its own, so of that only the presence is compared.
func TestExecutorMountsAreSparks(t *testing.T) {
	t.Parallel()
	eachExecutor(t, func(t *testing.T, sparks *corev1.Pod, objects render.Objects) {
		t.Helper()
		pod := asSparkMakes(t, objects)
		name := pod.Spec.Containers[0].Name
		if diff := cmp.Diff(mounts(sparks, name), mounts(pod, name)); diff != "" {
			t.Errorf("volumes and mounts (-Spark's +ours):\n%s", diff)
		}
	})
}

// TestExecutorContainerIsSparks: ports and resize policy, of which Kubernetes refuses two of one name, are what Spark adds to the template.
func TestExecutorContainerIsSparks(t *testing.T) {
	t.Parallel()
	eachExecutor(t, func(t *testing.T, sparks *corev1.Pod, objects render.Objects) {
		t.Helper()
		pod := asSparkMakes(t, objects)
		ours := pod.Spec.Containers[0]
		for i := range ours.Ports {
			ours.Ports[i].Protocol = "" // Spark leaves the one of executors to Kubernetes
		}
		theirs := sparks.Spec.Containers[slices.IndexFunc(sparks.Spec.Containers, func(c corev1.Container) bool { return c.Name == ours.Name })]
		for i := range theirs.Ports {
			theirs.Ports[i].Protocol = ""
		}
		if diff := cmp.Diff(theirs.Ports, ours.Ports, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("ports (-Spark's +ours):\n%s", diff)
		}
		if diff := cmp.Diff(theirs.ResizePolicy, ours.ResizePolicy, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("resize policy (-Spark's +ours):\n%s", diff)
		}
	})
}

// mounts returns the volumes of a pod, and what a container mounts where, each once.
func mounts(pod *corev1.Pod, container string) []string {
	found := map[string]bool{}
	for _, v := range pod.Spec.Volumes {
		found[strings.TrimRight(v.Name, "0123456789")] = true
	}
	for _, c := range pod.Spec.Containers {
		for _, m := range c.VolumeMounts {
			switch {
			case c.Name != container:
			case strings.HasPrefix(m.Name, render.LocalDirPrefix):
				found["scratch space"] = true
			default:
				found[m.Name+" "+m.MountPath] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// foretold returns what of a pod is known before Spark creates it: everything that a place on a node depends on. What runs in it is left to
// Spark, and so are what is the same in all executors and nothing goes by.
func foretold(pod *corev1.Pod) *corev1.Pod {
	pod = pod.DeepCopy()
	maps.DeleteFunc(pod.Labels, func(key, _ string) bool { return strings.HasPrefix(key, "spark-") })
	spec := &pod.Spec
	spec.Hostname, spec.RestartPolicy, spec.TerminationGracePeriodSeconds = "", "", nil
	spec.ServiceAccountName, spec.DeprecatedServiceAccount, spec.ImagePullSecrets, spec.Volumes = "", "", nil, nil
	for _, containers := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i, c := range containers {
			containers[i] = corev1.Container{Name: c.Name, Resources: c.Resources, RestartPolicy: c.RestartPolicy}
		}
		slices.SortFunc(containers, func(a, b corev1.Container) int { return strings.Compare(a.Name, b.Name) })
	}
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels, Annotations: pod.Annotations}, Spec: *spec}
}

// TestTemplateReachesExecutors: whatever the rendered template of executors says is so in the executor that Spark makes of it, unless a
// property of the same meaning says otherwise: what Spark would drop or replace without a word has to be refused before.
func TestTemplateReachesExecutors(t *testing.T) {
	t.Parallel()
	eachExecutor(t, func(t *testing.T, sparks *corev1.Pod, objects render.Objects) {
		t.Helper()
		template := &corev1.Pod{ObjectMeta: objects.ExecutorTemplate.ObjectMeta, Spec: objects.ExecutorTemplate.Spec}
		for _, lost := range missing("", plain(t, template), plain(t, sparks)) {
			t.Error(lost)
		}
	})
}

// plain returns an object as JSON has it.
func plain(t *testing.T, object any) any {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// missing returns what of the first value is not in the second, with paths. Lists of named items may have more items.
func missing(path string, want, got any) (lost []string) {
	switch want := want.(type) {
	case map[string]any:
		there, _ := got.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(want)) {
			lost = append(lost, missing(path+"."+key, want[key], there[key])...)
		}
		return lost
	case []any:
		there, _ := got.([]any)
		for i, item := range want {
			lost = append(lost, missing(fmt.Sprintf("%s[%d]", path, i), item, likest(item, there))...)
		}
		return lost
	}
	if !reflect.DeepEqual(want, got) {
		return []string{fmt.Sprintf("%s: the template says %v, Spark's executor has %v", path, want, got)}
	}
	return nil
}

// likest returns the item of a list that lacks least of another one.
func likest(item any, list []any) any {
	return slices.MinFunc(append(list, nil), func(a, b any) int { return len(missing("", item, a)) - len(missing("", item, b)) })
}

// manifest returns the documents of an application: of a recording, or of the folder applications.
func manifest(t *testing.T, name, version string) [][]byte {
	t.Helper()
	if text, err := os.ReadFile(filepath.Join("testdata", "applications", name+".yaml")); err == nil {
		return [][]byte{[]byte(strings.ReplaceAll(string(text), "@VERSION@", version))}
	}
	archive, err := recordings.Open(filepath.Join("../render/testdata/recordings", version, name+recordings.Suffix))
	if err != nil {
		t.Fatal(err)
	}
	return [][]byte{archive.Files["app.yaml"], archive.Files["inputs.yaml"]}
}

// rendered renders an application as sparkctl render does, from which Spark's executors were recorded.
func rendered(t *testing.T, documents [][]byte) render.Objects {
	t.Helper()
	var app v1alpha1.SparkApplication
	if err := yaml.UnmarshalStrict(documents[0], &app); err != nil {
		t.Fatal(err)
	}
	app.UID = stdcmp.Or(app.UID, "00000000-0000-0000-0000-000000000000")
	var sources conf.Sources
	if len(documents) > 1 {
		var configMap corev1.ConfigMap
		if err := yaml.Unmarshal(documents[1], &configMap); err != nil {
			t.Fatal(err)
		}
		sources.ConfigMap = configMap.Data
	}
	in, _ := render.NewInput(&app, sources)
	in.Queue = "default"
	gang, err := in.Properties.Executors()
	if err != nil {
		t.Fatal(err)
	}
	in.SchedulingGated = gang.Dynamic
	objects, err := render.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}
