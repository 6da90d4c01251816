// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing/queuespec"
)

const (
	// DefaultInterval bounds how often counts and usage of one queue are written.
	DefaultInterval = 5 * time.Second
	// headsFactor is the number of intervals that a change waits if it concerns only the order of the waiting
	// applications.
	headsFactor = 2
	// gathering is how long publishing waits for further changes, at most a quarter of the interval.
	gathering = 500 * time.Millisecond
	// minRetryDelay and maxRetryDelay bound the pause after a failure. Until the engine has taken a change, the queue
	// admits by its earlier configuration.
	minRetryDelay = 100 * time.Millisecond
	maxRetryDelay = 30 * time.Second
)

// Engine is what the reconciler needs of the embedded queue.
type Engine interface {
	// Reload makes the engine read the configuration of all queues and flavors from the cache.
	Reload(ctx context.Context) error
	// State returns the state of a queue, and false if the queue is not configured.
	State(name string) (State, bool)
	// Names returns the names of all configured queues.
	Names() []string
	// WriteCounts makes the engine write the Counts of a queue with its next write of the ledger, soon. It returns
	// false if the engine does not write a ledger for the queue.
	WriteCounts(name string) bool
}

// State is the state of one queue in the engine.
type State struct {
	Problem, Message string
	// Inner reports whether there are queues below this one, so that it takes no applications itself.
	Inner bool
	// StoppedBy is the name of the queue, this one or one above it, whose stop policy applies: a drained one, otherwise
	// a held one; empty if there is none. Drained says which it is.
	StoppedBy         string
	Drained           bool
	Pending, Admitted int32
	// Waiting counts the applications that wait in this queue itself, by reason.
	Waiting map[string]int32
	// Share is the weighted dominant share, or nil for a root queue.
	Share *float64
	// Elastic counts the executors above base gangs, or is nil if no application has or wants any.
	Elastic *v1alpha1.ElasticUsage
	// UnmanagedPods counts the pods that belong to no application, or is nil if there are none.
	UnmanagedPods *v1alpha1.UnmanagedPods
	Usage         []v1alpha1.QueueUsage
	Heads         []v1alpha1.QueueHead
}

// Options configure a Reconciler. All are required unless a default is given.
type Options struct {
	Client client.Client
	Engine Engine
	Clock  clock.PassiveClock
	// Interval bounds how often counts and usage of one queue are written. Default: DefaultInterval.
	Interval time.Duration
	// Log records conditions that change. The zero value logs nothing.
	Log logr.Logger
	// Ready returns once this process is the leader and has restored the grants that applications hold.
	Ready func(context.Context) error
}

// Reconciler publishes the state of queues. Create it with New.
type Reconciler struct {
	Options

	// loaded are the queues as the engine has them, by name. Only the controller's single worker uses it.
	loaded map[string]loaded

	waker waker.Waker

	mu sync.Mutex
	// written is the time of the last write of each queue's status, by name.
	written map[string]time.Time
}

// New returns a reconciler. Register it with SetupWithManager.
func New(o Options) *Reconciler {
	if o.Interval == 0 {
		o.Interval = DefaultInterval
	}
	return &Reconciler{Options: o, written: map[string]time.Time{}}
}

// loaded identifies a version of a queue's configuration.
type loaded struct {
	uid        types.UID
	generation int64
	deleting   bool
}

// SetupWithManager registers the reconciler.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	collected.engine.Store(&r.Engine)
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minRetryDelay, maxRetryDelay)
	return ctrl.NewControllerManagedBy(mgr).
		Named("queue").
		For(&v1alpha1.SparkQueue{}).
		Watches(&v1alpha1.SparkFlavor{}, handler.EnqueueRequestsFromMapFunc(anyFlavor)).
		WatchesRawSource(r.waker.Source()).
		WithOptions(controller.Options{RateLimiter: limiter}).
		Complete(r)
}

// Changed reports that usage or order may have changed in some queue. It does not block. The queues are published a
// little later, so that many changes are published together.
func (r *Reconciler) Changed() {
	r.waker.WakeAfter(everything.NamespacedName, min(gathering, r.Interval/4))
}

// everything is the request to publish all queues.
var everything = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "*", Name: "*"}}

// flavors is the request to reload the engine because a flavor has changed.
var flavors = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "*", Name: "flavors"}}

func anyFlavor(context.Context, client.Object) []reconcile.Request {
	return []reconcile.Request{flavors}
}

// Reconcile loads a changed queue into the engine and publishes its state.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Ready(ctx); err != nil {
		return ctrl.Result{}, err
	}
	switch req {
	case everything:
		return ctrl.Result{}, r.publishAll(ctx)
	case flavors:
		return ctrl.Result{}, r.reload(ctx)
	}
	queue := &v1alpha1.SparkQueue{}
	err := r.Client.Get(ctx, req.NamespacedName, queue)
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, r.reload(ctx)
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	return r.publish(ctx, queue)
}

// load makes sure that the engine has the current spec of a queue before anything is published about it.
func (r *Reconciler) load(ctx context.Context, queue *v1alpha1.SparkQueue) error {
	if r.loaded[queue.Name] == loadedOf(queue) {
		return nil
	}
	return r.reload(ctx)
}

// reload makes the engine reload all queues, and then publishes all: a change of one queue may change the parents of
// others.
func (r *Reconciler) reload(ctx context.Context) error {
	list := &v1alpha1.SparkQueueList{} // listed before the engine reads, so never newer than its configuration
	if err := r.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list queues: %w", err)
	}
	if err := r.Engine.Reload(ctx); err != nil {
		return err
	}
	r.loaded = make(map[string]loaded, len(list.Items))
	for i := range list.Items {
		r.loaded[list.Items[i].Name] = loadedOf(&list.Items[i])
	}
	r.Changed()
	return nil
}

// loadedOf returns the version of a queue's configuration.
func loadedOf(queue *v1alpha1.SparkQueue) loaded {
	return loaded{queue.UID, queue.Generation, !queue.DeletionTimestamp.IsZero()}
}

// publishAll publishes the state of all queues. It continues after a queue whose write the API server refuses, but not
// when the API server does not answer.
func (r *Reconciler) publishAll(ctx context.Context) error {
	var first error
	for _, name := range r.Engine.Names() {
		err := r.publishNamed(ctx, types.NamespacedName{Name: name})
		if err != nil && isUnanswered(err) {
			return err
		}
		first = cmp.Or(first, err)
	}
	return first
}

// isUnanswered reports whether the API server could not process a request. Then the next one would fail as well; each
// may take a minute, and no queue is configured in the meantime.
func isUnanswered(err error) bool {
	return apierrors.ReasonForError(err) == metav1.StatusReasonUnknown || apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsTooManyRequests(err)
}

// publishNamed publishes the state of one queue, and wakes the controller again if the write has to wait.
func (r *Reconciler) publishNamed(ctx context.Context, name types.NamespacedName) error {
	queue := &v1alpha1.SparkQueue{}
	if err := r.Client.Get(ctx, name, queue); err != nil {
		return client.IgnoreNotFound(err)
	}
	result, err := r.publish(ctx, queue)
	if err == nil && result.RequeueAfter > 0 {
		r.waker.WakeAfter(name, result.RequeueAfter)
	}
	return err
}

// publish writes the status of a queue if it differs: conditions at once, numbers at a limited rate.
func (r *Reconciler) publish(ctx context.Context, queue *v1alpha1.SparkQueue) (ctrl.Result, error) {
	if err := r.load(ctx, queue); err != nil || !queue.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, err
	}
	after := queue.DeepCopy()
	r.fill(after)
	if equality.Semantic.DeepEqual(queue.Status, after.Status) {
		return ctrl.Result{}, nil
	}
	now := r.Clock.Now()
	if wait := r.due(queue, after).Sub(now); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	if numbersOnly(queue, after) && r.Engine.WriteCounts(queue.Name) {
		return ctrl.Result{}, nil
	}
	if err := r.Client.Status().Patch(ctx, after, client.MergeFrom(queue), client.FieldOwner(v1alpha1.FieldOwner)); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(fmt.Errorf("write status of queue %s: %w", queue.Name, err))
	}
	r.logConditions(queue, after)
	r.noteWritten(queue.Name, now)
	return ctrl.Result{}, nil
}

// noteWritten records when the counts of a queue were last written.
func (r *Reconciler) noteWritten(queue string, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written[queue] = at
}

// logConditions logs the conditions that a write has changed.
func (r *Reconciler) logConditions(before, after *v1alpha1.SparkQueue) {
	for _, c := range after.Status.Conditions {
		was := apimeta.FindStatusCondition(before.Status.Conditions, c.Type)
		if was == nil || was.Status != c.Status || was.Reason != c.Reason {
			r.Log.Info("Condition changed", "SparkQueue", klog.KRef("", after.Name), "type", c.Type, "status", c.Status, "reason", c.Reason)
		}
	}
}

// due returns when the changed status of a queue may be written: at once if conditions differ, after two intervals if
// only the order of waiting applications differs, and after one interval otherwise.
func (r *Reconciler) due(before, after *v1alpha1.SparkQueue) time.Time {
	r.mu.Lock()
	written := r.written[before.Name]
	r.mu.Unlock()
	withoutHeads := after.Status.DeepCopy()
	withoutHeads.Heads = before.Status.Heads
	switch {
	case !numbersOnly(before, after):
		return time.Time{}
	case equality.Semantic.DeepEqual(before.Status, *withoutHeads):
		return written.Add(headsFactor * r.Interval)
	}
	return written.Add(r.Interval)
}

// numbersOnly reports whether neither a condition nor the observed generation has changed.
func numbersOnly(before, after *v1alpha1.SparkQueue) bool {
	return equality.Semantic.DeepEqual(before.Status.Conditions, after.Status.Conditions) &&
		before.Status.ObservedGeneration == after.Status.ObservedGeneration
}

// fill computes the status of a queue from its spec and from the state in the engine.
func (r *Reconciler) fill(queue *v1alpha1.SparkQueue) {
	s := &queue.Status
	if token := status.ReconcileToken(queue.Annotations); token != "" {
		s.LastHandledReconcileAt = token
	}
	view := status.QueueView{State: status.QueueActive, Generation: queue.Generation}
	state, known := r.Engine.State(queue.Name)
	switch found := queuespec.Check(&queue.Spec); {
	case len(found) > 0:
		view.State, view.Message = status.QueueInvalidSpec, found[0].String()
	case !known:
		return // the next reload will configure it
	case state.Problem != "":
		view.State, view.Message = status.QueueState(state.Problem), state.Message
	default:
		view.Message = activeMessage(queue, state)
	}
	s.Pending, s.Admitted, s.Usage, s.Heads = state.Pending, state.Admitted, state.Usage, state.Heads
	s.Elastic, s.UnmanagedPods = state.Elastic, state.UnmanagedPods
	s.Summary, s.Share = summary(state.Usage), shareText(state.Share)
	s.ObservedGeneration = queue.Generation
	s.Conditions = status.QueueConditions(s.Conditions, view, metav1.NewTime(r.Clock.Now().Truncate(time.Second)))
}

// shareText formats a share with two significant digits, because a status is for people.
func shareText(share *float64) string {
	switch {
	case share == nil:
		return ""
	case math.IsInf(*share, 1):
		return "Infinity"
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(*share, 'g', 2, 64), 64) // the text was just formatted, so parsing cannot fail
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
