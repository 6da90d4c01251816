// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lease

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	testingclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// reviews answers reviews: only the account sparkgate may write ledgers.
var reviews = interceptor.Funcs{
	Create: func(ctx context.Context, c client.WithWatch, obj client.Object, o ...client.CreateOption) error {
		switch r := obj.(type) {
		case *authorizationv1.SubjectAccessReview:
			r.Status.Allowed = strings.HasSuffix(r.Spec.User, ":sparkgate")
			return nil
		case *authenticationv1.SelfSubjectReview:
			r.Status.UserInfo.Username = "system:serviceaccount:sparkgate-system:sparkgate"
			return nil
		}
		return c.Create(ctx, obj, o...)
	},
}

// installed returns an installation in the namespace sparkgate-system, among queues and leases.
func installed(t *testing.T, of namespaces.Set, queues string, answers interceptor.Funcs, others ...client.Object) *Installation {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	builder := fake.NewClientBuilder().WithScheme(scheme).WithObjects(others...).WithObjects(
		&v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "of-a", Labels: map[string]string{"team": "a"}}},
		&v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "of-b", Labels: map[string]string{"team": "b"}}},
	).WithIndex(&coordinationv1.Lease{}, metav1.ObjectNameField, func(o client.Object) []string { return []string{o.GetName()} }).WithInterceptorFuncs(answers)
	in := &Installation{Namespace: "sparkgate-system", Namespaces: of, Client: builder.Build(), Clock: testingclock.NewFakeClock(now), Log: logr.Discard()}
	if queues != "" {
		selector, err := labels.Parse(queues)
		if err != nil {
			t.Fatal(err)
		}
		in.Queues = selector
	}
	return in
}

// leaseOf returns the lease of another installation, renewed some time ago.
func leaseOf(ago time.Duration, namespaces, queues string) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "sparkgate-team", Name: Name, Annotations: map[string]string{
			namespacesAnnotation: namespaces, queuesAnnotation: queues, accountAnnotation: "sparkgate",
		}},
		Spec: coordinationv1.LeaseSpec{LeaseDurationSeconds: ptr.To[int32](10), RenewTime: ptr.To(metav1.NewMicroTime(now.Add(-ago)))},
	}
}

// ready makes the readiness check.
func ready(t *testing.T, in *Installation) error {
	t.Helper()
	return in.Ready(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil))
}

// TestOverlap: two installations share neither a namespace nor a queue. What is found has one line, which says who, what
// and how to part them.
func TestOverlap(t *testing.T) {
	t.Parallel()
	changed := func(l *coordinationv1.Lease, change func(*coordinationv1.Lease)) *coordinationv1.Lease {
		change(l)
		return l
	}
	for name, tt := range map[string]struct {
		namespaces namespaces.Set
		queues     string
		other      *coordinationv1.Lease
		want       string // empty: none
	}{
		"both everywhere":    {nil, "", leaseOf(0, "*", ""), "the operator in namespace sparkgate-team covers all namespaces as well: give each its own namespaces"},
		"it everywhere":      {namespaces.Set{"a"}, "team=a", leaseOf(0, "*", "team=b"), "covers namespace a"},
		"this one":           {nil, "team=a", leaseOf(0, "b,c", "team=b"), "covers namespace b"},
		"one namespace":      {namespaces.Set{"a", "b"}, "team=a", leaseOf(0, "b,c", "team=b"), "covers namespace b"},
		"one queue":          {namespaces.Set{"a"}, "team in (a,b)", leaseOf(0, "b", "team=b"), "covers queue of-b as well: give each its own trees of queues (--queue-selector)"},
		"all queues":         {namespaces.Set{"a"}, "", leaseOf(0, "b", ""), "covers queue of-a"},
		"nothing":            {namespaces.Set{"a"}, "team=a", leaseOf(0, "b", "team!=a"), ""},
		"it is gone":         {nil, "", leaseOf(61*time.Second, "*", ""), ""},
		"it may be slow":     {nil, "", leaseOf(59*time.Second, "*", ""), "all namespaces"},
		"a time to come":     {nil, "", leaseOf(-time.Hour, "*", ""), ""},
		"its own":            {nil, "", changed(leaseOf(0, "*", ""), func(l *coordinationv1.Lease) { l.Namespace = "sparkgate-system" }), ""},
		"of a tenant":        {nil, "", changed(leaseOf(0, "*", ""), func(l *coordinationv1.Lease) { l.Annotations[accountAnnotation] = "default" }), ""},
		"of no account":      {nil, "", changed(leaseOf(0, "*", ""), func(l *coordinationv1.Lease) { delete(l.Annotations, accountAnnotation) }), ""},
		"of something else":  {nil, "", changed(leaseOf(0, "*", ""), func(l *coordinationv1.Lease) { l.Name = "other" }), ""},
		"without a word":     {nil, "", changed(leaseOf(0, "*", ""), func(l *coordinationv1.Lease) { l.Annotations = nil }), ""},
		"selector of nobody": {namespaces.Set{"a"}, "", leaseOf(0, "b", "team in"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := installed(t, tt.namespaces, tt.queues, reviews, tt.other)
			err := in.alone(t.Context())
			switch {
			case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%v, want %q", err, tt.want)
			case (ready(t, in) == nil) != (tt.want == ""):
				t.Errorf("ready: %v", ready(t, in))
			}
		})
	}
}

// TestWithoutTheRight: a confined installation that may not list leases does not know others, and works.
func TestWithoutTheRight(t *testing.T) {
	t.Parallel()
	answers := reviews
	answers.List = func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "leases"}, "", nil)
	}
	if err := installed(t, nil, "", answers, leaseOf(0, "*", "")).alone(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestWaitsForTheOther: an installation waits, and is not ready, until the other one is gone.
func TestWaitsForTheOther(t *testing.T) {
	t.Parallel()
	in := installed(t, nil, "", reviews, leaseOf(0, "*", ""))
	clock, done := in.Clock.(*testingclock.FakeClock), make(chan error)
	go func() { done <- in.Wait(t.Context()) }()
	for !clock.HasWaiters() {
		select {
		case err := <-done:
			t.Fatalf("starts beside another one: %v", err)
		default:
		}
	}
	if ready(t, in) == nil {
		t.Error("is ready beside another one")
	}
	clock.Step(2 * time.Minute)
	if err := ready(t, in); err != nil {
		t.Errorf("is not ready after the other one has gone: %v", err)
	}
	if err := <-done; err != nil || ready(t, in) != nil {
		t.Errorf("%v, ready: %v", err, ready(t, in))
	}
	if in.annotations()[accountAnnotation] != "sparkgate" {
		t.Errorf("says of itself %v", in.annotations())
	}
}

// TestBothAtOnce: an installation that finds another one only after it has written its lease gives the lease back, as
// one that was never renewed, and tries again.
func TestBothAtOnce(t *testing.T) {
	t.Parallel()
	w := &written{records: []resourcelock.LeaderElectionRecord{{}}}
	overlap := errors.New("another one")
	checks := []error{nil, overlap, overlap, nil, nil}
	l := &own{Interface: w, interval: renewInterval(defaults), alone: func(context.Context) error {
		next := checks[0]
		checks = checks[1:]
		return next
	}}
	record := resourcelock.LeaderElectionRecord{HolderIdentity: "me", RenewTime: metav1.NewTime(now)}
	for attempt, want := range []struct {
		err    error
		writes int
		holder string
	}{{overlap, 2, ""}, {overlap, 2, ""}, {nil, 3, "me"}} {
		if err := l.Update(t.Context(), record); !errors.Is(err, want.err) {
			t.Errorf("attempt %d: %v", attempt, err)
		}
		last := w.records[len(w.records)-1]
		if len(w.records)-1 != want.writes || last.HolderIdentity != want.holder || last.RenewTime.IsZero() != (want.holder == "") {
			t.Errorf("attempt %d: %d writes, last %+v", attempt, len(w.records)-1, last)
		}
	}
}
