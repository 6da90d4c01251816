// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// annotated returns an application as it stands in Git, with annotations of Argo CD.
func (w *world) annotated(name, annotations string) string {
	return strings.Replace(w.Manifest(name), "metadata: {name: "+name+"}", "metadata: {name: "+name+", annotations: {"+annotations+"}}", 1)
}

// absent holds that an application does not exist.
func (w *world) absent(name string) {
	w.t.Helper()
	if err := env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(w.App(name)), w.App(name)); client.IgnoreNotFound(err) != nil || err == nil {
		w.t.Errorf("%s exists (%v)", name, err)
	}
}

// TestWaves: the second wave is not applied before the run of the first one has succeeded.
func TestWaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	revision := w.deploy(files{"jobs/ingest.yaml": w.Manifest("ingest"), "jobs/report.yaml": w.annotated("report", `argocd.argoproj.io/sync-wave: "1"`)})
	w.Run(w.App("ingest"))
	w.ends(revision, "Running", "waiting for healthy state of", "SparkApplication/ingest")
	w.absent("report")
	w.End("ingest", 0)
	w.Succeed(w.App("report"))
	w.is(healthy, revision)
	w.ends(revision, "Succeeded")
}

// TestFailedWave: a failed run fails the sync, and what comes after it is not applied. A sync that is tried again runs nothing again; with a
// fix in Git it continues.
func TestFailedWave(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	report := w.annotated("report", `argocd.argoproj.io/sync-wave: "1"`)
	failed := w.deploy(files{"jobs/ingest.yaml": w.Manifest("ingest"), "jobs/report.yaml": report})
	w.Run(w.App("ingest"))
	w.End("ingest", 1)
	w.ends(failed, "Running", "one or more synchronization tasks completed unsuccessfully", "Retrying")
	w.absent("report")
	fixed := w.push(files{"jobs/ingest.yaml": w.Manifest("ingest", `arguments: ["4"]`)})
	w.Succeed(w.App("ingest"))
	w.Succeed(w.App("report"))
	w.is(healthy, fixed)
	w.Ran("ingest", "1/1", "2/1")
}

// TestHook: an application as a hook runs before each sync, anew, and what is synced waits for its end.
func TestHook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	content := func(value string) string {
		return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: after}\ndata: {value: %q}\n", value)
	}
	after := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "after"}}
	value := func() string {
		after.Data = nil
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(after), after); client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
		return after.Data["value"]
	}
	hook := w.annotated("migrate", "argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: BeforeHookCreation")
	first := w.deployWith(files{"jobs/hook.yaml": hook, "jobs/after.yaml": content("1")}, way{retry: "{limit: 0}"})
	migrate := w.App("migrate")
	w.Run(migrate)
	w.ends(first, "Running", "waiting for completion of hook", "SparkApplication/migrate")
	if got := value(); got != "" {
		t.Errorf("the ConfigMap is %q while the hook runs", got)
	}
	w.End("migrate", 0)
	w.ends(first, "Succeeded")
	if got := value(); got != "1" {
		t.Errorf("the ConfigMap is %q after the hook", got)
	}
	second := w.push(files{"jobs/after.yaml": content("2")})
	w.renewed(migrate)
	w.Run(w.App("migrate"))
	if got := value(); got != "1" {
		t.Errorf("the ConfigMap is %q while the second hook runs", got)
	}
	w.End("migrate", 1)
	w.ends(second, "Failed")
	if got := value(); got != "1" {
		t.Errorf("the ConfigMap is %q although the second hook has failed", got)
	}
}

// TestFailedHookIsRunAgain: a sync that is tried again creates its hook anew. Its second run succeeds, and so does the sync.
func TestFailedHookIsRunAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	hook := w.annotated("migrate", "argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: BeforeHookCreation")
	revision := w.deployWith(files{"jobs/hook.yaml": hook, "jobs/app.yaml": w.Manifest("pi", "suspend: true")}, way{retry: "{limit: 2, backoff: {duration: 1s}}"})
	first := w.App("migrate")
	w.Run(first)
	w.End("migrate", 1)
	w.renewed(first)
	w.absent("pi")
	w.Succeed(w.App("migrate"))
	w.ends(revision, "Succeeded")
	w.is(suspended, revision)
}

// renewed waits until another application has the name of one that was there.
func (w *world) renewed(before *v1alpha1.SparkApplication) {
	w.t.Helper()
	env.Until(w.t, before.Name+" is created anew", func() bool {
		again := w.App(before.Name)
		return env.Client().Get(w.t.Context(), client.ObjectKeyFromObject(again), again) == nil && again.UID != before.UID
	})
}

// TestReplace: with Replace=true the object is written as a whole, without the finalizer, during a run. The run continues, and the finalizer
// is back.
func TestReplace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	w.History.Replaced = true
	w.deployWith(files{"jobs/app.yaml": w.Manifest("pi")}, way{sync: []string{"Replace=true"}})
	driver := w.Run(w.App("pi"))
	before := w.Stored("pi")
	if !slices.Contains(before.Finalizers, v1alpha1.Finalizer) {
		t.Fatalf("finalizers %v", before.Finalizers)
	}
	revision := w.push(files{"jobs/app.yaml": w.Manifest("pi", "retention: {policy: Never}")})
	w.ends(revision, "Succeeded")
	harness.Eventually(t, w.App("pi"), "replaced, with its finalizer", func(a *v1alpha1.SparkApplication) bool {
		return a.UID == before.UID && a.Generation > before.Generation && slices.Contains(a.Finalizers, v1alpha1.Finalizer)
	})
	if now := w.Driver(w.App("pi")); now.UID != driver.UID {
		t.Error("the run was disturbed")
	}
	w.End("pi", 0)
	w.is(healthy, revision)
	w.Ran("pi", "1/1")
	if stored := w.Stored("pi"); stored.Status.Run != 1 {
		t.Errorf("run %d", stored.Status.Run)
	}
}

// TestServerSideApply: Argo CD owns the fields of Git and no others, and leaves no copy of the manifest behind.
func TestServerSideApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	revision := w.deployWith(files{"jobs/app.yaml": w.Manifest("pi")}, way{sync: []string{"ServerSideApply=true"}})
	w.Succeed(w.App("pi"))
	w.is(healthy, revision)
	app := w.Stored("pi")
	if _, found := app.Annotations[corev1.LastAppliedConfigAnnotation]; found {
		t.Error("there is a copy of the manifest in an annotation")
	}
	if !slices.ContainsFunc(app.ManagedFields, func(f metav1.ManagedFieldsEntry) bool {
		return f.Manager == "argocd-controller" && f.Operation == metav1.ManagedFieldsOperationApply && strings.Contains(f.FieldsV1.String(), "f:mainApplicationFile")
	}) {
		t.Errorf("fields are managed by %v", app.ManagedFields)
	}
	changed := w.push(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["8"]`)})
	w.Succeed(w.App("pi"))
	w.is(healthy, changed)
	w.Ran("pi", "1/1", "2/1")
}

// TestSelfHeal: what is changed by hand during a run is what Git says again, and runs nothing.
func TestSelfHeal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	revision := w.deploy(files{"jobs/app.yaml": w.Manifest("pi", `arguments: ["4"]`)})
	w.Run(w.App("pi"))
	edited := w.App("pi")
	harness.Change(t, edited, func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"by hand"} })
	harness.Eventually(t, w.App("pi"), "repaired", func(a *v1alpha1.SparkApplication) bool {
		return a.Generation > edited.Generation && slices.Equal(a.Spec.Arguments, []string{"4"})
	})
	w.End("pi", 0)
	w.is(healthy, revision)
	w.Ran("pi", "1/1")
}

// TestPruneCancels: the manifest is removed during the run. The driver ends, the quota is free, the object goes.
func TestPruneCancels(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	w.deploy(files{"jobs/pi.yaml": w.Manifest("pi"), "jobs/other.yaml": w.Manifest("other", "suspend: true")})
	w.Run(w.App("pi"))
	revision := w.push(files{"jobs/pi.yaml": ""})
	harness.Gone(t, w.App("pi"))
	w.is(suspended, revision)
	w.NothingRuns()
	w.Unused()
}

// TestRefused: a manifest that the API server refuses fails the sync with its message, and leaves the run alone; the other manifests are
// applied.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	w.deployWith(files{"jobs/app.yaml": w.Manifest("pi")}, way{retry: "{limit: 0}"})
	driver := w.Run(w.App("pi"))
	refused := w.push(files{"jobs/app.yaml": replaced(w.Manifest("pi"), "cores: 1", "cores: 0"), "jobs/new.yaml": w.Manifest("new")})
	w.ends(refused, "Failed", `SparkApplication.sparkgate.io "pi" is invalid`, "spec.driver.cores")
	w.Succeed(w.App("new"))
	if now := w.Driver(w.App("pi")); now.UID != driver.UID || now.DeletionTimestamp != nil {
		t.Error("the run was disturbed")
	}
	w.End("pi", 0)
	w.Reach(w.App("pi"), "Succeeded")
	w.Ran("pi", "1/1")
}

// TestForceIsAHazard: with Force=true the same mistake deletes the application, and with it the run.
func TestForceIsAHazard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "8Gi")
	manifest := w.annotated("pi", "argocd.argoproj.io/sync-options: Force=true")
	w.deployWith(files{"jobs/app.yaml": manifest}, way{retry: "{limit: 0}"})
	w.Run(w.App("pi"))
	w.push(files{"jobs/app.yaml": replaced(manifest, "cores: 1", "cores: 0")})
	// It goes in the foreground, which only a garbage collector ends.
	harness.Eventually(t, w.App("pi"), "deleted", func(a *v1alpha1.SparkApplication) bool { return a.DeletionTimestamp != nil })
	w.NothingRuns()
	w.Unused()
}
