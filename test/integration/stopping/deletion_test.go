// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package stopping

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
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
	w := harness.NewWorld(t, "3Gi", &harness.Kubelet{Run: harness.Manual, Hold: func(pod *corev1.Pod) bool {
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
	harness.Eventually(t, driver, "asked to end", func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil })
	admitted(t, w, 1, 0)
	for _, pod := range w.Pods() {
		if pod.Name != driver.Name && pod.DeletionTimestamp != nil {
			t.Errorf("executor %s is asked to end while its driver runs, which replaces it", pod.Name)
		}
	}
	if harness.Eventually(t, app, "still there", func(a *v1alpha1.SparkApplication) bool { return a.DeletionTimestamp != nil }); graces.Load() != *driver.Spec.TerminationGracePeriodSeconds {
		t.Errorf("pods got a grace period of %d s, want %d", graces.Load(), *driver.Spec.TerminationGracePeriodSeconds)
	}
	hold.Store(false)
	harness.Gone(t, app)
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

// TestDeleteEarly: an application that holds nothing has no finalizer and goes at once; one with a grant and no driver also goes.
func TestDeleteEarly(t *testing.T) {
	t.Parallel()
	for name, until := range map[string]struct {
		live      func(*testing.T, *harness.World) *v1alpha1.SparkApplication
		finalizer bool
		left      int32
	}{
		"queued": {func(_ *testing.T, w *harness.World) *v1alpha1.SparkApplication {
			w.Run(w.Apply("first"))
			app := w.Apply("pi")
			w.Reach(app, "Queued")
			return app
		}, false, 1},
		"waiting for a queue": {func(_ *testing.T, w *harness.World) *v1alpha1.SparkApplication {
			app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Queue.Name = "no-such-queue" })
			w.Reach(app, "ReferenceNotFound")
			return app
		}, false, 0},
		"invalid": {func(_ *testing.T, w *harness.World) *v1alpha1.SparkApplication {
			app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.MainClass = "org.example.Main" })
			w.Reach(app, "InvalidSpec")
			return app
		}, false, 0},
		"suspended": {func(_ *testing.T, w *harness.World) *v1alpha1.SparkApplication {
			app := w.Apply("pi", suspend)
			w.Reach(app, "Suspended")
			return app
		}, false, 0},
		"granted without a driver": {func(t *testing.T, w *harness.World) *v1alpha1.SparkApplication { return blocked(t, w, "pi") }, true, 0},
		"succeeded": {func(_ *testing.T, w *harness.World) *v1alpha1.SparkApplication {
			app := w.Apply("pi")
			w.Succeed(app)
			return app
		}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "3Gi", nil)
			operator.Use(t)
			app := until.live(t, w)
			if has := slices.Contains(app.Finalizers, v1alpha1.Finalizer); has != until.finalizer {
				t.Errorf("finalizer: %t, want %t", has, until.finalizer)
			}
			remove(t, app)
			harness.Gone(t, app)
			admitted(t, w, until.left, 0)
		})
	}
}

// TestFinalizerLost: a user removed the finalizer and the application is gone while its pods run, even without an owner
// (`--cascade=orphan`). The pods are ended all the same, and charged until they are gone.
func TestFinalizerLost(t *testing.T) {
	t.Parallel()
	for name, orphaned := range map[string]bool{"owned pods": false, "orphaned pods": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var hold atomic.Bool
			hold.Store(true)
			w := harness.NewWorld(t, "3Gi", &harness.Kubelet{Run: harness.Manual, Hold: func(*corev1.Pod) bool { return hold.Load() }})
			w.History.MemoryLimit = 3 << 30
			operator.Use(t)
			app := w.Apply("pi")
			driver := w.Run(app)
			executors := w.Kubelet.Executors(t.Context(), driver, 2)
			if orphaned {
				for _, pod := range append(executors, driver) {
					harness.Change(t, pod, func(p *corev1.Pod) { p.OwnerReferences = nil })
				}
			}
			loseFinalizer(t, app)

			again := w.Apply("pi") // of the same name
			w.Reach(again, "Queued")
			admitted(t, w, 1, 1)
			for _, pod := range append(executors, driver) {
				harness.Eventually(t, pod, "asked to end", func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil })
			}
			if again.Status.Grant != nil {
				t.Errorf("the new application was let in beside the old one's pods: %s", harness.Show(again))
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

// TestOrphan: `kubectl delete --cascade=orphan` leaves what the operator has created, but nothing that runs and no quota
// in use.
func TestOrphan(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := equipped(t, w)
	w.Kubelet.Executors(t.Context(), w.Run(app), 2)
	want := disowned(t, w)
	remove(t, app, client.PropagationPolicy(metav1.DeletePropagationOrphan))
	harness.Eventually(t, app, "left by the operator", func(a *v1alpha1.SparkApplication) bool {
		return !slices.Contains(a.Finalizers, v1alpha1.Finalizer)
	})
	if left := w.Pods(); len(left) > 0 {
		t.Errorf("%d pods are left", len(left))
	}
	w.Unused()
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Finalizers = nil }) // what the garbage collector would do
	harness.Gone(t, app)
	if left := created(t, w); len(left) != want {
		t.Errorf("%d objects are left, want %d: %v", len(left), want, left)
	}
}

// equipped applies an application with objects of all kinds that this API server knows and the operator creates.
func equipped(t *testing.T, w *harness.World) *v1alpha1.SparkApplication {
	t.Helper()
	harness.Create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "password"}, StringData: map[string]string{"key": "a"}})
	return w.Apply("pi", func(a *v1alpha1.SparkApplication) {
		const volume = "spark.kubernetes.driver.volumes.persistentVolumeClaim.data."
		a.Spec.SparkVersion = "4.2.1" // with a NetworkPolicy
		a.Spec.SparkConf = map[string]string{
			volume + "mount.path": "/data", volume + "options.claimName": "data-OnDemand",
			volume + "options.storageClass": "fast", volume + "options.sizeLimit": "1Gi",
		}
		a.Spec.SparkConfFrom = []v1alpha1.SparkConfSource{{Name: "spark.hadoop.password", SecretKeyRef: v1alpha1.SecretKeyReference{Name: "password", Key: "key"}}}
		a.Spec.PodDisruptionBudget = v1alpha1.DisruptionDriver
		a.Spec.DriverService = &v1alpha1.DriverService{Ports: []v1alpha1.DriverServicePort{{Name: "metrics", Port: 8090}}}
	})
}

var (
	configMapKind = corev1.SchemeGroupVersion.WithKind("ConfigMap")
	claimKind     = corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
	secretKind    = corev1.SchemeGroupVersion.WithKind("Secret")
	policyKind    = networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy")
)

// createdKinds are the kinds of the objects of equipped, and how many of each there are.
var createdKinds = map[schema.GroupVersionKind]int{
	expose.ServiceKind: 2, expose.BudgetKind: 1, configMapKind: 1, claimKind: 1, secretKind: 1, policyKind: 1,
}

// created lists the objects with the labels of applications, by their metadata.
func created(t *testing.T, w *harness.World) []*metav1.PartialObjectMetadata {
	t.Helper()
	var found []*metav1.PartialObjectMetadata
	for kind := range createdKinds {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		if err := env.Client().List(t.Context(), list, client.InNamespace(w.Namespace), client.HasLabels{v1alpha1.ApplicationUIDLabel}); err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			if list.Items[i].DeletionTimestamp == nil { // claims have a finalizer of the control plane
				list.Items[i].SetGroupVersionKind(kind)
				found = append(found, &list.Items[i])
			}
		}
	}
	return found
}

// disowned removes the owners of what the operator has created, as the garbage collector would. It returns how many
// objects these are.
func disowned(t *testing.T, w *harness.World) (want int) {
	t.Helper()
	for _, n := range createdKinds {
		want += n
	}
	env.Until(t, fmt.Sprintf("%d objects are created", want), func() bool { return len(created(t, w)) == want })
	for _, obj := range created(t, w) {
		if err := env.Client().Patch(t.Context(), obj, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"ownerReferences":null}}`))); err != nil {
			t.Fatal(err)
		}
	}
	return want
}

// TestAnotherOfTheSameName: a new application of a name that was just deleted runs from the beginning, with objects of other names.
func TestAnotherOfTheSameName(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	first := w.Apply("pi")
	w.Succeed(first)
	remove(t, first)
	harness.Gone(t, first)
	second := w.Apply("pi")
	w.Succeed(second)
	if second.Status.Run != 1 || second.Status.Driver.PodName == first.Status.Driver.PodName {
		t.Errorf("want run 1 with a driver of another name than %s: %s", first.Status.Driver.PodName, harness.Show(second))
	}
	w.Unused()
}
