// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/application/requeue"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// Reconcile runs one pass over an application. It waits until this process leads and has restored the state of its
// predecessor.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Ready(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if !r.Prelisted.CacheSynced() {
		return r.reconcilePrelisted(ctx, req.NamespacedName)
	}
	r.deciding.Store(true)
	app := &v1alpha1.SparkApplication{}
	if err := r.Client.Get(ctx, req.NamespacedName, app); err != nil {
		if apierrors.IsNotFound(err) {
			return r.cleanUpDeleted(ctx, req.NamespacedName)
		}
		return ctrl.Result{}, err
	}
	return r.reconcileExisting(ctx, app)
}

// reconcileExisting runs a pass over an application that exists, unless the cache lags behind the last write of this
// process.
func (r *Reconciler) reconcileExisting(ctx context.Context, app *v1alpha1.SparkApplication) (ctrl.Result, error) {
	if r.memory.IsStale(app) {
		return ctrl.Result{}, nil // the event of that write is on its way, and triggers another pass
	}
	name := client.ObjectKeyFromObject(app)
	r.countLost(name, app.UID)
	record := r.memory.Of(app)
	r.chargeHeld(app, record)
	after, err := r.releaseStale(ctx, name, app.UID)
	if err != nil {
		return ctrl.Result{}, err
	}
	result := ctrl.Result{RequeueAfter: record.Refusals.Wait(app.ResourceVersion, r.Clock.Now())}
	if result.RequeueAfter == 0 || !app.DeletionTimestamp.IsZero() {
		result, err = newPass(r, app, record).run(ctx)
	}
	if err == nil {
		result.RequeueAfter = requeue.Sooner(result.RequeueAfter, after)
	}
	return result, err
}

// chargeHeld charges the grant in the status of an application unless it is charged already, because an earlier leader
// may have written it late. An attempt that was given up because its status cannot be written is not charged.
func (r *Reconciler) chargeHeld(app *v1alpha1.SparkApplication, record *memory.Record) {
	if app.Status.Grant != nil && !record.Refusals.GaveUp(lifecycle.CurrentAttempt(app)) {
		r.Gates.Charge(podsets.KeyOf(app), convert.FromAPI(app.Status.Grant))
	}
}
