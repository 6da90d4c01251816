// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// holder talks to the gate on behalf of an application that holds quota or held it.
type holder struct {
	*state
	observer  *observer
	announcer *announcer
}

// persisted reports to the gate which grant is stored in the status.
func (ho *holder) persisted(ctx context.Context) {
	if grant := ho.app.Status.Grant; grant != nil {
		ho.Gates.Persisted(ctx, convert.KeyOf(ho.app), convert.FromAPI(grant))
	}
}

// release returns the reason and message with which the application releases its grant or its ask.
func (ho *holder) release() queueing.Release {
	release := lifecycle.Release(ho.app)
	v := ho.observed.Verdict
	if goesBack := v != nil && (v.State == queueing.Evicting || ho.plan != nil && lifecycle.Outdated(ho.plan, v)); goesBack && release.Reason == queueing.Abandoned {
		release.Reason, release.Message = queueing.Requeued, "the attempt released its quota before using it"
	}
	return release
}

// reportProgress reports the progress of the attempt to the gate of its grant. It does nothing if no attempt is
// running.
func (ho *holder) reportProgress(ctx context.Context) error {
	at, runs := lifecycle.Progress(ho.app)
	if !runs {
		return nil
	}
	return ho.Gates.Report(ctx, ho.gateName(), convert.KeyOf(ho.app), at)
}

const (
	// objectRestored is the reason of the event that a gate had to create its object again while the attempt was
	// running.
	objectRestored = "ObjectRestored"
	// ensureInterval is the pause before a gate's object is created again after a failure.
	ensureInterval = 10 * time.Second
)

// ensureReservation creates the object that represents the grant in another system, if it is gone while the attempt is
// running. A failure is logged and retried; it does not affect the attempt.
func (ho *holder) ensureReservation(ctx context.Context) {
	grant := ho.app.Status.Grant
	stage, known := status.StageOf(ho.app.Status.Conditions)
	if grant == nil || !known || !stage.Active() || !ho.app.DeletionTimestamp.IsZero() {
		return
	}
	if !ho.Gates.Ensures(string(grant.Gate)) {
		return
	}
	restored, err := ho.Gates.Ensure(ctx, string(grant.Gate), ho.grantedAsk(grant))
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Failed to ensure the object of a grant; will retry", "gate", grant.Gate)
		ho.requeueWithin(ensureInterval)
		return
	}
	if restored != "" {
		ho.announcer.announce(lifecycle.Event{Warning: true, Reason: objectRestored, Message: restored})
	}
}

// grantedAsk reconstructs the ask that a grant has answered, as far as the status allows.
func (ho *holder) grantedAsk(stored *v1alpha1.Grant) queueing.Ask {
	grant := convert.FromAPI(stored)
	start := lifecycle.Start{Run: grant.Run, Attempt: grant.Attempt}
	ask := queueing.Ask{Key: convert.KeyOf(ho.app), Run: grant.Run, Attempt: grant.Attempt, Queue: grant.Queue, Inputs: grant.Inputs,
		Objects: gateObjects(ho.app, start, &memory.Prepared{Names: render.NamesOf(ho.app, grant.Run, grant.Attempt)}, grant.Queue)}
	for _, set := range grant.PodSets {
		asked := queueing.PodSet{Name: set.Name, Count: set.Count, Requests: set.Requests}
		if q := ho.app.Spec.Queue; q != nil && q.MinExecutors != nil && set.Name == v1alpha1.ExecutorPodSet && *q.MinExecutors < set.Count {
			asked.MinCount = *q.MinExecutors
		}
		ask.PodSets = append(ask.PodSets, asked)
	}
	return ask
}

// giveBack releases at the gate what a status would have changed that could not be written: a new grant, the growth of
// a grant, or a grant to release. wanted is the grant in that status. final is true if the status will never be
// written.
func (ho *holder) giveBack(ctx context.Context, wanted *v1alpha1.Grant, final bool) error {
	stored := ho.app.Status.Grant
	switch {
	case stored == nil && wanted == nil && !final:
		return nil
	case stored == nil:
		if err := ho.verifyUnwritten(ctx); err != nil {
			return err
		}
		return ho.Gates.Release(ctx, convert.KeyOf(ho.app), queueing.Release{Reason: queueing.Requeued, Message: "the status could not be written"})
	case wanted == nil && final:
		return ho.giveBackStored(ctx)
	case wanted != nil && wanted.Resizes > stored.Resizes:
		if err := ho.verifyUnwritten(ctx); err != nil {
			return err
		}
		ho.Gates.Declined(ctx, convert.KeyOf(ho.app), convert.FromAPI(stored))
	}
	return nil
}

// verifyUnwritten reads the application from the API server, and returns an error if its status holds more than the one
// that this pass has seen: an earlier write that got no answer was stored, and the watch has not shown it yet. If that
// were released, it would be granted to others although the application uses it.
func (ho *holder) verifyUnwritten(ctx context.Context) error {
	live := &v1alpha1.SparkApplication{}
	if err := ho.Live.Get(ctx, client.ObjectKeyFromObject(ho.app), live); err != nil {
		return client.IgnoreNotFound(err)
	}
	seen, now := ho.app.Status.Grant, live.Status.Grant
	if live.UID != ho.app.UID || now == nil || seen != nil && now.Resizes <= seen.Resizes {
		return nil
	}
	ho.record.Writes.Observed(live.ResourceVersion)
	return &retryLaterError{conflictPause, "an earlier write of the status, which got no answer, has been stored"}
}

// giveBackStored releases a stored grant although the status, which cannot be written, still has it. This process
// regards the attempt as over and creates no driver under the grant. After a restart the grant is charged again, and
// released here again.
func (ho *holder) giveBackStored(ctx context.Context) error {
	for _, record := range ho.observed.Pods {
		if record.Active() {
			return nil
		}
	}
	if driver := ho.app.Status.Driver; driver == nil || driver.UID == "" {
		if err := ho.observer.findDriver(ctx); err != nil || !ho.observed.DriverAbsent {
			return err
		}
	}
	ho.record.Refusals.GiveUp(lifecycle.CurrentAttempt(ho.app))
	return ho.Gates.Release(ctx, convert.KeyOf(ho.app), queueing.Release{Reason: queueing.Abandoned})
}
