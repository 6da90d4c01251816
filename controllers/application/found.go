// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Found are the applications that a new leader has read live because they hold quota, or may. They are decided on while
// the cache is still being filled with those that have ended, which may take much longer. A nil Found is that of a
// process whose cache was filled before. Safe for concurrent use.
type Found struct {
	isCached func() bool
	cached   atomic.Bool

	mu   sync.Mutex
	apps map[types.NamespacedName]*v1alpha1.SparkApplication
}

// NewFound returns a Found without applications. isCached reports whether the cache has all applications; once it does,
// it always will.
func NewFound(isCached func() bool) *Found {
	return &Found{isCached: isCached, apps: map[types.NamespacedName]*v1alpha1.SparkApplication{}}
}

// Add keeps an application, which must not be changed later, until the cache has it.
func (f *Found) Add(app *v1alpha1.SparkApplication) {
	if f.Cached() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.apps[client.ObjectKeyFromObject(app)] = app
}

// Cached reports whether the cache has all applications. From then on nothing is kept here.
func (f *Found) Cached() bool {
	if f == nil || f.cached.Load() {
		return true
	}
	if !f.isCached() {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cached.Store(true)
	f.apps = map[types.NamespacedName]*v1alpha1.SparkApplication{}
	return true
}

// get returns a copy of an application; nil if it was not found.
func (f *Found) get(name types.NamespacedName) *v1alpha1.SparkApplication {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.apps[name].DeepCopy()
}

// uncachedPause is after what time an application is looked at again that only the cache will have.
const uncachedPause = time.Second

// reconcileFound makes a pass before the cache has all applications. What was not found is left alone: it may exist and
// have ended. What this process has written since it was found is stale here; the cache will have the newer version.
func (r *Reconciler) reconcileFound(ctx context.Context, name types.NamespacedName) (ctrl.Result, error) {
	app := r.Found.get(name)
	if app == nil {
		return ctrl.Result{RequeueAfter: uncachedPause}, nil
	}
	return r.reconcileExisting(ctx, app)
}

// unawaited is a source whose first events a controller does not wait for.
type unawaited struct{ source.Source }
