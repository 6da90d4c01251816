// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/test/gitops/testbed"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// world is one from whose Git repository Flux installs charts.
type world struct {
	*testbed.World
	t *testing.T
}

type files = testbed.Files

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: testbed.NewWorld(t, ""), t: t}
	controllers.Use(t)
	return w
}

// create creates an object of Flux. The test's end deletes it, and leaves what it has installed.
func (w *world) create(text string) {
	w.t.Helper()
	obj := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict([]byte(text), &obj.Object); err != nil {
		w.t.Fatal(err)
	}
	harness.Create(w.t, obj)
	w.t.Cleanup(func() {
		if w.t.Failed() && env.Client().Get(context.Background(), client.ObjectKeyFromObject(obj), obj) == nil {
			w.t.Logf("%s %s: %v", obj.GetKind(), obj.GetName(), obj.Object["status"])
		}
		_ = env.Client().Patch(context.Background(), obj, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"suspend":true}}`)))
		_ = env.Client().Delete(context.Background(), obj)
	})
}

// reference names an object of Flux.
func reference(kind, namespace, name string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	obj.SetAPIVersion(map[string]string{"GitRepository": "source.toolkit.fluxcd.io/v1", "HelmRelease": "helm.toolkit.fluxcd.io/v2"}[kind])
	obj.SetKind(kind)
	obj.SetNamespace(namespace)
	obj.SetName(name)
	return obj
}

// tokens make each request differ from all others.
var tokens atomic.Int64

// push pushes files and has Flux fetch them for a repository, as its webhook receiver would.
func (w *world) push(content files, namespace, repository string) {
	w.t.Helper()
	w.Git.Push(content)
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":%q}}}`, strconv.FormatInt(tokens.Add(1), 10))
	obj := reference("GitRepository", namespace, repository)
	if err := env.Client().Patch(w.t.Context(), obj, client.RawPatch(types.MergePatchType, patch)); err != nil {
		w.t.Fatal(err)
	}
}

// release is what a HelmRelease says.
type release struct {
	Status struct {
		Conditions []metav1.Condition `json:"conditions"`
		History    []struct {
			Version int    `json:"version"`
			Status  string `json:"status"`
		} `json:"history"`
	} `json:"status"`
}

// version is one of a HelmRelease, the last one that was installed.
type version struct {
	namespace, name string
	number          int // from 1; 0 is none
}

// becomes waits until a version of a HelmRelease is as given: Ready with a reason and a message that has these parts.
func (w *world) becomes(v version, status metav1.ConditionStatus, reason string, parts ...string) {
	w.t.Helper()
	env.UntilSeen(w.t, fmt.Sprintf("%+v is %s/%s %q", v, status, reason, parts), func() (bool, release) {
		obj, r := reference("HelmRelease", v.namespace, v.name), release{}
		if err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil {
			w.t.Fatal(err)
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &r); err != nil {
			w.t.Fatal(err)
		}
		ready := apimeta.FindStatusCondition(r.Status.Conditions, "Ready")
		number := 0
		if len(r.Status.History) > 0 {
			number = r.Status.History[0].Version
		}
		if ready == nil || ready.Status != status || ready.Reason != reason || number != v.number {
			return false, r
		}
		for _, part := range parts {
			if !strings.Contains(ready.Message, part) {
				return false, r
			}
		}
		return true, r
	})
}
