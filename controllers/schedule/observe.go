// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"fmt"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/cron"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/internal/tick"
)

// observe reads the applications of the schedule and checks its spec. It sets mistake if the schedule cannot work.
func (p *pass) observe(ctx context.Context) error {
	s := p.schedule
	p.o = tick.Observation{
		Schedule: s, Now: p.Clock.Now(), Since: p.since, Token: status.ForceToken(s.Annotations, s.Status.LastHandledForceAt),
		Request: s.Annotations[v1alpha1.RunForAnnotation],
		Taken:   map[string]bool{}, Refused: p.expected.refused, RefusedRequest: p.expected.refusedRequest.run,
	}
	children, err := p.children(ctx)
	if err != nil {
		return err
	}
	p.o.Children = children
	if stub := s.Stub; stub != nil {
		p.mistake = fmt.Sprintf("spec: metadata and spec take %d bytes as JSON, of at most %d together: put large files into the image, a volume or a "+
			"ConfigMap, and shorten templates and annotations", stub.Size, v1alpha1.MaxApplicationSize)
		return nil
	}
	times, err := cron.Parse(s.Spec.Schedule, s.Spec.TimeZone)
	if err != nil {
		p.mistake = "spec." + err.Error()
		return nil
	}
	if p.mistake, err = p.checkTemplate(ctx); err != nil || p.mistake != "" {
		p.inTemplate = p.mistake != ""
		return err
	}
	p.o.Times = times
	return nil
}

// children returns the applications of the schedule. Created applications that the cache does not show are read live:
// the cache may lag, or they may have been deleted before it showed them. Applications of an earlier schedule of the
// same name count until they are gone: the garbage collector deletes them some time after that schedule.
func (p *pass) children(ctx context.Context) ([]tick.Child, error) {
	list := &v1alpha1.SparkApplicationList{}
	err := p.Client.List(ctx, list, client.InNamespace(p.schedule.Namespace), client.MatchingFields{ownerIndex: p.schedule.Name})
	if err != nil {
		return nil, fmt.Errorf("list applications of the schedule: %w", err)
	}
	children := make([]tick.Child, 0, len(list.Items))
	for i := range list.Items {
		if c, counts := p.childOf(&list.Items[i]); counts {
			delete(p.expected.created, c.Name)
			children = append(children, c)
		}
	}
	for name := range p.expected.created {
		switch c, exists, err := p.readChild(ctx, name); {
		case err != nil:
			return nil, err
		case exists:
			children = append(children, c)
		default:
			delete(p.expected.created, name)
		}
	}
	return children, nil
}

// childOf converts an application for the decision, and reports whether it counts. One of an earlier schedule counts as
// long as it may hold quota or come to hold it.
func (p *pass) childOf(app *v1alpha1.SparkApplication) (c tick.Child, counts bool) {
	owner := metav1.GetControllerOfNoCopy(app)
	if owner == nil || owner.Kind != v1alpha1.ScheduledSparkApplicationKind || owner.Name != p.schedule.Name {
		return c, false
	}
	c = stateOf(app)
	if owner.UID == p.schedule.UID {
		return c, true
	}
	counts = !c.Finished || c.Deleting || c.Stalled
	c.Deleting, c.Ended, c.Request = true, time.Time{}, "" // its result belonged to the earlier schedule
	return c, counts
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
