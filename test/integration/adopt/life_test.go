// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestLife: a job of kubeflow's operator runs as an application of the same name, under the names and labels that people know, and its status
// says so in their words. Nothing else of it is written.
func TestLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", nil)
	theirs := w.apply()
	seen := w.states(theirs)
	before := theirs.DeepCopy()
	ours := w.ours(theirs)
	driver := w.Driver(ours)
	w.isKnown(theirs, ours, driver)
	w.Kubelet.Start(t.Context(), driver)
	w.reach(theirs, "RUNNING")
	if text(theirs, "driverInfo", "podName") != "pi-driver" || text(theirs, "sparkApplicationId") == "" || !strings.HasPrefix(text(theirs, "submissionID"), "sparkgate-") {
		t.Errorf("the status is %v", theirs.Object["status"])
	}
	for _, executor := range w.Kubelet.Executors(t.Context(), driver, 2) {
		w.Kubelet.Start(t.Context(), executor)
	}
	harness.Eventually(t, theirs, "complete", func(u *unstructured.Unstructured) bool { return executors(u)["RUNNING"] == 2 })
	if got := health(t, theirs); got != "Healthy" {
		t.Errorf("Argo CD takes a job that runs with all its executors for %s", got)
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.reach(theirs, "COMPLETED")
	if executors(theirs)["COMPLETED"] != 2 || text(theirs, "terminationTime") == "" {
		t.Errorf("the status is %v", theirs.Object["status"])
	}
	if diff := cmp.Diff([]string{"SUBMITTED", "RUNNING", "COMPLETED"}, seen()); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	for _, part := range []func(*unstructured.Unstructured) any{
		func(u *unstructured.Unstructured) any { return u.Object["spec"] },
		func(u *unstructured.Unstructured) any { return u.GetLabels() },
		func(u *unstructured.Unstructured) any { return u.GetAnnotations() },
		func(u *unstructured.Unstructured) any { return u.GetFinalizers() },
	} {
		if diff := cmp.Diff(part(before), part(theirs)); diff != "" {
			t.Errorf("the object was changed (-before +after):\n%s", diff)
		}
	}
}

// isKnown checks the names and labels by which people find a job.
func (w *world) isKnown(theirs *unstructured.Unstructured, ours *v1alpha1.SparkApplication, driver *corev1.Pod) {
	t := w.t
	t.Helper()
	if driver.Name != "pi-driver" || driver.Labels["sparkoperator.k8s.io/app-name"] != "pi" || driver.Labels["team"] != "a" ||
		driver.Labels["sparkoperator.k8s.io/launched-by-spark-operator"] != "" {
		t.Errorf("driver %s has labels %v", driver.Name, driver.Labels)
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "pi-ui-svc"}}
	w.get(service)
	for key, value := range service.Spec.Selector {
		if driver.Labels[key] != value {
			t.Errorf("the Service of the web interface selects %s=%s, which the driver does not have", key, value)
		}
	}
	if !metav1.IsControlledBy(ours, theirs) || ours.Labels["team"] != "a" {
		t.Errorf("the application has owner %v and labels %v", ours.OwnerReferences, ours.Labels)
	}
}

// TestWaits: a job that waits for quota, whether it has run before or not, is SUBMITTED.
func TestWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "3Gi", nil)
	first := w.apply(called("first"))
	driver := w.Driver(w.ours(first))
	second := w.apply(called("second"))
	w.reach(second, "SUBMITTED")
	w.Kubelet.Start(t.Context(), driver)
	w.reach(first, "RUNNING")
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Kubelet.Start(t.Context(), w.Driver(w.ours(second)))
	w.reach(second, "RUNNING")
	w.get(second)
	harness.Change(t, second, with(true, "spec", "suspend"))
	w.reach(second, "SUSPENDED")
	harness.Change(t, second, with(false, "spec", "suspend"))
	w.Kubelet.Start(t.Context(), w.Driver(w.ours(second)))
	w.reach(second, "RUNNING")
}

// TestTriesAgain: between two attempts, a job is SUBMITTED; the driver of the last one stays.
func TestTriesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", nil)
	theirs := w.apply(with(map[string]any{"type": "OnFailure", "onFailureRetries": int64(1), "onFailureRetryInterval": int64(1)}, "spec", "restartPolicy"))
	seen := w.states(theirs)
	ours := w.ours(theirs)
	for attempt := range int64(2) {
		driver := w.Driver(ours)
		w.Kubelet.Start(t.Context(), driver)
		harness.Eventually(t, theirs, "running", func(u *unstructured.Unstructured) bool {
			attempts, _, _ := unstructured.NestedInt64(u.Object, "status", "executionAttempts")
			return state(u) == "RUNNING" && attempts == attempt+1
		})
		w.Kubelet.Finish(t.Context(), driver, 3, "Error")
	}
	w.fails(theirs, "exit code 3")
	if diff := cmp.Diff([]string{"SUBMITTED", "RUNNING", "SUBMITTED", "RUNNING", "FAILED"}, seen()); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	w.get(ours)
	w.get(w.KeptDriver(ours))
}

// TestRunsAgain: a job runs again when its spec changes, and not when a field changes that is live, its labels, or the annotation of the
// namespace.
func TestRunsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", nil)
	theirs := w.apply()
	ours := w.ours(theirs)
	w.Succeed(ours)
	w.reach(theirs, "COMPLETED")
	harness.Change(t, theirs, with(int64(3600), "spec", "timeToLiveSeconds"))
	harness.Change(t, theirs, with(map[string]any{"a": "b"}, "metadata", "annotations"))
	w.namespace(func(n *corev1.Namespace) { n.Annotations["sparkgate.io/spec"] = "timeouts: {run: 1h}" })
	harness.Change(t, theirs, with(map[string]any{"team": "b"}, "metadata", "labels"))

	seen := w.states(theirs)
	harness.Change(t, theirs, with([]any{"5"}, "spec", "arguments"))
	driver := w.Driver(ours)
	if ours.Status.Run != 2 || ours.Spec.Arguments[0] != "5" || ours.Spec.Timeouts.Run == nil {
		t.Errorf("run %d of %+v, want the second with the new argument", ours.Status.Run, ours.Spec)
	}
	w.Kubelet.Start(t.Context(), driver)
	w.reach(theirs, "RUNNING")
	harness.Change(t, theirs, with([]any{"6"}, "spec", "arguments"))
	harness.Eventually(t, ours, "in its third run", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 3 })
	w.Succeed(ours)
	w.reach(theirs, "COMPLETED")
	if diff := cmp.Diff([]string{"COMPLETED", "SUBMITTED", "RUNNING", "SUBMITTED", "RUNNING", "COMPLETED"}, seen()); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
}

// TestUpgrade: an operator that would translate otherwise than its predecessor leaves alone what that one has created, runs nothing again, and continues
// with what runs. It is not parallel: its operators would deal with the jobs of other tests.
func TestUpgrade(t *testing.T) {
	before := harness.StartOperator(t, harness.OperatorOptions{Adopt: true})
	w := newWorldOf(t, "", nil)
	done, runs := w.apply(called("done")), w.apply(called("runs"))
	w.Succeed(w.ours(done))
	w.reach(done, "COMPLETED")
	driver := w.Run(w.ours(runs))
	w.reach(runs, "RUNNING")
	before.Stop()
	for _, theirs := range []*unstructured.Unstructured{done, runs} {
		harness.Change(t, w.ours(theirs), func(a *v1alpha1.SparkApplication) { a.Spec.Timeouts = nil }) // the translator now sets them
	}
	harness.StartOperator(t, harness.OperatorOptions{Adopt: true})
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.reach(runs, "COMPLETED")
	for _, theirs := range []*unstructured.Unstructured{done, runs} {
		ours := w.ours(theirs)
		w.get(ours)
		if w.get(theirs); ours.Status.Run != 1 || ours.Spec.Timeouts != nil || state(theirs) != "COMPLETED" {
			t.Errorf("%s: run %d with timeouts %v, and %s", theirs.GetName(), ours.Status.Run, ours.Spec.Timeouts, state(theirs))
		}
	}
}

// TestSpecOfAnnotation: what their kind cannot say stands in an annotation, that of the object over that of the namespace.
func TestSpecOfAnnotation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", nil)
	w.namespace(func(n *corev1.Namespace) {
		n.Annotations["sparkgate.io/spec"] = "timeouts: {run: 1h, admission: 10m}\ndynamicAllocation: {maxExecutors: 3}"
	})
	theirs := w.apply(with(true, "spec", "dynamicAllocation", "enabled"), func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{"sparkgate.io/spec": "timeouts: {run: 2h}"})
	})
	ours := w.ours(theirs)
	w.Driver(ours)
	if at := ours.Spec.Timeouts; at.Run.Duration.Hours() != 2 || at.Admission.Duration.Minutes() != 10 || *ours.Spec.DynamicAllocation.MaxExecutors != 3 {
		t.Errorf("the spec is %+v", ours.Spec)
	}
}

// TestTimeToLive: a job is deleted when its time has passed, and with it what runs for it; ours has no such time.
func TestTimeToLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", nil)
	theirs := w.apply(with(int64(1), "spec", "timeToLiveSeconds"))
	ours := w.ours(theirs)
	w.Driver(ours)
	if ours.Spec.TTLAfterFinished != nil {
		t.Error("the application would be deleted by itself, and made again")
	}
	w.Succeed(ours)
	harness.Gone(t, theirs)

	tracked := w.apply(called("tracked"), with(int64(0), "spec", "timeToLiveSeconds"), func(u *unstructured.Unstructured) {
		labels := maps.Clone(u.GetLabels())
		labels["kustomize.toolkit.fluxcd.io/name"] = "jobs"
		u.SetLabels(labels)
	})
	w.Succeed(w.ours(tracked))
	w.reach(tracked, "COMPLETED")
	w.get(tracked)
	if labels := w.ours(tracked).Labels; labels["kustomize.toolkit.fluxcd.io/name"] != "" {
		t.Errorf("Flux would take the application for one of its own: %v", labels)
	}
}

// TestDeleted: what runs for a job ends when the job is deleted, also while a finalizer of another program holds it.
func TestDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", nil)
	theirs := w.apply(with([]any{"example.org/hook"}, "metadata", "finalizers"))
	ours := w.ours(theirs)
	w.Driver(ours)
	if err := env.Client().Delete(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	harness.Gone(t, ours)
	w.NothingRuns()
	w.Unused()
	harness.Change(t, theirs, func(u *unstructured.Unstructured) { u.SetFinalizers(nil) })
	harness.Gone(t, theirs)
}
