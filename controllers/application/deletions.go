// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/leftover"
)

// deletion is what this process knows about the deletion of one application.
type deletion struct {
	// seenAlive is true if this process saw the application before it was deleted.
	seenAlive bool
	// mayOwnObjects is true if objects of the application may exist, so that its finalizer must be removed last.
	mayOwnObjects bool
	// orphansDependents is true if the application was deleted with --cascade=orphan, so that the garbage collector
	// leaves its objects.
	orphansDependents bool
	// settled is true if nothing remains to be done: this process has removed the finalizer, or has recorded possible
	// leftovers.
	settled bool
}

// mayHaveLeftovers reports whether the application may have disappeared before its finalizer had done its work.
func (d deletion) mayHaveLeftovers() bool { return d.mayOwnObjects && !d.settled }

// deletions tracks how applications are deleted, and which of them may have left objects behind. It is safe for
// concurrent use.
type deletions struct {
	perApp[deletion]
	// leftovers holds the uids of deleted applications that may have left objects, by the name of the application.
	leftovers map[types.NamespacedName][]types.UID
	// exists reports whether an application with this name and uid was seen to exist.
	exists func(types.NamespacedName, types.UID) bool
}

func newDeletions(exists func(types.NamespacedName, types.UID) bool) *deletions {
	return &deletions{perApp: newPerApp[deletion](), leftovers: map[types.NamespacedName][]types.UID{}, exists: exists}
}

// of returns the entry of an application, which the caller may change. An earlier application of the same name counts
// as gone. The caller must hold the lock.
func (d *deletions) of(obj client.Object) *deletion {
	name := client.ObjectKeyFromObject(obj)
	if r := d.apps[name]; r != nil && r.uid != obj.GetUID() && r.known.mayHaveLeftovers() {
		d.addLeftovers(name, r.uid)
	}
	return d.perApp.of(obj)
}

// observe takes note of a version of an application.
func (d *deletions) observe(app *v1alpha1.SparkApplication) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.of(app)
	known.mayOwnObjects = known.mayOwnObjects || slices.Contains(app.Finalizers, v1alpha1.Finalizer) || app.Status.Grant != nil
	if app.DeletionTimestamp.IsZero() {
		known.seenAlive = true
		return
	}
	known.orphansDependents = known.orphansDependents || orphaned(app)
}

// orphaned reports whether the garbage collector is about to remove the object from the owner references of its
// dependents.
func orphaned(obj client.Object) bool {
	return slices.Contains(obj.GetFinalizers(), metav1.FinalizerOrphanDependents)
}

// orphanPredicate returns a predicate that lets every event pass and records orphaning. The finalizer that
// --cascade=orphan sets may be gone before a pass sees it, but the watch always shows it.
func (d *deletions) orphanPredicate() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(obj client.Object) bool {
		if orphaned(obj) {
			d.mu.Lock()
			defer d.mu.Unlock()
			if r := d.apps[client.ObjectKeyFromObject(obj)]; r != nil && r.uid == obj.GetUID() {
				r.known.orphansDependents = true
			}
		}
		return true
	})
}

// orphansDependents reports whether the garbage collector leaves the objects of an application. This is not known if
// the application was already being deleted when this process first saw it.
func (d *deletions) orphansDependents(app *v1alpha1.SparkApplication) (orphans, known bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	of := d.of(app)
	return of.orphansDependents, of.seenAlive || of.orphansDependents
}

// finalizerRemoved records that this process has removed the finalizer of an application.
func (d *deletions) finalizerRemoved(app *v1alpha1.SparkApplication) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of(app).settled = true
}

// gone records that the application of this name no longer exists, and that its possible leftovers are to be swept.
func (d *deletions) gone(name types.NamespacedName) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.apps[name]; r != nil && r.known.mayHaveLeftovers() {
		r.known.settled = true
		d.addLeftovers(name, r.uid)
	}
}

// mayHaveLeftovers reports whether deleted applications of this name may have left objects.
func (d *deletions) mayHaveLeftovers(name types.NamespacedName) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.apps[name]
	return len(d.leftovers[name]) > 0 || r != nil && r.known.mayHaveLeftovers()
}

// addLeftovers records that a deleted application may have left objects. The caller must hold the lock.
func (d *deletions) addLeftovers(name types.NamespacedName, uid types.UID) {
	if !slices.Contains(d.leftovers[name], uid) {
		d.leftovers[name] = append(d.leftovers[name], uid)
	}
}

// leftoversOf returns the uids of the deleted applications of a name that may have left objects.
func (d *deletions) leftoversOf(name types.NamespacedName) []types.UID {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.leftovers[name])
}

// withLeftovers returns the names of all deleted applications that may have left objects.
func (d *deletions) withLeftovers() []types.NamespacedName {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := make([]types.NamespacedName, 0, len(d.leftovers))
	for name := range d.leftovers {
		names = append(names, name)
	}
	return names
}

// swept records that the leftovers of a deleted application are gone.
func (d *deletions) swept(name types.NamespacedName, uid types.UID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leftovers[name] = slices.DeleteFunc(d.leftovers[name], func(other types.UID) bool { return other == uid })
	if len(d.leftovers[name]) == 0 {
		delete(d.leftovers, name)
	}
}

// suspect records the application of an object without an owner, which the garbage collector will not delete. The
// reconciler reads the application from the API server before it deletes anything.
func (d *deletions) suspect(obj *metav1.PartialObjectMetadata) {
	of, kind := leftover.Of(obj), obj.GroupVersionKind()
	if len(obj.OwnerReferences) > 0 || !of.Created(kind, obj) && !of.MayBeService(kind, obj) {
		return
	}
	if d.exists(of.NamespacedName, of.UID) || d.knows(of.NamespacedName, of.UID) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.addLeftovers(of.NamespacedName, of.UID)
}
