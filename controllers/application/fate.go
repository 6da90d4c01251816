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
	// orphaning reports whether the application was, or may have been, deleted with --cascade=orphan: its objects stay.
	orphaning bool
	// parted reports whether this process has removed the finalizer, with nothing left to do.
	parted bool
}

// lost reports whether an application that is gone went before its finalizer had done its work.
func (f fate) lost() bool { return f.bound && !f.parted }

// note records what an object says of the fate of its application.
func (m *Expectations) note(app *v1alpha1.SparkApplication) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := &m.stateOf(app).fate
	f.bound = f.bound || slices.Contains(app.Finalizers, v1alpha1.Finalizer) || app.Status.Grant != nil
	if app.DeletionTimestamp.IsZero() {
		f.alive = true
		return
	}
	f.orphaning = f.orphaning || !f.alive || orphaned(app)
}

// orphaned reports whether the garbage collector is about to remove an object from the owners of its dependents.
func orphaned(obj client.Object) bool {
	return slices.Contains(obj.GetFinalizers(), metav1.FinalizerOrphanDependents)
}

// witness sees every version of an application that the watch shows, and lets all pass: the finalizer of --cascade=orphan may be gone before a
// pass sees it.
func (m *Expectations) witness() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(obj client.Object) bool {
		if orphaned(obj) {
			m.mu.Lock()
			defer m.mu.Unlock()
			if r := m.apps[client.ObjectKeyFromObject(obj)]; r != nil && r.uid == obj.GetUID() {
				r.fate.orphaning = true
			}
		}
		return true
	})
}

// orphans reports whether the objects of an application may stay when it goes.
func (m *Expectations) orphans(app *v1alpha1.SparkApplication) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stateOf(app).fate.orphaning
}

// parts records that the finalizer of an application was removed.
func (m *Expectations) parts(app *v1alpha1.SparkApplication) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stateOf(app).fate.parted = true
}

// depart records that the application of a name is gone. What it may have left is to be swept.
func (m *Expectations) depart(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.apps[name]; r != nil && r.fate.lost() {
		r.fate.parted = true
		m.leave(name, r.uid)
	}
}

// mayHaveLeft reports whether an application of that name may have left objects.
func (m *Expectations) mayHaveLeft(name types.NamespacedName) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.apps[name]
	return len(m.leftBy[name]) > 0 || r != nil && r.fate.lost()
}

// leave records that an application that is gone may have left objects. The caller holds the lock.
func (m *Expectations) leave(name types.NamespacedName, uid types.UID) {
	if !slices.Contains(m.leftBy[name], uid) {
		m.leftBy[name] = append(m.leftBy[name], uid)
	}
}

// left returns the uids of applications of a name that are gone and may have left objects.
func (m *Expectations) left(name types.NamespacedName) []types.UID {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.leftBy[name])
}

// leavers returns the names of all applications that are gone and may have left objects.
func (m *Expectations) leavers() []types.NamespacedName {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := make([]types.NamespacedName, 0, len(m.leftBy))
	for name := range m.leftBy {
		names = append(names, name)
	}
	return names
}

// swept records that nothing is left of an application that is gone.
func (m *Expectations) swept(name types.NamespacedName, uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leftBy[name] = slices.DeleteFunc(m.leftBy[name], func(other types.UID) bool { return other == uid })
	if len(m.leftBy[name]) == 0 {
		delete(m.leftBy, name)
	}
}

// suspect records the application of an object that looks as if it was left: it has no owner any more, else the garbage collector deletes it. The
// reconciler reads the application live before it deletes anything.
func (m *Expectations) suspect(obj *metav1.PartialObjectMetadata) {
	of, kind := leftover.Of(obj), obj.GroupVersionKind()
	if len(obj.OwnerReferences) > 0 || !of.Created(kind, obj) && !of.MayBeService(kind, obj) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.apps[of.NamespacedName]; r == nil || r.uid != of.UID {
		m.leave(of.NamespacedName, of.UID)
	}
}
