// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/application/requeue"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// shelf is an API server with the objects to which applications refer. It counts reads.
type shelf struct {
	t     *testing.T
	clock *testingclock.FakeClock
	cache client.Client
	live  client.WithWatch
	// from is what passes read from, which is live unless a test replaces it.
	from    client.Reader
	lookups *Lookups
	rights  Rights
	memory  *memory.Store
	reads   int
}

// pass is what plans in one pass over an application.
type pass struct {
	app     *v1alpha1.SparkApplication
	reader  *Reader
	planner *Planner
	planned Result
}

func newShelf(t *testing.T, objects ...client.Object) *shelf {
	s := &shelf{t: t, clock: testingclock.NewFakeClock(time.Unix(1_700_000_000, 0)), memory: memory.New()}
	s.live = interceptor.NewClient(fake.NewClientBuilder().WithObjects(objects...).Build(), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			s.reads++
			return c.Get(ctx, key, obj, opts...)
		},
	})
	s.from, s.lookups = s.live, NewLookups(s.clock)
	return s
}

// over returns a pass over an application.
func (s *shelf) over(app *v1alpha1.SparkApplication) *pass {
	reader, plans, rejections := &Reader{Cache: s.cache, Live: s.from, Lookups: s.lookups}, &s.memory.Of(app).Plans, NewRejections(s.clock)
	builder := &Builder{Reader: reader, Plans: plans, Clock: s.clock}
	return &pass{app: app, reader: reader, planner: &Planner{
		Reader: reader, Placer: &Placer{Cache: s.cache, DefaultGate: v1alpha1.GateEmbedded, AllowedGates: catalog.WithQueues()}, Builder: builder, Plans: plans, Rights: s.rights,
		DryRun: &DryRun{Client: s.cache, Reader: reader, Builder: builder, Rejections: rejections, Clock: s.clock}, Settings: Settings{Clock: s.clock},
	}}
}

// plan plans a start of an application, in a pass of its own.
func (s *shelf) plan(app *v1alpha1.SparkApplication, start lifecycle.Start) (*pass, *lifecycle.Plan) {
	s.t.Helper()
	p := s.over(app)
	var err error
	if p.planned, err = p.planner.Plan(s.t.Context(), app, start); err != nil {
		s.t.Fatal(err)
	}
	return p, p.planned.Plan
}

// pass returns a pass over an application that names Secrets.
func (s *shelf) pass(secrets ...string) *pass {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "pi"}}
	for _, name := range secrets {
		app.Spec.SparkConfFrom = append(app.Spec.SparkConfFrom, v1alpha1.SparkConfSource{
			Name: "spark.hadoop." + name, SecretKeyRef: v1alpha1.SecretKeyReference{Name: name, Key: "key"},
		})
	}
	return s.over(app)
}

func (s *shelf) missing(p *pass) []string {
	s.t.Helper()
	missing, err := p.reader.missingSecrets(s.t.Context(), p.app)
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
		p := s.pass("good")
		values, err := p.reader.secretValues(t.Context(), p.app)
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
	if values, err := granted.reader.secretValues(t.Context(), granted.app); err != nil || len(values.missing) > 0 {
		t.Errorf("who holds a grant is told %v, %v", values.missing, err)
	}
}

// TestReadsHaveABudget: passes that name unread Secrets may read until the namespace has used up its budget. After that
// they get a time to come back and read nothing. Passes of other namespaces and those with a grant continue, and the
// budget recovers with time.
func TestReadsHaveABudget(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	var later *requeue.Error
	refused := func(p *pass) bool {
		_, err := p.reader.secretValues(t.Context(), p.app)
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
	if !refused(next()) || s.reads != readBurst || later.After <= 0 {
		t.Errorf("a pass over the budget was let in, read (%d), or is not told when to come back (%s)", s.reads, later.After)
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
