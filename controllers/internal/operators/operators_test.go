// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package operators

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// leases is a reader of leases.
type leases struct {
	client.Reader
	// renewed maps namespaces to when their lease was last renewed.
	renewed map[string]time.Time
	// refused makes every read fail.
	refused bool
	reads   int
}

func (l *leases) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	l.reads++
	at, exists := l.renewed[key.Namespace]
	resource := schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}
	switch {
	case l.refused:
		return apierrors.NewForbidden(resource, key.Name, errors.New("no"))
	case !exists || key.Name != "sparkgate-leader":
		return apierrors.NewNotFound(resource, key.Name)
	}
	obj.(*coordinationv1.Lease).Spec.RenewTime = &metav1.MicroTime{Time: at}
	return nil
}

func newOperators(l *leases) (*Operators, *clocktesting.FakeClock) {
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	return New(Options{Namespace: "own", Lease: "sparkgate-leader", Timeout: time.Minute, Live: l, Clock: clock, Log: logr.Discard()}), clock
}

func TestOther(t *testing.T) {
	t.Parallel()
	l := &leases{renewed: map[string]time.Time{}}
	o, clock := newOperators(l)
	l.renewed["lives"], l.renewed["slow"], l.renewed["dead"] = clock.Now(), clock.Now().Add(-59*time.Second), clock.Now().Add(-61*time.Second)
	l.renewed["fast"], l.renewed["never"] = clock.Now().Add(59*time.Second), clock.Now().Add(time.Hour)
	for name, want := range map[string]bool{"": false, "own": false, "lives": true, "slow": true, "fast": true, "never": false, "dead": false, "unknown": false, "Not a name": false} {
		if got := o.Other(t.Context(), name); got != want {
			t.Errorf("%q is another operator: %t, want %t", name, got, want)
		}
	}
	if reads := l.reads; o.Other(t.Context(), "lives") && l.reads != reads {
		t.Error("each question reads the lease")
	}
	var none *Operators
	if none.Other(t.Context(), "lives") || none.Name() != "" {
		t.Error("an operator without a name heeds others")
	}
}

// TestGone: an operator counts as gone once it has not renewed its lease, but not because its lease cannot be read.
func TestGone(t *testing.T) {
	t.Parallel()
	l := &leases{renewed: map[string]time.Time{}}
	o, clock := newOperators(l)
	l.renewed["left"] = clock.Now()
	if !o.Other(t.Context(), "left") || o.Other(t.Context(), "dead") {
		t.Fatal("who lives is mistaken")
	}
	l.refused = true
	clock.Step(2 * time.Minute)
	if name := o.gone(t.Context()); name != "" {
		t.Errorf("%s is gone because its lease could not be read", name)
	}
	l.refused, l.renewed["left"] = false, clock.Now()
	clock.Step(30 * time.Second)
	if name := o.gone(t.Context()); name != "" {
		t.Errorf("%s is gone after half a minute", name)
	}
	ended := make(chan error, 1)
	go func() { ended <- o.Start(t.Context()) }()
	for range 10 {
		for !clock.HasWaiters() && len(ended) == 0 {
			time.Sleep(time.Millisecond)
		}
		clock.Step(10 * time.Second)
	}
	if err := <-ended; !errors.Is(err, ErrGone) {
		t.Errorf("ended with %v", err)
	}
}

// TestBeginsAnew: an operator without a lease is alive as soon as it has one, before any application that it has taken
// since is old enough for others.
func TestBeginsAnew(t *testing.T) {
	t.Parallel()
	l := &leases{renewed: map[string]time.Time{}}
	o, clock := newOperators(l)
	if o.Other(t.Context(), "anew") {
		t.Fatal("an operator without a lease is alive")
	}
	clock.Step(maxGoneAge)
	l.renewed["anew"] = clock.Now()
	if !o.Other(t.Context(), "anew") {
		t.Error("it has a lease")
	}
	if maxGoneAge >= yield {
		t.Errorf("%s are no less than %s", maxGoneAge, yield)
	}
}

// slowLeases blocks every read until it is released.
type slowLeases struct {
	*leases
	asked, answer chan struct{}
	mu            sync.Mutex
}

func (l *slowLeases) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	l.asked <- struct{}{}
	<-l.answer
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leases.Get(ctx, key, obj, opts...)
}

// TestSlowAnswer: while a lease is being read, the previous answers are returned, also for other operators.
func TestSlowAnswer(t *testing.T) {
	t.Parallel()
	l := &slowLeases{leases: &leases{renewed: map[string]time.Time{}}, asked: make(chan struct{}, 1), answer: make(chan struct{})}
	o, clock := newOperators(l.leases)
	l.renewed["known"], l.renewed["too"] = clock.Now(), clock.Now()
	if !o.Other(t.Context(), "known") || !o.Other(t.Context(), "too") {
		t.Fatal("who lives is mistaken")
	}
	o.o.Live = l
	clock.Step(2 * time.Minute)
	first := make(chan bool)
	go func() { first <- o.Other(t.Context(), "known") }()
	<-l.asked
	if !o.Other(t.Context(), "known") {
		t.Error("what is known is forgotten while the lease is read")
	}
	second := make(chan bool)
	go func() { second <- o.Other(t.Context(), "too") }()
	<-l.asked // while the first one is being read
	close(l.answer)
	if <-first || <-second {
		t.Error("the leases have ended")
	}
}

// TestManyNames: not all names in objects are followed, and names that no object has mentioned for a while are dropped.
func TestManyNames(t *testing.T) {
	t.Parallel()
	l := &leases{renewed: map[string]time.Time{}}
	o, clock := newOperators(l)
	l.renewed["lives"] = clock.Now().Add(time.Minute)
	for i := range 1000 {
		o.Other(t.Context(), "made-up-"+string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676)))
	}
	if l.reads != maxKnown || len(o.met) != maxKnown {
		t.Errorf("%d reads, %d names are followed", l.reads, len(o.met))
	}
	if o.Other(t.Context(), "lives") {
		t.Error("there is room for one more")
	}
	if clock.Step(61 * time.Second); !o.Other(t.Context(), "lives") || len(o.met) != 1 {
		t.Errorf("no room for one that lives, although %d are gone", len(o.met))
	}
}

// queues serves some queues, and knows the leaders of others.
type queues struct {
	serves map[string]bool
	ledBy  map[string]string
}

func (q queues) Serves(name string) bool  { return q.serves[name] }
func (q queues) LedBy(name string) string { return q.ledBy[name] }

func TestDecides(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		operator, queue string
		gate            string
		holds, old      bool
		selective       bool
		want            bool
		// later is set if the answer may change without a change of the application.
		later bool
	}{
		"nobody's, in an own queue":                   {queue: "mine", want: true},
		"nobody's, in no queue":                       {queue: "missing", want: true},
		"nobody's, in no queue that can be seen":      {queue: "missing", selective: true, later: true},
		"nobody's, in no queue that can be seen, old": {queue: "missing", selective: true, old: true, want: true},
		"nobody's, in another's queue":                {queue: "theirs", later: true},
		"nobody's, in another's queue, old":           {queue: "theirs", old: true, want: true},
		"nobody's, of another gate":                   {queue: "theirs", gate: "Kueue", selective: true, want: true},
		"nobody's, holds quota in an own queue":       {queue: "mine", holds: true, want: true},
		"nobody's, holds quota in another's queue":    {queue: "theirs", holds: true, old: true},
		"own":                                              {operator: "own", queue: "theirs", want: true},
		"another's, in its queue":                          {operator: "lives", queue: "theirs", old: true},
		"another's, in no queue":                           {operator: "lives", queue: "missing", old: true},
		"another's, in an own queue":                       {operator: "lives", queue: "mine", want: true},
		"another's, in an own queue, holds quota":          {operator: "lives", queue: "mine", holds: true},
		"another's, of another gate":                       {operator: "lives", queue: "mine", gate: "Kueue"},
		"of one that is gone":                              {operator: "dead", queue: "missing", old: true, want: true},
		"of one that is gone, new":                         {operator: "dead", queue: "missing", later: true},
		"of one that is gone, holds quota in no queue":     {operator: "dead", queue: "missing", holds: true, want: true},
		"of one that is gone, holds quota in a third's":    {operator: "dead", queue: "theirs", holds: true},
		"of one that is gone, in no queue that it can see": {operator: "dead", queue: "missing", selective: true, old: true, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &leases{renewed: map[string]time.Time{}}
			o, clock := newOperators(l)
			l.renewed["lives"] = clock.Now()
			c := &Claims{Operators: o, Selective: tt.selective,
				Queues: queues{map[string]bool{"mine": true}, map[string]string{"theirs": "lives"}},
				QueueOf: func(context.Context, *v1alpha1.SparkApplication) (string, bool, error) {
					return tt.queue, tt.gate == "", nil
				}}
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Time{Time: clock.Now().Add(-time.Second)}}}
			if tt.old {
				app.CreationTimestamp.Time = clock.Now().Add(-yield)
			}
			if app.Status.Operator = tt.operator; tt.holds {
				app.Status.Grant = &v1alpha1.Grant{}
			}
			mine, after, err := c.Decides(t.Context(), app)
			if err != nil || mine != tt.want || after > 0 != tt.later {
				t.Errorf("decides: %t, again after %s, %v; want %t", mine, after, err, tt.want)
			}
		})
	}
}

// TestContested: if another operator decides on the application, that is an error unless the queue selector excludes
// its queue, and it is recorded once.
func TestContested(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		operator, other, queue string
		selective, finished    bool
		want                   bool
	}{
		"both lead everything":  {operator: "lives", queue: "theirs", want: true},
		"queues are divided":    {operator: "lives", queue: "hidden", selective: true},
		"both see the queue":    {operator: "lives", queue: "theirs", selective: true, want: true},
		"it was told":           {operator: "lives", other: "own", queue: "theirs"},
		"a third one has told":  {operator: "lives", other: "third", queue: "theirs"},
		"it has ended":          {operator: "lives", queue: "theirs", finished: true},
		"nobody has taken it":   {queue: "theirs"},
		"the other one is gone": {operator: "dead", queue: "theirs"},
		"this one decides":      {operator: "own", queue: "theirs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &leases{renewed: map[string]time.Time{}}
			o, clock := newOperators(l)
			l.renewed["lives"] = clock.Now()
			c := &Claims{Operators: o, Selective: tt.selective, Queues: queues{nil, map[string]string{"theirs": "lives"}},
				QueueOf: func(context.Context, *v1alpha1.SparkApplication) (string, bool, error) { return tt.queue, true, nil }}
			app := &v1alpha1.SparkApplication{}
			if app.Status.Operator, app.Status.OtherOperator = tt.operator, tt.other; tt.finished {
				app.Status.Times.Finished = &metav1.Time{}
			}
			if got := c.Contested(t.Context(), app); got != tt.want {
				t.Errorf("contested: %t, want %t", got, tt.want)
			}
		})
	}
}
