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

// Prelisted holds the applications that a new leader has listed from the API server before its cache has synced: those
// that have not ended, and so hold quota or may get some. They are reconciled while the cache is still loading all
// others, which may take much longer. A nil Prelisted is that of a cache that has synced. Prelisted is safe
// for concurrent use.
type Prelisted struct {
	hasSynced func() bool
	synced    atomic.Bool

	mu   sync.Mutex
	apps map[types.NamespacedName]*v1alpha1.SparkApplication
}

// NewPrelisted returns an empty Prelisted. hasSynced reports whether the cache has all applications; once true, it must
// stay true.
func NewPrelisted(hasSynced func() bool) *Prelisted {
	return &Prelisted{hasSynced: hasSynced, apps: map[types.NamespacedName]*v1alpha1.SparkApplication{}}
}

// Add keeps an application until the cache has synced. The application must not be changed afterwards.
func (l *Prelisted) Add(app *v1alpha1.SparkApplication) {
	if l.CacheSynced() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.apps[client.ObjectKeyFromObject(app)] = app
}

// CacheSynced reports whether the cache has all applications. Once it has, the kept applications are dropped.
func (l *Prelisted) CacheSynced() bool {
	if l == nil || l.synced.Load() {
		return true
	}
	if !l.hasSynced() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.synced.Store(true)
	l.apps = map[types.NamespacedName]*v1alpha1.SparkApplication{}
	return true
}

// get returns a copy of an application, or nil if it was not listed.
func (l *Prelisted) get(name types.NamespacedName) *v1alpha1.SparkApplication {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.apps[name].DeepCopy()
}

// unsyncedPause is how often an application that was not listed checks whether the cache has synced.
const unsyncedPause = time.Second

// reconcilePrelisted makes a pass before the cache has synced. It leaves alone an application that was not listed,
// which may exist and have ended. The listed copy of an application that this process has written since is stale, and
// its pass stops; the cache will have the newer version.
func (r *Reconciler) reconcilePrelisted(ctx context.Context, name types.NamespacedName) (ctrl.Result, error) {
	app := r.Prelisted.get(name)
	if app == nil {
		return ctrl.Result{RequeueAfter: unsyncedPause}, nil
	}
	return r.reconcileExisting(ctx, app)
}

// unawaited hides that a source is a SyncingSource, so that the controller starts before the source has synced.
type unawaited struct{ source.Source }
