// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/optionalkind"
)

// releaser releases what keys hold or ask for.
type releaser struct {
	view   *view
	live   client.Reader
	writer *writer
	unseen *unseen
	shown  *shown
	askers *askers
}

// keysFor returns the askers of this name that ask, or have a Workload that is unfinished or still has our finalizer.
func (r *releaser) keysFor(named queueing.Key) []queueing.Key {
	keys := append(r.unseen.keys(named), r.askers.keys(named)...)
	for _, w := range r.view.workloadsBy(ownerIndex, named.String()) {
		if key, ok := keyOf(w); ok && (!finished(w) || hasFinalizer(w)) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b queueing.Key) int { return strings.Compare(a.UID, b.UID) })
	return slices.Compact(keys)
}

func (r *releaser) release(ctx context.Context, key queueing.Key, how queueing.Release) error {
	r.askers.left(key)
	r.shown.forget(key)
	if !r.view.workloads.Installed() {
		return nil // without the kind there are no Workloads; those that cannot be read are released when they can, which wakes their owners
	}
	unseen, err := r.readUnseen(ctx, key)
	if err != nil {
		return err
	}
	for _, w := range append(unseen, r.view.workloadsOf(key)...) {
		if err := r.releaseWorkload(ctx, w, how); client.IgnoreNotFound(err) != nil {
			return err
		}
		if !finished(w) {
			r.askers.release(key)
		}
	}
	r.unseen.forget(key)
	return nil
}

// readUnseen reads the Workloads of a key that exist although the watch does not show them.
func (r *releaser) readUnseen(ctx context.Context, key queueing.Key) ([]*kueuev1.Workload, error) {
	var found []*kueuev1.Workload
	for _, name := range r.unseen.names(key) {
		w, err := read(ctx, r.live, key.Namespace, name)
		switch {
		case err == nil:
			if owner, ours := keyOf(w); ours && owner == key && !r.view.shows(w) {
				found = append(found, w)
			}
		case !optionalkind.NotServed(err):
			return nil, err
		}
	}
	return found, nil
}

func (r *releaser) releaseWorkload(ctx context.Context, w *kueuev1.Workload, how queueing.Release) error {
	_, watched := w.Labels[v1alpha1.AttemptLabel]
	switch end := how.Ended; {
	case how.Reason == queueing.Deleted, isChunk(w), !watched:
		return r.writer.remove(ctx, w)
	case finished(w), !w.DeletionTimestamp.IsZero():
		return r.writer.removeFinalizer(ctx, w)
	case end != nil && reserved(w) && isOf(w, end.Run, end.Attempt):
		reason := kueuev1.WorkloadFinishedReasonFailed
		if end.Succeeded {
			reason = kueuev1.WorkloadFinishedReasonSucceeded
		}
		return r.writer.end(ctx, w, reason, end.Message)
	case how.Reason == queueing.Abandoned:
		return r.writer.remove(ctx, w)
	case how.Reason == queueing.Suspended, reserved(w) && !evicted(w):
		// Without hold, Kueue would give a requeued one quota again at once, for the pods that it describes, which are
		// those of the attempt that is over.
		return r.writer.hold(ctx, w, how.Message)
	}
	return r.writer.requeue(ctx, w, how.Message)
}
