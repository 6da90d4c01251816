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

// deletion is what this process knows of how one application is deleted.
type deletion struct {
	// seenAlive reports whether the application was seen before it was deleted.
	seenAlive bool
	// mayOwnObjects reports whether objects of the application may exist, so that the finalizer has to go last.
	mayOwnObjects bool
	// orphansDependents reports whether the application was deleted with --cascade=orphan: its objects stay.
	orphansDependents bool
	// settled reports whether nothing remains to be done: this process has removed the finalizer, or has recorded that
	// there may be leftovers.
	settled bool
}

// mayHaveLeftovers reports whether an application that is gone may have gone before its finalizer had done its work.
func (d deletion) mayHaveLeftovers() bool { return d.mayOwnObjects && !d.settled }

// deletions know how applications are deleted, and which of them may have left objects. Safe for concurrent use.
type deletions struct {
	perApp[deletion]
	// leftovers are the uids of applications that are gone and may have left objects, by their name.
	leftovers map[types.NamespacedName][]types.UID
	// exists reports whether an application was seen to exist.
	exists func(types.NamespacedName, types.UID) bool
}

func newDeletions(exists func(types.NamespacedName, types.UID) bool) *deletions {
	return &deletions{perApp: newPerApp[deletion](), leftovers: map[types.NamespacedName][]types.UID{}, exists: exists}
}

// of returns what is known of the deletion of an application. One that had the name before is gone. The caller holds the lock.
func (d *deletions) of(obj client.Object) *deletion {
	name := client.ObjectKeyFromObject(obj)
	if r := d.apps[name]; r != nil && r.uid != obj.GetUID() && r.known.mayHaveLeftovers() {
		d.addLeftovers(name, r.uid)
	}
	return d.perApp.of(obj)
}

// observe takes in a version of an application.
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

// orphaned reports whether the garbage collector is about to remove an object from the owners of its dependents.
func orphaned(obj client.Object) bool {
	return slices.Contains(obj.GetFinalizers(), metav1.FinalizerOrphanDependents)
}

// orphanPredicate returns a predicate that filters nothing and records orphaning: the finalizer of --cascade=orphan may be gone
// before a pass sees it, but not before the watch shows it.
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

// orphansDependents reports whether the objects of an application stay when it goes. It is not known if the application was
// being deleted already when this process first saw it.
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

// gone records that the application of a name is gone. What it may have left is to be swept.
func (d *deletions) gone(name types.NamespacedName) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.apps[name]; r != nil && r.known.mayHaveLeftovers() {
		r.known.settled = true
		d.addLeftovers(name, r.uid)
	}
}

// mayHaveLeftovers reports whether an application of that name that is gone may have left objects.
func (d *deletions) mayHaveLeftovers(name types.NamespacedName) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.apps[name]
	return len(d.leftovers[name]) > 0 || r != nil && r.known.mayHaveLeftovers()
}

// addLeftovers records that an application that is gone may have left objects. The caller holds the lock.
func (d *deletions) addLeftovers(name types.NamespacedName, uid types.UID) {
	if !slices.Contains(d.leftovers[name], uid) {
		d.leftovers[name] = append(d.leftovers[name], uid)
	}
}

// leftoversOf returns the uids of applications of a name that are gone and may have left objects.
func (d *deletions) leftoversOf(name types.NamespacedName) []types.UID {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.leftovers[name])
}

// withLeftovers returns the names of all applications that are gone and may have left objects.
func (d *deletions) withLeftovers() []types.NamespacedName {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := make([]types.NamespacedName, 0, len(d.leftovers))
	for name := range d.leftovers {
		names = append(names, name)
	}
	return names
}

// swept records that nothing is left of an application that is gone.
func (d *deletions) swept(name types.NamespacedName, uid types.UID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leftovers[name] = slices.DeleteFunc(d.leftovers[name], func(other types.UID) bool { return other == uid })
	if len(d.leftovers[name]) == 0 {
		delete(d.leftovers, name)
	}
}

// suspect records the application of an object that looks left behind: it has no owner, so the garbage collector will not
// delete it. The reconciler reads the application live before it deletes anything.
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
