// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package accountrights

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/internal/spark/rights"
)

// authorizer is an API server that answers reviews.
type authorizer struct {
	may     map[string]bool // "user verb resource"
	unclear bool
	err     error
	asked   int
	log     int
	clock   *clocktesting.FakeClock
	*Reviewer
}

func newAuthorizer(t *testing.T, may ...string) *authorizer {
	t.Helper()
	a := &authorizer{may: map[string]bool{}, clock: clocktesting.NewFakeClock(time.Unix(0, 0))}
	for _, m := range may {
		a.may[m] = true
	}
	c := interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{Create: a.create})
	a.Reviewer = New(c, a.clock, funcr.New(func(string, string) { a.log++ }, funcr.Options{}))
	return a
}

func (a *authorizer) create(_ context.Context, _ client.WithWatch, obj client.Object, _ ...client.CreateOption) error {
	review, ok := obj.(*authorizationv1.SubjectAccessReview)
	if !ok {
		return errors.New("not a review")
	}
	a.asked++
	at := review.Spec.ResourceAttributes
	review.Status.Allowed = a.may[review.Spec.User+" "+at.Verb+" "+at.Resource] && at.Namespace == "a"
	if a.unclear {
		review.Status.EvaluationError = "webhook: timeout"
	}
	return a.err
}

var (
	spark  = types.NamespacedName{Namespace: "a", Name: "spark"}
	get    = rights.Right{Resource: "pods", Verb: "get"}
	create = rights.Right{Resource: "pods", Verb: "create"}
)

const user = "system:serviceaccount:a:spark "

func (a *authorizer) lacking(t *testing.T, account types.NamespacedName, want ...rights.Right) time.Duration {
	t.Helper()
	cost, before := a.Cost(account, []rights.Right{get, create}), a.asked
	got, until, err := a.Lacking(t.Context(), account, []rights.Right{get, create})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	if a.asked-before > cost {
		t.Errorf("it asked %d times and had announced %d", a.asked-before, cost)
	}
	if until.IsZero() {
		return 0
	}
	return until.Sub(a.clock.Now())
}

// TestStream: an answer is cached for a time, for all applications with the same service account.
func TestStream(t *testing.T) {
	t.Parallel()
	a := newAuthorizer(t, user+"get pods", user+"create pods")
	for range 300 {
		a.lacking(t, spark)
		a.clock.Step(time.Second)
	}
	if a.asked != 2 {
		t.Errorf("%d reviews in five minutes", a.asked)
	}
	if a.lacking(t, spark); a.asked != 4 {
		t.Errorf("%d reviews, want another two", a.asked)
	}
	a.lacking(t, types.NamespacedName{Namespace: "a", Name: "default"}, get, create)
	a.lacking(t, types.NamespacedName{Namespace: "b", Name: "spark"}, get, create)
}

// TestPauses: a missing permission is reviewed less and less often. An existing one is not reviewed until its cached
// answer expires.
func TestPauses(t *testing.T) {
	t.Parallel()
	a := newAuthorizer(t, user+"get pods")
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		pause := a.lacking(t, spark, create)
		if pause != want*time.Second {
			t.Fatalf("asked again after %s, want %d s", pause, want)
		}
		if before := a.asked; a.lacking(t, spark, create) != pause || a.asked != before {
			t.Error("asked before the pause is over")
		}
		a.clock.Step(pause)
	}
	if a.asked != 9 {
		t.Errorf("%d reviews, want 8 of the missing right and 1 of the other", a.asked)
	}
	a.may[user+"create pods"] = true
	a.lacking(t, spark)
	a.may[user+"create pods"] = false
	a.clock.Step(allowedTTL)
	if pause := a.lacking(t, spark, create); pause != firstPause {
		t.Errorf("taken away, it is asked about after %s", pause)
	}
}

// TestOff: an operator that may not review permissions logs that once, checks nothing, and tries again later.
func TestOff(t *testing.T) {
	t.Parallel()
	a := newAuthorizer(t)
	a.err = apierrors.NewForbidden(schema.GroupResource{Resource: "subjectaccessreviews"}, "", nil)
	for range 60 {
		a.lacking(t, spark)
		a.clock.Step(10 * time.Second)
	}
	if a.asked != 2 || a.log != 1 {
		t.Errorf("asked %d times, logged %d times", a.asked, a.log)
	}
	a.err = nil
	a.lacking(t, spark, get, create)
}

// TestErrors: after an error nothing is known, and a permission that an authorizer cannot evaluate does not stop a job.
func TestErrors(t *testing.T) {
	t.Parallel()
	a := newAuthorizer(t)
	a.err = errors.New("connection refused")
	if _, _, err := a.Lacking(t.Context(), spark, []rights.Right{get}); !errors.Is(err, a.err) {
		t.Errorf("error %v", err)
	}
	a.err, a.unclear = nil, true
	a.lacking(t, spark)
}
