// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cachetransform

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// nightly returns a schedule that what makes at least that large.
func nightly(bytes int, what func(s *v1alpha1.ScheduledSparkApplication, text string)) *v1alpha1.ScheduledSparkApplication {
	s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team", Name: "nightly", UID: "uid", ResourceVersion: "7", Generation: 3,
		Annotations:   map[string]string{meta.ReconcileRequestAnnotation: "now", "team": "a"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
	}}
	s.Spec.Schedule = "30 2 * * *"
	s.Spec.Template.Spec = runtime.RawExtension{Raw: []byte(`{"type":"Python"}`)}
	s.Status.LastRunTime = "2026-01-01T00:00:00Z"
	what(s, strings.Repeat("x", bytes))
	return s
}

// TestScheduleStub: whatever makes a schedule too large, its stub is small, contains the size, and keeps the fields
// that already created applications need.
func TestScheduleStub(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]func(s *v1alpha1.ScheduledSparkApplication, text string){
		"the template": func(s *v1alpha1.ScheduledSparkApplication, text string) {
			s.Spec.Template.Spec.Raw = fmt.Appendf(nil, `{"arguments":[%q]}`, text)
		},
		"its labels": func(s *v1alpha1.ScheduledSparkApplication, text string) {
			s.Spec.Template.Metadata.Labels = map[string]string{"note": text}
		},
		"a label":    func(s *v1alpha1.ScheduledSparkApplication, text string) { s.Labels = map[string]string{"note": text} },
		"finalizers": func(s *v1alpha1.ScheduledSparkApplication, text string) { s.Finalizers = []string{text} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept, err := Object(nightly(1_400_000, what))
			if err != nil {
				t.Fatal(err)
			}
			got := kept.(*v1alpha1.ScheduledSparkApplication)
			if got.Stub == nil || got.Stub.Size < 1_400_000 || got.Stub.Size > 1_500_000 {
				t.Fatalf("it says %+v", got.Stub)
			}
			if text, _ := json.Marshal(got); len(text) > 4<<10 {
				t.Errorf("the stub takes %d bytes", len(text))
			}
			want := nightly(0, func(s *v1alpha1.ScheduledSparkApplication, _ string) {
				s.Annotations, s.ManagedFields, s.Stub = map[string]string{meta.ReconcileRequestAnnotation: "now"}, nil, got.Stub
				s.Spec.Template.Spec.Raw = []byte("{}")
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("stub (-want +got):\n%s", diff)
			}
			if again, _ := Object(got.DeepCopy()); !cmp.Equal(kept, again) {
				t.Error("another time gives something else")
			}
			fits, _ := Object(nightly(v1alpha1.MaxApplicationSize-4000, what))
			whole := nightly(v1alpha1.MaxApplicationSize-4000, what)
			whole.ManagedFields = nil
			if diff := cmp.Diff(whole, fits); diff != "" {
				t.Errorf("one that fits (-want +got):\n%s", diff)
			}
		})
	}
}
