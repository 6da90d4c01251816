// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package stopping

import (
	"slices"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/actors"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

func remove(t *testing.T, obj client.Object, options ...client.DeleteOption) {
	t.Helper()
	if err := env.Client().Delete(t.Context(), obj, options...); err != nil {
		t.Fatalf("delete %s: %v", obj.GetName(), err)
	}
}

// TestDeleteWhileRunning: the pods get their signal and their grace period; the quota comes back when they are gone, and only then;
// then the application goes. What the garbage collector has to take is owned by the application.
func TestDeleteWhileRunning(t *testing.T) {
	t.Parallel()
	var hold atomic.Bool
	hold.Store(true)
	var graces atomic.Int64
	w := actors.NewWorld(t, "3Gi", &actors.Kubelet{Run: actors.Manual, Hold: func(pod *corev1.Pod) bool {
		graces.Store(*pod.DeletionGracePeriodSeconds)
		return hold.Load()
	}})
	operator.Use(t)
	app := w.Apply("pi")
	driver := w.Run(app)
	w.Kubelet.Executors(t.Context(), driver, 2)
	for _, list := range []client.ObjectList{&corev1.ServiceList{}, &corev1.ConfigMapList{}} {
		owned(t, app, list)
	}
	remove(t, app)
	for _, pod := range w.Pods() {
		actors.Eventually(t, &pod, "asked to end", func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil })
	}
	admitted(t, w, 1, 0)
	if actors.Eventually(t, app, "still there", func(a *v1alpha1.SparkApplication) bool { return a.DeletionTimestamp != nil }); graces.Load() != *driver.Spec.TerminationGracePeriodSeconds {
		t.Errorf("pods got a grace period of %d s, want %d", graces.Load(), *driver.Spec.TerminationGracePeriodSeconds)
	}
	hold.Store(false)
	actors.Gone(t, app)
	if left := w.Pods(); len(left) > 0 {
		t.Errorf("%d pods are left", len(left))
	}
	w.Unused()
}

// owned checks that all objects with the labels of an application are its own, so that they go with it.
func owned(t *testing.T, app *v1alpha1.SparkApplication, list client.ObjectList) {
	t.Helper()
	if err := env.Client().List(t.Context(), list, client.InNamespace(app.Namespace), client.MatchingLabels{v1alpha1.ApplicationLabel: app.Name}); err != nil {
		t.Fatal(err)
	}
	var objects []client.Object
	switch l := list.(type) {
	case *corev1.ServiceList:
		for i := range l.Items {
			objects = append(objects, &l.Items[i])
		}
	case *corev1.ConfigMapList:
		for i := range l.Items {
			objects = append(objects, &l.Items[i])
		}
	}
	if len(objects) != 1 || !metav1.IsControlledBy(objects[0], app) {
		t.Errorf("%T: %v, want one that the application owns", list, objects)
	}
}

// TestDeleteEarly: an application that holds nothing has no finalizer and goes at once; one with a grant and no driver goes, too.
func TestDeleteEarly(t *testing.T) {
	t.Parallel()
	for name, until := range map[string]struct {
		live      func(*testing.T, *actors.World) *v1alpha1.SparkApplication
		finalizer bool
		left      int32
	}{
		"queued": {func(_ *testing.T, w *actors.World) *v1alpha1.SparkApplication {
			w.Run(w.Apply("first"))
			app := w.Apply("pi")
			w.Reach(app, "Queued")
			return app
		}, false, 1},
		"waiting for a queue": {func(_ *testing.T, w *actors.World) *v1alpha1.SparkApplication {
			app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Name = "no-such-queue" })
			w.Reach(app, "ReferenceNotFound")
			return app
		}, false, 0},
		"invalid": {func(_ *testing.T, w *actors.World) *v1alpha1.SparkApplication {
			app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.MainClass = "org.example.Main" })
			w.Reach(app, "InvalidSpec")
			return app
		}, false, 0},
		"suspended": {func(_ *testing.T, w *actors.World) *v1alpha1.SparkApplication {
			app := w.Apply("pi", suspend)
			w.Reach(app, "Suspended")
			return app
		}, false, 0},
		"granted without a driver": {func(t *testing.T, w *actors.World) *v1alpha1.SparkApplication { return blocked(t, w, "pi") }, true, 0},
		"succeeded": {func(_ *testing.T, w *actors.World) *v1alpha1.SparkApplication {
			app := w.Apply("pi")
			w.Succeed(app)
			return app
		}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := actors.NewWorld(t, "3Gi", nil)
			operator.Use(t)
			app := until.live(t, w)
			if has := slices.Contains(app.Finalizers, v1alpha1.Finalizer); has != until.finalizer {
				t.Errorf("finalizer: %t, want %t", has, until.finalizer)
			}
			remove(t, app)
			actors.Gone(t, app)
			admitted(t, w, until.left, 0)
		})
	}
}

// TestFinalizerLost: somebody removed the finalizer and the application is gone while its pods run, even without an owner
// (`--cascade=orphan`). The pods are ended all the same, and charged until they are gone.
func TestFinalizerLost(t *testing.T) {
	t.Parallel()
	for name, orphaned := range map[string]bool{"owned pods": false, "orphaned pods": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var hold atomic.Bool
			hold.Store(true)
			w := actors.NewWorld(t, "3Gi", &actors.Kubelet{Run: actors.Manual, Hold: func(*corev1.Pod) bool { return hold.Load() }})
			w.History.MemoryLimit = 3 << 30
			operator.Use(t)
			app := w.Apply("pi")
			driver := w.Run(app)
			executors := w.Kubelet.Executors(t.Context(), driver, 2)
			if orphaned {
				for _, pod := range append(executors, driver) {
					actors.Change(t, pod, func(p *corev1.Pod) { p.OwnerReferences = nil })
				}
			}
			loseFinalizer(t, app)

			again := w.Apply("pi") // of the same name
			w.Reach(again, "Queued")
			admitted(t, w, 1, 1)
			for _, pod := range append(executors, driver) {
				actors.Eventually(t, pod, "asked to end", func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil })
			}
			if again.Status.Grant != nil {
				t.Errorf("the new application was let in beside the old one's pods: %s", actors.Show(again))
			}
			hold.Store(false)
			w.Succeed(again)
			if made := w.Kubelet.Created(again.UID); len(made) != 1 {
				t.Errorf("drivers of the new application: %v", made)
			}
			w.Unused()
		})
	}
}

// loseFinalizer deletes an application and takes its finalizer away, so that it is gone before the operator can end anything.
func loseFinalizer(t *testing.T, app *v1alpha1.SparkApplication) {
	t.Helper()
	remove(t, app)
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))
	if err := env.Client().Patch(t.Context(), app, patch); client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
}

// TestOrphan: `kubectl delete --cascade=orphan` leaves objects behind, but no quota in use and nothing running.
func TestOrphan(t *testing.T) {
	t.Parallel()
	w := actors.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi")
	w.Kubelet.Executors(t.Context(), w.Run(app), 2)
	remove(t, app, client.PropagationPolicy(metav1.DeletePropagationOrphan))
	actors.Eventually(t, app, "left by the operator", func(a *v1alpha1.SparkApplication) bool {
		return !slices.Contains(a.Finalizers, v1alpha1.Finalizer)
	})
	if left := w.Pods(); len(left) > 0 {
		t.Errorf("%d pods are left", len(left))
	}
	w.Unused()
	actors.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Finalizers = nil }) // what the garbage collector would do
	actors.Gone(t, app)
}

// TestAnotherOfTheSameName: a new application of a name that was just deleted runs from the beginning, with objects of other names.
func TestAnotherOfTheSameName(t *testing.T) {
	t.Parallel()
	w := actors.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	first := w.Apply("pi")
	w.Succeed(first)
	remove(t, first)
	actors.Gone(t, first)
	second := w.Apply("pi")
	w.Succeed(second)
	if second.Status.Run != 1 || second.Status.Driver.PodName == first.Status.Driver.PodName {
		t.Errorf("want run 1 with a driver of another name than %s: %s", first.Status.Driver.PodName, actors.Show(second))
	}
	w.Unused()
}
