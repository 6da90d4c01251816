// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/controllers/unmanagedpods"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing"
)

// askers are the controllers whose objects ask gates. They must be complete before the manager starts.
type askers struct {
	applications *waker.Waker
	pods         *unmanagedpods.Reconciler
}

// Wake implements queueing.Waker for all gates. It triggers a reconcile of the object with this key, whose verdict may
// have changed.
func (a *askers) Wake(key queueing.Key) { a.WakeAfter(key, 0) }

// WakeAfter implements queueing.Waker.
func (a *askers) WakeAfter(key queueing.Key, after time.Duration) {
	name := types.NamespacedName{Namespace: key.Namespace, Name: key.Name}
	switch key.Kind {
	case v1alpha1.SparkApplicationKind:
		a.applications.WakeAfter(name, after)
	case v1alpha1.PodKind:
		a.pods.WakeAfter(name, after)
	}
}

// changed wakes an application whose pods have changed, and those of its pods that are charged as unmanaged pods.
func (a *askers) changed(app types.NamespacedName) {
	a.applications.Wake(app)
	if a.pods != nil {
		a.pods.Changed(app)
	}
}

// chargeUnattributed charges a pod as an unmanaged one, whatever application its labels name.
func (a *askers) chargeUnattributed(r *pods.Record) { a.pods.ChargeUnattributed(r) }
