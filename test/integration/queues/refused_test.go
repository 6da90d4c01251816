// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"context"
	"fmt"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestRefusedStatus: applications whose status the API server refuses hold no grant in flight, say so, and are left alone. More of
// them than grants may be in flight keep no other waiting. They start once their status can be written.
func TestRefusedStatus(t *testing.T) {
	t.Parallel()
	const stuck = 40
	w := harness.NewWorld(t, "100Gi", nil)
	operator.Use(t)
	mend := refuseStatus(t, w)
	var apps []*v1alpha1.SparkApplication
	for i := range stuck {
		apps = append(apps, w.Apply(fmt.Sprintf("stuck-%d", i)))
	}
	awaitRefusalEvents(t, apps)
	harness.Eventually(t, w.Queue, "nothing in flight, nothing held", func(q *v1alpha1.SparkQueue) bool {
		return q.Status.Ledger != nil && q.Status.Ledger.Entries == "" && q.Status.Admitted == 0
	})
	others := []*v1alpha1.SparkApplication{}
	for i := range 3 {
		others = append(others, w.Apply(fmt.Sprintf("fine-%d", i)))
	}
	w.SucceedAll(others...)
	mend()
	w.Succeed(apps[0])
}

// awaitRefusalEvents waits until all of these applications of a namespace have an event: their status is refused.
func awaitRefusalEvents(t *testing.T, apps []*v1alpha1.SparkApplication) {
	t.Helper()
	without := map[types.UID]bool{}
	for _, app := range apps {
		without[app.UID] = true
	}
	env.UntilWithin(t, 2*time.Minute, fmt.Sprintf("%d events StatusRefused", len(apps)), func() (bool, any) {
		list := &eventsv1.EventList{}
		if err := env.Client().List(t.Context(), list, client.InNamespace(apps[0].Namespace)); err != nil {
			return false, err
		}
		for i := range list.Items {
			if e := &list.Items[i]; e.Reason == "StatusRefused" {
				delete(without, e.Regarding.UID)
			}
		}
		return len(without) == 0, fmt.Sprintf("%d without", len(without))
	})
}

// refuseStatus makes the API server refuse every status of applications of a world named stuck-…, until the returned function is called.
func refuseStatus(t *testing.T, w *harness.World) (mend func()) {
	t.Helper()
	name := "refuse-status-" + w.Namespace
	policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
	policy.Spec = admissionv1.ValidatingAdmissionPolicySpec{
		FailurePolicy: ptr.To(admissionv1.Fail),
		MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Update},
			Rule:       admissionv1.Rule{APIGroups: []string{v1alpha1.GroupVersion.Group}, APIVersions: []string{"*"}, Resources: []string{"sparkapplications/status"}},
		}}}},
		Validations: []admissionv1.Validation{{Expression: "!object.metadata.name.startsWith('stuck-')", Message: "no status"}},
	}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: name}}
	binding.Spec = admissionv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		MatchResources: &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: w.Namespace}}},
	}
	for _, obj := range []client.Object{policy, binding} {
		harness.Create(t, obj)
		t.Cleanup(func() { _ = env.Client().Delete(context.Background(), obj) })
	}
	probe := w.Apply("stuck-probe", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"status":{"failures":1}}`))
		return env.Client().Status().Patch(ctx, probe.DeepCopy(), patch, client.DryRunAll) != nil, nil
	})
	if err != nil {
		t.Fatalf("the policy does not come into force: %v", err)
	}
	return func() {
		if err := env.Client().Delete(t.Context(), binding); err != nil {
			t.Fatal(err)
		}
	}
}
