// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/requeue"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// statusRefused is the reason of the event that the API server refuses the status of an application.
const statusRefused = "StatusRefused"

// unwritten handles a decision whose status could not be written. If it certainly was not stored, it releases grants
// that only this process knows: a grant that its application never stores would stay in the ledger and slow down other
// applications. The application is not reconciled again before a growing pause.
func (p *pass) unwritten(ctx context.Context, d lifecycle.Decision, err error) error {
	final := apianswer.IsUnwritable(err)
	if !final && !(apierrors.IsConflict(err) && p.record.Refusals.Conflict()) {
		return err
	}
	if final {
		// Pods may be deleted even if the status cannot be written, because an application whose status cannot be
		// written must not hold quota.
		for _, a := range d.After {
			if a.Kind != lifecycle.DeletePod {
				continue
			}
			if err := p.do(ctx, a); err != nil {
				return err
			}
		}
	}
	if err := p.giveBack(ctx, d.Status.Grant, final); err != nil {
		return err
	}
	pause, first := p.record.Refusals.Refuse(p.app, p.r.Clock.Now(), final)
	if first && final {
		p.r.Recorder.Eventf(p.app, nil, corev1.EventTypeWarning, statusRefused, statusRefused, "%s", status.Truncate(fmt.Sprintf(
			"the API server refuses the status of this application, so it cannot start, and what runs is not reported: %s; if its size is the cause, reduce metadata or spec", err)))
	}
	return &requeue.Error{After: pause, Why: "the status could not be written: " + err.Error()}
}

// giveBack releases at the gate what a status would have changed that could not be written: a new grant, the growth of
// a grant, or a grant to release. wanted is the grant in that status. final is true if the status will never be
// written.
func (p *pass) giveBack(ctx context.Context, wanted *v1alpha1.Grant, final bool) error {
	stored := p.app.Status.Grant
	switch {
	case stored == nil && wanted == nil && !final:
		return nil
	case stored == nil:
		if err := p.verifyUnwritten(ctx); err != nil {
			return err
		}
		return p.r.Gates.Release(ctx, podsets.KeyOf(p.app), queueing.Release{Reason: queueing.Requeued, Message: "the status could not be written"})
	case wanted == nil && final:
		return p.giveBackStored(ctx)
	case wanted != nil && wanted.Resizes > stored.Resizes:
		if err := p.verifyUnwritten(ctx); err != nil {
			return err
		}
		p.r.Gates.Declined(ctx, podsets.KeyOf(p.app), convert.FromAPI(stored))
	}
	return nil
}

// verifyUnwritten reads the application from the API server, and returns an error if its status holds more than the one
// that this pass has seen: an earlier write that got no answer was stored, and the watch has not shown it yet. If that
// were released, it would be granted to others although the application uses it.
func (p *pass) verifyUnwritten(ctx context.Context) error {
	live := &v1alpha1.SparkApplication{}
	if err := p.r.Live.Get(ctx, client.ObjectKeyFromObject(p.app), live); err != nil {
		return client.IgnoreNotFound(err)
	}
	seen, now := p.app.Status.Grant, live.Status.Grant
	if live.UID != p.app.UID || now == nil || seen != nil && now.Resizes <= seen.Resizes {
		return nil
	}
	p.record.Writes.Observed(live.ResourceVersion)
	return &requeue.Error{After: conflictPause, Why: "an earlier write of the status, which got no answer, has been stored"}
}

// giveBackStored releases a stored grant although the status, which cannot be written, still has it. This process
// regards the attempt as over and creates no driver under the grant. After a restart the grant is charged again, and
// released here again.
func (p *pass) giveBackStored(ctx context.Context) error {
	if slices.ContainsFunc(p.observed.Pods, (*pods.Record).Active) {
		return nil
	}
	if driver := p.app.Status.Driver; driver == nil || driver.UID == "" {
		if err := p.findDriver(ctx); err != nil || !p.observed.DriverAbsent {
			return err
		}
	}
	p.record.Refusals.GiveUp(lifecycle.CurrentAttempt(p.app))
	return p.r.Gates.Release(ctx, podsets.KeyOf(p.app), queueing.Release{Reason: queueing.Abandoned})
}
