// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/observe"
	"github.com/sparkgate/sparkgate/controllers/application/requeue"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing"
)

// endingInterval is how often pods are checked that do not end in time.
const endingInterval = 10 * time.Second

// cleanUpDeleted ends the pods of an application that no longer exists, even if it went without its finalizer, and
// releases its quota. The garbage collector deletes everything else that it owned.
func (r *Reconciler) cleanUpDeleted(ctx context.Context, name types.NamespacedName) (ctrl.Result, error) {
	r.Pods.TakeGone(name)
	if !r.hasRemains(name) {
		r.forget(name)
		return ctrl.Result{}, nil
	}
	live := &v1alpha1.SparkApplication{}
	err := r.Live.Get(ctx, name, live)
	if err == nil {
		return ctrl.Result{}, nil // the cache has not shown it yet
	}
	if !apierrors.IsNotFound(err) {
		return ctrl.Result{}, fmt.Errorf("read application: %w", err)
	}
	after, err := r.releaseStale(ctx, name, "")
	if err == nil && after == 0 {
		r.forget(name)
	}
	return ctrl.Result{RequeueAfter: after}, err
}

// forget drops everything that is remembered about an application.
func (r *Reconciler) forget(name types.NamespacedName) {
	r.countLost(name, "")
	r.memory.Forget(name)
}

// hasRemains reports whether applications of this name have active pods, or hold or ask for quota.
func (r *Reconciler) hasRemains(name types.NamespacedName) bool {
	return slices.ContainsFunc(r.Pods.Of(name), (*pods.Record).Active) || len(r.keysOf(name)) > 0
}

// releaseStale cleans up after applications of this name whose uid is not keep. It deletes their pods, and once none of
// them is active it releases their grants and asks. after is when to check the remaining pods again; 0 if there are
// none.
func (r *Reconciler) releaseStale(ctx context.Context, name types.NamespacedName, keep types.UID) (after time.Duration, err error) {
	active := map[string][]*pods.Record{}
	for _, record := range r.Pods.Of(name) {
		if record.AppUID == string(keep) || !record.Active() {
			continue
		}
		active[record.AppUID] = append(active[record.AppUID], record)
		due, err := r.endOrphan(ctx, record)
		if err != nil {
			return 0, err
		}
		after = requeue.Sooner(after, due)
	}
	late := r.memory.TakeLate(name, active, r.Clock.Now(), r.MaxTermination)
	r.chargeUnattributed(slices.DeleteFunc(late, func(p *pods.Record) bool { return !p.OnNode() }))
	r.chargeOrphans(name, active)
	for _, key := range r.keysOf(name) {
		if key.UID != string(keep) && active[key.UID] == nil {
			if err := r.Gates.Release(ctx, key, queueing.Release{Reason: queueing.Deleted}); err != nil {
				return 0, err
			}
		}
	}
	return after, nil
}

// endOrphan deletes a pod whose application is gone. It forces the deletion once MaxTermination is over, if the node
// answers. It returns when to check the pod again.
func (r *Reconciler) endOrphan(ctx context.Context, record *pods.Record) (time.Duration, error) {
	if !record.Deleting || record.EndsLate(r.MaxTermination) {
		return r.MaxTermination, r.cleaner().DeletePod(ctx, record, false)
	}
	if wait := record.ForcedAt(r.MaxTermination).Sub(r.Clock.Now()); wait > 0 {
		return wait, nil
	}
	lost, err := observe.UnreachableNodes(ctx, r.Live, []*pods.Record{record})
	if err != nil || lost[record.Node] {
		return endingInterval, err
	}
	return endingInterval, r.cleaner().DeletePod(ctx, record, true)
}

// chargeOrphans keeps the grants of deleted applications of a name charged while pods with their labels are active.
// active holds these pods by the uid of their application. What they use beyond the grant is charged as unmanaged pods,
// because any user can set these labels.
func (r *Reconciler) chargeOrphans(name types.NamespacedName, active map[string][]*pods.Record) {
	for uid, records := range active {
		if grant, here := r.Gates.Orphaned(queueing.Key{Kind: v1alpha1.SparkApplicationKind, Namespace: name.Namespace, Name: name.Name, UID: uid}); here {
			r.chargeUnattributed(pods.ExceedingGrant(records, grant))
		}
	}
}

// keysOf returns the keys under which applications of this name may hold or ask for quota.
func (r *Reconciler) keysOf(name types.NamespacedName) []queueing.Key {
	return r.Gates.Keys(queueing.Key{Kind: v1alpha1.SparkApplicationKind, Namespace: name.Namespace, Name: name.Name})
}
