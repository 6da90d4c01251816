// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
)

// shelf is an API server with the objects to which applications refer. It counts reads.
type shelf struct {
	t     *testing.T
	clock *testingclock.FakeClock
	live  client.WithWatch
	r     *Reconciler
	reads int
}

func newShelf(t *testing.T, objects ...client.Object) *shelf {
	s := &shelf{t: t, clock: testingclock.NewFakeClock(time.Unix(1_700_000_000, 0))}
	s.live = interceptor.NewClient(fake.NewClientBuilder().WithObjects(objects...).Build(), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			s.reads++
			return c.Get(ctx, key, obj, opts...)
		},
	})
	s.r = New(Options{Live: s.live, Clock: s.clock})
	return s
}

// pass returns a pass of an application that names Secrets.
func (s *shelf) pass(secrets ...string) *pass {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "pi"}}
	for _, name := range secrets {
		app.Spec.SparkConfFrom = append(app.Spec.SparkConfFrom, v1alpha1.SparkConfSource{
			Name: "spark.hadoop." + name, SecretKeyRef: v1alpha1.SecretKeyReference{Name: name, Key: "key"},
		})
	}
	return passOver(s.r, app)
}

func (s *shelf) missing(p *pass) []string {
	s.t.Helper()
	missing, err := p.reader.missingSecrets(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return missing
}

func secretWith(name string, data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name}, Data: data}
}

// TestMissingSecretsAreReportedTheSameWithoutARead: errors in Secrets are reported in the same words whether the Secret
// was read or its state is cached, for every application that names it. It is read again when the cache entry expires.
func TestMissingSecretsAreReportedTheSameWithoutARead(t *testing.T) {
	t.Parallel()
	s := newShelf(t, secretWith("good", map[string][]byte{"key": []byte("value")}), secretWith("nokey", nil),
		secretWith("notext", map[string][]byte{"key": {0xff}}))
	names := []string{"good", "nokey", "gone", "notext"}
	told := fmt.Sprint(s.missing(s.pass(names...)))
	if s.reads != len(names) {
		t.Fatalf("%d reads; want %d", s.reads, len(names))
	}
	for range 5 {
		other := s.pass(names...)
		if again := fmt.Sprint(s.missing(other)); again != told || s.reads != len(names) {
			t.Fatalf("after %d reads told %s\nwant %s", s.reads, again, told)
		}
		if wait := other.reader.absentUntil.Sub(s.clock.Now()); wait <= 0 || wait > absenceTTL {
			t.Fatalf("the next look is in %s; want within %s", wait, absenceTTL)
		}
		s.clock.SetTime(s.clock.Now().Add(time.Second))
	}
	s.clock.SetTime(s.clock.Now().Add(absenceTTL))
	if err := s.live.Create(t.Context(), secretWith("gone", map[string][]byte{"key": []byte("value")})); err != nil {
		t.Fatal(err)
	}
	if now := s.missing(s.pass("gone")); len(now) > 0 {
		t.Errorf("still told %v", now)
	}
}

// TestValuesAreNeverRemembered: the values of a Secret are read in each pass that needs them, and a cached absence is
// not relied on for an application that holds a grant.
func TestValuesAreNeverRemembered(t *testing.T) {
	t.Parallel()
	s := newShelf(t, secretWith("good", map[string][]byte{"key": []byte("one")}))
	for _, value := range []string{"one", "two"} {
		if err := s.live.Update(t.Context(), secretWith("good", map[string][]byte{"key": []byte(value)})); err != nil {
			t.Fatal(err)
		}
		values, err := s.pass("good").reader.secretValues(t.Context())
		if err != nil || values.byProperty["spark.hadoop.good"] != value {
			t.Errorf("got %v, %v; want %q", values, err, value)
		}
	}
	s.missing(s.pass("late"))
	if err := s.live.Create(t.Context(), secretWith("late", map[string][]byte{"key": []byte("value")})); err != nil {
		t.Fatal(err)
	}
	granted := s.pass("late")
	granted.app.Status.Grant = &v1alpha1.Grant{}
	if values, err := granted.reader.secretValues(t.Context()); err != nil || len(values.missing) > 0 {
		t.Errorf("who holds a grant is told %v, %v", values.missing, err)
	}
}

// TestReadsHaveABudget: passes that name unread Secrets may read until the namespace has used up its budget. After that
// they get a time to come back and read nothing. Passes of other namespaces and those with a grant continue, and the
// budget recovers with time.
func TestReadsHaveABudget(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	var later *retryLaterError
	refused := func(p *pass) bool {
		_, err := p.reader.secretValues(t.Context())
		if err != nil && !errors.As(err, &later) {
			t.Fatal(err)
		}
		return err != nil
	}
	made := 0
	next := func() *pass {
		made++
		return s.pass(fmt.Sprintf("a-%d", made), fmt.Sprintf("b-%d", made))
	}
	for !refused(next()) {
		if made > 10*readBurst {
			t.Fatalf("%d passes were let in", made)
		}
	}
	if s.reads != readBurst {
		t.Errorf("%d reads before the first refusal; want %d", s.reads, readBurst)
	}
	if !refused(next()) || s.reads != readBurst || later.after <= 0 {
		t.Errorf("a pass over the budget was let in, read (%d), or is not told when to come back (%s)", s.reads, later.after)
	}
	other := next()
	other.app.Namespace = "b"
	granted := next()
	granted.app.Status.Grant = &v1alpha1.Grant{}
	if refused(other) || refused(granted) {
		t.Error("another namespace, or who holds a grant, was held up")
	}
	s.clock.SetTime(s.clock.Now().Add(time.Second))
	if refused(next()) {
		t.Error("a second later a pass is still refused")
	}
}

// TestStageEventsHaveABudget: events report the stages of thousands of applications until the namespace has used up its
// budget. Failures and ends are always reported, as are stages in other namespaces.
func TestStageEventsHaveABudget(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	recorder := events.NewFakeRecorder(10 * eventBurst)
	s.r.Recorder = recorder
	reach := func(namespace string, announced ...lifecycle.Event) int {
		before := len(recorder.Events)
		p := s.pass()
		p.app.Namespace = namespace
		p.app.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Reason: v1alpha1.QueuedReason}}
		for _, a := range announced {
			p.announcer.announce(a)
		}
		p.announcer.recordStage(&v1alpha1.SparkApplication{}, announced)
		return len(recorder.Events) - before
	}
	for range 4 * eventBurst {
		reach("a")
	}
	if n := len(recorder.Events); n != eventBurst {
		t.Errorf("%d events; want %d", n, eventBurst)
	}
	if n := reach("a", lifecycle.Event{Warning: true, Reason: v1alpha1.QueuedReason}); n != 1 {
		t.Errorf("a warning is told %d times", n)
	}
	if n := reach("b"); n != 1 {
		t.Errorf("what another namespace reaches is told %d times", n)
	}
	s.clock.SetTime(s.clock.Now().Add(time.Second))
	if n := reach("a"); n != 1 {
		t.Errorf("a second later a stage is told %d times", n)
	}
}
