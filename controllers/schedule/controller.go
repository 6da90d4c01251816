// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/internal/base/fairqueue"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// Options configure a Reconciler.
type Options struct {
	// Client reads schedules and applications from a cache, and writes. Live reads from the API server.
	Client client.Client
	Live   client.Reader
	// Recorder records events about schedules.
	Recorder events.EventRecorder
	// Notifier sends warnings to other systems; nil sends none.
	Notifier Notifier
	Clock    clock.PassiveClock
	// Series bounds the series of all metrics with a namespace label.
	Series *metricseries.Bounds
	// Ready returns once this process is the leader and may write.
	Ready func(context.Context) error
}

// Notifier sends warnings about schedules to other systems. It must not block.
type Notifier interface {
	NotifySchedule(s *v1alpha1.ScheduledSparkApplication, reason, message string)
}

// Reconciler creates the applications of schedules.
type Reconciler struct {
	Options
	memory memory
	// since is when this process became the leader; nil until then.
	since atomic.Pointer[time.Time]
}

// New returns a reconciler.
func New(o Options) *Reconciler {
	return &Reconciler{Options: o, memory: memory{known: map[types.NamespacedName]*record{}}}
}

// ownerIndex indexes applications by the name of the schedule in their owner reference, whatever its UID.
const ownerIndex = "schedule.name"

// SetupWithManager registers the reconciler. It reconciles up to concurrent schedules at once, at most a quarter of
// them in one namespace.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	if err := mgr.GetFieldIndexer().IndexField(context.Background(), &v1alpha1.SparkApplication{}, ownerIndex, ownerOf); err != nil {
		return fmt.Errorf("index applications by their schedule: %w", err)
	}
	collector.of.Store(r)
	return ctrl.NewControllerManagedBy(mgr).
		Named("schedule").
		For(&v1alpha1.ScheduledSparkApplication{}).
		Owns(&v1alpha1.SparkApplication{}).
		WithOptions(optionsFor(concurrent)).
		Complete(r)
}

// minRetryDelay and maxRetryDelay bound the pause after a failure, which doubles each time. The longest one bounds how
// late a run starts after the API server, or a webhook that it calls, has been unavailable.
const (
	minRetryDelay = 100 * time.Millisecond
	maxRetryDelay = 30 * time.Second
)

// optionsFor returns controller options that serve namespaces in turn, so that one whose schedules are all due at once,
// or are refused, does not delay others.
func optionsFor(concurrent int) controller.Options {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minRetryDelay, maxRetryDelay)
	return controller.Options{MaxConcurrentReconciles: concurrent, RateLimiter: limiter, NewQueue: fairqueue.QueueFor(concurrent)}
}

func ownerOf(o client.Object) []string {
	if owner := metav1.GetControllerOfNoCopy(o); owner != nil && owner.Kind == v1alpha1.ScheduledSparkApplicationKind {
		return []string{owner.Name}
	}
	return nil
}

// recordDelay is how long the record of a creation waits for the cache to show the application. It may never do so, if
// the application was deleted at once.
const recordDelay = 2 * time.Second

// Reconcile takes one step: it creates at most one application and returns when to look again. The next step records
// the creation in the status, when the cache shows the application: if many schedules are due at once, all of them
// create before the first one records. Missed runs are recorded at once, because only this step knows why they were
// missed.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Ready(ctx); err != nil {
		return ctrl.Result{}, err
	}
	now := r.Clock.Now()
	r.since.CompareAndSwap(nil, &now)
	s, err := r.read(ctx, req.NamespacedName)
	if err != nil || s == nil {
		return ctrl.Result{}, err
	}
	known := r.memory.of(s)
	if known.isStale(s) {
		return ctrl.Result{}, nil
	}
	return r.pass(ctx, s, known)
}

// pass observes a schedule, decides, acts and publishes. Each part returns what it has found out.
func (r *Reconciler) pass(ctx context.Context, s *v1alpha1.ScheduledSparkApplication, known *record) (ctrl.Result, error) {
	now := r.Clock.Now()
	apps := applications{client: r.Client, live: r.Live, schedule: s}
	seen, err := observer{client: r.Client, live: r.Live, apps: apps, record: known, since: *r.since.Load(), now: now}.observe(ctx)
	if err != nil {
		return ctrl.Result{}, err
	}
	decided := outcome{observed: seen, decision: tick.Decide(seen.o)}
	done, err := (&actor{client: r.Client, clock: r.Clock, apps: apps, record: known}).act(ctx, decided)
	if err != nil {
		return ctrl.Result{}, err
	}
	if done.created && len(done.decision.Passed) == 0 {
		return ctrl.Result{RequeueAfter: recordDelay}, nil
	}
	announcer := announcer{recorder: r.Recorder, notifier: r.Notifier, schedule: s}
	if err := (publisher{client: r.Client, announcer: announcer, series: r.Series, record: known}).publish(ctx, done); err != nil {
		return ctrl.Result{}, err
	}
	for _, c := range tick.Surplus(&s.Spec, done.o.Children) {
		if _, err := apps.delete(ctx, c); err != nil {
			return ctrl.Result{}, err
		}
	}
	return done.result(r.Clock.Now()), nil
}

// read returns a schedule from the cache, or nil if it is gone or is being deleted.
func (r *Reconciler) read(ctx context.Context, name types.NamespacedName) (*v1alpha1.ScheduledSparkApplication, error) {
	s := &v1alpha1.ScheduledSparkApplication{}
	switch err := r.Client.Get(ctx, name, s); {
	case apierrors.IsNotFound(err):
		r.memory.forget(name)
		return nil, nil
	case err != nil || !s.DeletionTimestamp.IsZero():
		return nil, err
	}
	return s, nil
}

// outcome is what a pass has done, with what it has found out.
type outcome struct {
	observed
	decision tick.Decision
	// created reports whether this pass has created an application.
	created bool
	// refused is the reason why the application could not be created; empty if it could.
	refused string
}

// retryRejected is the pause before a creation that the API server rejected is tried again. The rejection may be
// temporary, for example because of a ResourceQuota.
const retryRejected = 30 * time.Second

// maxSleep bounds how late a run starts after the clock was set forward or the machine was suspended, which timers
// do not notice. Looking again costs no request.
const maxSleep = 10 * time.Minute

// retryTemplate is the pause before a template with a mistake is checked again. An admission policy may have refused
// it, and a change of the policy does not wake the schedule.
const retryTemplate = 10 * time.Minute

// result returns when to look at the schedule again.
func (out outcome) result(now time.Time) ctrl.Result {
	sleep := maxSleep
	if look := out.decision.Look; !look.IsZero() {
		sleep = min(max(look.Sub(now), time.Millisecond), maxSleep)
	}
	switch {
	case out.refused != "":
		return ctrl.Result{RequeueAfter: min(sleep, retryRejected)}
	case out.decision.Again:
		return ctrl.Result{RequeueAfter: time.Nanosecond}
	case !out.decision.Look.IsZero():
		return ctrl.Result{RequeueAfter: sleep}
	case out.inTemplate:
		return ctrl.Result{RequeueAfter: retryTemplate}
	}
	return ctrl.Result{}
}
