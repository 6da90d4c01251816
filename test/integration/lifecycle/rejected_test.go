// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// noDrivers returns a policy of one namespace that forbids its drivers, with a reason that only a person would write.
func noDrivers(t *testing.T, namespace string) []client.Object {
	t.Helper()
	meta := metav1.ObjectMeta{Name: "no-drivers-" + namespace}
	policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: meta, Spec: admissionv1.ValidatingAdmissionPolicySpec{
		FailurePolicy: ptr.To(admissionv1.Fail),
		MatchConstraints: &admissionv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
			ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{admissionv1.Create},
				Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
			}}},
		},
		Validations: []admissionv1.Validation{{Expression: "false", Message: "images come from our own registry", Reason: ptr.To(metav1.StatusReasonForbidden)}},
	}}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: meta, Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: meta.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
	}}
	harness.Create(t, policy)
	harness.Create(t, binding)
	remove := []client.Object{binding, policy}
	t.Cleanup(func() {
		for _, o := range remove {
			_ = env.Client().Delete(context.Background(), o)
		}
	})
	return remove
}

// admits waits until the API server admits pods in a namespace, or no longer does.
func admits(t *testing.T, namespace string, want bool) {
	t.Helper()
	env.UntilSeen(t, "the policy holds", func() (bool, error) {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "try-"},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "b"}}}}
		err := env.Client().Create(t.Context(), pod, client.DryRunAll)
		return err == nil == want, err
	})
}

// rejected waits until a run has failed because the API server rejects its driver, and checks that it holds nothing.
func rejected(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication, words ...string) {
	t.Helper()
	w.Reach(app, v1alpha1.FailedReason)
	for _, word := range append(words, "the API server refuses Pod "+w.Namespace+"/", "spec.runID") {
		if !strings.Contains(harness.Message(app), word) {
			t.Errorf("the message does not have %q: %s", word, harness.Message(app))
		}
	}
	if last := app.Status.Attempts[len(app.Status.Attempts)-1]; last.Cause != v1alpha1.CauseConfiguration || last.Reason != "Rejected" {
		t.Errorf("the attempt ended as %+v", last)
	}
	w.Unused()
	for _, list := range []client.ObjectList{&corev1.ConfigMapList{}, &corev1.ServiceList{}, &corev1.PodList{}} {
		if left := made(t, app, list); len(left) > 0 {
			t.Errorf("objects of the attempt are left: %v", left)
		}
	}
}

// TestRejectedByPolicy: a driver that an admission policy denies ends the run at once, although its restart policy allows other attempts. A run
// that the user asks for then holds no quota until the policy is gone, and starts automatically.
func TestRejectedByPolicy(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	policy := noDrivers(t, w.Namespace)
	admits(t, w.Namespace, false)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure}
	})
	rejected(t, w, app, "images come from our own registry")

	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "again" })
	harness.Eventually(t, app, "refused before it asks for quota", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == v1alpha1.InvalidSpecReason && strings.Contains(harness.Message(a), "images come from our own registry")
	})
	w.Unused()
	for _, o := range policy {
		if err := env.Client().Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	w.Succeed(app)
	if app.Status.Run != 2 || app.Status.Attempt != 1 {
		t.Errorf("ended in attempt %d/%d, want 2/1", app.Status.Run, app.Status.Attempt)
	}
}

// TestRejectedByPodSecurity: the namespace demands more of pods than it did when the quota was granted. The ResourceQuota keeps the driver from
// being created before.
func TestRejectedByPodSecurity(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	none := corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "no-pods"}, Spec: corev1.ResourceQuotaSpec{Hard: none}}
	harness.Create(t, quota)
	quota.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none}
	if err := env.Client().Status().Update(t.Context(), quota); err != nil {
		t.Fatal(err)
	}
	admits(t, w.Namespace, false)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.PodSecurity = v1alpha1.PodSecurityNone })
	harness.Eventually(t, app, "an obstacle that may pass", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == v1alpha1.SubmittingReason && strings.Contains(harness.Message(a), "exceeded quota: no-pods")
	})
	enforce(t, w.Namespace, "restricted")
	rejected(t, w, app, `violates PodSecurity "restricted:`)
}
