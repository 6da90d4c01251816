// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// manifest returns what stands in Git.
func manifest(w *harness.World) string {
	return fmt.Sprintf(`apiVersion: sparkgate.io/v1alpha1
kind: SparkApplication
metadata: {name: pi, namespace: %s, labels: {team: a}, annotations: {note: from Git}}
spec:
  type: Python
  sparkVersion: 4.1.4
  image: docker.io/sparkgate/spark:4.1
  mainApplicationFile: local:///opt/spark/examples/pi.py
  arguments: ["4"]
  queue: {name: %s}
  driver:   {cores: 1, coreRequest: 200m, memory: 512m}
  executor: {instances: 2, cores: 1, coreRequest: 200m, memory: 512m}
  restartPolicy: {type: Never}
`, w.Namespace, w.Queue.Name)
}

func apply(t *testing.T, manifest string, flags ...string) {
	t.Helper()
	if out, err := env.KubectlWith(t, manifest, append([]string{"apply", "-f", "-"}, flags...)...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// stored reads an application.
func stored(t *testing.T, w *harness.World, name string) *v1alpha1.SparkApplication {
	t.Helper()
	app := &v1alpha1.SparkApplication{}
	if err := env.Client().Get(t.Context(), types.NamespacedName{Namespace: w.Namespace, Name: name}, app); err != nil {
		t.Fatal(err)
	}
	return app
}

// TestBorn: before the operator's first look the application is in progress for every tool, by the default of its status.
func TestBorn(t *testing.T) {
	w := harness.NewWorld(t, "8Gi", nil) // no operator
	apply(t, manifest(w))
	app := stored(t, w, "pi")
	if app.Status.ObservedGeneration != -1 {
		t.Errorf("observedGeneration %d, want -1", app.Status.ObservedGeneration)
	}
	if got, err := harness.Kstatus(app); err != nil || got != "InProgress" {
		t.Errorf("kstatus says %s (%v), want InProgress", got, err)
	}
	if _, err := env.Kubectl(t, "wait", "--for=condition=Ready", "-n", w.Namespace, "sgapp/pi", "--timeout=0"); err == nil {
		t.Error("kubectl wait returns before the operator has looked")
	}
}

// TestAppliedAHundredTimes: nothing happens, in the queue, during the run and after it: the operator writes nothing, the object stays.
func TestAppliedAHundredTimes(t *testing.T) {
	t.Parallel()
	for name, ways := range map[string]struct {
		first, again func(*testing.T, string)
		times        int
	}{
		"kubectl apply": {func(t *testing.T, m string) { apply(t, m) }, func(t *testing.T, m string) { apply(t, m) }, 3},
		"server-side":   {applyServerSide, applyServerSide, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "3Gi", nil)
			network := operator.Use(t)
			first := w.Apply("first")
			w.Run(first)
			ways.first(t, manifest(w))
			app := stored(t, w, "pi")
			quiet := func(stage string) {
				t.Helper()
				w.Reach(app, stage)
				before := len(network.Touching(within(w.Namespace)))
				for range ways.times {
					ways.again(t, manifest(w))
				}
				if now := stored(t, w, "pi"); now.ResourceVersion != app.ResourceVersion {
					t.Errorf("%s: applied again, the object went from version %s to %s", stage, app.ResourceVersion, now.ResourceVersion)
				}
				if written := network.Touching(within(w.Namespace))[before:]; len(written) > 0 {
					t.Errorf("%s: the operator wrote %v", stage, written)
				}
			}
			quiet("Queued")
			w.Kubelet.Finish(t.Context(), w.Driver(first), 0, "Completed")
			w.Reach(first, "Succeeded")
			driver := w.Run(app)
			quiet("Running")
			w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			quiet("Succeeded")
		})
	}
}

// within returns the part of a path that says that an object lies in a namespace.
func within(namespace string) string { return "/namespaces/" + namespace + "/" }

// applyServerSide does what Flux and `kubectl apply --server-side` do.
func applyServerSide(t *testing.T, manifest string) {
	t.Helper()
	obj := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(manifest), &obj.Object); err != nil {
		t.Fatal(err)
	}
	if err := env.Client().Apply(t.Context(), client.ApplyConfigurationFromUnstructured(obj), client.FieldOwner("git")); err != nil {
		t.Fatalf("apply: %v", err)
	}
}

// TestTouchedAHundredTimes: changes that concern only their owner, such as labels, cost the operator no write.
func TestTouchedAHundredTimes(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	network := operator.Use(t)
	app := w.Apply("pi")
	w.Succeed(app)
	w.Unused()
	before := len(network.Touching(within(w.Namespace)))
	for i := range 100 {
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{"round":"%d"}}}`, i)
		if err := env.Client().Patch(t.Context(), app, client.RawPatch(types.MergePatchType, patch)); err != nil {
			t.Fatal(err)
		}
	}
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { // a sign that it has looked at all of them
		a.Annotations = map[string]string{"reconcile.fluxcd.io/requestedAt": "sign"}
	})
	harness.Eventually(t, app, "looked at", func(a *v1alpha1.SparkApplication) bool { return a.Status.LastHandledReconcileAt == "sign" })
	if written := network.Touching(within(w.Namespace))[before:]; len(written) != 1 {
		t.Errorf("the operator wrote %v, want the sign alone", written)
	}
}

// TestOwnership: another field manager applies nothing but suspend. It works, and in its whole life no field of spec, labels or
// annotations ever belongs to the operator.
func TestOwnership(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	apply(t, manifest(w), "--server-side", "--field-manager=git")
	app := stored(t, w, "pi")
	w.Run(app)
	suspend := func(value bool) {
		t.Helper()
		apply(t, fmt.Sprintf("apiVersion: sparkgate.io/v1alpha1\nkind: SparkApplication\nmetadata: {name: pi, namespace: %s}\nspec: {suspend: %t}\n",
			w.Namespace, value), "--server-side", "--field-manager=operations")
	}
	suspend(true)
	w.Reach(app, "Suspended")
	suspend(false)
	w.Succeed(app)
	apply(t, manifest(w), "--server-side", "--field-manager=git")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "2" })
	w.Succeed(app)

	var want, got []string
	want = []string{"metadata.finalizers", "status"}
	for _, v := range w.History.Versions(app) {
		for _, m := range v.ManagedFields {
			if m.Manager == v1alpha1.FieldOwner {
				got = append(got, owned(t, m)...)
			}
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
		t.Errorf("fields of the operator (-want +got):\n%s", diff)
	}
}

// owned lists what an entry of managedFields owns: status in one word, everything else by its path of two steps.
func owned(t *testing.T, m metav1.ManagedFieldsEntry) []string {
	t.Helper()
	fields := &unstructured.Unstructured{}
	if err := fields.UnmarshalJSON(fmt.Appendf(nil, `{"kind":"Fields","apiVersion":"v1","fields":%s}`, m.FieldsV1.GetRawString())); err != nil {
		t.Fatal(err)
	}
	all, _, _ := unstructured.NestedMap(fields.Object, "fields")
	var names []string
	for first, below := range all {
		if first == "f:status" {
			names = append(names, "status")
			continue
		}
		for second := range below.(map[string]any) {
			if second != "." {
				names = append(names, strings.TrimPrefix(first, "f:")+"."+strings.TrimPrefix(second, "f:"))
			}
		}
	}
	return names
}

// TestStageOfAUnknownStage: a stage that this version does not know is left alone, but for a condition that says why.
func TestStageOfAUnknownStage(t *testing.T) {
	t.Parallel()
	namespace := env.Namespace(t) // no history: it knows all stages
	queue := harness.Queue(t, namespace, "", "8Gi")
	network := operator.Use(t)
	app := harness.Pi(namespace, "pi", queue.Name)
	app.Spec.Suspend = true
	harness.Create(t, app)
	harness.Eventually(t, app, "suspended", harness.InStage("Suspended"))
	patch := `{"status":{"run":3,"attempt":2,"observedGeneration":1,"conditions":[
		{"type":"Ready","status":"Unknown","reason":"Teleporting","message":"by a newer operator","observedGeneration":1,"lastTransitionTime":"2026-03-01T12:00:00Z"},
		{"type":"Teleported","status":"False","reason":"NotYet","message":"","observedGeneration":1,"lastTransitionTime":"2026-03-01T12:00:00Z"}]}}`
	if err := env.Client().Status().Patch(t.Context(), app, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		t.Fatal(err)
	}
	newer := func(a *v1alpha1.SparkApplication) bool {
		return apimeta.IsStatusConditionTrue(a.Status.Conditions, v1alpha1.UnknownStageCondition)
	}
	harness.Eventually(t, app, "known to be newer", newer)
	before := len(network.Touching(within(namespace)))
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend, a.Spec.RunID = false, "2" })
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Annotations = map[string]string{"note": "x"} })
	harness.Change(t, queue, func(q *v1alpha1.SparkQueue) {
		q.Annotations = map[string]string{"reconcile.fluxcd.io/requestedAt": "sign"}
	})
	harness.Eventually(t, queue, "looked at", func(q *v1alpha1.SparkQueue) bool { return q.Status.LastHandledReconcileAt == "sign" })
	harness.Eventually(t, app, "left alone", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == "Teleporting" && a.Status.Run == 3 && a.Status.Attempt == 2 && a.Status.Grant == nil &&
			apimeta.FindStatusCondition(a.Status.Conditions, "Teleported") != nil && newer(a)
	})
	if written := network.Touching(within(namespace))[before:]; len(written) > 0 {
		t.Errorf("the operator wrote %v", written)
	}
}

// TestNewerStatusFieldsSurvive: the API server prunes what its CRD does not know; what the CRD knows and this operator does not stays.
func TestNewerStatusFieldsSurvive(t *testing.T) {
	crd := &unstructured.Unstructured{}
	crd.SetAPIVersion("apiextensions.k8s.io/v1")
	crd.SetKind("CustomResourceDefinition")
	crd.SetName("sparkapplications.sparkgate.io")
	change := func(edit string) {
		t.Helper()
		if err := env.Client().Patch(t.Context(), crd, client.RawPatch(types.JSONPatchType, []byte(edit))); err != nil {
			t.Fatal(err)
		}
	}
	const path = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/futureField"
	change(`[{"op":"add","path":"` + path + `","value":{"type":"string"}}]`)
	t.Cleanup(func() {
		patch := client.RawPatch(types.JSONPatchType, []byte(`[{"op":"remove","path":"`+path+`"}]`))
		if err := env.Client().Patch(context.Background(), crd, patch); err != nil {
			t.Errorf("take the field out of the CRD: %v", err)
		}
	})
	served(t)
	// Only now: the API server ends all watches of a kind whose definition changes.
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	app := w.Apply("pi")
	w.Run(app)
	future := func() string {
		t.Helper()
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("SparkApplication"))
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), u); err != nil {
			t.Fatal(err)
		}
		value, _, _ := unstructured.NestedString(u.Object, "status", "futureField")
		return value
	}
	harness.Eventually(t, app, "given the field", func(a *v1alpha1.SparkApplication) bool {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"status":{"futureField":"kept"}}`))
		return env.Client().Status().Patch(t.Context(), a, patch) == nil && future() == "kept" // the CRD takes a moment
	})
	w.Kubelet.Finish(t.Context(), w.Driver(app), 0, "Completed")
	w.Reach(app, "Succeeded")
	if got := future(); got != "kept" {
		t.Errorf("status.futureField is %q after the operator wrote the status, want kept", got)
	}
}

// served waits until the API server keeps the field futureField.
func served(t *testing.T) {
	t.Helper()
	probe := harness.Pi("default", "probe", "")
	probe.Spec.Suspend = true
	harness.Create(t, probe)
	defer func() { _ = env.Client().Delete(context.Background(), probe) }()
	patch := client.RawPatch(types.MergePatchType, []byte(`{"status":{"futureField":"there"}}`))
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("SparkApplication"))
		u.SetNamespace(probe.Namespace)
		u.SetName(probe.Name)
		if err := env.Client().Status().Patch(ctx, u, patch); err != nil {
			return false, nil
		}
		value, _, _ := unstructured.NestedString(u.Object, "status", "futureField")
		return value == "there", nil
	})
	if err != nil {
		t.Fatalf("the API server does not serve the new field: %v", err)
	}
}
