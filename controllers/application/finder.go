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

// Finder looks once, when this process begins to lead, for objects of applications that went while no operator ran, and of attempts whose kept
// driver pods did.
type Finder struct {
	*Reconciler
	// Waker has the reconciler look at applications.
	Waker *waker.Waker
	// Pauses are measured by this clock.
	Pauses clock.Clock
	// Found is called with each object that names an application by its labels; nil calls nothing.
	Found func(schema.GroupVersionKind, *metav1.PartialObjectMetadata)
	// listed are the kinds that need not be listed again.
	listed map[schema.GroupVersionKind]bool
}

// findRetryPause is how long the kinds that could not be listed are not listed again.
const findRetryPause = 30 * time.Second

// NeedLeaderElection reports that only a leader looks.
func (f *Finder) NeedLeaderElection() bool { return true }

// Start looks, trying again until it succeeds, then returns.
func (f *Finder) Start(ctx context.Context) error {
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

// find lists each kind that is not listed yet, by its metadata.
func (f *Finder) find(ctx context.Context) error {
	if f.listed == nil {
		f.listed = map[schema.GroupVersionKind]bool{}
	}
	var failed []error
	for _, kind := range slices.Concat(leftover.Listed, f.GateKinds) {
		if f.listed[kind] {
			continue
		}
		err := f.list(ctx, kind)
		if failed = append(failed, err); err == nil {
			f.listed[kind] = true
		}
	}
	return errors.Join(failed...)
}

// list looks at the objects of a kind that name an application by their labels.
func (f *Finder) list(ctx context.Context, kind schema.GroupVersionKind) error {
	var failed []error
	for _, namespace := range f.Namespaces.Scopes() {
		failed = append(failed, livemeta.Each(ctx, f.Live, kind, func(obj *metav1.PartialObjectMetadata) error {
			f.deletions.suspect(obj)
			f.noteAttempt(kind, obj)
			if f.Found != nil {
				f.Found(kind, obj)
			}
			return nil
		}, client.InNamespace(namespace), client.HasLabels{v1alpha1.ApplicationUIDLabel}))
	}
	return errors.Join(failed...)
}

// noteAttempt notes the attempt of an object, and has its application looked at if no driver pod of it is there.
func (f *Finder) noteAttempt(kind schema.GroupVersionKind, obj *metav1.PartialObjectMetadata) {
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
