// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"

	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/status"
)

// decider calls lifecycle.Decide and answers what a decision needs.
type decider struct {
	*state
	planner  *planner
	observer *observer
}

// maxSteps bounds how many needs a decision may have. Each need occurs at most once, or twice when one run follows
// another.
const maxSteps = 12

// decide calls lifecycle.Decide and fulfils its needs, until the decision is complete.
func (dc *decider) decide(ctx context.Context) (lifecycle.Decision, error) {
	for range maxSteps {
		d := lifecycle.Decide(dc.observed)
		dc.logDecision(ctx, d)
		if d.Need == lifecycle.NeedNothing {
			return d, nil
		}
		if err := dc.fulfil(ctx, d); err != nil {
			return d, err
		}
	}
	return lifecycle.Decision{}, fmt.Errorf("decide on %s/%s: a need could not be met", dc.app.Namespace, dc.app.Name)
}

func (dc *decider) fulfil(ctx context.Context, d lifecycle.Decision) (err error) {
	switch d.Need {
	case lifecycle.NeedNothing:
	case lifecycle.NeedPlan:
		dc.plan, err = dc.planner.planStart(ctx, d.Start)
		dc.observed.Plan = dc.plan
	case lifecycle.NeedVerdict:
		dc.planner.ask.QueuedAt = d.Start.QueuedAt
		if dc.observed.Verdict, err = dc.observer.verdict(ctx); err == nil {
			err = dc.planner.replanGranted(ctx, d.Start)
		}
	case lifecycle.NeedDriverAbsent:
		err = dc.observer.findDriver(ctx)
	case lifecycle.NeedAllocation:
		dc.observed.Allocation = dc.observer.resize(ctx, d.Want)
	case lifecycle.NeedLogCause:
		dc.observed.LogCause = ptr.To(dc.observer.logCause(ctx))
	case lifecycle.NeedDriverEvent:
		dc.observed.DriverEvent = dc.observer.driverEvent(ctx)
	case lifecycle.NeedNodes:
		dc.observed.UnreachableNodes, err = dc.unreachableNodes(ctx, dc.observed.Pods)
	}
	return err
}

// logDecision logs one call of Decide: the need that it returned, or the stage that it decided on.
func (dc *decider) logDecision(ctx context.Context, d lifecycle.Decision) {
	log := ctrl.LoggerFrom(ctx).V(1)
	if !log.Enabled() {
		return
	}
	values := []any{"need", d.Need.String()}
	if dc.app.Status.Grant != nil || dc.plan != nil {
		values = append(values, "gate", dc.gateName())
	}
	if d.Need == lifecycle.NeedNothing {
		stage, _ := status.StageOf(d.Status.Conditions)
		values = append(values, "stage", stageText(stage))
	}
	if v := dc.observed.Verdict; v != nil {
		values = append(values, "verdict", v.State.String(), "reason", v.Reason)
	}
	log.Info("Decided", values...)
}
