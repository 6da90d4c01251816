// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package share

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// engine has grants in flight in some queues, of some applications.
type engine struct {
	queues, apps []string
}

func (e *engine) InFlight(key queueing.Key) bool { return slices.Contains(e.apps, key.Name) }
func (e *engine) InFlightIn(queue string) bool   { return slices.Contains(e.queues, queue) }
func (e *engine) fly(queue, app string)          { e.queues, e.apps = []string{queue}, []string{app} }
func (e *engine) land()                          { e.queues, e.apps = nil, nil }

// forest is the queues of a test, and a share for each tree.
type forest struct {
	t       *testing.T
	client  client.WithWatch
	charged []string
	again   int
}

func newForest(t *testing.T, parents map[string]string) *forest {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	b := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&v1alpha1.SparkQueue{}).
		WithObjects(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}})
	for name, parent := range parents {
		b = b.WithObjects(&v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.SparkQueueSpec{Parent: parent}})
	}
	return &forest{t: t, client: b.Build()}
}

func (f *forest) share(tree string, e *engine) *Share {
	return &Share{
		Tree: tree, Client: f.client, Engine: e, Log: logr.Discard(), Changed: func() {}, Again: func() { f.again++ },
		Charge: func(_ context.Context, queues []string) error { f.charged = append(f.charged, queues...); return nil },
	}
}

func (f *forest) queues() []v1alpha1.SparkQueue {
	f.t.Helper()
	list := &v1alpha1.SparkQueueList{}
	if err := f.client.List(f.t.Context(), list); err != nil {
		f.t.Fatal(err)
	}
	return list.Items
}

func (f *forest) begin(s *Share) {
	f.t.Helper()
	if _, err := s.Begin(f.t.Context(), f.queues()); err != nil {
		f.t.Fatal(err)
	}
}

func (f *forest) choose(s *Share, want ...string) {
	f.t.Helper()
	chosen, err := s.Choose(f.t.Context(), f.queues())
	if err != nil {
		f.t.Fatal(err)
	}
	var names []string
	for i := range chosen {
		names = append(names, chosen[i].Name)
	}
	if slices.Sort(names); !slices.Equal(names, want) {
		f.t.Errorf("the leader of %q has %q, want %q", s.Tree, names, want)
	}
}

func (f *forest) move(queue, parent string) {
	f.t.Helper()
	q := &v1alpha1.SparkQueue{}
	if err := f.client.Get(f.t.Context(), client.ObjectKey{Name: queue}, q); err != nil {
		f.t.Fatal(err)
	}
	q.Spec.Parent = parent
	if err := f.client.Update(f.t.Context(), q); err != nil {
		f.t.Fatal(err)
	}
}

// owners returns the trees whose leaders decide on an application.
func (f *forest) owners(app *v1alpha1.SparkApplication, all ...*Share) []string {
	f.t.Helper()
	var owners []string
	for _, s := range all {
		if owns, err := s.Owns(f.t.Context(), app); err != nil {
			f.t.Fatal(err)
		} else if owns {
			owners = append(owners, s.Tree)
		}
	}
	return owners
}

func waiting(name, queue string) *v1alpha1.SparkApplication {
	return &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}, Spec: v1alpha1.SparkApplicationSpec{Queue: &v1alpha1.QueueReference{Name: queue}}}
}

func holding(name, queue string, gate v1alpha1.GateType, ancestors ...string) *v1alpha1.SparkApplication {
	app := waiting(name, "changed-since")
	app.Status.Grant = &v1alpha1.Grant{Queue: queue, Gate: gate, Ancestors: ancestors}
	return app
}

func TestAQueueMovesToAnotherTree(t *testing.T) {
	t.Parallel()
	f := newForest(t, map[string]string{"a": "", "b": "", "q": "a", "below": "q"})
	flying := &engine{}
	a, b, rest := f.share("a", flying), f.share("b", &engine{}), f.share("", &engine{})
	for _, s := range []*Share{a, b, rest} {
		f.begin(s)
		f.choose(s, map[string][]string{"a": {"a", "below", "q"}, "b": {"b"}}[s.Tree]...)
	}
	waits, takes, holds := waiting("waits", "below"), waiting("takes", "below"), holding("holds", "below", v1alpha1.GateEmbedded)
	own := func(moment string, app *v1alpha1.SparkApplication, want ...string) {
		t.Helper()
		if got := f.owners(app, a, b, rest); !slices.Equal(got, want) {
			t.Errorf("%s: %s belongs to %q, want %q", moment, app.Name, got, want)
		}
	}
	for _, app := range []*v1alpha1.SparkApplication{waits, takes, holds} {
		own("before", app, "a")
	}

	f.move("q", "b")
	flying.fly("below", "takes")
	f.choose(b, "b") // not before a has let go
	f.choose(a, "a")
	own("a grant is in flight", waits)
	own("a grant is in flight", takes, "a")
	own("a grant is in flight", holds, "a")
	if f.again == 0 {
		t.Error("nothing looks again when the grant has landed")
	}
	f.choose(b, "b", "q") // in which nothing was in flight
	flying.land()
	f.choose(a, "a")
	own("released", waits)
	own("released", holds)
	f.choose(b, "b", "below", "q")
	own("moved", waits, "b")
	own("moved", holds, "b")
	if slices.Sort(f.charged); !slices.Equal(f.charged, []string{"below", "q"}) {
		t.Errorf("charged what is held in %q", f.charged)
	}

	f.move("q", "gone")
	f.choose(b, "b")
	f.choose(rest, "below", "q")
	own("without a tree", holds, "")
}

// TestAChangeIsReportedInTheEnd: applications in a released queue are woken, even if the status of the queue could be
// written only at the second attempt.
func TestAChangeIsReportedInTheEnd(t *testing.T) {
	t.Parallel()
	f := newForest(t, map[string]string{"a": "", "b": "", "q": "a"})
	a := f.share("a", &engine{})
	f.begin(a)
	f.choose(a, "a", "q")
	reports := 0
	a.Changed = func() {
		a.Serves("q") // it may ask
		reports++
	}
	f.move("q", "b")
	stale := f.queues()
	f.move("q", "b") // written again meanwhile
	for i := range stale {
		stale[i].ResourceVersion = "1"
	}
	if _, err := a.Choose(t.Context(), stale); err == nil || reports > 0 {
		t.Fatalf("%d reports although the queue could not be released", reports)
	}
	f.choose(a, "a")
	f.choose(a, "a")
	if reports != 1 {
		t.Errorf("%d reports, want one", reports)
	}
}

func TestWhatIsInNoTree(t *testing.T) {
	t.Parallel()
	f := newForest(t, map[string]string{"a": "", "lost": "gone"})
	a, rest := f.share("a", &engine{}), f.share("", &engine{})
	f.begin(a)
	f.begin(rest)
	f.choose(rest, "lost")
	for name, tt := range map[string]struct {
		app  *v1alpha1.SparkApplication
		want string
	}{
		"no such queue":                           {waiting("x", "missing"), ""},
		"no queue above":                          {waiting("x", "lost"), ""},
		"a queue of another system":               {holding("x", "a", v1alpha1.GateKueue), ""},
		"the grant of a deleted queue":            {holding("x", "deleted", v1alpha1.GateEmbedded), ""},
		"the grant of a queue that was in a tree": {holding("x", "deleted", v1alpha1.GateEmbedded, "deleted-too", "a"), "a"},
		"in a tree":                               {waiting("x", "a"), "a"},
		"charged in a tree":                       {holding("x", "a", v1alpha1.GateEmbedded), "a"},
	} {
		if got := f.owners(tt.app, a, rest); !slices.Equal(got, []string{tt.want}) {
			t.Errorf("%s: owned by %q, want %q", name, got, tt.want)
		}
	}
	var everything *Share
	if owns, err := everything.Owns(t.Context(), waiting("x", "a")); !owns || err != nil || !everything.Rest() || !everything.Serves("a") {
		t.Errorf("without shares: owns %t, %v", owns, err)
	}
}

// TestTheNextLeaderOfATree: queues that the previous leader had not released yet are served until nothing in them is in
// flight.
func TestTheNextLeaderOfATree(t *testing.T) {
	t.Parallel()
	f := newForest(t, map[string]string{"a": "", "b": "", "q": "a"})
	f.begin(f.share("a", &engine{}))
	f.move("q", "b")
	e := &engine{}
	e.fly("q", "takes")
	next, b := f.share("a", e), f.share("b", &engine{})
	f.begin(next)
	f.begin(b)
	f.choose(next, "a")
	if got := f.owners(waiting("takes", "q"), next, b); !slices.Equal(got, []string{"a"}) {
		t.Errorf("in flight: owned by %q", got)
	}
	e.land()
	f.choose(next, "a")
	f.choose(b, "b", "q")
	if got := f.owners(holding("takes", "q", v1alpha1.GateEmbedded), next, b); !slices.Equal(got, []string{"b"}) {
		t.Errorf("moved: owned by %q", got)
	}
}

// TestAQueueIsDeletedBeforeItIsClaimed reads the queues, deletes one, and then claims them. The deleted queue must not
// be claimed over and over.
func TestAQueueIsDeletedBeforeItIsClaimed(t *testing.T) {
	t.Parallel()
	f := newForest(t, map[string]string{"a": "", "p": "a", "q": "a", "r": "q"})
	listed := f.queues()
	if err := f.client.Delete(t.Context(), &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "q"}}); err != nil {
		t.Fatal(err)
	}
	s := f.share("a", &engine{})
	requests := 0
	s.Client = interceptor.NewClient(f.client, interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			if requests++; requests > len(listed) {
				return errors.New("more requests than queues")
			}
			return c.SubResource(sub).Patch(ctx, o, p, opts...)
		},
	})
	served, err := s.Begin(t.Context(), listed)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range served {
		names = append(names, served[i].Name)
	}
	if slices.Sort(names); !slices.Equal(names, []string{"a", "p"}) {
		t.Errorf("serves %q, want a and p", names)
	}
}
