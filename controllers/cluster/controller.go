// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/fairqueue"
	"github.com/sparkgate/sparkgate/internal/spark/standalone"
)

// Options configure a Reconciler. All fields are required.
type Options struct {
	// Client reads clusters from the cache, and writes. Live reads applications from the API server.
	Client client.Client
	Live   client.Reader
	Clock  clock.PassiveClock
	// Ready blocks until this process leads and may write.
	Ready func(context.Context) error
}

// Reconciler writes the applications of clusters and the status of clusters. It is safe for concurrent use with
// different clusters.
type Reconciler struct{ Options }

// New returns a Reconciler.
func New(o Options) *Reconciler { return &Reconciler{Options: o} }

// minRetryDelay and maxRetryDelay bound the pause after a failure, which doubles each time.
const (
	minRetryDelay = 100 * time.Millisecond
	maxRetryDelay = 30 * time.Second
)

// SetupWithManager registers the reconciler. It reconciles up to concurrent clusters at once.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minRetryDelay, maxRetryDelay)
	return ctrl.NewControllerManagedBy(mgr).
		Named("cluster").
		For(&v1alpha1.SparkCluster{}).
		Owns(&v1alpha1.SparkApplication{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent, RateLimiter: limiter, NewQueue: fairqueue.QueueFor(concurrent)}).
		Complete(r)
}

// Reconcile brings the application of a cluster in line with it, and the status of the cluster with that of the
// application. The application is deleted with its cluster, by the garbage collector.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Ready(ctx); err != nil {
		return ctrl.Result{}, err
	}
	cluster := &v1alpha1.SparkCluster{}
	if err := r.Client.Get(ctx, req.NamespacedName, cluster); err != nil || !cluster.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	app, refused, err := r.write(ctx, cluster)
	if err != nil {
		return ctrl.Result{}, err
	}
	after := statusOf(cluster, app, refused, metav1.NewTime(r.Clock.Now().Truncate(time.Second)))
	if equality.Semantic.DeepEqual(after, cluster.Status) {
		return ctrl.Result{}, nil
	}
	before := cluster.DeepCopy()
	cluster.Status = after
	if err := r.Client.Status().Patch(ctx, cluster, client.MergeFrom(before), client.FieldOwner(v1alpha1.FieldOwner)); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, nil
}

// write creates or changes the application of a cluster. It returns the application as it is then, or why it cannot be
// written.
func (r *Reconciler) write(ctx context.Context, cluster *v1alpha1.SparkCluster) (app *v1alpha1.SparkApplication, refused string, err error) {
	wanted, app := standalone.Application(cluster), &v1alpha1.SparkApplication{}
	switch err := r.Live.Get(ctx, client.ObjectKeyFromObject(wanted), app); {
	case apierrors.IsNotFound(err):
		err = r.Client.Create(ctx, wanted, client.FieldOwner(author))
		return wanted, refusal(err), unlessRefused(err)
	case err != nil:
		return nil, "", fmt.Errorf("read the application of a cluster: %w", err)
	case !metav1.IsControlledBy(app, cluster):
		return nil, fmt.Sprintf("SparkApplication %s exists, and a cluster needs one of its own name: delete it, or give the cluster another name", app.Name), nil
	case !app.DeletionTimestamp.IsZero(), equality.Semantic.DeepEqual(app.Spec, wanted.Spec):
		return app, "", nil
	}
	before := app.DeepCopy()
	app.Spec = wanted.Spec
	err = r.Client.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), client.FieldOwner(author))
	return app, refusal(err), unlessRefused(err)
}

// author is the field manager of the spec of the application, of which the cluster is the author as a user would be.
const author = v1alpha1.FieldOwner + "-cluster"

// refusal returns why the API server will not have an application, empty if it has not refused it.
func refusal(err error) string {
	if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) {
		return err.Error()
	}
	return ""
}

func unlessRefused(err error) error {
	if refusal(err) != "" {
		return nil
	}
	return err
}
