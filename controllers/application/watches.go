// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/cachetransform"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/internal/base/fairqueue"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

const (
	minRetryDelay = 100 * time.Millisecond
	maxRetryDelay = time.Minute
)

// uncompressedOnly selects the applications that the cache holds uncompressed: unfinished ones and a few others.
var uncompressedOnly = client.MatchingFields{cachetransform.UnpackedIndex: cachetransform.Unpacked}

// SetupWithManager registers the reconciler. Besides applications it watches namespaces, whose labels and annotations
// decide on gates and queues, and queues, which may refuse applications. Gates and the watch of pods trigger passes
// through waker.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, waker *waker.Waker, concurrent int) error {
	index := mgr.GetFieldIndexer()
	if err := index.IndexField(context.Background(), &v1alpha1.SparkApplication{}, cachetransform.UnpackedIndex, cachetransform.IndexUnpacked); err != nil {
		return fmt.Errorf("index applications by whether they have ended: %w", err)
	}
	collector.of.Store(r)
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minRetryDelay, maxRetryDelay)
	namespaces := handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, namespace client.Object) []reconcile.Request {
		r.dropSeries(ctx, namespace.GetName())
		return r.waitingIn(ctx, namespace)
	})
	applications := unawaited{source.Kind[client.Object](mgr.GetCache(), &v1alpha1.SparkApplication{}, &handler.EnqueueRequestForObject{})}
	return ctrl.NewControllerManagedBy(mgr).
		Named("application").
		WatchesRawSource(applications).
		WatchesMetadata(&corev1.Namespace{}, namespaces, builder.WithPredicates(
			predicate.Or(predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Watches(&v1alpha1.SparkQueue{}, handler.EnqueueRequestsFromMapFunc(r.refusedIn), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesRawSource(waker.Source()).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: concurrent, RateLimiter: limiter, NewQueue: fairqueue.QueueFor(concurrent), LogConstructor: loggerOf(mgr.GetLogger()),
		}).
		Complete(r)
}

// loggerOf returns a LogConstructor that adds the same values as the builder adds for a controller with For.
func loggerOf(log logr.Logger) func(*reconcile.Request) logr.Logger {
	const kind = v1alpha1.SparkApplicationKind
	log = log.WithValues("controller", "application", "controllerGroup", v1alpha1.GroupVersion.Group, "controllerKind", kind)
	return func(req *reconcile.Request) logr.Logger {
		if req == nil {
			return log
		}
		return log.WithValues(kind, klog.KRef(req.Namespace, req.Name), "namespace", req.Namespace, "name", req.Name)
	}
}

// dropSeries deletes the metric series of a namespace that no longer exists.
func (r *Reconciler) dropSeries(ctx context.Context, name string) {
	namespace := livemeta.Namespace(name)
	if apierrors.IsNotFound(r.Client.Get(ctx, client.ObjectKeyFromObject(namespace), namespace)) {
		r.Series.DropNamespace(name)
	}
}

// waitingIn returns the applications of a namespace that wait or are invalid, which its labels or annotations may have
// caused.
func (r *Reconciler) waitingIn(ctx context.Context, namespace client.Object) []reconcile.Request {
	if !r.Namespaces.Has(namespace.GetName()) || !r.Prelisted.CacheSynced() {
		return nil // the first events of the cache trigger a pass for every application
	}
	return r.requests(ctx, namespace, func(app *v1alpha1.SparkApplication, stage status.Stage) bool {
		return app.Status.Grant == nil && (app.Status.Times.Finished == nil || stage == status.InvalidSpec)
	}, client.InNamespace(namespace.GetName()))
}

// refusedIn returns the invalid applications that the spec of a queue may have made invalid.
func (r *Reconciler) refusedIn(ctx context.Context, queue client.Object) []reconcile.Request {
	if !r.Prelisted.CacheSynced() {
		return nil
	}
	return r.requests(ctx, queue, func(app *v1alpha1.SparkApplication, stage status.Stage) bool {
		q := app.Spec.Queue
		return stage == status.InvalidSpec && app.Status.Grant == nil && (q == nil || q.Name == "" || q.Name == queue.GetName())
	})
}

// requests returns the wanted ones of the applications that an object which has changed may concern.
func (r *Reconciler) requests(ctx context.Context, changed client.Object, wanted func(*v1alpha1.SparkApplication, status.Stage) bool, in ...client.ListOption) (found []reconcile.Request) {
	list := &v1alpha1.SparkApplicationList{}
	if err := r.Client.List(ctx, list, append(in, uncompressedOnly, client.UnsafeDisableDeepCopy)...); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Failed to list the applications that a change may concern", "changed", changed.GetName())
		return nil
	}
	for i := range list.Items {
		app := &list.Items[i]
		if stage, _ := status.StageOf(app.Status.Conditions); wanted(app, stage) {
			found = append(found, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(app)})
		}
	}
	return found
}
