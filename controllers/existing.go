// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/base/namespaces"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
)

// existingObjects shows a new leader once what its predecessors have created and no watch shows: the companions, and
// the ConfigMaps of attempts.
type existingObjects struct {
	live       client.Reader
	namespaces namespaces.Set
	// ready blocks until this process leads.
	ready func(context.Context) error
	// pauses is the clock for the pauses between retries.
	pauses clock.Clock
	// unseen holds what is called with each object of a kind that was not listed yet.
	unseen map[schema.GroupVersionKind]func(*metav1.PartialObjectMetadata)
}

// existingRetryPause is the pause before listing the kinds again that could not be listed.
const existingRetryPause = 30 * time.Second

func (op *operator) newExistingObjects() *existingObjects {
	e := &existingObjects{
		live: op.mgr.GetAPIReader(), namespaces: op.o.Scope.Namespaces, ready: op.startup.wait, pauses: op.o.Clock,
		unseen: map[schema.GroupVersionKind]func(*metav1.PartialObjectMetadata){},
	}
	for _, kind := range expose.Kinds {
		e.unseen[kind] = func(obj *metav1.PartialObjectMetadata) { op.companions.ObserveExisting(kind, obj) }
	}
	e.unseen[corev1.SchemeGroupVersion.WithKind("ConfigMap")] = func(obj *metav1.PartialObjectMetadata) {
		if app, left := op.applications.ObserveExisting(obj); left {
			op.asking.applications.Wake(app)
		}
	}
	return e
}

// NeedLeaderElection returns true, because only a leader deletes what is no longer wanted.
func (e *existingObjects) NeedLeaderElection() bool { return true }

// Start lists all kinds, retrying until it succeeds, and then returns.
func (e *existingObjects) Start(ctx context.Context) error {
	if e.ready(ctx) != nil {
		return nil
	}
	for {
		err := e.list(ctx)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		ctrl.LoggerFrom(ctx).Error(err, "Failed to list objects that an earlier leader has created; will retry")
		select {
		case <-ctx.Done():
			return nil
		case <-e.pauses.After(existingRetryPause):
		}
	}
}

// list goes through the objects of each kind that was not listed yet.
func (e *existingObjects) list(ctx context.Context) error {
	var failed []error
	maps.DeleteFunc(e.unseen, func(kind schema.GroupVersionKind, see func(*metav1.PartialObjectMetadata)) bool {
		var err error
		for _, namespace := range e.namespaces.Scopes() {
			err = errors.Join(err, livemeta.Each(ctx, e.live, kind, func(obj *metav1.PartialObjectMetadata) error {
				see(obj)
				return nil
			}, client.InNamespace(namespace), client.HasLabels{v1alpha1.ApplicationUIDLabel}))
		}
		failed = append(failed, err)
		return err == nil
	})
	return errors.Join(failed...)
}
