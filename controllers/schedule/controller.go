// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"fmt"
	"sync"
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
	"github.com/sparkgate/sparkgate/controllers/internal/operators"
	"github.com/sparkgate/sparkgate/internal/fairqueue"
	"github.com/sparkgate/sparkgate/internal/tick"
)

// Options of the reconciler.
type Options struct {
	// Client reads schedules and applications from a cache, and writes. Live reads from the API server.
	Client client.Client
	Live   client.Reader
	// Recorder records events about schedules.
	Recorder events.EventRecorder
	// Notifier sends the warnings among them elsewhere; nil sends none.
	Notifier Notifier
	Clock    clock.PassiveClock
	// Series bounds the series of metrics. Default: there are no other metrics.
	Series *metricseries.Bounds
	// Operators knows other operators, which may follow a schedule; nil knows none.
	Operators *operators.Operators
	// Ready returns once this process leads and may write.
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

	leading sync.Once
	since   time.Time
	// deciding says that this process leads.
	deciding atomic.Bool
}

// New returns a reconciler.
func New(o Options) *Reconciler {
	if o.Series == nil {
		o.Series = metricseries.New(Series()...)
	}
	return &Reconciler{Options: o, memory: memory{known: map[types.NamespacedName]*expectations{}}}
}

// ownerIndex indexes applications by the name of the schedule that controls them, or did before it was created again.
const ownerIndex = "schedule.name"

// Ended has the metrics forget this reconciler.
func (r *Reconciler) Ended() { collector.of.Drop("", r) }

// SetupWithManager registers the reconciler. It reconciles that many schedules at once, and a quarter of them of one namespace.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	if err := mgr.GetFieldIndexer().IndexField(context.Background(), &v1alpha1.SparkApplication{}, ownerIndex, ownerOf); err != nil {
		return fmt.Errorf("index applications by their schedule: %w", err)
	}
	collector.of.Set("", r)
	return ctrl.NewControllerManagedBy(mgr).
		Named("schedule").
		For(&v1alpha1.ScheduledSparkApplication{}).
		Owns(&v1alpha1.SparkApplication{}).
		WithOptions(optionsFor(concurrent)).
		Complete(r)
}

// The pause after a failure doubles from the first to the longest, which bounds how late a run starts after the API server, or a webhook that it
// asks, has not answered for a while.
const (
	minRetryDelay = 100 * time.Millisecond
	maxRetryDelay = 30 * time.Second
)

// optionsFor returns options for that many concurrent reconciles, which serve namespaces in turn: one whose schedules are all due at once, or are
// refused, does not delay those of others.
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

// recordLatest is how long the record of a creation waits for the cache to show the application, which may have been deleted
// already.
const recordLatest = 2 * time.Second

// Reconcile takes one step: it creates one application at most, and returns when to look again. What was created is recorded in the
// status by the next step, which begins when the cache shows the application: where many schedules are due at once, all of them create
// before the first of them records. Missed runs are recorded at once, because only this step knows why.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Ready(ctx); err != nil {
		return ctrl.Result{}, err
	}
	r.leading.Do(func() {
		r.since = r.Clock.Now()
		r.deciding.Store(true)
	})
	s, err := r.read(ctx, req.NamespacedName)
	if err != nil || s == nil {
		return ctrl.Result{}, err
	}
	p := &pass{Reconciler: r, schedule: s, expected: r.memory.of(s), confirmed: map[string]bool{}}
	if p.expected.isStale(s) {
		return ctrl.Result{}, nil
	}
	if err := p.observe(ctx); err != nil {
		return ctrl.Result{}, err
	}
	p.decision = tick.Decide(p.o)
	if err := p.act(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if p.created && len(p.decision.Passed) == 0 {
		return ctrl.Result{RequeueAfter: recordLatest}, nil
	}
	if err := p.publish(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if err := p.trim(ctx); err != nil {
		return ctrl.Result{}, err
	}
	return p.result(), nil
}

// read returns a schedule from the cache; nil if it is gone or being deleted, or if another operator follows it.
func (r *Reconciler) read(ctx context.Context, name types.NamespacedName) (*v1alpha1.ScheduledSparkApplication, error) {
	s := &v1alpha1.ScheduledSparkApplication{}
	switch err := r.Client.Get(ctx, name, s); {
	case apierrors.IsNotFound(err):
		r.memory.forget(name)
		return nil, nil
	case err != nil || !s.DeletionTimestamp.IsZero() || r.Operators.Other(ctx, s.Status.Operator):
		return nil, err
	}
	return s, nil
}

// pass is one reconciliation of one schedule.
type pass struct {
	*Reconciler
	schedule *v1alpha1.ScheduledSparkApplication
	expected *expectations
	o        tick.Observation
	// mistake is what keeps the schedule from working; empty if nothing does.
	mistake string
	// inTemplate says that the mistake is one of the template.
	inTemplate bool
	decision   tick.Decision
	// confirmed are applications that this pass has read from the API server.
	confirmed map[string]bool
	// created says that this pass has created an application.
	created bool
	// refused is why the application could not be created; empty if it could.
	refused string
}

// retryRefused is the pause before a creation that the API server has refused is tried again: the refusal may be temporary, as
// by a ResourceQuota.
const retryRefused = 30 * time.Second

// longestSleep bounds how late a run starts after the clock was set ahead or the machine was suspended, which timers do not
// notice. Looking again costs no request.
const longestSleep = 10 * time.Minute

// retryTemplate is the pause before a template with a mistake is checked again: an admission policy may refuse it, and a
// change of the policy wakes no schedule.
const retryTemplate = 10 * time.Minute

func (p *pass) result() ctrl.Result {
	sleep := longestSleep
	if look := p.decision.Look; !look.IsZero() {
		sleep = min(max(look.Sub(p.Clock.Now()), time.Millisecond), longestSleep)
	}
	switch {
	case p.refused != "":
		return ctrl.Result{RequeueAfter: min(sleep, retryRefused)}
	case p.decision.Again:
		return ctrl.Result{RequeueAfter: time.Nanosecond}
	case !p.decision.Look.IsZero():
		return ctrl.Result{RequeueAfter: sleep}
	case p.inTemplate:
		return ctrl.Result{RequeueAfter: retryTemplate}
	}
	return ctrl.Result{}
}
