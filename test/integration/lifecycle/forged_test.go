// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// forged returns the metadata of an object that looks like one of run 2 of an application: owner, labels and name are
// known.
func forged(app *v1alpha1.SparkApplication, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: app.Namespace, Name: name,
		Labels: map[string]string{
			v1alpha1.ApplicationLabel: app.Name, v1alpha1.ApplicationUIDLabel: string(app.UID), v1alpha1.RunLabel: "2", v1alpha1.AttemptLabel: "1",
		},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(app, v1alpha1.GroupVersion.WithKind(v1alpha1.SparkApplicationKind))},
	}
}

// forgeries are objects that a tenant creates before the operator does: one created by the operator for run 1, and the forged one of run 2.
var forgeries = map[string]struct {
	list   client.ObjectList
	empty  func() client.Object
	forge  func(meta metav1.ObjectMeta) client.Object
	equals func(first, second client.Object) bool
}{
	"config map": {
		&corev1.ConfigMapList{}, func() client.Object { return &corev1.ConfigMap{} },
		func(m metav1.ObjectMeta) client.Object {
			return &corev1.ConfigMap{ObjectMeta: m, Immutable: ptr.To(true), Data: map[string]string{"spark.properties": "spark.executor.memory=64g\n"}}
		},
		func(first, second client.Object) bool {
			a, b := first.(*corev1.ConfigMap), second.(*corev1.ConfigMap)
			return strings.Contains(b.Data["spark.properties"], "spark.executor.memory=512m\n") && len(a.Data) == len(b.Data)
		},
	},
	"service": {
		&corev1.ServiceList{}, func() client.Object { return &corev1.Service{} },
		func(m metav1.ObjectMeta) client.Object {
			return &corev1.Service{ObjectMeta: m, Spec: corev1.ServiceSpec{ClusterIP: "None", Selector: map[string]string{"app": "somebody-else"}}}
		},
		func(first, second client.Object) bool {
			a, b := first.(*corev1.Service), second.(*corev1.Service)
			return len(a.Spec.Ports) == len(b.Spec.Ports) && b.Spec.Selector[v1alpha1.SparkRoleLabel] == a.Spec.Selector[v1alpha1.SparkRoleLabel] && b.Spec.Selector["app"] == ""
		},
	},
	"network policy": {
		&networkingv1.NetworkPolicyList{}, func() client.Object { return &networkingv1.NetworkPolicy{} },
		func(m metav1.ObjectMeta) client.Object {
			return &networkingv1.NetworkPolicy{ObjectMeta: m, Spec: networkingv1.NetworkPolicySpec{Ingress: []networkingv1.NetworkPolicyIngressRule{{}}}}
		},
		func(first, second client.Object) bool {
			a, b := first.(*networkingv1.NetworkPolicy), second.(*networkingv1.NetworkPolicy)
			return len(a.Spec.Ingress) == len(b.Spec.Ingress) && equality.Semantic.DeepEqual(a.Spec.PolicyTypes, b.Spec.PolicyTypes)
		},
	},
}

// TestForgedObject: a tenant creates an object of an attempt before the operator does, with its owner and labels, but with another content. It is
// replaced by what the attempt was planned with.
func TestForgedObject(t *testing.T) {
	t.Parallel()
	for name, tc := range forgeries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			app := w.Apply("pi", spark42)
			driver := w.Run(app)
			names := made(t, app, tc.list)
			first, second := tc.empty(), tc.empty()
			second.SetName(ofRun2(t, names))
			if err := env.Client().Get(t.Context(), types.NamespacedName{Namespace: w.Namespace, Name: names[0]}, first); err != nil {
				t.Fatal(err)
			}
			fake := tc.forge(forged(app, second.GetName()))
			harness.Create(t, fake)
			w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			w.Reach(app, "Succeeded")

			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "2" })
			harness.Eventually(t, app, "in its second run", func(a *v1alpha1.SparkApplication) bool { return a.Status.Run == 2 })
			w.Driver(app)
			if err := env.Client().Get(t.Context(), types.NamespacedName{Namespace: w.Namespace, Name: second.GetName()}, second); err != nil {
				t.Fatal(err)
			}
			if second.GetUID() == fake.GetUID() || !tc.equals(first, second) {
				t.Errorf("the forged object is used: %+v", second)
			}
			w.Succeed(app)
			if app.Status.Run != 2 || app.Status.Attempt != 1 {
				t.Errorf("ended in attempt %d/%d, want 2/1", app.Status.Run, app.Status.Attempt)
			}
		})
	}
}

// TestForgedDriver: a tenant who may create pods creates the driver of an attempt, larger than its grant, while the operator is kept from it. The
// pod is ended, and the run continues with a driver of its own.
func TestForgedDriver(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	w.History.LateDrivers = true // the forged one comes when it likes
	operator.Use(t)
	app := w.Apply("pi")
	driver := w.Run(app)
	taken := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: ofRun2(t, made(t, app, &corev1.ConfigMapList{}))}}
	harness.Create(t, taken)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "2" })
	harness.Eventually(t, app, "stopped by the ConfigMap", func(a *v1alpha1.SparkApplication) bool {
		return a.Status.Run == 2 && strings.Contains(harness.Message(a), taken.Name+" already exists")
	})

	fake := &corev1.Pod{ObjectMeta: forged(app, app.Status.Driver.PodName), Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Name: "spark-kubernetes-driver", Image: "mine",
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Gi")}},
	}}}}
	maps.Copy(fake.Labels, map[string]string{v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleDriver})
	harness.Create(t, fake)
	harness.Gone(t, fake)
	if err := env.Client().Delete(t.Context(), taken); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, app, "at another attempt", func(a *v1alpha1.SparkApplication) bool { return a.Status.Attempt == 2 && a.Status.Grant != nil })
	w.Succeed(app)
	if last := app.Status.Attempts[len(app.Status.Attempts)-2]; last.Reason != "InputsChanged" || !strings.Contains(last.Message, "memory 64Gi") {
		t.Errorf("the forged driver is not told: %+v", last)
	}
	if app.Status.Failures != 0 {
		t.Errorf("%d failures", app.Status.Failures)
	}
}

// TestForgedLate: pods that a user gives the labels of an application keep its quota only if they came before all of its pods should have gone.
func TestForgedLate(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Spec.Timeouts = &v1alpha1.Timeouts{Termination: &v1alpha1.Duration{Duration: time.Second}}
	})
	driver := w.Run(app)
	forge := func(name string) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name, Labels: maps.Clone(driver.Labels), Finalizers: []string{"example.com/stays"}}}
		p.Labels[v1alpha1.SparkRoleLabel] = v1alpha1.SparkRoleExecutor
		p.Spec = corev1.PodSpec{NodeName: harness.NoNode, Containers: []corev1.Container{{Name: "spark-kubernetes-executor", Image: "b"}}}
		harness.Create(t, p)
		return p
	}
	free := func(p *corev1.Pod) {
		_ = env.Client().Patch(context.Background(), p, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
	}
	early := forge("early")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	w.Reach(app, v1alpha1.FinalizingReason)
	due := app.Status.Times.Stopping.Add(time.Second)
	time.Sleep(time.Until(due.Add(2 * time.Second))) // creation times have whole seconds, and this one has to be after all should have gone
	late := forge("late")
	t.Cleanup(func() { free(late) })
	free(early)
	w.Reach(app, v1alpha1.SuspendedReason)
	harness.Eventually(t, late, "asked to end", func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil })
}
