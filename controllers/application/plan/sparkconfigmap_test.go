// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// TestConfigMapCompletesTheSpec: an application is validated together with its sparkConfigMap, which may complete it.
// Errors are checked again after a while, because nothing reports that a ConfigMap or a Secret was corrected.
func TestConfigMapCompletesTheSpec(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text    string
		edit    func(*v1alpha1.SparkApplication)
		finding string
		missing string
		outside bool
	}{
		"the bound of dynamic allocation": {text: "spark.dynamicAllocation.maxExecutors 4\n"},
		"no bound":                        {text: "spark.driver.memory 1g\n", finding: "spec.dynamicAllocation.maxExecutors: value is absent", outside: true},
		"a mistake in it": {
			text:    "spark.dynamicAllocation.maxExecutors 4\nspark.master local\n",
			finding: "spec.sparkConfigMap[spark.master]: ", outside: true,
		},
		"a mistake in it alone": {
			text: "spark.master local\n", edit: func(app *v1alpha1.SparkApplication) { app.Spec.DynamicAllocation = nil },
			finding: "spec.sparkConfigMap[spark.master]: ", outside: true,
		},
		"it does not exist": {
			edit:    func(app *v1alpha1.SparkApplication) { app.Spec.SparkConfigMap = "late" },
			missing: `ConfigMap "late"`,
		},
		"it cannot exist": {
			edit:    func(app *v1alpha1.SparkApplication) { app.Spec.SparkConfigMap = "a/b" },
			finding: `spec.sparkConfigMap: invalid object name "a/b"`,
		},
		"a mistake without one": {
			edit:    func(app *v1alpha1.SparkApplication) { app.Spec.SparkConfigMap = "" },
			finding: "spec.dynamicAllocation.maxExecutors: value is absent",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, apps := crowd(t, 1)
			if err := s.live.Update(t.Context(), configMap(tc.text)); err != nil {
				t.Fatal(err)
			}
			app := apps[0]
			app.Spec.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true}
			app.Status.Conditions = status.Conditions(nil, status.View{Stage: status.New, Message: "m"}, metav1.Now())
			if tc.edit != nil {
				tc.edit(app)
			}
			_, plan := s.plan(app, lifecycle.Start{Run: 1, Attempt: 1})
			var findings []string
			for _, f := range plan.Findings {
				findings = append(findings, f.String())
			}
			found, missing := strings.Join(findings, "; "), strings.Join(plan.Missing, "; ")
			if (found == "") != (tc.finding == "") || !strings.Contains(found, tc.finding) || (missing == "") != (tc.missing == "") || !strings.Contains(missing, tc.missing) {
				t.Errorf("findings %q, missing %q; want %q, %q", found, missing, tc.finding, tc.missing)
			}
			if plan.Outside != tc.outside {
				t.Errorf("the mistake is looked for again: %t, want %t", plan.Outside, tc.outside)
			}
		})
	}
}

// TestMissingConfigMapIsReadOnce: all applications that need the same missing ConfigMap wait for it at the cost of one
// read.
func TestMissingConfigMapIsReadOnce(t *testing.T) {
	t.Parallel()
	s, apps := crowd(t, 30)
	before := s.reads
	for _, app := range apps {
		app.Spec.SparkConfigMap, app.Spec.SparkConfFrom = "late", nil
		app.Spec.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true}
		app.Status.Conditions = status.Conditions(nil, status.View{Stage: status.New, Message: "m"}, metav1.Now())
		_, plan := s.plan(app, lifecycle.Start{Run: 1, Attempt: 1})
		if len(plan.Missing) != 1 || len(plan.Findings) > 0 {
			t.Fatalf("missing %v, findings %v; want the ConfigMap to be missing", plan.Missing, plan.Findings)
		}
	}
	if got := s.reads - before; got != 1 {
		t.Errorf("%d reads, want 1", got)
	}
}
