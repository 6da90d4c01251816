// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"slices"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/application/plan"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/queueing"
)

// Holder observes an application on behalf of the gate of its grant.
type Holder struct {
	Gates          reservation.Gates
	Placer         *plan.Placer
	Reader         *plan.Reader
	Record         *memory.Record
	MaxTermination time.Duration
}

// Report reports the state of the application to the gate of its grant; without a grant it does nothing.
func (ho *Holder) Report(ctx context.Context, app *v1alpha1.SparkApplication) error {
	grant := app.Status.Grant
	if grant == nil {
		return nil
	}
	if !ho.Gates.Observes(string(grant.Gate)) {
		return nil
	}
	priority, missing, err := ho.Placer.Priority(ctx, app, string(grant.Gate))
	if err != nil {
		return err
	}
	allowed, err := ho.Placer.AllowedClass(ctx, app, grant)
	if err != nil {
		return err
	}
	var current *int32
	if allowed && missing == "" {
		current = &priority
	}
	s := &app.Status
	stage, _ := status.StageOf(s.Conditions)
	standing := queueing.HolderState{
		Priority:    ho.Record.Sightings.Priority(current, grant.Priority),
		Terminating: !app.DeletionTimestamp.IsZero() || s.Stopping != "" || stage == status.Finalizing,
		Stuck:       apimeta.IsStatusConditionTrue(s.Conditions, v1alpha1.NodeLostCondition),
		ReleasedBy:  lifecycle.ReleasedBy(app, ho.MaxTermination),
	}
	if s.Times.Queued != nil {
		standing.QueuedAt = s.Times.Queued.Time
	} else if s.Times.Admitted != nil {
		standing.QueuedAt = s.Times.Admitted.Time
	}
	ho.Gates.UpdateHolder(podsets.KeyOf(app), grantRef(grant), standing)
	return nil
}

// grantRef returns a grant without its content, which is enough to identify it to its gate.
func grantRef(grant *v1alpha1.Grant) queueing.Grant {
	return queueing.Grant{Gate: string(grant.Gate), Run: grant.Run, Attempt: grant.Attempt}
}

// PodsOfOthers returns those pods in a guarded namespace that carry the labels of the application but were not created
// by its driver. They are charged as unmanaged pods.
func (ho *Holder) PodsOfOthers(ctx context.Context, app *v1alpha1.SparkApplication, records []*pods.Record) ([]*pods.Record, error) {
	driver := app.Status.Driver
	if driver == nil || driver.UID == "" || !app.DeletionTimestamp.IsZero() {
		return nil, nil // without the uid of the driver nothing shows which pods it created
	}
	uid := driver.UID
	odd := func(r *pods.Record) bool {
		return r.OnNode() && r.UID != uid && (r.Role != pods.Executor || r.OwnerUID != uid)
	}
	if !slices.ContainsFunc(records, odd) {
		return nil, nil
	}
	namespace, err := ho.Reader.Namespace(ctx, app)
	if err != nil || !namespacepolicy.Of(namespace).Guarded {
		return nil, err
	}
	_, others := pods.CreatedBy(records, app.UID, uid)
	return slices.DeleteFunc(others, func(r *pods.Record) bool { return !r.OnNode() }), nil
}
