// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// applications reads and deletes the applications of a schedule.
type applications struct {
	client   client.Client
	live     client.Reader
	schedule *v1alpha1.ScheduledSparkApplication
}

// list returns the applications of the schedule. Those in created, which the cache did not show, are read live:
// the cache may lag, or they may have been deleted before it showed them. Applications of an earlier schedule of the
// same name count until they are gone: the garbage collector deletes them some time after that schedule.
func (as applications) list(ctx context.Context, created map[string]bool) ([]tick.Child, error) {
	list := &v1alpha1.SparkApplicationList{}
	err := as.client.List(ctx, list, client.InNamespace(as.schedule.Namespace), client.MatchingFields{ownerIndex: as.schedule.Name})
	if err != nil {
		return nil, fmt.Errorf("list applications of the schedule: %w", err)
	}
	all := make([]tick.Child, 0, len(list.Items))
	for i := range list.Items {
		if c, counts := as.childOf(&list.Items[i]); counts {
			delete(created, c.Name)
			all = append(all, c)
		}
	}
	for name := range created {
		switch c, exists, err := as.read(ctx, name); {
		case err != nil:
			return nil, err
		case exists:
			all = append(all, c)
		default:
			delete(created, name)
		}
	}
	return all, nil
}

// read reads an application of the schedule from the API server. It returns false if the application does not
// exist, or does not count as one of the schedule.
func (as applications) read(ctx context.Context, name string) (c tick.Child, exists bool, err error) {
	app := &v1alpha1.SparkApplication{}
	switch err := as.live.Get(ctx, client.ObjectKey{Namespace: as.schedule.Namespace, Name: name}, app); {
	case apierrors.IsNotFound(err):
		return c, false, nil
	case err != nil:
		return c, false, fmt.Errorf("read application %s: %w", name, err)
	}
	c, exists = as.childOf(app)
	return c, exists, nil
}

// delete deletes an application and its dependents, unless it has changed since it was observed: a stalled one may have
// started, a blocking one may have succeeded, and a finished one may have been restarted. Such a change also wakes the
// schedule.
func (as applications) delete(ctx context.Context, c tick.Child) (deleted bool, err error) {
	app := livemeta.Application(as.schedule.Namespace, c.Name)
	var seen client.Preconditions
	if c.UID != "" {
		seen.UID = &c.UID
	}
	if c.Version != "" { // an application that this process has just created has none
		seen.ResourceVersion = &c.Version
	}
	err = as.client.Delete(ctx, app, seen, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil && !apianswer.IsGoneOrChanged(err) {
		return false, fmt.Errorf("delete application %s: %w", c.Name, err)
	}
	return err == nil, nil
}

// childOf converts an application for the decision, and reports whether it counts. One of an earlier schedule counts as
// long as it may hold quota or come to hold it.
func (as applications) childOf(app *v1alpha1.SparkApplication) (c tick.Child, counts bool) {
	own, earlier := ownership(as.schedule, app)
	if c = stateOf(app); !earlier {
		return c, own
	}
	counts = !c.Finished || c.Deleting || c.Stalled
	c.Deleting, c.Ended, c.Request = true, time.Time{}, "" // its result belonged to the earlier schedule
	return c, counts
}

// ownership reports whether an application belongs to a schedule, or to an earlier one of the same name.
func ownership(s *v1alpha1.ScheduledSparkApplication, app *v1alpha1.SparkApplication) (own, earlier bool) {
	owner := metav1.GetControllerOfNoCopy(app)
	if owner == nil || owner.Kind != v1alpha1.ScheduledSparkApplicationKind || owner.Name != s.Name {
		return false, false
	}
	return owner.UID == s.UID, owner.UID != s.UID
}

// stateOf converts an application for the decision.
func stateOf(app *v1alpha1.SparkApplication) tick.Child {
	c := tick.Child{
		Name: app.Name, UID: app.UID, Version: app.ResourceVersion, Created: app.CreationTimestamp.Time, Deleting: !app.DeletionTimestamp.IsZero(),
		Keep: app.Annotations[v1alpha1.KeepAnnotation] == "true", Request: app.Annotations[v1alpha1.RunForRequestAnnotation],
	}
	c.Due, _ = time.Parse(time.RFC3339, app.Annotations[v1alpha1.ScheduledForAnnotation])
	finished := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.FinishedCondition)
	ready := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.ReadyCondition)
	switch {
	case ready == nil || app.Status.ObservedGeneration != app.Generation:
	case finished != nil && finished.Status == metav1.ConditionTrue:
		c.Finished, c.Ended = true, finished.LastTransitionTime.Time
		c.Succeeded, c.Message = ready.Reason == v1alpha1.SucceededReason, ready.Message
	case app.Status.Grant != nil:
	case ready.Reason == v1alpha1.InvalidSpecReason || ready.Reason == v1alpha1.NotYetSupportedReason: // as it stands, it would never finish
		c.Finished, c.Stalled, c.Ended, c.Message = true, true, ready.LastTransitionTime.Time, ready.Message
	case isStalled(app, ready):
		c.Stalled, c.Message = true, ready.Message
	}
	return c
}

// isStalled reports whether an application waits for something that its schedule may have been corrected to provide
// since, such as a missing reference or a smaller request. An application that a user or a controller holds in its
// queue is treated like a suspended one.
func isStalled(app *v1alpha1.SparkApplication, ready *metav1.Condition) bool {
	return apimeta.IsStatusConditionTrue(app.Status.Conditions, v1alpha1.StalledCondition) && ready.Reason != v1alpha1.DeactivatedReason
}
