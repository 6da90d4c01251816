// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// TestNotAnswered: while the API server cannot check a template, because a ResourceQuota is exhausted, a webhook does
// not answer, or an application of the same name exists, the operator's own rules apply and due runs are tried. Later
// the API server is asked again.
func TestNotAnswered(t *testing.T) {
	t.Parallel()
	resource := v1alpha1.GroupVersion.WithResource("sparkapplications").GroupResource()
	for name, answer := range map[string]error{
		"quota":   apierrors.NewForbidden(resource, at(0), errors.New("exceeded quota")),
		"exists":  apierrors.NewAlreadyExists(resource, at(0)),
		"webhook": apierrors.NewInternalError(errors.New(`failed calling webhook "validate.kyverno.svc-fail": EOF`)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) {
				s.Generation = 1 // a template is checked once a generation
				s.Spec.Template.Spec.Raw = []byte(strings.Replace(string(s.Spec.Template.Spec.Raw), "{", `{"dynamicAllocation":{"enabled":true},`, 1))
			})
			w.refused, w.answer = func(string) bool { return true }, answer
			s := w.until("12:05")
			w.isInvalid(s, "dynamicAllocation.maxExecutors")
			s.Spec.Template.Spec.Raw = []byte(strings.Replace(string(s.Spec.Template.Spec.Raw), `"enabled":true`, `"enabled":true,"maxExecutors":4`, 1))
			s.Generation++
			if err := w.Update(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			if s = w.until("12:06"); name == "exists" { // of which the API server has checked all
				w.isScheduled(s)
				return
			}
			w.isScheduled(s)
			w.answer = apierrors.NewInvalid(v1alpha1.GroupVersion.WithKind("SparkApplication").GroupKind(), at(0), field.ErrorList{
				field.Invalid(field.NewPath("spec", "image"), "spark", "use an image of registry.example.com")})
			w.clock.SetTime(noon.Add(9 * time.Minute))
			w.isScheduled(w.until("12:09")) // it is not asked each time that something happens
			w.clock.SetTime(noon.Add(17 * time.Minute))
			w.isInvalid(w.until("12:18"), "use an image of registry.example.com")
		})
	}
}

func (w *world) isInvalid(s *v1alpha1.ScheduledSparkApplication, words string) {
	w.Helper()
	ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition)
	if ready == nil || ready.Reason != v1alpha1.InvalidSpecReason || !strings.Contains(ready.Message, words) {
		w.Errorf("Ready is %+v, want %q", ready, words)
	}
}

func (w *world) isScheduled(s *v1alpha1.ScheduledSparkApplication) {
	w.Helper()
	if ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition); ready == nil || ready.Reason != v1alpha1.ScheduledReason {
		w.Errorf("Ready is %+v", ready)
	}
}

// TestConfigMapCompletesTheTemplate: a template is validated together with its sparkConfigMap, which may complete it.
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

// TestTimeOfARun: an application says for which time it runs, whatever its template says; one that was requested to run
// now runs for none.
func TestTimeOfARun(t *testing.T) {
	t.Parallel()
	s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "nightly"}}
	s.Spec.Template.Spec.Raw = []byte("{}")
	own := append([]string{v1alpha1.RunForRequestAnnotation}, v1alpha1.ScheduledAnnotations...)
	s.Spec.Template.Metadata.Annotations = map[string]string{"team": "a"}
	for _, key := range own {
		s.Spec.Template.Metadata.Annotations[key] = "2025-12-31T02:30:00Z"
	}
	zone := time.FixedZone("", 3600)
	for name, tc := range map[string]struct {
		run  tick.Run
		want map[string]string
	}{
		"due": {tick.Run{Name: "a", At: noon.In(zone), Previous: noon.Add(-time.Hour).In(zone)}, map[string]string{
			v1alpha1.ScheduledForAnnotation: "2026-01-01T13:00:00+01:00", v1alpha1.ScheduledDateAnnotation: "2026-01-01",
			v1alpha1.PreviousScheduledForAnnotation: "2026-01-01T12:00:00+01:00",
		}},
		"the first": {tick.Run{Name: "a", At: noon}, map[string]string{
			v1alpha1.ScheduledForAnnotation: "2026-01-01T12:00:00Z", v1alpha1.ScheduledDateAnnotation: "2026-01-01",
		}},
		"past": {tick.Run{Name: "a", At: noon, Request: "a1b2"}, map[string]string{
			v1alpha1.ScheduledForAnnotation: "2026-01-01T12:00:00Z", v1alpha1.ScheduledDateAnnotation: "2026-01-01", v1alpha1.RunForRequestAnnotation: "a1b2",
		}},
		"requested": {tick.Run{Name: "b", Token: "now"}, map[string]string{}},
	} {
		app, err := applicationOf(s, tc.run)
		if err != nil {
			t.Fatal(err)
		}
		tc.want["team"] = "a"
		if diff := cmp.Diff(tc.want, app.GetAnnotations()); diff != "" {
			t.Errorf("%s: annotations (-want +got):\n%s", name, diff)
		}
	}
}
