// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package labelled

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// cluster has namespaces, and permissions of the operator in some of them.
type cluster struct {
	client.Client
	t *testing.T

	mu     sync.Mutex
	rights map[string]answer
	// failing makes lists fail.
	failing atomic.Bool
	// further maps each namespace to the answers of the next reviews, in order.
	further map[string][]answer
}

// answer is the answer to a review of a permission.
type answer = authorizationv1.SubjectAccessReviewStatus

var (
	allowed = answer{Allowed: true}
	denied  = answer{}
	failed  = answer{Denied: true, EvaluationError: "the authorization webhook does not answer"}
)

func newCluster(t *testing.T, rights ...string) *cluster {
	t.Helper()
	c := &cluster{t: t, rights: map[string]answer{}, further: map[string][]answer{}}
	for _, name := range rights {
		c.rights[name] = allowed
	}
	c.Client = fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithInterceptorFuncs(interceptor.Funcs{
		List: func(ctx context.Context, from client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			if c.failing.Load() {
				return errors.New("etcdserver: request timed out")
			}
			return from.List(ctx, list, options...)
		},
		Create: func(ctx context.Context, to client.WithWatch, o client.Object, options ...client.CreateOption) error {
			review, is := o.(*authorizationv1.SelfSubjectAccessReview)
			if !is {
				return to.Create(ctx, o, options...)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			name := review.Spec.ResourceAttributes.Namespace
			if more := c.further[name]; len(more) > 0 && review.Spec.ResourceAttributes.Verb == "list" { // the first one of a look
				c.rights[name], c.further[name] = more[0], more[1:]
			}
			review.Status = c.rights[name]
			return nil
		},
	}).Build()
	return c
}

// set creates or changes a namespace, and lets n observe it.
func (c *cluster) set(n *Namespaces, name string, labelled bool) {
	c.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if labelled {
		namespace.Labels = map[string]string{"spark": "enabled"}
	}
	err := c.Create(c.t.Context(), namespace)
	if err != nil {
		err = c.Update(c.t.Context(), namespace)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	if n != nil {
		n.observe(namespace)
	}
}

// finds sets the answers of the next reviews in a namespace. The last one is repeated.
func (c *cluster) finds(name string, found ...answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.further[name] = found
}

// TestFollows: the operator restarts when a namespace with permissions gains or loses the label, or a labelled one
// gains permissions, and not because of other namespaces.
func TestFollows(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*cluster, *Namespaces)
		ends   bool
	}{
		"one gains the label":                  {func(c *cluster, n *Namespaces) { c.set(n, "plain", true) }, true},
		"one loses the label":                  {func(c *cluster, n *Namespaces) { c.set(n, "first", false) }, true},
		"one gains the label without rights":   {func(c *cluster, n *Namespaces) { c.set(n, "closed", true) }, false},
		"one without the label comes":          {func(c *cluster, n *Namespaces) { c.set(n, "new", false) }, false},
		"one that lacked rights has them now":  {func(c *cluster, _ *Namespaces) { c.finds("lacking", allowed) }, true},
		"one loses its rights":                 {func(c *cluster, _ *Namespaces) { c.finds("first", denied) }, true},
		"one that lacked rights may have them": {func(c *cluster, _ *Namespaces) { c.finds("lacking", failed) }, false},
		"one changes otherwise":                {func(c *cluster, n *Namespaces) { c.set(n, "first", true) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, "first", "plain", "new")
			for namespace, labelled := range map[string]bool{"first": true, "plain": false, "lacking": true, "closed": false} {
				c.set(nil, namespace, labelled)
			}
			clock := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
			n := New(labels.SelectorFromSet(labels.Set{"spark": "enabled"}), c, clock, logr.Discard())
			if names, err := n.Wait(t.Context()); err != nil || !slices.Equal(names, []string{"first"}) {
				t.Fatalf("namespaces %q, %v", names, err)
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			ended := make(chan error, 1)
			go func() { ended <- n.Start(ctx) }()
			tt.change(c, n)
			for range 5 { // more than a look for rights, and what a change waits for
				for !clock.HasWaiters() && len(ended) == 0 {
					time.Sleep(time.Millisecond)
				}
				clock.Step(retryInterval)
			}
			if !tt.ends {
				stop()
			}
			if err := <-ended; errors.Is(err, ErrChanged) != tt.ends || !tt.ends && err != nil {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// TestLostRights: lost permissions are noticed although no other namespace lacks any. Without them the caches of a new
// leader would never sync. Neither one denial nor errors of an authorizer are enough.
func TestLostRights(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		found []answer
		// after is when the operator restarts; 0 is never.
		after time.Duration
	}{
		"denied":                              {[]answer{denied}, resyncInterval + retryInterval},
		"denied once":                         {[]answer{denied, allowed}, 0},
		"denied, allowed and denied":          {[]answer{denied, allowed, denied, allowed}, 0},
		"denied, allowed and denied for good": {[]answer{denied, allowed, denied}, resyncInterval + retryInterval + resyncInterval + retryInterval},
		"not known":                           {[]answer{failed}, 0},
		"denied, then not known":              {[]answer{denied, failed}, 0},
		"not known, then denied":              {[]answer{failed, denied}, resyncInterval + resyncInterval + retryInterval},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, n, clock := watchTwo(t)
			c.finds("second", tt.found...)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			ended, begin := make(chan error, 1), clock.Now()
			go func() { ended <- n.Start(ctx) }()
			for clock.Since(begin) < 5*resyncInterval && len(ended) == 0 {
				if clock.HasWaiters() {
					clock.Step(retryInterval)
				}
				time.Sleep(time.Millisecond)
			}
			after := clock.Since(begin)
			stop()
			switch err := <-ended; {
			case tt.after == 0 && err != nil:
				t.Errorf("ended after %s with %v", after, err)
			case tt.after > 0 && (after != tt.after || !errors.Is(err, ErrChanged)):
				t.Errorf("ended after %s with %v; want %s and %v", after, err, tt.after, ErrChanged)
			}
		})
	}
}

// watchTwo returns a watcher of the namespaces first and second.
func watchTwo(t *testing.T) (*cluster, *Namespaces, *clocktesting.FakeClock) {
	t.Helper()
	c := newCluster(t, "first", "second")
	c.set(nil, "first", true)
	c.set(nil, "second", true)
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	n := New(labels.SelectorFromSet(labels.Set{"spark": "enabled"}), c, clock, logr.Discard())
	if names, err := n.Wait(t.Context()); err != nil || len(names) != 2 {
		t.Fatalf("namespaces %q, %v", names, err)
	}
	return c, n, clock
}

// TestLooksAgainAfterAFailure: after a change the list is retried soon if it fails, not only when the permissions are
// reviewed next.
func TestLooksAgainAfterAFailure(t *testing.T) {
	t.Parallel()
	c, n, clock := watchTwo(t)
	c.failing.Store(true)
	ended, begin := make(chan error, 1), clock.Now()
	go func() { ended <- n.Start(t.Context()) }()
	c.set(n, "first", false)
	for clock.Since(begin) < resyncInterval && len(ended) == 0 {
		if clock.HasWaiters() {
			clock.Step(gathering)
		}
		time.Sleep(time.Millisecond)
		if clock.Since(begin) > retryInterval {
			c.failing.Store(false)
		}
	}
	if after := clock.Since(begin); after >= 3*retryInterval {
		t.Errorf("not noticed within %s", after)
	} else if err := <-ended; !errors.Is(err, ErrChanged) {
		t.Errorf("ended with %v", err)
	}
}

// TestLooksAtOnce: two lists in a short time, because another namespace has changed, see the same missing RoleBinding.
func TestLooksAtOnce(t *testing.T) {
	t.Parallel()
	c, n, clock := watchTwo(t)
	c.finds("second", denied)
	for i, look := range []struct {
		after time.Duration
		want  []string
	}{{0, []string{"first", "second"}}, {gathering, []string{"first", "second"}}, {retryInterval - gathering, []string{"first"}}, {gathering, []string{"first"}}} {
		clock.Step(look.after)
		if names, err := n.list(t.Context()); err != nil || !slices.Equal(names, look.want) {
			t.Errorf("look %d: namespaces %q, %v; want %q", i, names, err, look.want)
		}
	}
}

// TestWaitsForTheFirst: without any namespace the operator waits, because an empty set would stand for all of them.
func TestWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "first")
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	n := New(labels.SelectorFromSet(labels.Set{"spark": "enabled"}), c, clock, logr.Discard())
	found := make(chan []string, 1)
	go func() {
		names, _ := n.Wait(t.Context())
		found <- names
	}()
	for !clock.HasWaiters() {
		time.Sleep(time.Millisecond)
	}
	c.set(nil, "first", true)
	clock.Step(retryInterval)
	if names := <-found; !slices.Equal(names, []string{"first"}) {
		t.Errorf("namespaces %q", names)
	}
}
