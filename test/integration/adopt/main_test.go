// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package adopt lives the lives of applications of kubeflow's operator, with its own CRDs, in namespaces that are adopted.
package adopt

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// operator of all tests of the package. It runs before the first test installs the kinds that it adopts.
var operator = harness.Shared{Options: harness.OperatorOptions{Adopt: true}}

var installed sync.Once

// install installs the CRDs of kubeflow's operator once.
func install(t *testing.T) {
	t.Helper()
	installed.Do(func() {
		folder, err := systems.KubeflowCRDs()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := envtest.InstallCRDs(env.Config(), envtest.CRDInstallOptions{Paths: []string{folder}, ErrorIfPathMissing: true}); err != nil {
			t.Fatalf("install the CRDs of kubeflow's operator: %v", err)
		}
	})
}

// world is an adopted namespace, with a queue of the given memory.
type world struct {
	*harness.World
	t *testing.T
}

func newWorld(t *testing.T, memory string, k *harness.Kubelet) *world {
	t.Helper()
	operator.Use(t)
	return newWorldOf(t, memory, k)
}

// newWorldOf is newWorld for an operator of the test's own.
func newWorldOf(t *testing.T, memory string, k *harness.Kubelet) *world {
	t.Helper()
	install(t)
	w := &world{harness.NewWorld(t, memory, k), t}
	w.namespace(func(n *corev1.Namespace) {
		n.Labels["sparkgate.io/adopt"] = "kubeflow"
		n.Annotations = map[string]string{v1alpha1.DefaultQueueAnnotation: w.Queue.Name}
	})
	return w
}

// namespace changes the namespace.
func (w *world) namespace(change func(*corev1.Namespace)) {
	w.t.Helper()
	harness.Change(w.t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, change)
}

// pi is a job as people have it for kubeflow's operator.
const pi = `apiVersion: sparkoperator.k8s.io/v1beta2
kind: SparkApplication
metadata:
  name: pi
  labels: {team: a}
spec:
  type: Python
  mode: cluster
  sparkVersion: 4.1.4
  image: docker.io/sparkgate/spark:4.1
  mainApplicationFile: local:///opt/spark/examples/pi.py
  restartPolicy: {type: Never}
  driver: {cores: 1, coreRequest: 200m, memory: 512m}
  executor: {instances: 2, cores: 1, coreRequest: 200m, memory: 512m}
`

// apply creates a job, as changed by the given functions.
func (w *world) apply(change ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	w.t.Helper()
	theirs := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(pi), &theirs.Object); err != nil {
		w.t.Fatal(err)
	}
	theirs.SetNamespace(w.Namespace)
	for _, c := range change {
		c(theirs)
	}
	harness.Create(w.t, theirs)
	return theirs
}

// with sets a field.
func with(value any, path ...string) func(*unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
			panic(err)
		}
	}
}

// called sets the name.
func called(name string) func(*unstructured.Unstructured) { return with(name, "metadata", "name") }

// text returns a field of the status.
func text(u *unstructured.Unstructured, path ...string) string {
	value, _, _ := unstructured.NestedString(u.Object, append([]string{"status"}, path...)...)
	return value
}

func state(u *unstructured.Unstructured) string { return text(u, "applicationState", "state") }

// reach waits for a state.
func (w *world) reach(theirs *unstructured.Unstructured, wanted string) {
	w.t.Helper()
	harness.Eventually(w.t, theirs, wanted, func(u *unstructured.Unstructured) bool { return state(u) == wanted })
	verdict := map[string]string{"SUBMITTED": "Progressing", "COMPLETED": "Healthy", "FAILED": "Degraded"}[wanted]
	if got := health(w.t, theirs); verdict != "" && got != verdict {
		w.t.Errorf("Argo CD takes %s for %s", wanted, got)
	}
}

// fails waits until a job has failed, and the message has words.
func (w *world) fails(theirs *unstructured.Unstructured, words ...string) {
	w.t.Helper()
	w.reach(theirs, "FAILED")
	message := text(theirs, "applicationState", "errorMessage")
	for _, word := range words {
		if !strings.Contains(message, word) {
			w.t.Errorf("the message is without %q: %s", word, message)
		}
	}
}

// ours returns the application that runs for a job.
func (w *world) ours(theirs *unstructured.Unstructured) *v1alpha1.SparkApplication {
	return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: theirs.GetNamespace(), Name: theirs.GetName()}}
}

// noOurs waits until nothing runs for a job.
func (w *world) noOurs(theirs *unstructured.Unstructured) {
	w.t.Helper()
	harness.Gone(w.t, w.ours(theirs))
}

// states follows the states of a job; the function returns those that were written so far.
func (w *world) states(theirs *unstructured.Unstructured) func() []string {
	w.t.Helper()
	c, err := dynamic.NewForConfig(env.Config())
	if err != nil {
		w.t.Fatal(err)
	}
	resource := schema.GroupVersionResource{Group: "sparkoperator.k8s.io", Version: "v1beta2", Resource: "sparkapplications"}
	stream, err := c.Resource(resource).Namespace(w.Namespace).Watch(context.Background(), metav1.ListOptions{
		FieldSelector: "metadata.name=" + theirs.GetName(), ResourceVersion: theirs.GetResourceVersion(),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(stream.Stop)
	var seen []string
	return func() []string {
		for last := ""; last != theirs.GetResourceVersion(); {
			u := (<-stream.ResultChan()).Object.(*unstructured.Unstructured)
			last = u.GetResourceVersion()
			seen = append(seen, state(u))
		}
		return slices.Compact(seen)
	}
}

// get reads an object again.
func (w *world) get(o client.Object) {
	w.t.Helper()
	if err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
		w.t.Fatal(err)
	}
}

// executors returns the states of executors by how many there are of each.
func executors(u *unstructured.Unstructured) map[string]int {
	all, _, _ := unstructured.NestedStringMap(u.Object, "status", "executorState")
	count := map[string]int{}
	for state := range maps.Values(all) {
		count[state]++
	}
	return count
}

// says waits for an event about a job.
func (w *world) says(theirs *unstructured.Unstructured, words string) {
	w.t.Helper()
	env.UntilSeen(w.t, "an event says: "+words, func() (bool, []string) {
		list := &eventsv1.EventList{}
		if err := env.Client().List(w.t.Context(), list, inNamespace(w)); err != nil {
			w.t.Fatal(err)
		}
		var notes []string
		for i := range list.Items {
			if e := &list.Items[i]; e.Regarding.UID == theirs.GetUID() {
				notes = append(notes, e.Note)
			}
		}
		return strings.Contains(strings.Join(notes, "\n"), words), notes
	})
}

func inNamespace(w *world) client.ListOption { return client.InNamespace(w.Namespace) }
