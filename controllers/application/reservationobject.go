// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

const (
	// objectRestored is the reason of the event that tells that a gate had to make its object of a running attempt again.
	objectRestored = "ObjectRestored"
	// ensureInterval is when it is tried again, if it could not be made.
	ensureInterval = 10 * time.Second
)

// ensureReservation sees that what stands for the grant in another system still exists while the attempt runs. What is in the way of that is no
// obstacle for the attempt itself.
func (p *pass) ensureReservation(ctx context.Context) {
	grant := p.app.Status.Grant
	stage, known := status.StageOf(p.app.Status.Conditions)
	if grant == nil || !known || !stage.Active() || !p.app.DeletionTimestamp.IsZero() {
		return
	}
	if !p.Gates.Ensures(string(grant.Gate)) {
		return
	}
	restored, err := p.Gates.Ensure(ctx, string(grant.Gate), p.grantedAsk(grant))
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "ensure the object of a grant; will retry", "gate", grant.Gate)
		p.lookAgain(ensureInterval)
		return
	}
	if restored != "" {
		p.announce(lifecycle.Event{Warning: true, Reason: objectRestored, Message: restored})
	}
}

// grantedAsk returns the ask that a grant has answered, as far as the status tells.
func (p *pass) grantedAsk(stored *v1alpha1.Grant) queueing.Ask {
	grant := convert.FromAPI(stored)
	start := lifecycle.Start{Run: grant.Run, Attempt: grant.Attempt}
	ask := queueing.Ask{Key: keyOf(p.app), Run: grant.Run, Attempt: grant.Attempt, Queue: grant.Queue, Inputs: grant.Inputs,
		Objects: p.gateObjects(start, &prepared{names: render.NamesOf(p.app, grant.Run, grant.Attempt)}, grant.Queue)}
	for _, set := range grant.PodSets {
		asked := queueing.PodSet{Name: set.Name, Count: set.Count, Requests: set.Requests}
		if q := p.app.Spec.Queue; q != nil && q.MinExecutors != nil && set.Name == v1alpha1.ExecutorPodSet && *q.MinExecutors < set.Count {
			asked.MinCount = *q.MinExecutors
		}
		ask.PodSets = append(ask.PodSets, asked)
	}
	return ask
}
