// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package systems sees that the real batch schedulers do their work beside the tests' API server, and come and go as tests want it.
// The tests take turns: there may be one of a kind on an API server.
package systems

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/systems"
)

const (
	patience = 2 * time.Minute
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }

// create creates an object from YAML.
func create(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(manifest), &obj.Object); err != nil {
		t.Fatal(err)
	}
	if err := env.Client().Create(t.Context(), obj); err != nil {
		t.Fatalf("create %s %s: %v", obj.GetKind(), obj.GetName(), err)
	}
	return obj
}

// eventually waits until an object is as it should be.
func eventually(t *testing.T, obj *unstructured.Unstructured, what string, is func(*unstructured.Unstructured) bool) {
	t.Helper()
	env.UntilWithin(t, patience, fmt.Sprintf("%s %s is %s", obj.GetKind(), obj.GetName(), what), func() (bool, any) {
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil {
			return false, err
		}
		return is(obj), env.Lazily(func() string {
			text, _ := yaml.Marshal(obj.Object)
			return string(text)
		})
	})
}

// uninstalls sees that the kind of an object goes with it, and is empty after a new installation.
func uninstalls(t *testing.T, system *systems.System, obj *unstructured.Unstructured) {
	t.Helper()
	if err := system.Uninstall(t.Context()); err != nil {
		t.Fatal(err)
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(obj.GroupVersionKind())
	if err := env.Client().List(t.Context(), list); !apierrors.IsNotFound(err) && !meta.IsNoMatchError(err) {
		t.Errorf("list %s: %v, want that the kind is not there", obj.GetKind(), err)
	}
	if err := system.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := env.Client().List(t.Context(), list); err != nil {
		t.Error(err)
	}
	for _, item := range list.Items {
		if item.GetUID() == obj.GetUID() {
			t.Errorf("%s %s is still there after a new installation", obj.GetKind(), obj.GetName())
		}
	}
}

// hasCondition says that an object has a condition with that status.
func hasCondition(kind, status string) func(*unstructured.Unstructured) bool {
	return func(obj *unstructured.Unstructured) bool {
		conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
		return slices.ContainsFunc(conditions, func(c any) bool {
			fields, ok := c.(map[string]any)
			return ok && fields["type"] == kind && fields["status"] == status
		})
	}
}

// hasField says that an object has a string at a path.
func hasField(value string, path ...string) func(*unstructured.Unstructured) bool {
	return func(obj *unstructured.Unstructured) bool {
		got, _, _ := unstructured.NestedString(obj.Object, path...)
		return got == value
	}
}

// containers returns the YAML of containers of a pod that asks for that much.
func containers(cpu string) string {
	return fmt.Sprintf("containers: [{name: main, image: none, resources: {requests: {cpu: %q, memory: 1Mi}}}]", cpu)
}
