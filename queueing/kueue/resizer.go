// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
)

// resizer has chunks grow and shrink with what the holder of a grant wants and has.
type resizer struct {
	view    *view
	writer  *writer
	shown   *shown
	grower  *grower
	cleaner *cleaner
	askers  *askers
	log     logr.Logger
}

// resizing is an attempt that may have pods above its base gang.
type resizing struct {
	key  queueing.Key
	base *kueuev1.Workload
	held queueing.Grant
	want queueing.ResizeRequest
	usage
	// ready are the chunks that have just become ready.
	ready []*kueuev1.Workload
}

// resize adjusts the chunks to what is wanted, and returns what they have.
func (r *resizer) resize(ctx context.Context, key queueing.Key, held queueing.Grant, want queueing.ResizeRequest) queueing.Allocation {
	base := r.view.workloadFor(key, held.Run, held.Attempt)
	if !r.view.workloads.Installed() || base == nil || finished(base) {
		return queueing.Allocation{Grant: &held}
	}
	chunks := r.chunksOf(key, held)
	t := usageOf(chunks, r.placer(held, want))
	if r.writer.ahead(base) || slices.ContainsFunc(chunks, r.writer.ahead) {
		r.shown.forget(key) // an earlier pass may not have written what it was shown
		return queueing.Allocation{Grant: &held, Why: t.why(base)}
	}
	allocation := t.allocation(held)
	r.shown.record(key, chunks)
	err := r.adjust(ctx, &resizing{key: key, base: base, held: held, want: want, usage: t, ready: readyOf(chunks, held, want)})
	if err != nil && !apierrors.IsConflict(err) { // a conflict means that another client has changed a Workload, which the watch will show
		r.log.Error(err, "Failed to request quota from Kueue for pods above the base gang", "asker", key.String())
		r.askers.retry(key)
		allocation.Why = "the request to Kueue failed; the operator will retry: " + stabilise(err.Error())
		return allocation
	}
	if allocation.Why = t.why(base); t.placementErr != nil {
		r.askers.retry(key)
	}
	return allocation
}

// adjust reports the state of chunks to Kueue, creates chunks for what is wanted and not requested yet, and deletes
// pending chunks that are no longer wanted.
func (r *resizer) adjust(ctx context.Context, a *resizing) error {
	if err := r.cleaner.removeStaleChunks(ctx, a.key, a.held.Run, a.held.Attempt); err != nil {
		return err
	}
	for _, w := range a.ready { // so that their quota counts as in use
		_, err := r.writer.condition(ctx, w, metav1.Condition{
			Type: kueuev1.WorkloadPodsReady, Status: metav1.ConditionTrue, Reason: kueuev1.WorkloadStarted, Message: "All its pods were ready together",
		})
		if err != nil {
			return err
		}
	}
	if evicted(a.base) || !a.base.DeletionTimestamp.IsZero() {
		return nil // the attempt is about to be stopped
	}
	for w, err := range a.unusable {
		if err := r.writer.hold(ctx, w, err.Error()); err != nil {
			return err
		}
	}
	if err := r.writer.remove(ctx, append(a.useless, a.surplus(a.want.Count)...)...); err != nil {
		return err
	}
	return r.grower.grow(ctx, a)
}

// settle releases what the chunks hold beyond the grant of the asker, for pods that are gone.
func (r *resizer) settle(ctx context.Context, key queueing.Key, grant queueing.Grant) {
	if !grant.MayResize() || !r.view.workloads.Installed() {
		return
	}
	byFlavor := map[string][]*kueuev1.Workload{}
	for _, w := range r.chunksOf(key, grant) {
		if isPending(w) {
			continue // the grant never included it
		}
		if r.writer.ahead(w) || !r.shown.has(key, w) {
			return // the next pass knows more
		}
		flavor := flavorOf(w)
		byFlavor[flavor] = append(byFlavor[flavor], w)
	}
	for flavor, chunks := range byFlavor {
		surplus := -elasticCount(grant.PodSets, flavor)
		for _, w := range chunks {
			surplus += charged(w)
		}
		for _, s := range reclaims(chunks, surplus) {
			if err := r.giveBack(ctx, s); err != nil && !apierrors.IsConflict(err) {
				r.log.Error(err, "Failed to return quota of pods to Kueue", "asker", key.String())
				r.askers.retry(key)
			}
		}
	}
}

// giveBack releases what a chunk does not need. A chunk that was evicted asks again, and Kueue decides when it may get
// quota.
func (r *resizer) giveBack(ctx context.Context, s reclaim) error {
	w := s.chunk
	switch {
	case !w.DeletionTimestamp.IsZero():
		return r.writer.removeFinalizer(ctx, w)
	case s.count < charged(w):
		after := w.DeepCopy()
		after.Status.ReclaimablePods = []kueuev1.ReclaimablePod{{
			Name: w.Status.Admission.PodSetAssignments[0].Name, Count: requestedCount(w) - charged(w) + s.count,
		}}
		return r.writer.patchStatus(ctx, w, after)
	case reclaimRequested(w) && reclaimable(w) == 0:
		return r.writer.requeue(ctx, w, "the pods have ended")
	}
	return r.writer.remove(ctx, w)
}

// chunksOf returns the chunks of the attempt that holds a grant, oldest first.
func (r *resizer) chunksOf(key queueing.Key, held queueing.Grant) []*kueuev1.Workload {
	return slices.DeleteFunc(r.view.chunksOf(key), func(w *kueuev1.Workload) bool { return !isOf(w, held.Run, held.Attempt) })
}

// placer returns a function that returns what each pod of a chunk is charged, and where it is placed. If the flavor has
// changed since, pods that exist already keep the quota and the placement that they were given.
func (r *resizer) placer(held queueing.Grant, want queueing.ResizeRequest) func(*kueuev1.Workload) (*queueing.PodSetGrant, error) {
	template := &corev1.PodTemplateSpec{Spec: corev1.PodSpec{NodeSelector: want.NodeSelector}}
	each := queueing.PodSet{Name: want.PodSet}
	if base := basePods(held, want.PodSet); base != nil {
		each.Requests = base.Requests
	}
	return func(w *kueuev1.Workload) (*queueing.PodSetGrant, error) {
		set, err := assigner{w, r.view.flavor, template}.assigned(each, &w.Status.Admission.PodSetAssignments[0])
		if err != nil {
			if before := elastic(held.PodSets, flavorOf(w)); before != nil {
				same := *before
				return &same, nil
			}
			return nil, err
		}
		set.Annotations, set.SchedulingGates = nil, nil // they belong to one Workload, but a flavor may have several
		return set, nil
	}
}
