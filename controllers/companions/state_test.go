// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"

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
		"nothing wrong": {nil, []time.Duration{0, 0}},
		"a mistake":     {[]problem{final}, []time.Duration{0, 0}},
		"a failure":     {[]problem{final, failed}, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}},
		"a second look": {[]problem{missing, {soon: true, atLeast: time.Second}}, []time.Duration{time.Second, 2 * time.Second}},
		"what comes by itself": {[]problem{missing}, []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond, 1600 * time.Millisecond,
			3200 * time.Millisecond, 6400 * time.Millisecond, 10 * time.Second, 10 * time.Second}},
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
		"the namespace is gone":        {expose.RouteKind, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "jobs"), expose.CreateFailedReason, false},
		"a kind of Kubernetes is gone": {expose.IngressKind, noMatch, expose.CreateFailedReason, false},
		"somebody else's":              {expose.ServiceKind, errOtherOwner, expose.CreateFailedReason, false},
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

// TestProblemsAreRecordedOnce: the same answer of the API server is recorded as one event, whatever the time in it, and
// no event is longer than the API server accepts.
func TestProblemsAreRecordedOnce(t *testing.T) {
	t.Parallel()
	recorder := events.NewFakeRecorder(10)
	r := &reconciliation{Reconciler: New(Options{Recorder: recorder}), app: &v1alpha1.SparkApplication{}, state: newState()}
	for _, at := range []string{"03:04:05", "03:04:07", "03:04:11"} {
		r.recordProblems(t.Context(), []problem{{reason: expose.CreateFailedReason, text: "failed calling webhook: x509: certificate has expired or is not yet valid: " +
			"current time 2026-01-02T" + at + "Z is after 2026-01-01T00:00:00Z"}})
	}
	if n := len(recorder.Events); n != 1 {
		t.Errorf("%d events of one problem", n)
	}
	<-recorder.Events
	r.recordProblems(t.Context(), []problem{{reason: expose.CreateFailedReason, text: strings.Repeat("nginx: ", 1000)}})
	if note := strings.TrimPrefix(<-recorder.Events, "Warning "+expose.CreateFailedReason+" "); len(note) > 1024 {
		t.Errorf("an event of %d bytes", len(note))
	}
}

// TestFound: objects that an earlier process has created are found at the next reconciliation of their application,
// even if another application has its name by then.
func TestFound(t *testing.T) {
	t.Parallel()
	application := func(uid types.UID) *v1alpha1.SparkApplication {
		return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: uid}}
	}
	found := func(st *states, kind schema.GroupVersionKind, name string, uid types.UID, annotations map[string]string) bool {
		_, is := st.find(kind, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Annotations: annotations, OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(application(uid), v1alpha1.GroupVersion.WithKind(v1alpha1.SparkApplicationKind))}}})
		return is
	}
	st := newStates()
	if found(st, expose.ServiceKind, "pi-a-1-1-driver-svc", "a", nil) || found(st, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, "pi-a-1-1-conf", "a", nil) {
		t.Error("objects of attempts are no companions")
	}
	if _, is := st.find(expose.IngressKind, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}); is {
		t.Error("an Ingress of nobody is no companion")
	}
	s := st.of(application("a"), true)
	s.objects[livemeta.Key{Kind: expose.BudgetKind, Name: "pi"}], s.done = "applied", desiredKey{generation: 1}
	for _, is := range []bool{
		found(st, expose.ServiceKind, "pi", "a", nil), found(st, expose.BudgetKind, "pi", "a", nil),
		found(st, expose.ServiceKind, "pi-a-1-1-driver-svc", "a", map[string]string{v1alpha1.UIServiceAnnotation: "{}"}),
		found(st, expose.IngressKind, "pi-a-1-1-ui", "a", nil), found(st, expose.IngressKind, "pi-b-1-1-ui", "b", nil),
	} {
		if !is {
			t.Error("a companion is ignored")
		}
	}
	if s.extras || len(s.objects) != 1 {
		t.Errorf("a reconcile that is under way sees %v", s.objects)
	}
	if s != st.of(application("a"), false) || s.done != (desiredKey{}) {
		t.Error("the state is another one, or counts as reconciled")
	}
	want := map[livemeta.Key]string{{Kind: expose.ServiceKind, Name: "pi"}: "", {Kind: expose.BudgetKind, Name: "pi"}: "applied", {Kind: expose.IngressKind, Name: "pi-a-1-1-ui"}: ""}
	if diff := cmp.Diff(want, s.objects); diff != "" || !s.extras {
		t.Errorf("extras %t, objects (-want +got):\n%s", s.extras, diff)
	}
	if other := st.of(application("b"), false); other != nil || st.knows(types.NamespacedName{Namespace: "default", Name: "pi"}) {
		t.Errorf("known of an application of the same name that had another uid: %v", other)
	}
}

// TestAddress: only the address of the current attempt counts.
func TestAddress(t *testing.T) {
	t.Parallel()
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "a"}}
	app.Status.Run, app.Status.Attempt = 1, 2
	r := New(Options{})
	r.states.setAddress(r.states.of(app, true), attempt{1, 2}, "https://pi.example.org")
	if got := r.Address(app); got != "https://pi.example.org" {
		t.Errorf("%q", got)
	}
	app.Status.Attempt = 3
	if got := r.Address(app); got != "" {
		t.Errorf("%q, of another attempt", got)
	}
}
