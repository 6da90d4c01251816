// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package optionalkind

import (
	"context"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/internal/namespaces"
)

// DefaultInterval is how often a kind that is not served is asked for while something needs it.
const DefaultInterval = 10 * time.Second

// longest is how many intervals pass at most between two questions while nothing needs the kind: most clusters never
// serve it.
const longest = 30

// growth is by how much an interval is longer than the one before, up to the longest.
const growth = 4

// patience is for how many intervals it may stay unknown whether a kind is served until others wait no longer.
const patience = 3

// Options of a Watch. Client, Object and List are required.
type Options struct {
	// Client knows the kind in its scheme.
	Client client.WithWatch
	// Object and List are empty objects of the kind.
	Object client.Object
	List   client.ObjectList
	// Namespaces of the objects; all if there are none, and for kinds without namespaces.
	Namespaces namespaces.Set
	// Selector of the objects; nil selects all.
	Selector labels.Selector
	// Indexes by name, for Watch.By.
	Indexes cache.Indexers
	// Slim takes away what is never read before an object is kept; nil keeps everything but managed fields.
	Slim func(client.Object)
	// Changed is called with each object that came, changed or went. It must not wait.
	Changed func(client.Object)
	// AvailabilityChanged is called when the kind has come or gone, after Installed says so, and with the first answer.
	// It must not wait.
	AvailabilityChanged func(installed bool)
	// Needed reports whether something needs the kind now. While nothing does, the interval grows. Default: nothing does.
	Needed func() bool
	// Interval between questions for a kind that is not served. Default: DefaultInterval.
	Interval time.Duration
	// Clock of the interval. Default: the machine's.
	Clock clock.Clock
	Log   logr.Logger
}

// Watch keeps the objects of one kind for as long as the cluster serves it. It is safe for concurrent use; the objects
// that it returns are shared and must not be changed.
type Watch struct {
	Options
	// denied says that the last answer was that the operator may not read the kind. Only Start uses it.
	denied    bool
	mu        sync.Mutex
	store     indexers      // nil while the kind is not served
	known     chan struct{} // closed with the first answer, or once the kind is unreadable
	closeOnce sync.Once
	answered  bool // there was an answer
	// failing is since when there was neither an answer nor all objects; zero if that is not so.
	failing time.Time
	// unreadable says that this has lasted for longer than the patience.
	unreadable bool
	expected   chan struct{} // something needs the kind
}

// New returns a watch that has not started.
func New(o Options) *Watch {
	if o.Interval == 0 {
		o.Interval = DefaultInterval
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return &Watch{Options: o, known: make(chan struct{}), expected: make(chan struct{}, 1)}
}

// NeedLeaderElection returns true: only a leader watches.
func (w *Watch) NeedLeaderElection() bool { return true }

// Expect has the watch look for the kind now, unless it has just done so: something needs it. It does not wait.
func (w *Watch) Expect() {
	select {
	case w.expected <- struct{}{}:
	default:
	}
}

// Start watches until the context ends. It makes a Watch a runnable of a manager.
func (w *Watch) Start(ctx context.Context) error {
	pause := w.Interval
	for ctx.Err() == nil {
		asked := w.Clock.Now()
		if absent := w.look(ctx); !absent || w.Needed != nil && w.Needed() {
			pause = w.Interval
		}
		select {
		case <-ctx.Done():
		case <-w.Clock.After(pause):
			pause = min(growth*pause, longest*w.Interval)
		case <-w.expected: // by many perhaps: they do not have it asked more often than that
			pause = w.Interval
			if rest := w.Interval - w.Clock.Since(asked); rest > 0 {
				select {
				case <-ctx.Done():
				case <-w.Clock.After(rest):
				}
			}
		}
	}
	return nil
}

// look asks for the kind once, and follows it as long as it is served. It reports whether it counts as not served.
func (w *Watch) look(ctx context.Context) (absent bool) {
	err := w.Client.List(ctx, w.List.DeepCopyObject().(client.ObjectList), client.Limit(1), client.InNamespace(w.Namespaces.Scopes()[0]))
	wasDenied := w.denied
	w.denied = apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err)
	switch {
	case err == nil:
		w.follow(ctx)
	case NotServed(err):
		w.turn(nil)
		return true
	case w.denied: // a role is missing: others need not wait for this kind
		if !wasDenied {
			w.Log.Error(err, "The operator may not read a kind of another system, which counts as not installed until it may", "kind", w.kind(),
				"remedy", "apply the ClusterRoles of config/rbac and their bindings, from the release of this operator")
		}
		w.turn(nil)
		return true
	default:
		w.Log.Error(err, "Failed to look for a kind of another system; will retry", "kind", w.kind())
		w.fail()
	}
	return false
}

// fail notes that the kind may be served and cannot be read: the API server is in trouble, or a conversion webhook of the
// other system does not answer. If that lasts, nothing else waits for it.
func (w *Watch) fail() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch now := w.Clock.Now(); {
	case w.store != nil: // what was seen last stays
	case w.failing.IsZero():
		w.failing = now
	case now.Sub(w.failing) >= patience*w.Interval && !w.unreadable:
		w.unreadable = true
		w.closeOnce.Do(func() { close(w.known) })
		w.Log.Info("A kind of another system cannot be read; only what needs it waits from now on", "kind", w.kind())
	}
}

// Unreadable reports whether it is unknown for long already whether the kind is served, or which objects there are. What
// it is needed for has to wait: there may be objects that hold something.
func (w *Watch) Unreadable() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unreadable
}

// WaitUntilKnown returns once it is known whether the kind is served, and if it is, all its objects were seen; or once it is
// Unreadable.
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

// Get returns an object by its name; nil if there is none.
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

// By returns the objects with a value in an index of Options.Indexes.
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

// indexers hold the objects, those of each namespace in one of its own.
type indexers []cache.Indexer

func (w *Watch) indexers() indexers {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.store
}

// follow watches the kind until it is served no more, or the context ends.
func (w *Watch) follow(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	var store indexers
	var synced []cache.InformerSynced
	for _, namespace := range w.Namespaces.Scopes() {
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

// watchOut notes again and again that not all objects were seen yet, until they are or the context ends: a Reflector that the API server asks to
// come back later does so for as long as it is asked to, and reports nothing.
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

// newInformer watches a namespace. gone is called when the kind is served no more.
func (w *Watch) newInformer(namespace string, gone func()) cache.SharedIndexInformer {
	informer := cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(w.listWatch(namespace), w.Client), w.Object, 0, w.Indexes)
	_ = informer.SetTransform(w.slim) // fails for an informer that runs already only
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

// turn takes over whether the kind is served. What was done while the objects could not be read, or counted as absent, has left them as they
// were: once they are known, each is reported again. With the first answer that is not needed, which others wait for.
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

// reportAll calls Changed with every object. The informer has reported those of its first list before the kind counted as served.
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
