// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/test/gitops/testbed"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

// Names of Argo CD's verdicts.
const (
	progressing = "Progressing"
	healthy     = "Healthy"
	degraded    = "Degraded"
	suspended   = "Suspended"

	synced = "Synced"
)

// world is a testbed.World from whose Git repository Argo CD applies, with an Application named after the namespace.
type world struct {
	*testbed.World
	t *testing.T
}

type files = testbed.Files

// newWorld creates a world whose queue has so much memory (an application requests 2688Mi). Argo CD and the operator
// watch it.
func newWorld(t *testing.T, memory string) *world {
	t.Helper()
	w := &world{World: testbed.NewWorld(t, memory), t: t}
	components.Use(t)
	configure(t)
	operator.Use(t)
	return w
}

// decode reads a manifest.
func decode(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict([]byte(text), &obj.Object); err != nil {
		t.Fatal(err)
	}
	return obj
}

// deploy pushes files and creates the Application, which applies the folder jobs and repairs what differs. It returns the revision.
func (w *world) deploy(content files) string {
	w.t.Helper()
	return w.deployWith(content, way{})
}

// way is how an Application compares and applies.
type way struct {
	// compare has options of a comparison.
	compare string
	// sync has options of a sync.
	sync []string
	// retry is that of a sync that has failed; empty: as gitops ships it.
	retry string
}

// background makes Argo CD delete objects as kubectl does: the API server of the tests has no garbage collector, which
// Argo CD's own way needs.
const background = "PrunePropagationPolicy=background"

// deployWith is deploy with settings of the caller.
func (w *world) deployWith(content files, how way) (revision string) {
	w.t.Helper()
	if how.retry == "" {
		how.retry = "{limit: 5, refresh: true}"
	}
	revision = w.Git.Push(content)
	w.create(decode(w.t, fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: %[1]s, namespace: %[2]s, annotations: {argocd.argoproj.io/compare-options: %[5]q}}
spec:
  project: default
  source: {repoURL: %[3]q, targetRevision: main, path: jobs}
  destination: {server: https://kubernetes.default.svc, namespace: %[1]s}
  syncPolicy:
    automated: {prune: true, selfHeal: true}
    syncOptions: [%[4]s]
    retry: %[6]s
`, w.Namespace, systems.ArgoCDNamespace, w.Git.URL, strings.Join(append([]string{background}, how.sync...), ", "), how.compare, how.retry)))
	return revision
}

// create creates an object of Argo CD. It is deleted at the end of the test, without what it has applied.
func (w *world) create(obj *unstructured.Unstructured) {
	w.t.Helper()
	harness.Create(w.t, obj)
	w.t.Cleanup(func() {
		if w.t.Failed() {
			// If this fails, the object as it was has to do.
			_ = env.Client().Get(context.Background(), client.ObjectKeyFromObject(obj), obj)
			w.t.Logf("%s %s/%s: %v", obj.GetKind(), obj.GetNamespace(), obj.GetName(), obj.Object["status"])
		}
		_ = env.Client().Delete(context.Background(), obj)
	})
}

// push pushes files and makes Argo CD compare at once, as its webhook would. It returns the revision.
func (w *world) push(content files) string {
	w.t.Helper()
	revision := w.Git.Push(content)
	w.sees(revision)
	return revision
}

// sees waits until Argo CD has compared with a revision. A request that comes during a comparison is lost, so it is repeated.
func (w *world) sees(revision string) {
	w.t.Helper()
	w.until("is compared with "+revision, func(v verdict) bool {
		if v.Status.Sync.Revision != revision && v.Metadata.Annotations[refreshAnnotation] == "" {
			w.refresh("normal")
		}
		return v.Status.Sync.Revision == revision
	})
}

// refresh makes Argo CD compare the Application with Git: normal, or hard, which ignores its cache.
func (w *world) refresh(how string) {
	w.t.Helper()
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, refreshAnnotation, how)
	if err := env.Client().Patch(w.t.Context(), reference(w.Namespace), client.RawPatch(types.MergePatchType, patch)); err != nil {
		w.t.Fatal(err)
	}
}

// refreshAnnotation requests a comparison. Argo CD removes it with the result.
const refreshAnnotation = "argocd.argoproj.io/refresh"

// reference names an Application.
func reference(name string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	obj.SetAPIVersion("argoproj.io/v1alpha1")
	obj.SetKind("Application")
	obj.SetNamespace(systems.ArgoCDNamespace)
	obj.SetName(name)
	return obj
}

// verdict is the status of an Application.
type verdict struct {
	Metadata struct {
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Status struct {
		Sync struct {
			Status   string `json:"status"`
			Revision string `json:"revision"`
		} `json:"sync"`
		Health struct {
			Status string `json:"status"`
		} `json:"health"`
		Conditions []struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"conditions"`
		OperationState struct {
			Phase      string `json:"phase"`
			Message    string `json:"message"`
			StartedAt  string `json:"startedAt"`
			SyncResult struct {
				Revision  string     `json:"revision"`
				Resources []resource `json:"resources"`
			} `json:"syncResult"`
		} `json:"operationState"`
	} `json:"status"`
}

// resource is the result of an object in a sync.
type resource struct {
	Kind    string `json:"kind"`
	Status  string `json:"status"`
	Message string `json:"message"`
}

// verdict reads the current status of the Application of a name.
func (w *world) verdict(name string) verdict {
	w.t.Helper()
	obj := reference(name)
	if err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil {
		w.t.Fatal(err)
	}
	var v verdict
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &v); err != nil {
		w.t.Fatal(err)
	}
	return v
}

// until waits until the status of the Application satisfies holds.
func (w *world) until(what string, holds func(verdict) bool) {
	w.t.Helper()
	w.untilAny(w.Namespace, what, holds)
}

// untilAny waits until the status of the Application of a name satisfies holds.
func (w *world) untilAny(name, what string, holds func(verdict) bool) {
	w.t.Helper()
	env.UntilSeen(w.t, "Application "+name+" "+what, func() (bool, env.Lazily) {
		v := w.verdict(name)
		return holds(v), func() string { return fmt.Sprintf("%+v", v) }
	})
}

// ends waits until the last sync is of a revision and has ended in a phase, with a message that contains these parts.
func (w *world) ends(revision, phase string, parts ...string) {
	w.t.Helper()
	w.until(fmt.Sprintf("is synced to %s with %s %q", revision, phase, parts), func(v verdict) bool {
		state := v.Status.OperationState
		lacks := func(part string) bool { return !strings.Contains(state.Message, part) }
		return state.SyncResult.Revision == revision && state.Phase == phase && !slices.ContainsFunc(parts, lacks)
	})
}

// is waits until the Application is synced with a revision and has this health.
func (w *world) is(health, revision string) {
	w.t.Helper()
	w.isAny(w.Namespace, health, revision)
}

// isAny is the same for the Application of a name.
func (w *world) isAny(name, health, revision string) {
	w.t.Helper()
	w.untilAny(name, "is "+health+" with "+revision, func(v verdict) bool {
		return v.Status.Sync.Status == synced && v.Status.Sync.Revision == revision && v.Status.Health.Status == health
	})
}
