// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// disown leaves an application to another leader: this one releases its grants and asks for the given reason, and
// forgets its usage.
func (r *Reconciler) disown(ctx context.Context, app *v1alpha1.SparkApplication, why queueing.ReleaseReason) error {
	name := client.ObjectKeyFromObject(app)
	r.countLost(name, app.UID)
	r.meters.forget(name) // from now on the other leader counts it
	for _, key := range r.keysOf(name) {
		if err := r.Gates.Release(ctx, key, queueing.Release{Reason: why}); err != nil {
			return err
		}
	}
	return nil
}

// Owns reports whether this leader decides on an application.
func (r *Reconciler) Owns(ctx context.Context, app *v1alpha1.SparkApplication) (bool, error) {
	if mine, _, err := r.Claims.Decides(ctx, app); err != nil || !mine {
		return false, err
	}
	return true, nil
}

// chargeHeld charges the grant in the status of an application unless it is charged already. Another leader or operator
// may have decided on the application so far, or an earlier leader may have written the grant late. An attempt that was
// given up because its status cannot be written is not charged.
func (r *Reconciler) chargeHeld(app *v1alpha1.SparkApplication) {
	if app.Status.Grant != nil && !r.refusals.gaveUp(app, attempt{app.Status.Run, app.Status.Attempt}) {
		r.Gates.Charge(convert.KeyOf(app), convert.FromAPI(app.Status.Grant))
	}
}
