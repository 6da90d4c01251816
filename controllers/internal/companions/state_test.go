// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

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
	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
)

func TestBackoffGrowsToItsBound(t *testing.T) {
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
			s := &state{}
			for i, want := range tc.want {
				if got := s.backoff(tc.problems); got != want {
					t.Errorf("pause %d: %s, want %s", i, got, want)
				}
			}
			if len(tc.problems) == 0 {
				return
			}
			for range 100 {
				if got := s.backoff(tc.problems); got < 0 || got > maxPause {
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
		"the namespace is gone":        {expose.RouteKind, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "jobs"), CreateFailedReason, false},
		"a kind of Kubernetes is gone": {expose.IngressKind, noMatch, CreateFailedReason, false},
		"somebody else's":              {expose.ServiceKind, errOtherOwner, CreateFailedReason, false},
		"another one of the name":      {expose.ServiceKind, apierrors.NewConflict(routes, "pi", errors.New("uid")), "", true},
		"on its way out":               {expose.ServiceKind, retryLater("it is being deleted"), "", true},
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

func TestListExisting(t *testing.T) {
	t.Parallel()
	application := func(uid types.UID) *v1alpha1.SparkApplication {
		return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: uid}}
	}
	owner := func(uid types.UID) []metav1.OwnerReference {
		return []metav1.OwnerReference{*metav1.NewControllerRef(application(uid), v1alpha1.GroupVersion.WithKind(v1alpha1.SparkApplicationKind))}
	}
	item := func(name string, uid types.UID, annotations map[string]string) metav1.PartialObjectMetadata {
		return metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, OwnerReferences: owner(uid), Annotations: annotations}}
	}
	left := &lists{err: errors.New("try again"), items: map[string][]metav1.PartialObjectMetadata{
		"ServiceList": {item("pi", "a", nil), item("pi-a-1-1-driver-svc", "a", map[string]string{v1alpha1.UIServiceAnnotation: "{}"})},
		"IngressList": {item("pi-a-1-1-ui", "a", nil), item("pi-b-1-1-ui", "b", nil)},
	}}
	clock, listed := testingclock.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)), 0
	c := New(Options{Live: left, Clock: clock, Listed: func(*metav1.PartialObjectMetadata) { listed++ }})
	if err := c.ListExisting(t.Context()); err == nil || c.ExistingKnown() {
		t.Error("a list that failed is no list")
	}
	asked := left.asked
	left.err = nil
	clock.Step(ListRetryPause - 1)
	if err := c.ListExisting(t.Context()); err != nil || left.asked != asked {
		t.Errorf("listed again too early: %d, %v", left.asked-asked, err)
	}
	clock.Step(1)
	listed = 0
	for range 2 { // the second time nothing is asked
		if err := c.ListExisting(t.Context()); err != nil || left.asked != asked+len(expose.Kinds) || !c.ExistingKnown() {
			t.Errorf("listed %d kinds, want %d: %v", left.asked-asked, len(expose.Kinds), err)
		}
	}
	if listed != 4 {
		t.Errorf("%d objects were listed, want 4", listed)
	}
	s := c.stateOf(application("a"), false)
	if s == nil {
		t.Fatal("nothing is known of what was left")
	}
	want := map[livemeta.Key]string{{Kind: expose.ServiceKind, Name: "pi"}: "", {Kind: expose.IngressKind, Name: "pi-a-1-1-ui"}: ""}
	if diff := cmp.Diff(want, s.objects); diff != "" || !s.extras {
		t.Errorf("extras %t, objects (-want +got):\n%s", s.extras, diff)
	}
	if other := c.stateOf(application("b"), false); other != nil || len(c.states) > 0 {
		t.Errorf("known of an application of the same name that had another uid: %v, %d names", other, len(c.states))
	}
}
