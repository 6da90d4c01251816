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
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/namespacepolicy"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// observer answers those needs of a decision that cost a call, and reports the state of a grant's holder to its gate.
type observer struct {
	*state
	reader    *reader
	placement *placement
	planner   *planner
}

// updateHolder reports the state of the application to the gate of its grant; without a grant it does nothing.
func (ob *observer) updateHolder(ctx context.Context) error {
	grant := ob.app.Status.Grant
	if grant == nil {
		return nil
	}
	if !ob.Gates.Observes(string(grant.Gate)) {
		return nil
	}
	priority, missing, err := ob.placement.priority(ctx, string(grant.Gate))
	if err != nil {
		return err
	}
	allowed, err := ob.placement.allowedClass(ctx, grant)
	if err != nil {
		return err
	}
	var current *int32
	if allowed && missing == "" {
		current = &priority
	}
	s := &ob.app.Status
	stage, _ := status.StageOf(s.Conditions)
	standing := queueing.HolderState{
		Priority:    ob.record.Sightings.Priority(current, grant.Priority),
		Terminating: !ob.app.DeletionTimestamp.IsZero() || s.Stopping != "" || stage == status.Finalizing,
		Stuck:       apimeta.IsStatusConditionTrue(s.Conditions, v1alpha1.NodeLostCondition),
		ReleasedBy:  lifecycle.ReleasedBy(ob.app, ob.MaxTermination),
	}
	if s.Times.Queued != nil {
		standing.QueuedAt = s.Times.Queued.Time
	} else if s.Times.Admitted != nil {
		standing.QueuedAt = s.Times.Admitted.Time
	}
	ob.Gates.UpdateHolder(convert.KeyOf(ob.app), grantRef(grant), standing)
	return nil
}

// grantRef returns a grant without its content, which is enough to identify it to its gate.
func grantRef(grant *v1alpha1.Grant) queueing.Grant {
	return queueing.Grant{Gate: string(grant.Gate), Run: grant.Run, Attempt: grant.Attempt}
}

// chargePodsOfOthers charges, as unmanaged pods, those pods in a guarded namespace that carry the labels of the
// application but were not created by its driver.
func (ob *observer) chargePodsOfOthers(ctx context.Context) error {
	driver := ob.app.Status.Driver
	if driver == nil || driver.UID == "" || !ob.app.DeletionTimestamp.IsZero() {
		return nil // without the uid of the driver nothing shows which pods it created
	}
	uid := driver.UID
	odd := func(r *pods.Record) bool {
		return r.OnNode() && r.UID != uid && (r.Role != pods.Executor || r.OwnerUID != uid)
	}
	if !slices.ContainsFunc(ob.observed.Pods, odd) {
		return nil
	}
	_, others := pods.CreatedBy(ob.observed.Pods, ob.app.UID, uid)
	others = slices.DeleteFunc(others, func(r *pods.Record) bool { return !r.OnNode() })
	namespace, err := ob.reader.namespace(ctx)
	if err != nil {
		return err
	}
	if namespacepolicy.Of(namespace).Guarded {
		ob.chargeUnattributed(others)
	}
	return nil
}

// findDriver reads from the API server whether the driver pod of the attempt exists, and adds the answer to the
// observation. The driver counts as absent only if no request to create it can still take effect; if its uid is
// recorded, none can.
func (ob *observer) findDriver(ctx context.Context) (err error) {
	if until := ob.record.Writes.UnansweredUntil(); ob.app.Status.Driver.UID == "" && ob.Clock.Now().Before(until) {
		return &retryLaterError{until.Sub(ob.Clock.Now()), "the request to create the driver pod was not answered"}
	}
	pod := &corev1.Pod{}
	err = ob.Live.Get(ctx, types.NamespacedName{Namespace: ob.app.Namespace, Name: ob.app.Status.Driver.PodName}, pod)
	switch {
	case err == nil && isDriver(pod, ob.app):
		return ob.driverFound(ctx, pods.RecordOf(pod))
	case ob.namespaceGoes(ctx, err):
		ob.observed.DriverAbsent = true
		return nil
	case client.IgnoreNotFound(err) != nil:
		return fmt.Errorf("read driver pod: %w", err)
	}
	ob.observed.DriverAbsent, err = ob.watchIsCaughtUp(ctx)
	return err
}

// isDriver reports whether the pod with the driver's name is the driver of the current attempt. Once the uid of the
// driver is recorded, only the uid counts. Before that, the pod must be owned by the application and have the labels of
// the attempt; a pod that has lost the application's labels is judged by its owner alone.
func isDriver(pod *corev1.Pod, app *v1alpha1.SparkApplication) bool {
	if uid := app.Status.Driver.UID; uid != "" {
		return pod.UID == uid
	}
	return ownedBy(pod, app) && (ofAttempt(pod, app.Status.Run, app.Status.Attempt) || pod.Labels[v1alpha1.ApplicationUIDLabel] != string(app.UID))
}

// driverFound handles a driver pod that exists although the watch has not shown it as the driver. Usually the watch is
// only late, so the pass is repeated. But if the pod's labels or owner were changed after it was created, the watch
// will never show it as the driver, so the pod is added to the observation here.
func (ob *observer) driverFound(ctx context.Context, found *pods.Record) error {
	as := *found.Origin
	as.OwnerUID, as.Application, as.AppUID = ob.app.UID, ob.app.Name, string(ob.app.UID)
	as.Run, as.Attempt = ob.app.Status.Run, ob.app.Status.Attempt
	if as == *found.Origin && found.Role == pods.Driver {
		return &retryLaterError{time.Second, "the driver pod exists but the watch has not shown it"}
	}
	if !found.Deleting {
		ctrl.LoggerFrom(ctx).Info("Labels or owner of the driver pod were changed; it is ended", "pod", found.Name)
	}
	found.Origin, found.Role = &as, pods.Driver
	ob.observed.Pods = append(slices.DeleteFunc(ob.observed.Pods, func(r *pods.Record) bool { return r.UID == found.UID }), found)
	ob.observed.StrayDriver, ob.observed.UnreachableNodes = true, nil
	return nil
}

// namespaceGoes reports whether reading pods was refused because the namespace is being deleted and its RoleBindings
// are gone already. No pod can be created in such a namespace, so the watch has shown all of them.
func (ob *observer) namespaceGoes(ctx context.Context, refusal error) bool {
	if !apierrors.IsForbidden(refusal) {
		return false
	}
	namespace, err := ob.reader.namespace(ctx)
	return err == nil && !namespace.GetDeletionTimestamp().IsZero()
}

// watchIsCaughtUp reads from the API server whether the application has active pods that the watch has not shown, and
// returns a retryLaterError if so. It reads page by page, because any user who may create pods can give them the
// application's labels.
func (ob *observer) watchIsCaughtUp(ctx context.Context) (bool, error) {
	for token := ""; ; {
		page := &corev1.PodList{}
		err := ob.Live.List(ctx, page, client.InNamespace(ob.app.Namespace), client.MatchingLabels{
			v1alpha1.ApplicationUIDLabel: string(ob.app.UID), v1alpha1.ApplicationLabel: ob.app.Name,
		}, client.Limit(pods.PageSize), client.Continue(token))
		if ob.namespaceGoes(ctx, err) {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("list pods: %w", err)
		}
		for i := range page.Items {
			if err := ob.wasShown(pods.RecordOf(&page.Items[i])); err != nil {
				return false, err
			}
		}
		if token = page.Continue; token == "" {
			return true, nil
		}
	}
}

// wasShown returns a retryLaterError if a pod is active and the watch has not shown it.
func (ob *observer) wasShown(record *pods.Record) error {
	seen := slices.ContainsFunc(ob.observed.Pods, func(known *pods.Record) bool { return known.UID == record.UID })
	if record.Active() && !seen {
		return &retryLaterError{time.Second, "pod " + record.Name + " exists but the watch has not shown it"}
	}
	return nil
}

// resize asks the gate of the grant for what the application wants beyond its base gang.
func (ob *observer) resize(ctx context.Context, want queueing.ResizeRequest) *queueing.Allocation {
	allocation := ob.Gates.Resize(ctx, convert.KeyOf(ob.app), convert.FromAPI(ob.app.Status.Grant), want)
	return &allocation
}

// verdict submits the ask of the plan to its gate and returns the gate's verdict.
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

// noSuchGate returns the verdict on an ask whose gate does not exist.
func noSuchGate(gate, field string) *queueing.Verdict {
	return &queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonGateNotInstalled,
		Message: fmt.Sprintf("%s: gate %q does not exist in this version of the operator; set Embedded, Kueue, Volcano, YuniKorn or None", field, gate)}
}
