// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestConfigMapCompletesTheTemplate: a template is judged together with its sparkConfigMap, which may hold the other half of what it says.
func TestConfigMapCompletesTheTemplate(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ configMap, text, finding string }{
		"the bound of dynamic allocation": {configMap: "conf", text: "spark.dynamicAllocation.maxExecutors 4\n"},
		"no bound":                        {configMap: "conf", text: "spark.driver.memory 1g\n", finding: "spec.template.spec.dynamicAllocation.maxExecutors: value is absent"},
		"it does not exist":               {configMap: "late"},
		"it cannot exist":                 {configMap: "a/b", finding: `spec.template.spec.sparkConfigMap: invalid object name "a/b"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) {
				s.Generation = 1 // a template is checked once a generation
				s.Spec.Template.Spec.Raw = []byte(strings.Replace(string(s.Spec.Template.Spec.Raw), "{",
					`{"dynamicAllocation":{"enabled":true},"sparkConfigMap":"`+tc.configMap+`",`, 1))
			}, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "conf"}, Data: map[string]string{"spark-defaults.conf": tc.text}})
			s := w.until("12:30")
			ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition)
			invalid := ready != nil && ready.Reason == v1alpha1.InvalidSpecReason
			if invalid != (tc.finding != "") || invalid && !strings.Contains(ready.Message, tc.finding) {
				t.Errorf("Ready is %+v, want %q", ready, tc.finding)
			}
		})
	}
}
