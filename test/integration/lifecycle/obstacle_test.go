// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// made lists the objects of one kind that an application has, by their label.
func made(t *testing.T, app *v1alpha1.SparkApplication, list client.ObjectList) []string {
	t.Helper()
	err := env.Client().List(t.Context(), list, client.InNamespace(app.Namespace), client.MatchingLabels{v1alpha1.ApplicationUIDLabel: string(app.UID)})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	switch l := list.(type) {
	case *corev1.PodList:
		for i := range l.Items {
			names = append(names, l.Items[i].Name)
		}
	case *corev1.ServiceList:
		for i := range l.Items {
			names = append(names, l.Items[i].Name)
		}
	case *corev1.ConfigMapList:
		for i := range l.Items {
			names = append(names, l.Items[i].Name)
		}
	case *networkingv1.NetworkPolicyList:
		for i := range l.Items {
			names = append(names, l.Items[i].Name)
		}
	}
	return names
}

// ofRun2 returns the name that an object of run 1 will have in run 2.
func ofRun2(t *testing.T, names []string) string {
	t.Helper()
	if len(names) != 1 || !strings.Contains(names[0], "-1-1") {
		t.Fatalf("objects of run 1: %v", names)
	}
	return strings.Replace(names[0], "-1-1", "-2-1", 1)
}

// spark42 makes it an application whose executors have a NetworkPolicy.
func spark42(app *v1alpha1.SparkApplication) { app.Spec.SparkVersion = "4.2.1" }

// TestForeignObject: another client's object has the name that the operator wants. It is named, never touched, and waited for.
func TestForeignObject(t *testing.T) {
	t.Parallel()
	pod := corev1.PodSpec{Containers: []corev1.Container{{Name: "somebody", Image: "else"}}}
	tests := map[string]struct {
		list    client.ObjectList
		foreign func(meta metav1.ObjectMeta) client.Object
		kind    string
	}{
		"pod": {&corev1.PodList{}, func(m metav1.ObjectMeta) client.Object {
			return &corev1.Pod{ObjectMeta: m, Spec: pod}
		}, "Pod"},
		"service": {&corev1.ServiceList{}, func(m metav1.ObjectMeta) client.Object {
			return &corev1.Service{ObjectMeta: m, Spec: corev1.ServiceSpec{ClusterIP: "None"}}
		}, "Service"},
		"config map": {&corev1.ConfigMapList{}, func(m metav1.ObjectMeta) client.Object {
			return &corev1.ConfigMap{ObjectMeta: m}
		}, "ConfigMap"},
		"network policy": {&networkingv1.NetworkPolicyList{}, func(m metav1.ObjectMeta) client.Object {
			return &networkingv1.NetworkPolicy{ObjectMeta: m}
		}, "NetworkPolicy"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			app := w.Apply("pi", spark42)
			driver := w.Run(app)
			foreign := tc.foreign(metav1.ObjectMeta{Namespace: w.Namespace, Name: ofRun2(t, made(t, app, tc.list))})
			harness.Create(t, foreign)
			w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			w.Reach(app, "Succeeded")

			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "2" })
			harness.Eventually(t, app, "stopped by "+foreign.GetName(), func(a *v1alpha1.SparkApplication) bool {
				return harness.Stage(a) == "Submitting" && strings.Contains(harness.Message(a), tc.kind+" "+w.Namespace+"/"+foreign.GetName())
			})
			if !strings.Contains(harness.Message(app), "delete it") {
				t.Errorf("the message does not say what to do: %s", harness.Message(app))
			}
			seen := foreign.DeepCopyObject().(client.Object)
			if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(foreign), seen); err != nil || seen.GetResourceVersion() != foreign.GetResourceVersion() {
				t.Errorf("the object of somebody else was changed: %v\n%+v", err, seen)
			}
			if err := env.Client().Delete(t.Context(), foreign); err != nil {
				t.Fatal(err)
			}
			w.Succeed(app)
			if app.Status.Run != 2 || app.Status.Attempt != 1 {
				t.Errorf("ended in attempt %d/%d, want 2/1", app.Status.Run, app.Status.Attempt)
			}
		})
	}
}

// TestForeignPodUntilTheTimeout: the obstacle stays, so timeouts.driverStart ends the run and says what was in the way. The
// foreign pod stays.
func TestForeignPodUntilTheTimeout(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	foreign := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "my-driver"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "somebody", Image: "else"}}}}
	harness.Create(t, foreign)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Driver.PodName = "my-driver" })
	harness.Eventually(t, app, "stopped by the pod", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == "Submitting" && strings.Contains(harness.Message(a), "belongs to another owner")
	})
	harness.Change(t, app, driverStart(time.Second)) // only now: on a busy machine the create takes its time
	w.Reach(app, "DriverStartTimeout")
	for _, word := range []string{"Pod " + w.Namespace + "/my-driver", "belongs to another owner", "spec.driver.podName"} {
		if !strings.Contains(harness.Message(app), word) {
			t.Errorf("the message does not have %q: %s", word, harness.Message(app))
		}
	}
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(foreign), foreign); err != nil || foreign.DeletionTimestamp != nil {
		t.Errorf("the pod of somebody else was deleted: %v", err)
	}
	w.Unused()
}

// TestRefusedByTheAPIServer: a policy of the namespace refuses the driver. The API server's own words are shown; once the policy is
// lifted the run continues automatically.
func TestRefusedByTheAPIServer(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		refuse func(t *testing.T, namespace string)
		lift   func(t *testing.T, namespace string)
		words  []string
	}{
		"resource quota": {func(t *testing.T, namespace string) {
			none := corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}
			quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "no-pods"}, Spec: corev1.ResourceQuotaSpec{Hard: none}}
			harness.Create(t, quota)
			quota.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none} // what the controller manager would do
			if err := env.Client().Status().Update(t.Context(), quota); err != nil {
				t.Fatal(err)
			}
		}, func(t *testing.T, namespace string) {
			quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "no-pods"}}
			if err := env.Client().Delete(t.Context(), quota); err != nil {
				t.Fatal(err)
			}
		}, []string{"the API server refuses Pod", "exceeded quota: no-pods"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			tc.refuse(t, w.Namespace)
			app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.PodSecurity = v1alpha1.PodSecurityNone })
			harness.Eventually(t, app, "refused", func(a *v1alpha1.SparkApplication) bool {
				return harness.Stage(a) == "Submitting" && !slices.ContainsFunc(tc.words, func(word string) bool { return !strings.Contains(harness.Message(a), word) })
			})
			tc.lift(t, w.Namespace)
			w.Succeed(app)
			if told := w.History.Messages(app, "Submitting"); len(told) > 2 {
				t.Errorf("the message was written %d times: %q", len(told), told)
			}
		})
	}
}

// TestNamespaceEnforcesPodSecurity: what is weaker than the namespace demands is refused before anything is created, and continues when that changes.
func TestNamespaceEnforcesPodSecurity(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	enforce(t, w.Namespace, "restricted")
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.PodSecurity = v1alpha1.PodSecurityNone })
	harness.Eventually(t, app, "refused", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == "InvalidSpec" && strings.Contains(harness.Message(a), "value None is weaker than what the label pod-security.kubernetes.io/enforce=restricted")
	})
	enforce(t, w.Namespace, "privileged")
	w.Succeed(app)
}

func enforce(t *testing.T, namespace, level string) {
	t.Helper()
	harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, func(n *corev1.Namespace) {
		n.Labels["pod-security.kubernetes.io/enforce"] = level
	})
}

// TestRestrictedNamespace: the default driver satisfies the restricted Pod Security Standard.
func TestRestrictedNamespace(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	enforce(t, w.Namespace, "restricted")
	w.Succeed(w.Apply("pi"))
}

// TestLongNames: two applications whose names differ in the last of 63 characters get objects of different names and run side by side.
func TestLongNames(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	long := strings.Repeat("very-long-", 6)
	first, second := w.Apply(long+"-a1"), w.Apply(long+"-a2")
	if len(first.Name) != 63 {
		t.Fatalf("the name has %d characters", len(first.Name))
	}
	for _, app := range []*v1alpha1.SparkApplication{first, second} {
		w.Run(app)
	}
	seen := map[string]bool{}
	for _, app := range []*v1alpha1.SparkApplication{first, second} {
		for _, list := range []client.ObjectList{&corev1.PodList{}, &corev1.ServiceList{}, &corev1.ConfigMapList{}} {
			names := made(t, app, list)
			if len(names) != 1 || len(names[0]) > 63 || seen[names[0]] {
				t.Errorf("objects %v in %T: want one of its own with at most 63 characters", names, list)
			}
			seen[strings.Join(names, " ")] = true
		}
	}
	for _, app := range []*v1alpha1.SparkApplication{first, second} {
		driver := w.Driver(app)
		w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
		w.Reach(app, "Succeeded")
	}
}

// TestNamespaceIsBeingDeleted: nothing can be created; the application says so, and goes with its quota as soon as it is deleted.
func TestNamespaceIsBeingDeleted(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	first := w.Apply("first")
	driver := w.Run(first)
	second := w.Apply("second")
	w.Reach(second, "Queued")
	if err := env.Client().Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}); err != nil {
		t.Fatal(err)
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(first, "Succeeded")
	harness.Eventually(t, second, "refused", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == "Submitting" && strings.Contains(harness.Message(a), "because it is being terminated")
	})
	for _, app := range []*v1alpha1.SparkApplication{first, second} { // what the controller manager would do
		if err := env.Client().Delete(t.Context(), app); err != nil {
			t.Fatal(err)
		}
		harness.Gone(t, app)
	}
	w.Unused()
}
