// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/internal/base/fairqueue"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// concurrent is how many pods are reconciled at the same time; a quarter of that for one namespace.
const concurrent = 16

const (
	minRetryDelay = 100 * time.Millisecond
	maxRetryDelay = time.Minute
)

// Options configure a Reconciler. All fields are required unless a default is given.
type Options struct {
	// Client reads namespaces from the cache, and writes pods.
	Client client.Client
	// Live reads from the API server, bypassing the cache.
	Live client.Reader
	// Pods lists and watches pods, bypassing the cache.
	Pods corev1client.PodsGetter
	// Namespaces are those whose pods are admitted; all if empty.
	Namespaces namespaces.Set
	// Spark stores the pods with the labels of applications.
	Spark *pods.Store
	Gates reservation.Gates
	// DefaultGate is the gate of namespaces that name none.
	DefaultGate v1alpha1.GateType
	// AllowedGates are the gates that namespaces without such a list of their own may use.
	AllowedGates []v1alpha1.GateType
	Recorder     events.EventRecorder
	// MaxTermination bounds how long a pod may take to end after it was deleted or its quota was reclaimed. Default:
	// 10m.
	MaxTermination time.Duration
	// Clock gives the time for every decision.
	Clock clock.PassiveClock
	// Ready blocks until this process leads and has restored what is held.
	Ready func(context.Context) error
}

// Reconciler admits pods. Create it with New.
type Reconciler struct {
	Options
	// Waker requests reconciles of pods. Requests before the controller runs are dropped, because it starts with all
	// pods.
	waker.Waker
	store     *store
	followers *watchers
	// unattributed are the pods that are charged here although their labels name an application.
	unattributed *unattributedPods

	mu sync.Mutex
	// lastEvents holds the last event about each known pod, by name, so that it is not repeated.
	lastEvents map[types.NamespacedName]lastEvent
}

// lastEvent is the last event about a pod.
type lastEvent struct {
	pod  types.UID
	text string
}

// New returns a Reconciler that does not know any pods yet.
func New(o Options) *Reconciler {
	if o.MaxTermination == 0 {
		o.MaxTermination = pods.DefaultMaxTermination
	}
	r := &Reconciler{Options: o, lastEvents: map[types.NamespacedName]lastEvent{}, unattributed: newUnattributedPods()}
	r.store = newStore(r.Wake)
	r.followers = newWatchers(o.Pods, r.store)
	return r
}

// SetupWithManager registers the reconciler. A request without a namespace is for the namespace with that name.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minRetryDelay, maxRetryDelay)
	changed := predicate.Or(predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{})
	return ctrl.NewControllerManagedBy(mgr).
		Named("unmanagedpods").
		WatchesMetadata(&corev1.Namespace{}, &handler.EnqueueRequestForObject{}, builder.WithPredicates(changed)).
		Watches(&v1alpha1.SparkQueue{}, handler.EnqueueRequestsFromMapFunc(r.everywhere), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesRawSource(r.Source()).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent, RateLimiter: limiter, NewQueue: fairqueue.QueueFor(concurrent)}).
		Complete(r)
}

// everywhere returns requests for all guarded namespaces, because whether their pods are admitted may depend on a queue
// that has changed.
func (r *Reconciler) everywhere(context.Context, client.Object) []reconcile.Request {
	var requests []reconcile.Request
	for _, name := range r.store.namespaces() {
		requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
	}
	return requests
}

// Start watches guarded namespaces until ctx is done. It implements manager.Runnable.
func (r *Reconciler) Start(ctx context.Context) error {
	r.followers.run(ctx)
	return nil
}

// NeedLeaderElection returns true, because only a leader admits pods.
func (r *Reconciler) NeedLeaderElection() bool { return true }

// Reconcile reconciles a namespace or a pod.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Ready(ctx); err != nil {
		return ctrl.Result{}, err
	}
	name := req.Namespace
	if name == "" {
		name = req.Name
	}
	if !r.Namespaces.Has(name) {
		return ctrl.Result{}, nil
	}
	namespace, err := r.namespace(ctx, name)
	if err != nil {
		return ctrl.Result{}, err
	}
	switch {
	case req.Namespace != "":
		return ctrl.Result{}, r.reconcilePod(ctx, namespace, req.NamespacedName)
	case guarded(namespace):
		if err := r.followers.watch(ctx, name); err != nil {
			return ctrl.Result{}, err
		}
	default:
		defer r.followers.unwatch(name)
	}
	for _, pod := range r.unattributed.all() { // they may have been charged before the controller ran
		if pod.Namespace == name {
			r.Wake(pod)
		}
	}
	for _, p := range r.store.of(name) {
		r.Wake(types.NamespacedName{Namespace: name, Name: p.Name})
	}
	return ctrl.Result{}, nil
}

// namespace reads the labels and annotations of a namespace. If the namespace is gone, it returns one without any.
func (r *Reconciler) namespace(ctx context.Context, name string) (*metav1.PartialObjectMetadata, error) {
	namespace := livemeta.Namespace(name)
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(namespace), namespace)
	if apierrors.IsNotFound(err) {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read namespace %s: %w", name, err)
	}
	return namespace, nil
}

func guarded(namespace metav1.Object) bool {
	return namespacepolicy.Of(namespace).Guarded
}

// gateOf returns the gate that decides on the unmanaged pods of a namespace.
func (r *Reconciler) gateOf(namespace metav1.Object) v1alpha1.GateType {
	return namespacepolicy.Of(namespace).Place(nil, namespacepolicy.Defaults{Gate: r.DefaultGate}).Gate
}
