// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/plan"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// act carries out what was decided, except for the status and the events.
func (p *pass) act(ctx context.Context, actions []lifecycle.Action) error {
	for _, a := range actions {
		if err := p.do(ctx, a); err != nil || p.obstacle.Kind != 0 {
			return err
		}
	}
	return nil
}

func (p *pass) do(ctx context.Context, a lifecycle.Action) (err error) {
	switch a.Kind {
	case lifecycle.ReportGrant:
		p.holder.Persisted(ctx, p.app)
	case lifecycle.UngatePods:
		return p.ungater.Ungate(ctx, p.app, a.Ungates)
	case lifecycle.CreateDriver:
		return p.createDriver(ctx)
	case lifecycle.CreateWorkers:
		return p.createWorkers(ctx, a.Workers)
	case lifecycle.DeletePod:
		return p.cleaner.DeletePod(ctx, a.Pod, a.Force)
	case lifecycle.EndContainers:
		return p.cleaner.EndContainers(ctx, a.Pod)
	case lifecycle.DeleteService:
		return p.cleaner.DeleteObject(ctx, p.app, &corev1.Service{}, render.NamesOf(p.app, a.Run, a.Attempt).Service)
	case lifecycle.DeleteObjects:
		return deleteObjects(ctx, p, lifecycle.AttemptID{Run: a.Run, Attempt: a.Attempt})
	case lifecycle.ReleaseGrant:
		return p.release(ctx)
	case lifecycle.RemoveFinalizer:
		return p.removeFinalizer(ctx)
	case lifecycle.DeleteApplication:
		return p.cleaner.DeleteApplication(ctx, p.app)
	}
	return err
}

func deleteObjects(ctx context.Context, p *pass, of lifecycle.AttemptID) error {
	err := p.cleaner.DeleteObjects(ctx, p.app, of, p.observed)
	if err == nil {
		p.record.Kept.Deleted(of)
	}
	return err
}

// createDriver builds the objects of the attempt in the status with its grant, and creates them. What prevents that is
// the obstacle of the pass.
func (p *pass) createDriver(ctx context.Context) error {
	current := lifecycle.CurrentAttempt(p.app)
	if p.record.Refusals.GaveUp(current) {
		return nil // its grant was released already
	}
	if wait := p.creator.Awaited(current); wait > 0 {
		p.requeueWithin(wait)
		return nil
	}
	objects, inputs, obstacle, err := p.planner.Builder.Granted(ctx, p.app)
	if p.obstacle = obstacle; err != nil || obstacle.Kind != 0 {
		return err
	}
	created, obstacle, err := p.creator.CreateDriver(ctx, p.app, objects, inputs)
	if p.obstacle = obstacle; created {
		p.announcer.LeftOut(p.app, p.r.Exposure.JudgeProperties(objects.Properties))
	}
	return err
}

// createWorkers creates workers of a cluster. What prevents that is the obstacle of the pass.
func (p *pass) createWorkers(ctx context.Context, numbers []int) error {
	objects, _, obstacle, err := p.planner.Builder.Granted(ctx, p.app)
	if err == nil && obstacle.Kind == 0 {
		obstacle, err = p.creator.CreateWorkers(ctx, p.app, objects, numbers)
	}
	if p.obstacle = obstacle; obstacle.Kind == plan.Outdated {
		p.obstacle = plan.Obstacle{Kind: plan.Blocked, Message: "an object that they refer to, a LimitRange, a RuntimeClass or an annotation of the namespace " +
			"has changed since they got their quota: change spec.runID to start the cluster again"}
	}
	return err
}

// release returns the quota of the application. If that fails, an event says so and, if the application is being deleted,
// its status, because its finalizer stays.
func (p *pass) release(ctx context.Context) error {
	err := p.holder.Release(ctx, p.app, p.observed)
	if err == nil || apierrors.IsConflict(err) {
		return err
	}
	message := fmt.Sprintf("quota of gate %s cannot be given back yet: %s", p.gateName(), err)
	p.announcer.Announce(p.app, lifecycle.Event{Warning: true, Reason: quotaNotReleased, Message: message})
	if p.app.DeletionTimestamp.IsZero() {
		return err
	}
	ctrl.LoggerFrom(ctx).Error(err, "Failed to give back the quota of an application that is being deleted; will retry", "gate", p.gateName())
	p.obstacle = plan.Obstacle{Kind: plan.Blocked, Message: message}
	return nil
}

func (p *pass) addFinalizer(ctx context.Context) (err error) {
	p.app, err = p.finalizer.Add(ctx, p.app)
	return err
}

// removeFinalizer removes the finalizer, and counts what remains to be counted of an application that goes with it.
func (p *pass) removeFinalizer(ctx context.Context) error {
	after, err := p.finalizer.Remove(ctx, p.app)
	if after != p.app {
		p.app = after
		addUsage(p.r.Series, p.app.Namespace, p.record.Usage.Gone(p.r.Clock.Now()))
	}
	return err
}

// publish writes the status, and counts and logs what has changed.
func (p *pass) publish(ctx context.Context, status v1alpha1.SparkApplicationStatus) error {
	before := p.app
	after, err := p.publisher.Publish(ctx, before, status)
	if err != nil || after == before {
		return err
	}
	p.app = after
	countChange(p.r.Series, before, after, p.observed.Eviction)
	countUsage(p.r.Series, after.Namespace, &p.record.Usage, p.record.Usage.Written(&after.Status))
	logStage(ctx, before, after)
	return nil
}

const (
	// objectRestored is the reason of the event that a gate had to create its object again while the attempt was
	// running.
	objectRestored = "ObjectRestored"
	// quotaNotReleased is the reason of the event that a gate could not take quota back.
	quotaNotReleased = "QuotaNotReleased"
	// ensureInterval is the pause before a gate's object is created again after a failure.
	ensureInterval = 10 * time.Second
)

// ensureReservation restores the object that represents the grant in another system. A failure is logged and retried,
// and does not affect the attempt.
func (p *pass) ensureReservation(ctx context.Context) {
	restored, err := p.holder.EnsureReservation(ctx, p.app)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Failed to ensure the object of a grant; will retry", "gate", p.gateName())
		p.requeueWithin(ensureInterval)
	} else if restored != "" {
		p.announcer.Announce(p.app, lifecycle.Event{Warning: true, Reason: objectRestored, Message: restored})
	}
}
