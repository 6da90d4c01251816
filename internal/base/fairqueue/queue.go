// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"sync"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Options are the options of a queue of requests.
type Options struct {
	// Name is the controller's name in the metrics of work queues; empty for no metrics.
	Name string
	// Workers is the number of requests that are processed at once.
	Workers int
	// Limiter decides how long a request that failed waits.
	Limiter workqueue.TypedRateLimiter[reconcile.Request]
	// Clock is used for delays. Default: the system clock.
	Clock clock.WithTicker
}

// NewQueue returns a work queue that serves namespaces in turn. One namespace has at most a quarter of the workers; if
// more than four have work, none gets more than an equal share before the others have theirs. Otherwise it behaves like
// client-go's queue: an item is in it once, and two workers never process the same item.
func NewQueue(o Options) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	delaying := workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[reconcile.Request]{
		Name: o.Name, Clock: o.Clock, Queue: newQueue(o, namespaceOf),
	})
	return workqueue.NewTypedRateLimitingQueueWithConfig(o.Limiter, workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{
		Name: o.Name, Clock: o.Clock, DelayingQueue: delaying,
	})
}

// QueueFor returns a constructor of queues, in the form that a controller's options take, for a controller with so many
// workers.
func QueueFor(workers int) func(string, workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return func(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
		return NewQueue(Options{Name: name, Workers: workers, Limiter: limiter})
	}
}

// namespaceOf returns the namespace that a request's work counts for. A request without a namespace is for the
// namespace of that name.
func namespaceOf(r reconcile.Request) string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace
}

// queue is client-go's queue with lanes instead of its slice. Get waits on ready until one of the lanes may have
// another worker.
type queue[T comparable] struct {
	inner *workqueue.Typed[T]

	// mu also guards lanes: inner uses them only in calls that hold mu.
	mu     sync.Mutex
	ready  *sync.Cond
	lanes  *lanes[T]
	closed bool
}

func newQueue[T comparable](o Options, laneOf func(T) string) *queue[T] {
	q := &queue[T]{lanes: newLanes(o.Workers, laneOf)}
	q.ready = sync.NewCond(&q.mu)
	q.inner = workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[T]{Name: o.Name, Clock: o.Clock, Queue: q.lanes})
	return q
}

// Add implements workqueue.TypedInterface.
func (q *queue[T]) Add(item T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.inner.Add(item)
	q.ready.Signal()
}

// Len implements workqueue.TypedInterface.
func (q *queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.inner.Len()
}

// Get implements workqueue.TypedInterface.
func (q *queue[T]) Get() (item T, shutdown bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.lanes.next() == nil {
		if q.closed && q.lanes.Len() == 0 {
			return item, true
		}
		q.ready.Wait()
	}
	// Get does not wait: there is an item in the lanes.
	return q.inner.Get()
}

// Done implements workqueue.TypedInterface.
func (q *queue[T]) Done(item T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lanes.done(item)
	q.inner.Done(item)
	q.ready.Broadcast()
}

// ShutDown implements workqueue.TypedInterface: items that wait are still handed out, and no more can be added.
func (q *queue[T]) ShutDown() {
	q.close()
	q.inner.ShutDown()
}

// ShutDownWithDrain implements workqueue.TypedInterface: like ShutDown, but it returns only once no item is in work.
func (q *queue[T]) ShutDownWithDrain() {
	q.close()
	q.inner.ShutDownWithDrain()
}

func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.ready.Broadcast()
}

// ShuttingDown implements workqueue.TypedInterface.
func (q *queue[T]) ShuttingDown() bool { return q.inner.ShuttingDown() }
