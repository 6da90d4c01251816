// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
)

func TestPauseGrowsToItsBound(t *testing.T) {
	t.Parallel()
	failed, missing, final := problem{text: "failed"}, problem{soon: true}, problem{final: true}
	tests := map[string]struct {
		problems []problem
		want     []time.Duration
	}{
		"nothing wrong":        {nil, []time.Duration{0, 0}},
		"a mistake":            {[]problem{final}, []time.Duration{0, 0}},
		"a failure":            {[]problem{final, failed}, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}},
		"what comes by itself": {[]problem{missing}, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 10 * time.Second, 10 * time.Second}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &company{}
			for i, want := range tc.want {
				if got := c.pause(tc.problems); got != want {
					t.Errorf("pause %d: %s, want %s", i, got, want)
				}
			}
			if len(tc.problems) == 0 {
				return
			}
			for range 100 {
				if got := c.pause(tc.problems); got < 0 || got > longestCompanionPause {
					t.Errorf("pause %s", got)
				}
			}
		})
	}
}

func TestWhatAnErrorMeans(t *testing.T) {
	t.Parallel()
	routes := schema.GroupResource{Group: "gateway.networking.k8s.io", Resource: "httproutes"}
	noPath := apierrors.NewGenericServerResponse(404, "post", routes, "", "the server could not find the requested resource", 0, true)
	noMatch := &apimeta.NoKindMatchError{GroupKind: expose.RouteKind.GroupKind(), SearchedVersions: []string{"v1"}}
	tests := map[string]struct {
		kind   schema.GroupVersionKind
		err    error
		reason string
		soon   bool
	}{
		"the kind was never there":     {expose.RouteKind, noMatch, gatewayNotInstalled, false},
		"the kind is gone":             {expose.RouteKind, noPath, gatewayNotInstalled, false},
		"the namespace is gone":        {expose.RouteKind, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "jobs"), companionNotMade, false},
		"a kind of Kubernetes is gone": {expose.IngressKind, noMatch, companionNotMade, false},
		"somebody else's":              {expose.ServiceKind, errForeign, companionNotMade, false},
		"another one of the name":      {expose.ServiceKind, apierrors.NewConflict(routes, "pi", errors.New("uid")), "", true},
		"on its way out":               {expose.ServiceKind, &notYet{time.Second, "it is being deleted"}, "", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := &unstructured.Unstructured{}
			object.SetGroupVersionKind(tc.kind)
			if got := problemOf(object, tc.err); got.reason != tc.reason || got.soon != tc.soon || got.final {
				t.Errorf("%+v, want the reason %q, soon %t", got, tc.reason, tc.soon)
			}
		})
	}
}

// lists answers lists of metadata from a table by kind.
type lists struct {
	client.Reader
	items map[string][]metav1.PartialObjectMetadata
	err   error
	asked int
}

func (l *lists) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	l.asked++
	metadata := list.(*metav1.PartialObjectMetadataList)
	metadata.Items = l.items[list.GetObjectKind().GroupVersionKind().Kind]
	return l.err
}

func TestRecall(t *testing.T) {
	t.Parallel()
	owner := func(uid string) []metav1.OwnerReference {
		return []metav1.OwnerReference{*metav1.NewControllerRef(version(uid, "1", 1), v1alpha1.GroupVersion.WithKind(v1alpha1.SparkApplicationKind))}
	}
	item := func(name, uid string, annotations map[string]string) metav1.PartialObjectMetadata {
		return metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, OwnerReferences: owner(uid), Annotations: annotations}}
	}
	left := &lists{err: errors.New("try again"), items: map[string][]metav1.PartialObjectMetadata{
		"ServiceList": {item("pi", "a", nil), item("pi-a-1-1-driver-svc", "a", map[string]string{v1alpha1.UIServiceAnnotation: "{}"})},
		"IngressList": {item("pi-a-1-1-ui", "a", nil), item("pi-b-1-1-ui", "b", nil)},
	}}
	m, app := NewMemory(), version("a", "5", 1)
	m.Saw(app)
	if err := m.recall(t.Context(), left, noon); err == nil {
		t.Error("a list that failed is no list")
	}
	asked := left.asked
	left.err = nil
	if err := m.recall(t.Context(), left, noon.Add(recallPause-1)); err != nil || left.asked != asked {
		t.Errorf("listed again too early: %d, %v", left.asked-asked, err)
	}
	for range 2 { // the second time nothing is asked
		if err := m.recall(t.Context(), left, noon.Add(recallPause)); err != nil || left.asked != asked+len(expose.Kinds) {
			t.Errorf("listed %d kinds, want %d: %v", left.asked-asked, len(expose.Kinds), err)
		}
	}
	c := m.company(app, false)
	if c == nil {
		t.Fatal("nothing is known of what was left")
	}
	want := map[made]string{{expose.ServiceKind, "pi"}: "", {expose.IngressKind, "pi-a-1-1-ui"}: ""}
	if diff := cmp.Diff(want, c.objects, cmp.AllowUnexported(made{})); diff != "" || !c.extras {
		t.Errorf("extras %t, objects (-want +got):\n%s", c.extras, diff)
	}
	if !m.Stale(version("a", "4", 1)) {
		t.Error("what was known of the application is forgotten")
	}
}
