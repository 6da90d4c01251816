// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/pods"
)

// keptAttempts tracks the attempts of each application whose ended driver pod was kept. When another client deletes the
// pod, the other objects of the attempt must be deleted too. It is safe for concurrent use.
type keptAttempts struct{ perApp[[]attempt] }

func newKeptAttempts() *keptAttempts { return &keptAttempts{newPerApp[[]attempt]()} }

// leftovers records the attempts whose driver pods are kept, and returns the recorded attempts whose driver pod is
// gone.
func (k *keptAttempts) leftovers(app *v1alpha1.SparkApplication, records []*pods.Record) (leftovers []lifecycle.AttemptID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var there []attempt
	for _, r := range records {
		of := attempt{r.Run, r.Attempt}
		switch {
		case r.Role != pods.Driver || r.OwnerUID != app.UID:
		case r.Active():
			there = append(there, of)
		case !r.Deleting:
			there = append(there, of)
			k.note(app, of)
		}
	}
	for _, of := range k.peek(app) {
		if !slices.Contains(there, of) {
			leftovers = append(leftovers, lifecycle.AttemptID{Run: of.run, Attempt: of.attempt})
		}
	}
	return leftovers
}

// note records an attempt. The caller must hold the lock.
func (k *keptAttempts) note(app client.Object, of attempt) {
	if known := k.of(app); !slices.Contains(*known, of) {
		*known = append(*known, of)
	}
}

// ObserveExisting records the attempt of a ConfigMap that an earlier process has created. It returns the application of
// the attempt, and whether a pass over it is needed because the pod of the driver is gone.
func (r *Reconciler) ObserveExisting(configMap *metav1.PartialObjectMetadata) (app types.NamespacedName, left bool) {
	owner := metav1.GetControllerOfNoCopy(configMap)
	of, known := attemptOf(configMap)
	if !known || owner == nil || owner.Kind != v1alpha1.SparkApplicationKind {
		return types.NamespacedName{}, false
	}
	app = types.NamespacedName{Namespace: configMap.Namespace, Name: owner.Name}
	if !r.kept.found(app, owner.UID, of) {
		return app, false // the garbage collector is about to delete the object
	}
	return app, !slices.ContainsFunc(r.Pods.Of(app), func(p *pods.Record) bool {
		return p.Role == pods.Driver && p.OwnerUID == owner.UID && of == attempt{p.Run, p.Attempt}
	})
}

// found records an attempt, unless another application is known to have the name now.
func (k *keptAttempts) found(app types.NamespacedName, uid types.UID, of attempt) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := k.apps[app]; e != nil && e.uid != uid {
		return false
	}
	k.note(&v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: app.Name, UID: uid}}, of)
	return true
}

// deleted records that the objects of an attempt were deleted.
func (k *keptAttempts) deleted(app *v1alpha1.SparkApplication, of attempt) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.apps[client.ObjectKeyFromObject(app)]
	if e == nil || e.uid != app.UID {
		return
	}
	if e.known = slices.DeleteFunc(e.known, func(a attempt) bool { return a == of }); len(e.known) == 0 {
		delete(k.apps, client.ObjectKeyFromObject(app))
	}
}
