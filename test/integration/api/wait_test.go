// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// TestKubectlWait holds the rule by which the tests of the conditions judge `kubectl wait` against kubectl itself.
func TestKubectlWait(t *testing.T) {
	t.Parallel()
	ns := env.Namespace(t)
	tests := map[string]struct {
		status   metav1.ConditionStatus
		observed int64 // of the condition; the object is at generation 1
		root     int64 // of the status
		want     bool
	}{
		"true and current":                      {metav1.ConditionTrue, 1, 1, true},
		"unknown":                               {metav1.ConditionUnknown, 1, 1, false},
		"false":                                 {metav1.ConditionFalse, 1, 1, false},
		"no generation on the condition":        {metav1.ConditionTrue, 0, 1, true},
		"nor on the status, which says -1":      {metav1.ConditionTrue, 0, -1, false},
		"the condition counts, not the status":  {metav1.ConditionTrue, 1, -1, true},
		"nothing published but the CRD default": {"", 0, -1, false},
	}
	i := 0
	for name, tc := range tests {
		i++
		app := smallest(ns, "wait-"+string(rune('a'+i)))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := env.Client().Create(t.Context(), app); err != nil {
				t.Fatal(err)
			}
			if tc.status != "" {
				app.Status.ObservedGeneration = tc.root
				app.Status.Conditions = []metav1.Condition{{
					Type: v1alpha1.ReadyCondition, Status: tc.status, Reason: v1alpha1.SucceededReason, ObservedGeneration: tc.observed, LastTransitionTime: metav1.Now(),
				}}
				if err := env.Client().Status().Update(t.Context(), app); err != nil {
					t.Fatal(err)
				}
			}
			_, err := env.Kubectl(t, "wait", "--for=condition=Ready", "-n", ns, "sgapp/"+app.Name, "--timeout=0")
			if got := err == nil; got != tc.want {
				t.Errorf("kubectl wait returned %v, want met: %t", err, tc.want)
			}
		})
	}
}
