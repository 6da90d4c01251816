// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/controllers/application/observe"
	"github.com/sparkgate/sparkgate/controllers/application/plan"
	"github.com/sparkgate/sparkgate/controllers/application/requeue"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// maxSteps bounds how many needs a decision may have. Each need occurs at most once, or twice when one run follows
// another.
const maxSteps = 12

// decide calls lifecycle.Decide and fulfils its needs, until the decision is complete.
func (p *pass) decide(ctx context.Context) (lifecycle.Decision, error) {
	for range maxSteps {
		d := lifecycle.Decide(p.observed)
		p.logDecision(ctx, d)
		if d.Need == lifecycle.NeedNothing {
			return d, nil
		}
		if err := p.fulfil(ctx, d); err != nil {
			return d, err
		}
	}
	return lifecycle.Decision{}, fmt.Errorf("decide on %s/%s: a need could not be met", p.app.Namespace, p.app.Name)
}

func (p *pass) fulfil(ctx context.Context, d lifecycle.Decision) (err error) {
	switch d.Need {
	case lifecycle.NeedNothing:
	case lifecycle.NeedPlan:
		p.planned, err = p.planner.Plan(ctx, p.app, d.Start)
		p.took(p.planned)
	case lifecycle.NeedVerdict:
		p.observed.Verdict, err = p.planner.Ask(ctx, p.app, p.planned, d.Start.QueuedAt)
		if err == nil && p.planned.ReusesChecks && p.observed.Verdict.State == queueing.Granted {
			p.planned, err = p.planner.PlanGranted(ctx, p.app, d.Start)
			p.took(p.planned)
		}
	case lifecycle.NeedDriverAbsent:
		err = p.findDriver(ctx)
	case lifecycle.NeedAllocation:
		p.observed.Allocation = ptr.To(p.r.Gates.Resize(ctx, podsets.KeyOf(p.app), convert.FromAPI(p.app.Status.Grant), d.Want))
	case lifecycle.NeedLogCause, lifecycle.NeedDriverEvent, lifecycle.NeedActivity, lifecycle.NeedNodes:
		err = p.look(ctx, d.Need)
	}
	return err
}

// look reads what a need asks of pods and nodes.
func (p *pass) look(ctx context.Context, need lifecycle.Need) (err error) {
	switch o := &p.observed; need {
	case lifecycle.NeedLogCause:
		o.LogCause = ptr.To(p.driver.LogCause(ctx, p.app, o.Pods))
	case lifecycle.NeedDriverEvent:
		o.DriverEvent = ptr.To(p.driver.Event(ctx, p.app, o.Pods))
	case lifecycle.NeedActivity:
		o.Activity = p.driver.Activity(ctx, p.app, o.Pods, o.Now)
	case lifecycle.NeedNodes:
		o.UnreachableNodes, err = observe.UnreachableNodes(ctx, p.r.Live, o.Pods)
	}
	return err
}

// took adds a plan to what is observed.
func (p *pass) took(planned plan.Result) {
	p.observed.Plan = planned.Plan
	p.requeueAfter = requeue.Sooner(p.requeueAfter, planned.Requeue)
}

// findDriver adds to what is observed whether the driver of the attempt exists.
func (p *pass) findDriver(ctx context.Context) (err error) {
	absent, stray, err := p.driver.Find(ctx, p.app, p.observed.Pods)
	p.observed.DriverAbsent = absent
	if stray != nil {
		p.observed.Pods = append(slices.DeleteFunc(p.observed.Pods, func(r *pods.Record) bool { return r.UID == stray.UID }), stray)
		p.observed.StrayDriver, p.observed.UnreachableNodes = true, nil
	}
	return err
}

// logDecision logs one call of Decide: the need that it returned, or the stage that it decided on.
func (p *pass) logDecision(ctx context.Context, d lifecycle.Decision) {
	log := ctrl.LoggerFrom(ctx).V(1)
	if !log.Enabled() {
		return
	}
	values := []any{"need", d.Need.String()}
	if p.app.Status.Grant != nil || p.planned.Plan != nil {
		values = append(values, "gate", p.gateName())
	}
	if d.Need == lifecycle.NeedNothing {
		stage, _ := status.StageOf(d.Status.Conditions)
		values = append(values, "stage", stageText(stage))
	}
	if v := p.observed.Verdict; v != nil {
		values = append(values, "verdict", v.State.String(), "reason", v.Reason)
	}
	log.Info("Decided", values...)
}
