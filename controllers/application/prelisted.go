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

// Prelisted are the applications that a new leader has listed live before its cache has synced: those that have not ended,
// and so hold quota or may get some. They are reconciled while the cache is still being filled with all others, which may
// take much longer. It is nil for a process whose cache had synced before. Safe for concurrent use.
type Prelisted struct {
	hasSynced func() bool
	synced    atomic.Bool

	mu   sync.Mutex
	apps map[types.NamespacedName]*v1alpha1.SparkApplication
}

// NewPrelisted returns a list without applications. hasSynced reports whether the cache has all applications; once it does,
// it always will.
func NewPrelisted(hasSynced func() bool) *Prelisted {
	return &Prelisted{hasSynced: hasSynced, apps: map[types.NamespacedName]*v1alpha1.SparkApplication{}}
}

// Add keeps an application, which must not be changed later, until the cache has synced.
func (l *Prelisted) Add(app *v1alpha1.SparkApplication) {
	if l.CacheSynced() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.apps[client.ObjectKeyFromObject(app)] = app
}

// CacheSynced reports whether the cache has all applications. From then on nothing is kept here.
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

// get returns a copy of an application; nil if it was not listed.
func (l *Prelisted) get(name types.NamespacedName) *v1alpha1.SparkApplication {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.apps[name].DeepCopy()
}

// unsyncedPause is how long an application that was not listed waits for the cache.
const unsyncedPause = time.Second

// reconcilePrelisted makes a pass before the cache has synced. An application that was not listed is left alone: it may
// exist and have ended. One that this process has written since it was listed is stale here, and its pass stops; the cache
// will have the newer version.
func (r *Reconciler) reconcilePrelisted(ctx context.Context, name types.NamespacedName) (ctrl.Result, error) {
	app := r.Prelisted.get(name)
	if app == nil {
		return ctrl.Result{RequeueAfter: unsyncedPause}, nil
	}
	return r.reconcileExisting(ctx, app)
}

// unawaited hides that a source is a SyncingSource: the controller starts before the source has synced.
type unawaited struct{ source.Source }
