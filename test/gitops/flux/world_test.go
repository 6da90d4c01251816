// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package flux

import (
	"context"
	"fmt"
	"strings"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/test/gitops/fluxobject"
	"github.com/sparkgate/sparkgate/test/gitops/testbed"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// world is a testbed.World from whose Git repository Flux applies.
type world struct {
	*testbed.World
	t *testing.T
}

type files = testbed.Files

// newWorld creates a world whose queue has so much memory (an application requests 2688Mi). Flux and the operator watch
// it.
func newWorld(t *testing.T, memory string) *world {
	t.Helper()
	w := &world{World: testbed.NewWorld(t, memory), t: t}
	controllers.Use(t)
	operator.Use(t)
	return w
}

// fluxObject decodes an object of Flux in this world.
func (w *world) fluxObject(text string) *unstructured.Unstructured {
	w.t.Helper()
	obj := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict([]byte(text), &obj.Object); err != nil {
		w.t.Fatal(err)
	}
	if obj.GetNamespace() == "" {
		obj.SetNamespace(w.Namespace)
	}
	return obj
}

// deploy pushes files and creates a GitRepository, and Kustomizations with wait and prune: for each a path of the
// repository and lines that are added to spec, or replace those with the value true. It returns the revision.
func (w *world) deploy(content files, kustomizations map[string][]string) (revision string) {
	w.t.Helper()
	revision = w.commit(content)
	w.create(w.fluxObject(fmt.Sprintf(`apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: jobs}
spec: {url: %q, ref: {branch: main}, interval: 1h}
`, w.Git.URL)))
	for path, lines := range kustomizations {
		text := fmt.Sprintf(`apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: %s}
spec:
  sourceRef: {kind: GitRepository, name: jobs}
  path: ./%s
  targetNamespace: %s
  wait: true
  prune: true
  timeout: 5m
  interval: 1h
  retryInterval: 10s
`, path, path, w.Namespace)
		for _, line := range lines {
			key, _, _ := strings.Cut(line, ":")
			text = strings.Replace(text, "\n  "+key+": true\n", "\n", 1) + "  " + line + "\n"
		}
		w.create(w.fluxObject(text))
	}
	return revision
}

// create creates an object of Flux. It is deleted at the end of the test, without what it has applied.
func (w *world) create(obj *unstructured.Unstructured) {
	w.t.Helper()
	harness.Create(w.t, obj)
	w.t.Cleanup(func() {
		if w.t.Failed() {
			// If this fails, the object as it was has to do.
			_ = env.Client().Get(context.Background(), client.ObjectKeyFromObject(obj), obj)
			w.t.Logf("%s %s/%s: %v", obj.GetKind(), obj.GetNamespace(), obj.GetName(), obj.Object["status"])
		}
		if err := fluxobject.Leave(context.Background(), env.Client(), obj); err != nil {
			w.t.Error(err)
		}
	})
}

// commit pushes files. It returns the revision as Flux writes it.
func (w *world) commit(content files) string { return revisionOf(w.Git.Push(content)) }

// revisionOf returns a commit of the branch main as Flux writes it.
func revisionOf(commit string) string { return "main@sha1:" + commit }

// push pushes files and makes Flux fetch them at once, as its webhook receiver would. It returns the revision.
func (w *world) push(content files) string {
	w.t.Helper()
	revision := w.commit(content)
	w.request("GitRepository", "jobs")
	return revision
}

// request makes Flux reconcile an object at once. It returns the token of the request.
func (w *world) request(kind, name string) string {
	w.t.Helper()
	token, err := fluxobject.Request(w.t.Context(), env.Client(), w.reference(kind, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// reconciled makes Flux reconcile an object, and waits until it has.
func (w *world) reconciled(kind, name string) {
	w.t.Helper()
	token := w.request(kind, name)
	env.UntilSeen(w.t, "Flux has reconciled "+kind+" "+name, func() (bool, error) {
		obj := w.reference(kind, name)
		err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(obj), obj)
		handled, _, _ := unstructured.NestedString(obj.Object, "status", "lastHandledReconcileAt")
		return handled == token, err
	})
}

// reference names an object of Flux in this world.
func (w *world) reference(kind, name string) *unstructured.Unstructured {
	return fluxobject.Named(kind, w.Namespace, name)
}

// verdict is the status of a Kustomization.
type verdict struct {
	Ready, Healthy *metav1.Condition
	// Applied is the revision that was applied last and passed.
	Applied string
}

// verdict reads the current status of a Kustomization.
func (w *world) verdict(name string) verdict {
	w.t.Helper()
	var status struct {
		Conditions          []metav1.Condition `json:"conditions"`
		LastAppliedRevision string             `json:"lastAppliedRevision"`
	}
	ready, err := fluxobject.Read(w.t.Context(), env.Client(), w.reference("Kustomization", name), &status)
	if err != nil {
		w.t.Fatal(err)
	}
	return verdict{Ready: ready, Healthy: apimeta.FindStatusCondition(status.Conditions, "Healthy"), Applied: status.LastAppliedRevision}
}

// is reports whether Ready has a status and a reason, and a message that contains these parts.
func (v verdict) is(status metav1.ConditionStatus, reason string, parts ...string) bool {
	if v.Ready == nil || v.Ready.Status != status || v.Ready.Reason != reason {
		return false
	}
	for _, part := range parts {
		if !strings.Contains(v.Ready.Message, part) {
			return false
		}
	}
	return true
}

// String implements fmt.Stringer, for the last observation of a test.
func (v verdict) String() string {
	return fmt.Sprintf("Ready %+v\nHealthy %+v\napplied %s", v.Ready, v.Healthy, v.Applied)
}

// becomes waits until Ready of a Kustomization is as given, its message with these parts.
func (w *world) becomes(name string, status metav1.ConditionStatus, reason string, parts ...string) {
	w.t.Helper()
	env.UntilSeen(w.t, fmt.Sprintf("Kustomization %s is %s/%s %q", name, status, reason, parts), func() (bool, verdict) {
		v := w.verdict(name)
		return v.is(status, reason, parts...), v
	})
}

// waits waits until a Kustomization has applied a revision and waits for its objects.
func (w *world) waits(name, revision string) {
	w.t.Helper()
	env.UntilSeen(w.t, fmt.Sprintf("Kustomization %s waits with %s", name, revision), func() (bool, verdict) {
		v := w.verdict(name)
		return v.is(metav1.ConditionUnknown, "Progressing") && v.Healthy != nil && strings.Contains(v.Healthy.Message, revision), v
	})
}

// ready waits until a Kustomization is ready with a revision.
func (w *world) ready(name, revision string) {
	w.t.Helper()
	env.UntilSeen(w.t, fmt.Sprintf("Kustomization %s is ready with %s", name, revision), func() (bool, verdict) {
		v := w.verdict(name)
		return v.Applied == revision && v.is(metav1.ConditionTrue, "ReconciliationSucceeded"), v
	})
}
