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

// fate is what this process knows of how an application goes.
type fate struct {
	// alive reports whether the application was seen before it was deleted.
	alive bool
	// bound reports whether objects of the application may exist, so that the finalizer has to go last.
	bound bool
	// orphaning reports whether the application was deleted with --cascade=orphan: its objects stay.
	orphaning bool
	// parted reports whether this process has removed the finalizer, with nothing left to do.
	parted bool
}

// lost reports whether an application that is gone went before its finalizer had done its work.
func (f fate) lost() bool { return f.bound && !f.parted }

// departures know how applications go, and what they may have left. Safe for concurrent use.
type departures struct {
	perApp[fate]
	// leftBy are the uids of applications that are gone and may have left objects, by their name.
	leftBy map[types.NamespacedName][]types.UID
	// exists reports whether an application was seen to exist.
	exists func(types.NamespacedName, types.UID) bool
}

func newDepartures(exists func(types.NamespacedName, types.UID) bool) *departures {
	return &departures{perApp: newPerApp[fate](), leftBy: map[types.NamespacedName][]types.UID{}, exists: exists}
}

// of returns the fate of an application. One that had the name before is gone. The caller holds the lock.
func (d *departures) of(obj client.Object) *fate {
	name := client.ObjectKeyFromObject(obj)
	if r := d.apps[name]; r != nil && r.uid != obj.GetUID() && r.known.lost() {
		d.leave(name, r.uid)
	}
	return d.perApp.of(obj)
}

// note records what an object says of the fate of its application.
func (d *departures) note(app *v1alpha1.SparkApplication) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.of(app)
	f.bound = f.bound || slices.Contains(app.Finalizers, v1alpha1.Finalizer) || app.Status.Grant != nil
	if app.DeletionTimestamp.IsZero() {
		f.alive = true
		return
	}
	f.orphaning = f.orphaning || orphaned(app)
}

// orphaned reports whether the garbage collector is about to remove an object from the owners of its dependents.
func orphaned(obj client.Object) bool {
	return slices.Contains(obj.GetFinalizers(), metav1.FinalizerOrphanDependents)
}

// witness sees every version of an application that the watch shows, and lets all pass: the finalizer of --cascade=orphan may be gone before a
// pass sees it.
func (d *departures) witness() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(obj client.Object) bool {
		if orphaned(obj) {
			d.mu.Lock()
			defer d.mu.Unlock()
			if r := d.apps[client.ObjectKeyFromObject(obj)]; r != nil && r.uid == obj.GetUID() {
				r.known.orphaning = true
			}
		}
		return true
	})
}

// orphans reports whether the objects of an application stay when it goes, if that is known: it is not if the application was being deleted
// already when this process first saw it.
func (d *departures) orphans(app *v1alpha1.SparkApplication) (orphans, known bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.of(app)
	return f.orphaning, f.alive || f.orphaning
}

// parts records that the finalizer of an application was removed.
func (d *departures) parts(app *v1alpha1.SparkApplication) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of(app).parted = true
}

// depart records that the application of a name is gone. What it may have left is to be swept.
func (d *departures) depart(name types.NamespacedName) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.apps[name]; r != nil && r.known.lost() {
		r.known.parted = true
		d.leave(name, r.uid)
	}
}

// mayHaveLeft reports whether an application of that name may have left objects.
func (d *departures) mayHaveLeft(name types.NamespacedName) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.apps[name]
	return len(d.leftBy[name]) > 0 || r != nil && r.known.lost()
}

// leave records that an application that is gone may have left objects. The caller holds the lock.
func (d *departures) leave(name types.NamespacedName, uid types.UID) {
	if !slices.Contains(d.leftBy[name], uid) {
		d.leftBy[name] = append(d.leftBy[name], uid)
	}
}

// left returns the uids of applications of a name that are gone and may have left objects.
func (d *departures) left(name types.NamespacedName) []types.UID {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.leftBy[name])
}

// leavers returns the names of all applications that are gone and may have left objects.
func (d *departures) leavers() []types.NamespacedName {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := make([]types.NamespacedName, 0, len(d.leftBy))
	for name := range d.leftBy {
		names = append(names, name)
	}
	return names
}

// swept records that nothing is left of an application that is gone.
func (d *departures) swept(name types.NamespacedName, uid types.UID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leftBy[name] = slices.DeleteFunc(d.leftBy[name], func(other types.UID) bool { return other == uid })
	if len(d.leftBy[name]) == 0 {
		delete(d.leftBy, name)
	}
}

// suspect records the application of an object that looks left behind: it has no owner, so the garbage collector will not
// delete it. The reconciler reads the application live before it deletes anything.
func (d *departures) suspect(obj *metav1.PartialObjectMetadata) {
	of, kind := leftover.Of(obj), obj.GroupVersionKind()
	if len(obj.OwnerReferences) > 0 || !of.Created(kind, obj) && !of.MayBeService(kind, obj) {
		return
	}
	if d.exists(of.NamespacedName, of.UID) || d.knows(of.NamespacedName, of.UID) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leave(of.NamespacedName, of.UID)
}
