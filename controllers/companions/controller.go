// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/internal/base/fairqueue"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
)

// Options configure a Reconciler. All fields are required unless a default is given.
type Options struct {
	// Client reads applications from the cache, and writes to the API server.
	Client client.Client
	// Live reads from the API server, bypassing the cache.
	Live client.Reader
	// Exposure says which hosts web interfaces may use. Default: none.
	Exposure expose.Rules
	// Namespaces are those whose Ingresses and HTTPRoutes can be read; all if empty.
	Namespaces namespaces.Set
	// Recorder records events.
	Recorder events.EventRecorder
	// Clock gives the time for retries.
	Clock clock.PassiveClock
	// AddressChanged is called when the result of Address has changed for an application. It may be nil, and must not
	// block.
	AddressChanged func(types.NamespacedName)
	// Ready blocks until this process leads and may write. Default: returns immediately.
	Ready func(context.Context) error
}

// Reconciler reconciles the companions of all applications. It is safe for concurrent use with different applications.
type Reconciler struct {
	Options
	states *states
	// claims are the hosts and paths claimed in the cluster.
	claims claimCache
	// gateways knows which Gateways may be read.
	gateways gatewayReads
	// waker triggers reconciles of applications for which companions were found.
	waker *waker.Waker
}

// New returns a Reconciler that does not know any object yet.
func New(o Options) *Reconciler {
	if o.Ready == nil {
		o.Ready = func(context.Context) error { return nil }
	}
	if o.AddressChanged == nil {
		o.AddressChanged = func(types.NamespacedName) {}
	}
	return &Reconciler{Options: o, states: newStates(), waker: waker.New()}
}

// minRetryDelay and maxRetryDelay bound the pause after a failure. The first is short because users wait for the
// address of the web interface.
const (
	minRetryDelay = 100 * time.Millisecond
	maxRetryDelay = time.Minute
)

// SetupWithManager registers the reconciler. concurrent is how many applications are reconciled at the same time.
// Applications that neither have nor want companions are filtered out.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	concerned := predicate.NewPredicateFuncs(func(obj client.Object) bool {
		app, whole := obj.(*v1alpha1.SparkApplication) // a packed one has no companions
		return whole && expose.Uses(&app.Spec) || r.states.knows(client.ObjectKeyFromObject(obj))
	})
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minRetryDelay, maxRetryDelay)
	return ctrl.NewControllerManagedBy(mgr).
		Named("companions").
		For(&v1alpha1.SparkApplication{}, builder.WithPredicates(concerned)).
		WatchesRawSource(r.waker.Source()).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent, RateLimiter: limiter, NewQueue: fairqueue.QueueFor(concurrent)}).
		Complete(r)
}

// Reconcile brings the companions of an application in line with it. Failures never affect the run; they are recorded
// as events and retried.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Ready(ctx); err != nil {
		return ctrl.Result{}, err
	}
	app := &v1alpha1.SparkApplication{}
	if err := r.Client.Get(ctx, req.NamespacedName, app); err != nil {
		if apierrors.IsNotFound(err) {
			r.states.forget(req.NamespacedName)
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: r.reconcileExisting(ctx, app)}, nil
}

// reconcileExisting brings the companions of an application in line with it. It returns the pause before the next try,
// or 0 if nothing is left to do.
func (r *Reconciler) reconcileExisting(ctx context.Context, app *v1alpha1.SparkApplication) time.Duration {
	s := r.states.of(app, expose.Uses(&app.Spec))
	if s == nil {
		return 0
	}
	now, desired := r.Clock.Now(), desiredOf(app)
	switch {
	case s.done == desired:
		return 0
	case s.tried == desired && now.Before(s.notBefore):
		return s.notBefore.Sub(now)
	case s.tried != desired:
		s.tried, s.failures = desired, 0
	}
	before, pass := r.Address(app), &reconciliation{Reconciler: r, app: app, state: s}
	problems := pass.reconcile(ctx)
	pass.recordProblems(ctx, problems)
	if r.Address(app) != before {
		r.AddressChanged(client.ObjectKeyFromObject(app))
	}
	if pause := s.backoff(problems); pause > 0 {
		s.done, s.notBefore = desiredKey{}, now.Add(pause)
		return pause
	}
	s.done = desired
	return 0
}

// Address returns the address of the web interface of the current attempt, or the empty string while this process does
// not know it.
func (r *Reconciler) Address(app *v1alpha1.SparkApplication) string { return r.states.addressOf(app) }

// ObserveExisting records an object that an earlier process may have created, so that it is deleted when it is no
// longer wanted. It ignores objects that are not companions.
func (r *Reconciler) ObserveExisting(kind schema.GroupVersionKind, obj *metav1.PartialObjectMetadata) {
	if name, is := r.states.find(kind, obj); is {
		r.waker.Wake(name)
	}
}

// setAddress records the address of the web interface of the attempt.
func (r *reconciliation) setAddress(in expose.Input) {
	r.states.setAddress(r.state, attempt{in.Run, in.Attempt}, expose.Address(in, r.state.kinds()))
}
