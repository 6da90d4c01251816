// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// smallest returns an application with the required fields only.
func smallest(namespace, name string) *v1alpha1.SparkApplication {
	return &v1alpha1.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: v1alpha1.SparkApplicationSpec{
			Type: v1alpha1.PythonApplication, SparkVersion: "4.1.4", Image: "spark:4.1", MainApplicationFile: "local:///opt/spark/examples/pi.py",
		},
	}
}

// asStored reads an object as any client does that knows nothing of our types.
func asStored(t *testing.T, kind, namespace, name string) map[string]any {
	t.Helper()
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: v1alpha1.Group, Version: "v1alpha1", Kind: kind})
	if err := env.Client().Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, u); err != nil {
		t.Fatal(err)
	}
	return u.Object
}

func TestFreshObjectIsUnobserved(t *testing.T) {
	t.Parallel()
	ns := env.Namespace(t)
	app := smallest(ns, "fresh")
	// What a client writes into status at creation does not count.
	app.Status.ObservedGeneration, app.Status.Run = 1, 3
	queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "fresh-" + ns}}
	queue.Status.ObservedGeneration, queue.Status.Pending = 1, 3
	tests := map[string]struct {
		obj  client.Object
		want map[string]any
	}{
		v1alpha1.SparkApplicationKind: {app, map[string]any{"observedGeneration": int64(-1)}},
		v1alpha1.SparkQueueKind:       {queue, map[string]any{"observedGeneration": int64(-1), "pending": int64(0), "admitted": int64(0)}},
	}
	for kind, tc := range tests {
		name, namespace := tc.obj.GetName(), tc.obj.GetNamespace()
		if err := env.Client().Create(t.Context(), tc.obj); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, asStored(t, kind, namespace, name)["status"]); diff != "" {
			t.Errorf("%s: status (-want +got):\n%s", kind, diff)
		}
	}
}

// TestSpecIsStoredAsWritten: nothing is added to what stands in Git.
func TestSpecIsStoredAsWritten(t *testing.T) {
	t.Parallel()
	ns := env.Namespace(t)
	app := smallest(ns, "asis")
	if err := env.Client().Create(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"type": "Python", "sparkVersion": "4.1.4", "image": "spark:4.1", "mainApplicationFile": "local:///opt/spark/examples/pi.py",
		"driver": map[string]any{}, "executor": map[string]any{}, // structs of the Go client; kubectl would not send them
	}
	if diff := cmp.Diff(want, asStored(t, v1alpha1.SparkApplicationKind, ns, "asis")["spec"]); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

// TestEverythingSurvives: what the typed client reads is what was written, field by field.
func TestEverythingSurvives(t *testing.T) {
	t.Parallel()
	obj := complete(t, "sparkapplications")
	obj.SetNamespace(env.Namespace(t))
	want := obj.DeepCopy().Object["spec"]
	if err := env.Client().Create(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
	app := &v1alpha1.SparkApplication{}
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(obj), app); err != nil {
		t.Fatal(err)
	}
	app.ResourceVersion, app.UID, app.Name = "", "", "again"
	if err := env.Client().Create(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	got := asStored(t, v1alpha1.SparkApplicationKind, app.Namespace, "again")["spec"].(map[string]any)
	// A typed client leaves false out; the file says it.
	got["suspend"] = false
	if diff := cmp.Diff(plain(want), plain(got)); diff != "" {
		t.Errorf("spec (-written +read and written again):\n%s", diff)
	}
}

// plain makes values comparable that mean the same: whole numbers of any Go type, and durations, which Go writes as 1h0m0s.
func plain(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			out[key] = plain(item)
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			out = append(out, plain(item))
		}
		return out
	case float64:
		return int64(v)
	case string:
		if d, err := time.ParseDuration(v); err == nil {
			return d.String()
		}
	}
	return value
}

// TestOneFieldByAnotherManager is how a person or a tool suspends an application that Git declares, without taking over the rest.
func TestOneFieldByAnotherManager(t *testing.T) {
	t.Parallel()
	ns := env.Namespace(t)
	manifest := `{"apiVersion": "sparkgate.io/v1alpha1", "kind": "SparkApplication", "metadata": {"name": "shared"},
		"spec": {"type": "Python", "sparkVersion": "4.1.4", "image": "spark:4.1", "mainApplicationFile": "local:///a.py", "driver": {"env": [{"name": "A", "value": "a"}]}}}`
	if _, err := env.KubectlWith(t, manifest, "apply", "-n", ns, "--server-side", "--field-manager=git", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	only := `{"apiVersion": "sparkgate.io/v1alpha1", "kind": "SparkApplication", "metadata": {"name": "shared"},
		"spec": {"suspend": true, "driver": {"env": [{"name": "B", "value": "b"}]}}}`
	if _, err := env.KubectlWith(t, only, "apply", "-n", ns, "--server-side", "--field-manager=person", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	app := &v1alpha1.SparkApplication{}
	if err := env.Client().Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "shared"}, app); err != nil {
		t.Fatal(err)
	}
	if !app.Spec.Suspend || app.Spec.Image != "spark:4.1" || len(app.Spec.Driver.Env) != 2 {
		t.Errorf("suspend %t, image %q, env %v: want both managers' fields", app.Spec.Suspend, app.Spec.Image, app.Spec.Driver.Env)
	}
}

// TestStatusIsSeparate: a client that may write the object cannot write status, and the operator's status write leaves the spec alone.
func TestStatusIsSeparate(t *testing.T) {
	t.Parallel()
	ns := env.Namespace(t)
	app := smallest(ns, "separate")
	if err := env.Client().Create(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	app.Status.Run = 7
	app.Spec.Suspend = true
	if err := env.Client().Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	if app.Status.Run != 0 || app.Generation != 2 {
		t.Errorf("after an update of the object: run %d, generation %d, want 0 and 2", app.Status.Run, app.Generation)
	}
	app.Status.Run = 7
	app.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Status: metav1.ConditionUnknown, Reason: v1alpha1.QueuedReason, LastTransitionTime: metav1.Now()}}
	app.Spec.Suspend = false
	if err := env.Client().Status().Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	if app.Status.Run != 7 || !app.Spec.Suspend || app.Generation != 2 {
		t.Errorf("after an update of the status: run %d, suspend %t, generation %d, want 7, true and 2", app.Status.Run, app.Spec.Suspend, app.Generation)
	}
}
