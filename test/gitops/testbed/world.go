// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package testbed

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/gitops/gitserver"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// Files are contents by path; an empty one means no file.
type Files = gitserver.Files

// World is a namespace with a queue, a node that the test plays, and a Git repository.
type World struct {
	*harness.World
	// Git may be nil.
	Git *gitserver.Repository

	t *testing.T
	// held reports whether pods that are being deleted are kept.
	held atomic.Bool
}

// NewWorld creates a world whose queue has so much memory: an application requests 2688Mi.
func NewWorld(t *testing.T, memory string) *World {
	t.Helper()
	w := &World{Git: gitserver.New(t), t: t}
	w.World = harness.NewWorld(t, memory, &harness.Kubelet{Run: harness.Manual, Hold: func(*corev1.Pod) bool { return w.held.Load() }})
	return w
}

// HoldPods keeps pods that are deleted from now on, like containers that take their time to end, or lets them end.
func (w *World) HoldPods(hold bool) { w.held.Store(hold) }

// NewWorldIn creates a world in a namespace of the test, without a repository of its own.
func NewWorldIn(t *testing.T, namespace string) *World {
	t.Helper()
	return &World{World: harness.NewWorldIn(t, namespace, "", nil), t: t}
}

// Manifest returns an application of this world's queue as it is in Git, with lines added to its spec. It has no
// namespace: the tool that applies it sets one.
func (w *World) Manifest(name string, lines ...string) string {
	text := fmt.Sprintf(`apiVersion: sparkgate.io/v1alpha1
kind: SparkApplication
metadata: {name: %s}
spec:
  type: Python
  sparkVersion: 4.1.4
  image: docker.io/sparkgate/spark:4.1
  mainApplicationFile: local:///opt/spark/examples/pi.py
  queue: {name: %s}
  driver:   {cores: 1, coreRequest: 200m, memory: 512m}
  executor: {instances: 2, cores: 1, coreRequest: 200m, memory: 512m}
`, name, w.Queue.Name)
	for _, line := range lines {
		text += "  " + line + "\n"
	}
	return text
}

// Tree is a tree of two queues as it is in Git, in which the leaf has quota for one application, and jobs of the leaf.
type Tree struct {
	Root, Leaf string
	// Queues are the manifests of both queues; Jobs has that of each job.
	Queues string
	Jobs   []string
}

// NewTree returns a tree with jobs of these names. The leaf comes before its parent, as files may be in any order.
func (w *World) NewTree(jobs ...string) Tree {
	tree := Tree{Root: w.Namespace + "-root", Leaf: w.Namespace + "-leaf"}
	tree.Queues = fmt.Sprintf(`apiVersion: sparkgate.io/v1alpha1
kind: SparkQueue
metadata: {name: %[2]s}
spec:
  parent: %[1]s
  namespaceSelector: {}
  flavors: [{name: default, quotas: [{resource: memory, nominal: 3Gi}]}]
---
apiVersion: sparkgate.io/v1alpha1
kind: SparkQueue
metadata: {name: %[1]s}
spec: {}
`, tree.Root, tree.Leaf)
	for _, job := range jobs {
		tree.Jobs = append(tree.Jobs, strings.Replace(w.Manifest(job), "queue: {name: "+w.Queue.Name+"}", "queue: {name: "+tree.Leaf+"}", 1))
	}
	return tree
}

// App returns a reference to an application of this world.
func (w *World) App(name string) *v1alpha1.SparkApplication {
	return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}}
}

// Stored reads an application.
func (w *World) Stored(name string) *v1alpha1.SparkApplication {
	w.t.Helper()
	app := w.App(name)
	if err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
		w.t.Fatal(err)
	}
	return app
}

// HasFinalizerOfPolicy checks that an application has the operator's finalizer, and that the operator has not written
// it.
func (w *World) HasFinalizerOfPolicy(name string) {
	w.t.Helper()
	app := w.Stored(name)
	if !slices.Contains(app.Finalizers, v1alpha1.Finalizer) {
		w.t.Errorf("%s has the finalizers %v", name, app.Finalizers)
	}
	for _, entry := range app.ManagedFields {
		if entry.Manager == v1alpha1.FieldOwner && entry.Subresource == "" {
			w.t.Errorf("the operator has written more of %s than its status: %s", name, entry.FieldsV1)
		}
	}
}

// Drivers returns the attempts of an application that had a driver, as run/attempt, and fails the test if one had
// several.
func (w *World) Drivers(name string) []string {
	w.t.Helper()
	created := w.Kubelet.Created(w.Stored(name).UID)
	for attempt, n := range created {
		if n != 1 {
			w.t.Errorf("attempt %s of %s had %d drivers", attempt, name, n)
		}
	}
	return slices.Sorted(maps.Keys(created))
}

// Ran checks that an application had one driver for each of these attempts, and no others.
func (w *World) Ran(name string, attempts ...string) {
	w.t.Helper()
	if got := w.Drivers(name); !slices.Equal(got, attempts) {
		w.t.Errorf("%s has run %v, want %v", name, got, attempts)
	}
}

// End ends the driver of an application with an exit code.
func (w *World) End(name string, code int32) {
	w.t.Helper()
	reason := "Completed"
	if code != 0 {
		reason = "Error"
	}
	w.Kubelet.Finish(w.t.Context(), w.Driver(w.App(name)), code, reason)
}
