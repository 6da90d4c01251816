// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/spark/leftover"
)

// LeftoverFinder lists objects once, when this process becomes the leader. It finds the objects of applications that
// were deleted while no operator ran, and those of attempts whose kept driver pod was deleted.
type LeftoverFinder struct {
	*Reconciler
	// Waker triggers passes over applications.
	Waker *waker.Waker
	// Pauses is the clock for the pauses between retries.
	Pauses clock.Clock
	// Listed is called with each object whose labels name an application; it may be nil.
	Listed func(schema.GroupVersionKind, *metav1.PartialObjectMetadata)
	// done holds the kinds that need not be listed again.
	done map[schema.GroupVersionKind]bool
}

// findRetryPause is the pause before listing the kinds again that could not be listed.
const findRetryPause = 30 * time.Second

// NeedLeaderElection returns true, because only a leader cleans up.
func (f *LeftoverFinder) NeedLeaderElection() bool { return true }

// Start lists all kinds, retrying until it succeeds, and then returns.
func (f *LeftoverFinder) Start(ctx context.Context) error {
	if f.Ready(ctx) != nil {
		return nil
	}
	for {
		err := f.find(ctx)
		for _, name := range f.deletions.withLeftovers() {
			f.Waker.Wake(name)
		}
		if err == nil || ctx.Err() != nil {
			return nil
		}
		ctrl.LoggerFrom(ctx).Error(err, "Failed to list objects that deleted applications have left behind; will retry")
		select {
		case <-ctx.Done():
			return nil
		case <-f.Pauses.After(findRetryPause):
		}
	}
}

// find lists the metadata of each kind that was not listed yet.
func (f *LeftoverFinder) find(ctx context.Context) error {
	if f.done == nil {
		f.done = map[schema.GroupVersionKind]bool{}
	}
	var failed []error
	for _, kind := range slices.Concat(leftover.Listed, f.GateKinds) {
		if f.done[kind] {
			continue
		}
		err := f.list(ctx, kind)
		if failed = append(failed, err); err == nil {
			f.done[kind] = true
		}
	}
	return errors.Join(failed...)
}

// list goes through the objects of a kind whose labels name an application.
func (f *LeftoverFinder) list(ctx context.Context, kind schema.GroupVersionKind) error {
	var failed []error
	for _, namespace := range f.Namespaces.Scopes() {
		failed = append(failed, livemeta.Each(ctx, f.Live, kind, func(obj *metav1.PartialObjectMetadata) error {
			f.deletions.suspect(obj)
			f.noteAttempt(kind, obj)
			if f.Listed != nil {
				f.Listed(kind, obj)
			}
			return nil
		}, client.InNamespace(namespace), client.HasLabels{v1alpha1.ApplicationUIDLabel}))
	}
	return errors.Join(failed...)
}

// noteAttempt records the attempt of an object, and triggers a pass over its application if the driver pod of the
// attempt does not exist.
func (f *LeftoverFinder) noteAttempt(kind schema.GroupVersionKind, obj *metav1.PartialObjectMetadata) {
	if !f.kept.found(kind, obj) {
		return
	}
	app, of := leftover.Of(obj).NamespacedName, obj.Labels
	if !slices.ContainsFunc(f.Pods.Of(app), func(r *pods.Record) bool {
		return r.Role == pods.Driver && r.AppUID == of[v1alpha1.ApplicationUIDLabel] && of[v1alpha1.RunLabel] == strconv.FormatInt(r.Run, 10) &&
			of[v1alpha1.AttemptLabel] == strconv.FormatInt(r.Attempt, 10)
	}) {
		f.Waker.Wake(app)
	}
}
