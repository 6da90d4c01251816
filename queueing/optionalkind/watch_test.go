// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package optionalkind

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// never is a cluster that does not serve the kind.
type never struct {
	client.WithWatch
	asked atomic.Int32
}

func (n *never) List(context.Context, client.ObjectList, ...client.ListOption) error {
	n.asked.Add(1)
	return &apimeta.NoKindMatchError{GroupKind: schema.GroupKind{Kind: "Ticket"}}
}

// pausing waits until a goroutine waits for the clock.
func pausing(clock *clocktesting.FakeClock) {
	for !clock.HasWaiters() {
		time.Sleep(time.Millisecond)
	}
}

// step advances the clock by an interval once a goroutine waits for it.
func step(clock *clocktesting.FakeClock) {
	pausing(clock)
	clock.Step(DefaultInterval)
}

// broken is a cluster that serves the kind, but whose objects cannot be read while err is set.
type broken struct {
	client.WithWatch
	err atomic.Pointer[apierrors.StatusError]
}

func (b *broken) List(context.Context, client.ObjectList, ...client.ListOption) error {
	if err := b.err.Load(); err != nil {
		return err
	}
	return &apimeta.NoKindMatchError{GroupKind: schema.GroupKind{Kind: "Ticket"}}
}

func (*broken) GroupVersionKindFor(runtime.Object) (schema.GroupVersionKind, error) {
	return schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Ticket"}, nil
}

// TestNobodyWaitsForWhatCannotBeRead: a kind that cannot be read, for example because its conversion webhook does not
// answer, does not hold up other kinds for long. It does not count as missing, because objects of it may hold
// something. With the first answer it is known again.
func TestNobodyWaitsForWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	cluster, clock := &broken{}, clocktesting.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	cluster.err.Store(apierrors.NewInternalError(errors.New("conversion webhook for example.org/v1, Kind=Ticket failed")))
	changes := make(chan bool, 1)
	w := New(Options{Client: cluster, Object: &corev1.Pod{}, List: &corev1.PodList{}, Clock: clock, Log: logr.Discard(),
		AvailabilityChanged: func(installed bool) { changes <- installed }})
	go func() { _ = w.Start(t.Context()) }()
	known := make(chan error, 1)
	go func() { known <- w.WaitUntilKnown(t.Context()) }()
	step(clock)
	if w.Unreadable() || len(known) > 0 {
		t.Error("one answer that failed is enough")
	}
	for range 2 * unreadableAfter {
		step(clock)
	}
	select {
	case err := <-known:
		if err != nil || !w.Unreadable() || w.Installed() {
			t.Errorf("unreadable %t, installed %t, %v", w.Unreadable(), w.Installed(), err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("a kind that cannot be read is waited for without end")
	}
	cluster.err.Store(nil)
	step(clock)
	if installed := <-changes; installed || w.Unreadable() {
		t.Errorf("after an answer: installed %t, unreadable %t", installed, w.Unreadable())
	}
}

// TestDenied: an operator without permissions for a kind logs that once, and asks once a minute.
func TestDenied(t *testing.T) {
	t.Parallel()
	cluster, clock := &broken{}, clocktesting.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	cluster.err.Store(apierrors.NewForbidden(schema.GroupResource{Group: "example.org", Resource: "tickets"}, "", errors.New("no role allows it")))
	var said, asked atomic.Int32
	log := funcr.New(func(_, args string) {
		if strings.Contains(args, "config/rbac") {
			said.Add(1)
		}
	}, funcr.Options{})
	w := New(Options{Client: counting{cluster, &asked}, Object: &corev1.Pod{}, List: &corev1.PodList{}, Clock: clock, Log: log})
	go func() { _ = w.Start(t.Context()) }()
	for range 360 { // an hour
		step(clock)
	}
	pausing(clock)
	if w.Installed() || said.Load() != 1 || asked.Load() > 62 {
		t.Errorf("installed %t, said %d times, asked %d times", w.Installed(), said.Load(), asked.Load())
	}
}

// counting counts requests to a cluster.
type counting struct {
	*broken
	asked *atomic.Int32
}

func (c counting) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	c.asked.Add(1)
	return c.broken.List(ctx, list, opts...)
}

// uncached is a cluster whose API server has no cache of the kind while its objects cannot be converted. It answers
// only requests that read from the store.
type uncached struct{ broken }

func (*uncached) List(_ context.Context, _ client.ObjectList, opts ...client.ListOption) error {
	if o := (&client.ListOptions{}).ApplyOptions(opts); o.Limit == 1 {
		return nil
	}
	return apierrors.NewTooManyRequests("storage is (re)initializing", 30)
}

func (*uncached) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	return nil, apierrors.NewTooManyRequests("storage is (re)initializing", 30)
}

// TestNobodyWaitsForAnAPIServerThatSaysLater: a Reflector retries as often as it is asked to, and reports no failure.
func TestNobodyWaitsForAnAPIServerThatSaysLater(t *testing.T) {
	t.Parallel()
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	w := New(Options{Client: &uncached{}, Object: &corev1.Pod{}, List: &corev1.PodList{}, Clock: clock, Log: logr.Discard()})
	go func() { _ = w.Start(t.Context()) }()
	for range 2 * unreadableAfter {
		step(clock)
	}
	if err := w.WaitUntilKnown(t.Context()); err != nil || !w.Unreadable() || w.Installed() {
		t.Errorf("unreadable %t, installed %t, %v", w.Unreadable(), w.Installed(), err)
	}
}

// guarded is a cluster whose objects can be read once allowed is set.
type guarded struct {
	client.WithWatch
	allowed atomic.Bool
}

func (g *guarded) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if !g.allowed.Load() {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "tickets"}, "", errors.New("no role"))
	}
	return g.WithWatch.List(ctx, list, opts...)
}

func (*guarded) IsWatchListSemanticsUnSupported() bool { return true }

// TestObjectsOfAKindThatComesBack: a caller that is woken for an object finds the object in the cache, also if the kind
// counted as absent before.
func TestObjectsOfAKindThatComesBack(t *testing.T) {
	t.Parallel()
	old := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "old"}}
	cluster := &guarded{WithWatch: fake.NewClientBuilder().WithObjects(old).Build()}
	seen := make(chan client.Object, 8)
	var w *Watch
	w = New(Options{Client: cluster, Object: &corev1.Pod{}, List: &corev1.PodList{}, Interval: time.Second, Log: logr.Discard(),
		Changed: func(o client.Object) { seen <- w.Get(o.GetNamespace(), o.GetName()) }})
	go func() { _ = w.Start(t.Context()) }()
	if err := w.WaitUntilKnown(t.Context()); err != nil || w.Installed() {
		t.Fatalf("installed %t, %v", w.Installed(), err)
	}
	cluster.allowed.Store(true)
	for timeout := time.After(10 * time.Second); ; {
		select {
		case o := <-seen:
			if o != nil {
				return
			}
		case <-timeout:
			t.Fatal("nobody is told of an object that was there before its kind could be read")
		}
	}
}

// TestPace: a kind that is not served is asked for once a minute.
func TestPace(t *testing.T) {
	t.Parallel()
	const intervals = 360 // an hour
	cluster, clock := &never{}, clocktesting.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	w := New(Options{Client: cluster, Object: &corev1.Pod{}, List: &corev1.PodList{}, Clock: clock, Log: logr.Discard()})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- w.Start(ctx) }()
	for range intervals {
		pausing(clock)
		clock.Step(DefaultInterval)
	}
	pausing(clock)
	if asked := cluster.asked.Load(); asked < 60 || asked > 62 {
		t.Errorf("asked %d times in an hour, want 60 to 62", asked)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
