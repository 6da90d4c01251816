// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestUIServicePatch: whatever spec.ui.serviceMetadata said and says, the patch leads from a Service that was created with the first to one that would
// be created with the second, what others wrote included; and from there to nothing.
func TestUIServicePatch(t *testing.T) {
	t.Parallel()
	says := func(labels, annotations map[string]string) *v1alpha1.SparkApplication {
		app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "pi", Namespace: "jobs"}}
		app.Spec.UI = &v1alpha1.UserInterface{ServiceMetadata: &v1alpha1.ServiceMetadata{Labels: labels, Annotations: annotations}}
		return app
	}
	made := func(app *v1alpha1.SparkApplication) *corev1.Service {
		extra := UIServiceOf(app, nil)
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{
			Labels:      merged(map[string]string{"spark-app-selector": "spark-1"}, extra.Labels),
			Annotations: merged(map[string]string{"of/others": "kept"}, extra.Annotations),
		}}
	}
	type m = map[string]string
	states := map[string]*v1alpha1.SparkApplication{
		"nothing":     {},
		"empty":       says(nil, nil),
		"labels":      says(m{"a": "1", "b": "2"}, nil),
		"annotations": says(nil, m{"n": "{{name}}", "o": "x"}),
		"both":        says(m{"a": "1", "c": "3"}, m{"n": "other"}),
	}
	for before, from := range states {
		for after, to := range states {
			t.Run(before+" to "+after, func(t *testing.T) {
				t.Parallel()
				service := made(from)
				patched := patchedMetadata(t, service, UIServicePatch(service, to, nil))
				want := made(to).ObjectMeta
				if diff := cmp.Diff(want, patched.ObjectMeta); diff != "" {
					t.Errorf("metadata (-want +got):\n%s", diff)
				}
				if again := UIServicePatch(patched, to, nil); again != nil {
					t.Errorf("patched again: %v", again)
				}
			})
		}
	}
	broken := made(&v1alpha1.SparkApplication{})
	broken.Annotations[v1alpha1.UIServiceAnnotation] = "somebody's words"
	if diff := cmp.Diff(made(states["labels"]).ObjectMeta, patchedMetadata(t, broken, UIServicePatch(broken, states["labels"], nil)).ObjectMeta); diff != "" {
		t.Errorf("metadata with a broken record (-want +got):\n%s", diff)
	}
}

// patchedMetadata applies a merge patch of metadata as the API server would.
func patchedMetadata(t *testing.T, service *corev1.Service, change map[string]any) *corev1.Service {
	t.Helper()
	if change == nil {
		return service
	}
	patch, err := json.Marshal(map[string]any{"metadata": change})
	if err != nil {
		t.Fatal(err)
	}
	is, err := json.Marshal(service)
	if err != nil {
		t.Fatal(err)
	}
	after, err := jsonpatch.MergePatch(is, patch)
	if err != nil {
		t.Fatal(err)
	}
	out := &corev1.Service{}
	if err := json.Unmarshal(after, out); err != nil {
		t.Fatal(err)
	}
	return out
}
