// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/act"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/application/observe"
	"github.com/sparkgate/sparkgate/controllers/application/plan"
	"github.com/sparkgate/sparkgate/controllers/application/requeue"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
)

// pass is one pass over an application: what it knows, and its parts. A part returns what it has found out; only the
// methods of pass put that together.
type pass struct {
	r      *Reconciler
	app    *v1alpha1.SparkApplication
	record *memory.Record
	// observed is the input of the decisions of this pass.
	observed lifecycle.Observation
	// planned is the start that was planned, if a decision needed it.
	planned plan.Result
	// obstacle says why the driver cannot be created. It is found while acting.
	obstacle plan.Obstacle
	// requeueAfter is when to repeat the pass because something is not known yet, as in ctrl.Result.
	requeueAfter time.Duration

	observer *observe.Observer
	standing *observe.Holder
	driver   *observe.Driver
	planner  *plan.Planner

	finalizer *act.Finalizer
	publisher *act.Publisher
	announcer *act.Announcer
	creator   *act.Creator
	ungater   *act.Ungater
	cleaner   *act.Cleaner
	holder    *act.Holder
}

// newPass returns a pass over an application. Nothing has been observed yet. It gives each part what it may use.
func newPass(r *Reconciler, app *v1alpha1.SparkApplication, record *memory.Record) *pass {
	p := &pass{r: r, app: app, record: record}
	reader := &plan.Reader{Cache: r.Client, Live: r.Live, Lookups: r.lookups}
	p.planner = r.planner(reader, &record.Plans)
	p.observer = &observe.Observer{
		Pods: r.Pods, Gates: r.Gates, UIAddress: r.UIAddress, Clock: r.Clock,
		ReferenceTimeout: r.ReferenceTimeout, MaxTermination: r.MaxTermination, ExecutorInterval: r.ExecutorInterval,
	}
	p.standing = &observe.Holder{Gates: r.Gates, Placer: p.planner.Placer, Reader: reader, Record: record, MaxTermination: r.MaxTermination}
	p.driver = &observe.Driver{Live: r.Live, Reader: reader, Logs: r.Logs, Record: record, Clock: r.Clock}
	intent := &act.Intent{Live: r.Live, Clock: r.Clock}
	p.finalizer = &act.Finalizer{Client: r.Client, Live: r.Live, Record: record}
	p.publisher = &act.Publisher{Client: r.Client, Intent: intent, Record: record, Clock: r.Clock}
	p.announcer = &act.Announcer{Recorder: r.Recorder, Notifier: r.Notifier, FewEvents: r.FewEvents, StageEvents: r.stageEvents}
	p.creator = &act.Creator{Client: r.Client, Live: r.Live, Reader: reader, Rejections: r.rejections, Intent: intent, Record: record, Clock: r.Clock}
	p.ungater = &act.Ungater{Client: r.Client, Live: r.Live, Pods: r.Pods, Intent: intent, Record: record, Clock: r.Clock}
	p.cleaner, p.holder = r.cleaner(), &act.Holder{Gates: r.Gates}
	return p
}

// planner returns a planner for one pass.
func (r *Reconciler) planner(reader *plan.Reader, plans *memory.Plans) *plan.Planner {
	placer := &plan.Placer{
		Cache: r.Client, Gates: r.Gates, DefaultGate: r.DefaultGate, AllowedGates: r.AllowedGates, ForbidPodSecurityNone: r.ForbidPodSecurityNone,
	}
	builder := &plan.Builder{Reader: reader, Gates: r.Gates, ServiceAnnotation: r.Exposure.ServiceAnnotation, Plans: plans, Clock: r.Clock}
	return &plan.Planner{
		Reader: reader, Placer: placer, Builder: builder, Plans: plans, Rights: r.Rights,
		DryRun:   &plan.DryRun{Client: r.Client, Reader: reader, Builder: builder, Rejections: r.rejections, Clock: r.Clock},
		Settings: plan.Settings{HistoryURL: r.HistoryURL, MaxTermination: r.MaxTermination, Clock: r.Clock},
	}
}

func (r *Reconciler) cleaner() *act.Cleaner {
	return &act.Cleaner{Client: r.Client, Live: r.Live, Gates: r.Gates, MaxTermination: r.MaxTermination}
}

// run decides, publishes and acts. If it hits an obstacle while acting, it decides a second time, so that the status
// shows the obstacle.
func (p *pass) run(ctx context.Context) (ctrl.Result, error) {
	if err := p.observe(ctx); err != nil {
		return p.result(lifecycle.Decision{}, err)
	}
	d, err := p.decide(ctx)
	if err != nil {
		return p.result(d, err)
	}
	if err := p.execute(ctx, d); err != nil {
		return p.result(d, err)
	}
	if p.obstacle.Kind == 0 {
		return p.result(d, nil)
	}
	if err := glance(ctx, p); err != nil {
		return p.result(d, err)
	}
	switch p.obstacle.Kind {
	case plan.Blocked:
		p.observed.Obstacle = p.obstacle.Message
	case plan.Outdated:
		p.observed.InputsChanged = p.obstacle.Message
	case plan.Rejected:
		p.observed.Rejection = p.obstacle.Message
	}
	if d, err = p.decide(ctx); err != nil {
		return p.result(d, err)
	}
	return p.result(d, p.execute(ctx, d))
}

// observe observes the application and its pods, and shows the gate of its grant and the meter what there is.
func (p *pass) observe(ctx context.Context) error {
	if err := p.standing.Report(ctx, p.app); err != nil {
		return err
	}
	if err := glance(ctx, p); err != nil {
		return err
	}
	countUsage(p.r.Series, p.app.Namespace, &p.record.Usage, p.record.Usage.Observe(p.app, p.observed.Pods, p.observed.Now))
	others, err := p.standing.PodsOfOthers(ctx, p.app, p.observed.Pods)
	p.r.chargeUnattributed(others)
	return err
}

// glance collects what is observed without calls to the API server.
func glance(ctx context.Context, p *pass) (err error) {
	p.observed = p.observer.Observe(p.app, p.record)
	if p.observed.SameTemplate { // else clusterRef may name another one than that of the run
		p.observed.ClusterLost = observe.ClusterLost(ctx, p.r.Client, p.app)
	}
	p.observed.ClusterCores, err = observe.ClusterCores(ctx, p.r.Client, p.app)
	return err
}

// result returns when to repeat the pass. A conflict is not an error, because the watch will deliver the newer object.
func (p *pass) result(d lifecycle.Decision, err error) (ctrl.Result, error) {
	var later *requeue.Error
	switch {
	case apierrors.IsConflict(err):
		return ctrl.Result{RequeueAfter: conflictPause}, nil
	case errors.As(err, &later):
		return ctrl.Result{RequeueAfter: later.After}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if wait := p.planner.Reader.AbsentUntil().Sub(p.r.Clock.Now()); wait > 0 {
		p.requeueWithin(wait)
	}
	if !d.RequeueAt.IsZero() {
		p.requeueWithin(d.RequeueAt.Sub(p.r.Clock.Now()))
	}
	return ctrl.Result{RequeueAfter: p.requeueAfter}, nil
}

func (p *pass) requeueWithin(after time.Duration) {
	p.requeueAfter = requeue.Within(p.requeueAfter, after)
}

// conflictPause is how long to wait for the watch after a conflict.
const conflictPause = 100 * time.Millisecond

// execute does what was decided, in the order that makes every crash harmless: the actions that precede the status, the
// finalizer, the status, the events, the actions that need the status, and what the gate has to know.
func (p *pass) execute(ctx context.Context, d lifecycle.Decision) error {
	if err := p.act(ctx, d.Before); err != nil {
		return err
	}
	if d.Finalizer {
		if err := p.addFinalizer(ctx); err != nil {
			return p.unwritten(ctx, d, err)
		}
	}
	before := p.app
	if err := p.publish(ctx, d.Status); err != nil {
		return p.unwritten(ctx, d, err)
	}
	for _, a := range d.Events {
		p.announcer.Announce(p.app, a)
	}
	p.announcer.RecordStage(before, p.app, d.Events)
	if err := p.act(ctx, d.After); err != nil {
		return err
	}
	p.ensureReservation(ctx)
	return p.holder.ReportProgress(ctx, p.app, p.gateName())
}

// gateName returns the gate of the application's grant, else the gate of this pass's plan, else Embedded.
func (p *pass) gateName() string {
	switch {
	case p.app.Status.Grant != nil:
		return string(p.app.Status.Grant.Gate)
	case p.planned.Plan != nil:
		return p.planned.Plan.Gate
	}
	return string(v1alpha1.GateEmbedded)
}
