// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// observer finds out what a decision needs only sometimes, because it costs a call, and passes on to the gate what it should know of a holder.
type observer struct {
	*state
	reader    *reader
	placement *placement
	planner   *planner
}

// updateHolder reports the state of the holder of a grant to its gate.
func (ob *observer) updateHolder(ctx context.Context) error {
	grant := ob.app.Status.Grant
	if grant == nil {
		return nil
	}
	if !ob.Gates.Observes(string(grant.Gate)) {
		return nil
	}
	var refs references
	if err := ob.placement.priority(ctx, &refs, string(grant.Gate)); err != nil {
		return err
	}
	allowed, err := ob.placement.allowedClass(ctx, grant)
	if err != nil {
		return err
	}
	var current *int32
	if allowed && len(refs.missing) == 0 {
		current = &refs.priority
	}
	s := &ob.app.Status
	stage, _ := status.StageOf(s.Conditions)
	standing := queueing.HolderState{
		Priority:    ob.sightings.priority(ob.app, current, grant.Priority),
		Terminating: !ob.app.DeletionTimestamp.IsZero() || s.Stopping != "" || stage == status.Finalizing,
		ReleasedBy:  lifecycle.Until(ob.app, ob.MaxTermination),
	}
	if s.Times.Queued != nil {
		standing.QueuedAt = s.Times.Queued.Time
	} else if s.Times.Admitted != nil {
		standing.QueuedAt = s.Times.Admitted.Time
	}
	ob.Gates.UpdateHolder(keyOf(ob.app), grantRef(grant), standing)
	return nil
}

// grantRef returns a grant without its content: enough to name it to its gate.
func grantRef(grant *v1alpha1.Grant) queueing.Grant {
	return queueing.Grant{Gate: string(grant.Gate), Run: grant.Run, Attempt: grant.Attempt}
}

// chargeUnattributed has pods charged elsewhere that run in a guarded namespace with the labels of an application that has not created them.
func (ob *observer) chargeUnattributed(ctx context.Context) error {
	driver := ob.app.Status.Driver
	if driver == nil || driver.UID == "" || !ob.app.DeletionTimestamp.IsZero() {
		return nil // it is not known yet, or no longer, who created what
	}
	uid := driver.UID
	odd := func(r *pods.Record) bool {
		return r.OnNode() && r.UID != uid && (r.Role != pods.Executor || r.OwnerUID != uid)
	}
	if !slices.ContainsFunc(ob.o.Pods, odd) {
		return nil
	}
	_, others := pods.CreatedBy(ob.o.Pods, ob.app.UID, uid)
	others = slices.DeleteFunc(others, func(r *pods.Record) bool { return !r.OnNode() })
	namespace, err := ob.reader.namespace(ctx)
	if err != nil {
		return err
	}
	if namespacepolicy.Of(namespace).Guarded {
		ob.claim(others)
	}
	return nil
}

// driverAbsent reads live whether the driver pod of the attempt exists. The answer is no only when no create is on its way; once the uid
// is recorded, the create has been answered by the pod itself.
func (ob *observer) driverAbsent(ctx context.Context) (bool, error) {
	if until := ob.expectations.unsettledUntil(ob.app); ob.app.Status.Driver.UID == "" && ob.Clock.Now().Before(until) {
		return false, &retryLaterError{until.Sub(ob.Clock.Now()), "the request to create the driver pod was not answered"}
	}
	pod := &metav1.PartialObjectMetadata{}
	pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	err := ob.Live.Get(ctx, types.NamespacedName{Namespace: ob.app.Namespace, Name: ob.app.Status.Driver.PodName}, pod)
	switch {
	case apierrors.IsNotFound(err):
		return ob.watchIsCaughtUp(ctx)
	case err != nil:
		return false, fmt.Errorf("read driver pod: %w", err)
	case !ownedBy(pod, ob.app), !ofAttempt(pod, ob.app.Status.Run, ob.app.Status.Attempt):
		return ob.watchIsCaughtUp(ctx) // another client's, or an earlier attempt's: ours was never created, or is gone
	}
	return false, &retryLaterError{time.Second, "the driver pod exists but the watch has not shown it"}
}

// watchIsCaughtUp reads live whether the application has active pods that the watch has not shown.
func (ob *observer) watchIsCaughtUp(ctx context.Context) (bool, error) {
	list := &corev1.PodList{}
	err := ob.Live.List(ctx, list, client.InNamespace(ob.app.Namespace), client.MatchingLabels{v1alpha1.ApplicationUIDLabel: string(ob.app.UID)})
	if err != nil {
		return false, fmt.Errorf("list pods: %w", err)
	}
	for i := range list.Items {
		record := pods.RecordOf(&list.Items[i])
		seen := slices.ContainsFunc(ob.o.Pods, func(known *pods.Record) bool { return known.UID == record.UID })
		if record.Active() && !seen {
			return false, &retryLaterError{time.Second, "pod " + record.Name + " exists but the watch has not shown it"}
		}
	}
	return true, nil
}

// resize requests what the application wants from the gate of its grant, and returns the allocation.
func (ob *observer) resize(ctx context.Context, want queueing.ResizeRequest) *queueing.Allocation {
	allocation := ob.Gates.Resize(ctx, keyOf(ob.app), convert.FromAPI(ob.app.Status.Grant), want)
	return &allocation
}

// verdict puts the ask of the plan before its gate.
func (ob *observer) verdict(ctx context.Context) (*queueing.Verdict, error) {
	if !ob.Gates.Known(ob.plan.Gate) {
		return noSuchGate(ob.plan.Gate, ob.placement.placed.GateField), nil
	}
	verdict, err := ob.Gates.Request(ctx, ob.plan.Gate, *ob.planner.ask)
	if err != nil {
		return nil, err
	}
	ob.placement.explain(&verdict, ob.planner.ask)
	return &verdict, nil
}

// noSuchGate returns the verdict on an ask of a gate that does not exist.
func noSuchGate(gate, field string) *queueing.Verdict {
	return &queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonGateNotInstalled,
		Message: fmt.Sprintf("%s: gate %q does not exist in this version of the operator; set Embedded, Kueue, Volcano, YuniKorn or None", field, gate)}
}
