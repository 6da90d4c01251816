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
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
)

// pass is one pass over an application. Its parts share the state, and each of them uses only those declared before it.
type pass struct {
	*state
	// Observe and plan.
	reader    *reader
	placement *placement
	builder   *objectBuilder
	planner   *planner
	observer  *observer
	// Decide.
	decider *decider
	// Act and publish.
	intent    *intent
	creator   *creator
	ungater   *ungater
	cleaner   *cleaner
	finalizer *finalizer
	announcer *announcer
	holder    *holder
	actor     *actor
	publisher *publisher
}

// newPass returns a pass over an application. Nothing has been observed yet.
func newPass(r *Reconciler, app *v1alpha1.SparkApplication, record *memory.Record) *pass {
	st := &state{Reconciler: r, app: app, record: record}
	p := &pass{state: st, reader: &reader{state: st}, placement: &placement{state: st}}
	p.builder = &objectBuilder{state: st, reader: p.reader, placement: p.placement}
	p.planner = &planner{state: st, reader: p.reader, placement: p.placement, builder: p.builder}
	p.observer = &observer{state: st, reader: p.reader, placement: p.placement, planner: p.planner}
	p.decider = &decider{state: st, planner: p.planner, observer: p.observer}
	p.intent = &intent{state: st}
	p.creator = &creator{state: st, reader: p.reader, builder: p.builder, intent: p.intent}
	p.ungater, p.cleaner = &ungater{state: st, intent: p.intent}, &cleaner{state: st}
	p.finalizer, p.announcer = &finalizer{state: st}, &announcer{state: st}
	p.holder = &holder{state: st, observer: p.observer, announcer: p.announcer}
	p.actor = &actor{state: st, holder: p.holder, creator: p.creator, ungater: p.ungater, cleaner: p.cleaner, finalizer: p.finalizer}
	p.publisher = &publisher{state: st, intent: p.intent, holder: p.holder, actor: p.actor}
	return p
}

// result returns when to repeat the pass. A conflict is not an error, because the watch will deliver the newer object.
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
	if wait := p.reader.absentUntil.Sub(p.Clock.Now()); wait > 0 {
		p.requeueWithin(wait)
	}
	if !d.RequeueAt.IsZero() {
		p.requeueWithin(d.RequeueAt.Sub(p.Clock.Now()))
	}
	return ctrl.Result{RequeueAfter: p.requeueAfter}, nil
}

// conflictPause is how long to wait for the watch after a conflict.
const conflictPause = 100 * time.Millisecond

// execute does what was decided, in the order that makes every crash harmless: the actions that precede the status, the
// finalizer, the status, the events, the actions that need the status, and what the gate has to know.
func (p *pass) execute(ctx context.Context, d lifecycle.Decision) error {
	if err := p.actor.act(ctx, d.Before); err != nil {
		return err
	}
	if d.Finalizer {
		if err := p.finalizer.addFinalizer(ctx); err != nil {
			return p.publisher.unwritten(ctx, d, err)
		}
	}
	before := p.app
	if err := p.publisher.publish(ctx, d.Status); err != nil {
		return p.publisher.unwritten(ctx, d, err)
	}
	for _, a := range d.Events {
		p.announcer.announce(a)
	}
	p.announcer.recordStage(before, d.Events)
	if err := p.actor.act(ctx, d.After); err != nil {
		return err
	}
	p.holder.ensureReservation(ctx)
	return p.holder.reportProgress(ctx)
}
