// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/companions"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/internal/spark/leftover"
)

// Finder looks once, when this process begins to lead, for objects of applications that went while no operator ran.
type Finder struct {
	*Reconciler
	// Waker has the reconciler look at applications.
	Waker *waker.Waker
	// Pauses are measured by this clock.
	Pauses clock.Clock
}

// NeedLeaderElection reports that only a leader looks.
func (f *Finder) NeedLeaderElection() bool { return true }

// Start looks, trying again until it succeeds, then returns.
func (f *Finder) Start(ctx context.Context) error {
	if f.Ready(ctx) != nil {
		return nil
	}
	for {
		err := f.find(ctx)
		for _, name := range f.departures.leavers() {
			f.Waker.Wake(name)
		}
		if err == nil || ctx.Err() != nil {
			return nil
		}
		ctrl.LoggerFrom(ctx).Error(err, "list what applications that are gone have left; will retry")
		select {
		case <-ctx.Done():
			return nil
		case <-f.Pauses.After(companions.ListRetryPause):
		}
	}
}

// find lists each kind once, by its metadata. The kinds of companions are listed for the applications that exist, too.
func (f *Finder) find(ctx context.Context) error {
	failed := []error{f.companions.ListExisting(ctx)}
	if !f.companions.ExistingKnown() {
		failed = append(failed, errors.New("the kinds of companions are not listed yet"))
	}
	for _, kind := range slices.Concat(leftover.Listed, f.GateKinds) {
		if slices.Contains(expose.Kinds, kind) {
			continue
		}
		failed = append(failed, livemeta.Each(ctx, f.Live, kind, func(obj *metav1.PartialObjectMetadata) error {
			f.departures.suspect(obj)
			return nil
		}, client.HasLabels{v1alpha1.ApplicationUIDLabel}))
	}
	return errors.Join(failed...)
}
