// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/companions"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/fairqueue"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// Options of a Reconciler. All fields are required unless said otherwise.
type Options struct {
	// Client reads applications, queues and classes from the cache, and writes.
	Client client.Client
	// Live reads from the API server.
	Live client.Reader
	// Pods are the Spark pods of the cluster.
	Pods *pods.Store
	// Gates by name.
	Gates reservation.Gates
	// DefaultGate is the gate of applications where neither they nor their namespace name one. Default: Embedded.
	DefaultGate v1alpha1.GateType
	// AllowedGates may be used in namespaces that do not say which. Default: namespaces.DefaultGates.
	AllowedGates []v1alpha1.GateType
	// ReferenceTimeout is how long a missing reference is waited for before the wait counts as stalled. Default: 10m.
	ReferenceTimeout time.Duration
	// MaxTermination bounds how long pods take to end that have to. Default: 10m.
	MaxTermination time.Duration
	// ExecutorInterval bounds how often executor counts alone are written. Default: 10s.
	ExecutorInterval time.Duration
	// HistoryURL is the address of a job at a Spark history server, with v1alpha1.ApplicationIDToken. Default: there is none.
	HistoryURL string
	// ForbidPodSecurityNone refuses applications whose pods are held to no Pod Security Standard.
	ForbidPodSecurityNone bool
	// Exposure says by which hosts web interfaces may be reached. Default: by none.
	Exposure expose.Rules
	// FewEvents records Kubernetes events of failures and ends only, not of every stage. Each event is a write.
	FewEvents bool
	// Recorder of events.
	Recorder events.EventRecorder
	// Logs of drivers, for attempts that failed; nil keeps no log.
	Logs LogReader
	// Notifier tells others of the same events; nil is nobody.
	Notifier Notifier
	// GateKinds are the kinds of objects that gates create for attempts, under the names and labels of these. Default: none.
	GateKinds []schema.GroupVersionKind
	// Series bounds those of the metrics (Series). Default: no queue is configured.
	Series *metricseries.Bounds
	// Clock of every decision.
	Clock clock.Clock
	// Claim has a pod charged to the queue of its namespace: it carries the labels of an application and cannot be attributed to it. Nil
	// charges nobody.
	Claim func(*pods.Record)
	// Ready returns once decisions may be made: this process leads and has seen what the one before it did. Default: at once.
	Ready func(context.Context) error
}

// Notifier tells others what becomes of an application. It must not wait.
type Notifier interface {
	Notify(app *v1alpha1.SparkApplication, warning bool, reason, message string)
}

// Reconciler drives applications. It is safe for concurrent use with different applications.
type Reconciler struct {
	Options
	expectations *Expectations
	lookups      *lookups
	companions   *companions.Companions
	// stageEvents is the budget of events about stages, by namespace.
	stageEvents *fairqueue.Budget
	// deciding says that this process makes the decisions.
	deciding atomic.Bool
}

// New returns a reconciler.
func New(o Options) *Reconciler {
	if o.DefaultGate == "" {
		o.DefaultGate = v1alpha1.GateEmbedded
	}
	if o.AllowedGates == nil {
		o.AllowedGates = catalog.WithQueues()
	}
	if o.ReferenceTimeout == 0 {
		o.ReferenceTimeout = 10 * time.Minute
	}
	if o.MaxTermination == 0 {
		o.MaxTermination = pods.DefaultMaxTermination
	}
	if o.Series == nil {
		o.Series = metricseries.New()
	}
	if o.Ready == nil {
		o.Ready = func(context.Context) error { return nil }
	}
	memory := NewExpectations()
	return &Reconciler{Options: o, expectations: memory, lookups: newLookups(newExistenceCache(o.Clock)),
		companions: companions.New(companions.Options{
			Client: o.Client, Live: o.Live, Exposure: o.Exposure, Recorder: o.Recorder, Clock: o.Clock, Listed: memory.suspect,
		}),
		stageEvents: fairqueue.NewBudget(o.Clock, eventsPerSecond, eventsInARow)}
}

// Expectations returns what the reconciler remembers of its own writes.
func (r *Reconciler) Expectations() *Expectations { return r.expectations }

// Reconcile makes one pass.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Ready(ctx); err != nil {
		return ctrl.Result{}, err
	}
	r.deciding.Store(true)
	app := &v1alpha1.SparkApplication{}
	if err := r.Client.Get(ctx, req.NamespacedName, app); err != nil {
		if apierrors.IsNotFound(err) {
			return r.cleanUpDeleted(ctx, req.NamespacedName)
		}
		return ctrl.Result{}, err
	}
	if r.expectations.IsStale(app) {
		return ctrl.Result{}, nil // an own write is newer than what the watch has shown; its event will come
	}
	r.expectations.note(app)
	after, err := r.releaseStale(ctx, req.NamespacedName, app.UID)
	if err != nil {
		return ctrl.Result{}, err
	}
	left := r.sweepLeft(ctx, req.NamespacedName) // what cannot be deleted does not hold up another application of the same name
	result := ctrl.Result{RequeueAfter: r.expectations.refusedFor(app, r.Clock.Now())}
	if result.RequeueAfter == 0 || !app.DeletionTimestamp.IsZero() {
		result, err = r.pass(ctx, app)
	}
	if err == nil && after > 0 && (result.RequeueAfter == 0 || after < result.RequeueAfter) {
		result.RequeueAfter = after
	}
	return result, errors.Join(err, left)
}

// pass decides, publishes and acts. An obstacle met while acting is published by deciding once more.
func (r *Reconciler) pass(ctx context.Context, app *v1alpha1.SparkApplication) (ctrl.Result, error) {
	p := &pass{Reconciler: r, app: app}
	if err := p.updateHolder(ctx); err != nil {
		return p.result(lifecycle.Decision{}, err)
	}
	p.o = r.observe(app)
	if err := p.chargeUnattributed(ctx); err != nil {
		return p.result(lifecycle.Decision{}, err)
	}
	d, err := p.decide(ctx)
	if err != nil {
		return p.result(d, err)
	}
	if err := p.execute(ctx, d); err != nil {
		return p.result(d, err)
	}
	if !p.hindered() {
		return p.result(d, nil)
	}
	p.o = r.observe(p.app)
	p.o.Obstacle, p.o.InputsChanged = p.obstacle, p.outdated
	if d, err = p.decide(ctx); err != nil {
		return p.result(d, err)
	}
	return p.result(d, p.execute(ctx, d))
}

// pass is the state of one pass.
type pass struct {
	*Reconciler
	app *v1alpha1.SparkApplication
	o   lifecycle.Observation
	// ask is what the plan of the pass asks of its gate.
	ask *queueing.Ask
	// policy of the namespace, as of the plan of the pass.
	policy namespacepolicy.Policy
	// gateField is where the gate of the plan was named.
	gateField string
	// queueField is where the queue of the plan was named.
	queueField string
	// target is the gate that the plan of the pass asks.
	target targetGate
	// plan of the pass, kept for the verdict.
	plan *lifecycle.Plan
	// intentVerifiedAt is when the published intent was last known to stand, by a write or a live read of this pass; zero if it was not.
	intentVerifiedAt time.Time
	// secrets are what spec.sparkConfFrom refers to, nil before they are read.
	secrets *secretValues
	// recalled says that the plan of the pass goes by what an earlier pass found out.
	recalled bool
	// turn says that the gate has granted what was asked for on the strength of that.
	turn bool
	// reads says that the pass has begun to read what the application refers to.
	reads bool
	// absentUntil is until when nobody looks for what is missing; zero if nothing is, or the pass has looked itself.
	absentUntil time.Time
	// configMaps that were read, by name: one pass plans and makes from the same content. Nil is one that does not exist.
	configMaps map[string]*corev1.ConfigMap
	// template is the hash of the run template, once the pass has planned.
	template string
	// inputs identify what the objects of the pass were last built from.
	inputs string
	// sent are the names of the containers of the driver pod that the pass makes.
	sent map[string]bool
	// outdated says what has changed since the grant was given, as it was met while acting.
	outdated string
	// obstacle met while acting.
	obstacle string
	// requeueAfter is when the pass should be repeated because something could not be known yet.
	requeueAfter time.Duration
}

// hindered reports whether the pass has met something while acting that keeps the driver from being made.
func (p *pass) hindered() bool { return p.obstacle != "" || p.outdated != "" }

// result returns when to look again. A conflict is no error: the newer object is on its way.
func (p *pass) result(d lifecycle.Decision, err error) (ctrl.Result, error) {
	var later *retryLaterError
	switch {
	case apierrors.IsConflict(err):
		return ctrl.Result{RequeueAfter: conflictPause}, nil
	case errors.As(err, &later):
		return ctrl.Result{RequeueAfter: later.after}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if wait := p.absentUntil.Sub(p.Clock.Now()); wait > 0 {
		p.lookAgain(wait)
	}
	after := p.requeueAfter
	if !d.RequeueAt.IsZero() {
		due := max(d.RequeueAt.Sub(p.Clock.Now()), time.Millisecond)
		if after == 0 || due < after {
			after = due
		}
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

// lookAgain asks for another pass after a while at the latest.
func (p *pass) lookAgain(after time.Duration) {
	if p.requeueAfter == 0 || after < p.requeueAfter {
		p.requeueAfter = after
	}
}

// conflictPause is how long to wait for the watch after a conflict.
const conflictPause = 100 * time.Millisecond
