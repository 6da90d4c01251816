// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package optionalkind

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// DefaultInterval is how often to look again for a kind that could not be read.
const DefaultInterval = 10 * time.Second

// absentFactor is how much longer than that the pause is while the kind is not served. Most clusters never serve it.
const absentFactor = 6

// unreadableAfter is for how many intervals it may be unknown whether a kind is served before others stop waiting for
// it.
const unreadableAfter = 3

// NewClient returns a client for kinds that the cluster need not serve, which add puts into its scheme.
func NewClient(config *rest.Config, http *http.Client, add ...func(*runtime.Scheme) error) (client.WithWatch, error) {
	scheme := runtime.NewScheme()
	for _, f := range add {
		if err := f(scheme); err != nil {
			return nil, err
		}
	}
	return client.NewWithWatch(config, client.Options{Scheme: scheme, HTTPClient: http})
}

// Options configure a Watch. Client, Object and List are required.
type Options struct {
	// Client must have the kind in its scheme.
	Client client.WithWatch
	// Object and List are empty objects of the kind.
	Object client.Object
	List   client.ObjectList
	// Namespaces are those to watch; all if empty, and for cluster-scoped kinds.
	Namespaces []string
	// Selector selects the objects to watch; nil selects all.
	Selector labels.Selector
	// Indexes are the indexes by name, for Watch.By.
	Indexes cache.Indexers
	// Slim removes unneeded parts of an object before it is cached; nil removes only managed fields.
	Slim func(client.Object)
	// Changed is called with each object that was added, changed or deleted. It must not block.
	Changed func(client.Object)
	// AvailabilityChanged is called when the kind was installed or removed, after Installed has changed, and with the
	// first answer. It must not block.
	AvailabilityChanged func(installed bool)
	// Interval is the pause before a kind that could not be read is looked for again. Default: DefaultInterval.
	Interval time.Duration
	// Clock measures the interval. Default: the real clock.
	Clock clock.Clock
	Log   logr.Logger
}

// Watch caches the objects of one kind as long as the cluster serves it. It is safe for concurrent use. The objects
// that it returns are shared and must not be modified.
type Watch struct {
	Options
	// denied is true if the last answer was that the operator may not read the kind. Only Start uses it.
	denied    bool
	mu        sync.Mutex
	store     indexers      // nil while the kind is not installed
	known     chan struct{} // closed with the first answer, or once the kind is unreadable
	closeOnce sync.Once
	answered  bool // whether there was an answer
	// failing is since when there is neither an answer nor a complete list of objects; zero if there is.
	failing time.Time
	// unreadable is true if failing has lasted longer than unreadableAfter.
	unreadable bool
}

// New returns a watch that is not started.
func New(o Options) *Watch {
	if o.Interval == 0 {
		o.Interval = DefaultInterval
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return &Watch{Options: o, known: make(chan struct{})}
}

// NeedLeaderElection returns true, because only a leader watches.
func (w *Watch) NeedLeaderElection() bool { return true }

// Start watches until ctx is done. It implements manager.Runnable.
func (w *Watch) Start(ctx context.Context) error {
	for ctx.Err() == nil {
		pause := w.Interval
		if absent := w.look(ctx); absent {
			pause *= absentFactor
		}
		select {
		case <-ctx.Done():
		case <-w.Clock.After(pause):
		}
	}
	return nil
}

// look polls for the kind once, and watches it as long as it is served. absent is true if the kind counts as not
// served.
func (w *Watch) look(ctx context.Context) (absent bool) {
	err := w.Client.List(ctx, w.List.DeepCopyObject().(client.ObjectList), client.Limit(1), client.InNamespace(w.scopes()[0]))
	wasDenied := w.denied
	w.denied = apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err)
	switch {
	case err == nil:
		w.follow(ctx)
	case NotServed(err):
		w.turn(nil)
		return true
	case w.denied: // a role is missing, so nothing else should wait for this kind
		if !wasDenied {
			w.Log.Error(err, "The operator may not read a kind of another system, which counts as not installed until it may", "kind", w.kind(),
				"remedy", "apply the ClusterRoles of config/rbac and their bindings, from the release of this operator; with --adopt, those of config/adopt as well")
		}
		w.turn(nil)
		return true
	default:
		w.Log.Error(err, "Failed to look for a kind of another system; will retry", "kind", w.kind())
		w.fail()
	}
	return false
}

// fail records that the kind may be served but cannot be read: the API server has a problem, or a conversion webhook of
// the other system does not answer. If that lasts, nothing else waits for the kind any longer.
func (w *Watch) fail() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch now := w.Clock.Now(); {
	case w.store != nil: // the objects seen last remain valid
	case w.failing.IsZero():
		w.failing = now
	case now.Sub(w.failing) >= unreadableAfter*w.Interval && !w.unreadable:
		w.unreadable = true
		w.closeOnce.Do(func() { close(w.known) })
		w.Log.Info("A kind of another system cannot be read; only what needs it waits from now on", "kind", w.kind())
	}
}

// Unreadable reports whether it has been unknown for long whether the kind is served, or which objects exist. Whatever
// needs the kind must wait then, because objects may exist that hold something.
func (w *Watch) Unreadable() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unreadable
}

// WaitUntilKnown blocks until it is known whether the kind is served and, if it is, all its objects were seen, or until
// it is Unreadable.
func (w *Watch) WaitUntilKnown(ctx context.Context) error {
	select {
	case <-w.known:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Installed reports whether the kind is served and its objects are known.
func (w *Watch) Installed() bool { return w.indexers() != nil }

// Get returns an object by its name, or nil if there is none.
func (w *Watch) Get(namespace, name string) client.Object {
	key := name
	if namespace != "" {
		key = namespace + "/" + name
	}
	for _, store := range w.indexers() {
		if found, ok, _ := store.GetByKey(key); ok {
			return found.(client.Object)
		}
	}
	return nil
}

// By returns the objects with a value in an index of Options.Indexes. It panics if there is no such index.
func (w *Watch) By(index, value string) []client.Object {
	var objects []client.Object
	for _, store := range w.indexers() {
		found, err := store.ByIndex(index, value)
		if err != nil {
			panic(err) // the index does not exist
		}
		for _, o := range found {
			objects = append(objects, o.(client.Object))
		}
	}
	return objects
}

// indexers hold the objects, one indexer for each watched namespace.
type indexers []cache.Indexer

func (w *Watch) indexers() indexers {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.store
}

// scopes returns the namespaces in which to list and watch.
func (w *Watch) scopes() []string {
	if len(w.Namespaces) == 0 {
		return []string{metav1.NamespaceAll}
	}
	return w.Namespaces
}

// follow watches the kind until it is no longer served or ctx is done.
func (w *Watch) follow(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	var store indexers
	var synced []cache.InformerSynced
	for _, namespace := range w.scopes() {
		informer := w.newInformer(namespace, stop)
		registration, err := informer.AddEventHandler(w.handler())
		if err != nil {
			w.Log.Error(err, "Failed to watch a kind of another system", "kind", w.kind())
			return
		}
		store, synced = append(store, informer.GetIndexer()), append(synced, registration.HasSynced)
		running.Go(func() { informer.RunWithContext(ctx) })
	}
	running.Go(func() { w.watchOut(ctx) })
	if cache.WaitForCacheSync(ctx.Done(), synced...) {
		w.turn(store)
	}
	running.Wait()
	if ctx.Err() != nil {
		w.turn(nil)
	}
}

// watchOut calls fail once per interval until all objects were seen or ctx is done. It is needed because a Reflector
// that the API server asks to come back later does so without reporting anything.
func (w *Watch) watchOut(ctx context.Context) {
	for !w.Installed() {
		select {
		case <-ctx.Done():
			return
		case <-w.Clock.After(w.Interval):
			w.fail()
		}
	}
}

// newInformer returns an informer for a namespace. It calls gone when the kind is no longer served.
func (w *Watch) newInformer(namespace string, gone func()) cache.SharedIndexInformer {
	informer := cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(w.listWatch(namespace), w.Client), w.Object, 0, w.Indexes)
	_ = informer.SetTransform(w.slim) // fails only for an informer that is already running
	_ = informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector, err error) {
		if NotServed(err) {
			gone()
			return
		}
		w.fail()
		cache.DefaultWatchErrorHandler(ctx, r, err)
	})
	return informer
}

// turn sets whether the kind is installed. Callers ignore objects that they could not read or that counted as absent,
// so once the objects are known, each of them is reported again. That is not necessary with the first answer, for which
// callers wait.
func (w *Watch) turn(store indexers) {
	w.mu.Lock()
	first := !w.answered && !w.unreadable
	turned := first || w.unreadable || (w.store == nil) != (store == nil)
	w.store, w.answered, w.failing, w.unreadable = store, true, time.Time{}, false
	w.mu.Unlock()
	w.closeOnce.Do(func() { close(w.known) })
	if turned && w.AvailabilityChanged != nil {
		w.AvailabilityChanged(store != nil)
	}
	if turned && !first {
		w.reportAll(store)
	}
}

// reportAll calls Changed with every object. The informer reported the objects of its first list before the kind
// counted as installed.
func (w *Watch) reportAll(store indexers) {
	for _, objects := range store {
		for _, o := range objects.List() {
			if object, ok := o.(client.Object); ok && w.Changed != nil {
				w.Changed(object)
			}
		}
	}
}

func (w *Watch) handler() cache.ResourceEventHandler {
	changed := func(obj any) {
		if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = gone.Obj
		}
		if o, ok := obj.(client.Object); ok && w.Changed != nil {
			w.Changed(o)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: changed, DeleteFunc: changed,
		UpdateFunc: func(_, obj any) { changed(obj) },
	}
}

func (w *Watch) slim(obj any) (any, error) {
	if o, ok := obj.(client.Object); ok {
		o.SetManagedFields(nil)
		if w.Slim != nil {
			w.Slim(o)
		}
	}
	return obj, nil
}

func (w *Watch) listWatch(namespace string) *cache.ListWatch {
	options := func(o metav1.ListOptions) *client.ListOptions {
		return &client.ListOptions{Raw: &o, LabelSelector: w.Selector, Namespace: namespace}
	}
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list := w.List.DeepCopyObject().(client.ObjectList)
			return list, w.Client.List(ctx, list, options(o))
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return w.Client.Watch(ctx, w.List.DeepCopyObject().(client.ObjectList), options(o))
		},
	}
}

func (w *Watch) kind() string {
	kind, err := w.Client.GroupVersionKindFor(w.Object)
	if err != nil {
		return err.Error()
	}
	return kind.String()
}

// NotServed reports whether a request failed because the cluster does not serve the kind.
func NotServed(err error) bool { return apimeta.IsNoMatchError(err) || apierrors.IsNotFound(err) }

// WriteRefused reports whether the API server rejects a write, or fails to reach the scheduler's webhook for it.
func WriteRefused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsInternalError(err)
}
