// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"context"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/plan"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// Holder talks to the gate on behalf of an application that holds quota or held it.
type Holder struct{ Gates reservation.Gates }

// Persisted reports to the gate which grant is stored in the status.
func (ho *Holder) Persisted(ctx context.Context, app *v1alpha1.SparkApplication) {
	if grant := app.Status.Grant; grant != nil {
		ho.Gates.Persisted(ctx, podsets.KeyOf(app), convert.FromAPI(grant))
	}
}

// Release releases the grant or the ask of an application, with the reason that follows from what was decided.
func (ho *Holder) Release(ctx context.Context, app *v1alpha1.SparkApplication, observed lifecycle.Observation) error {
	release, v := lifecycle.Release(app), observed.Verdict
	goesBack := v != nil && (v.State == queueing.Evicting || observed.Plan != nil && lifecycle.Outdated(observed.Plan, v))
	if goesBack && release.Reason == queueing.Abandoned {
		release.Reason, release.Message = queueing.Requeued, "the attempt released its quota before using it"
	}
	return ho.Gates.Release(ctx, podsets.KeyOf(app), release)
}

// ReportProgress reports the progress of the attempt to the gate of its grant. It does nothing if no attempt is
// running.
func (ho *Holder) ReportProgress(ctx context.Context, app *v1alpha1.SparkApplication, gate string) error {
	at, runs := lifecycle.Progress(app)
	if !runs {
		return nil
	}
	return ho.Gates.Report(ctx, gate, podsets.KeyOf(app), at)
}

// EnsureReservation creates the object that represents the grant in another system, if it is gone while the attempt is
// running. It returns what was restored, or the empty string.
func (ho *Holder) EnsureReservation(ctx context.Context, app *v1alpha1.SparkApplication) (restored string, err error) {
	grant := app.Status.Grant
	stage, known := status.StageOf(app.Status.Conditions)
	if grant == nil || !known || !stage.Active() || !app.DeletionTimestamp.IsZero() || !ho.Gates.Ensures(string(grant.Gate)) {
		return "", nil
	}
	return ho.Gates.Ensure(ctx, string(grant.Gate), grantedAsk(app))
}

// grantedAsk reconstructs the ask that the grant in a status has answered, as far as the status allows.
func grantedAsk(app *v1alpha1.SparkApplication) queueing.Ask {
	grant := convert.FromAPI(app.Status.Grant)
	ask := queueing.Ask{Key: podsets.KeyOf(app), Run: grant.Run, Attempt: grant.Attempt, Queue: grant.Queue, Inputs: grant.Inputs, Lead: v1alpha1.DriverPodSet,
		Objects: plan.GateObjects(app, lifecycle.AttemptID{Run: grant.Run, Attempt: grant.Attempt}, grant.Queue)}
	for _, set := range grant.PodSets {
		asked := queueing.PodSet{Name: set.Name, Count: set.Count, Requests: set.Requests}
		if q := app.Spec.Queue; q != nil && q.MinExecutors != nil && set.Name == v1alpha1.ExecutorPodSet && *q.MinExecutors < set.Count {
			asked.MinCount = *q.MinExecutors
		}
		ask.PodSets = append(ask.PodSets, asked)
	}
	return ask
}
