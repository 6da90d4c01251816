// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/lifecycle"
)

// carryOut does what was decided, in the order that keeps every crash harmless: what belongs before the status, the finalizer, the
// status, what needs the status, events.
func (p *pass) carryOut(ctx context.Context, d lifecycle.Decision) error {
	if err := p.act(ctx, d.Before); err != nil {
		return err
	}
	if d.Finalizer {
		if err := p.addFinalizer(ctx); err != nil {
			return err
		}
	}
	if err := p.publish(ctx, d.Status); err != nil {
		return err
	}
	for _, a := range d.Announce {
		kind := corev1.EventTypeNormal
		if a.Warning {
			kind = corev1.EventTypeWarning
		}
		p.Recorder.Eventf(p.app, nil, kind, a.Reason, a.Reason, "%s", a.Message)
	}
	return p.act(ctx, d.After)
}

// publish writes the status, if it differs, in one merge patch that fails when the object has changed since it was read. Fields that
// this version does not know survive.
func (p *pass) publish(ctx context.Context, status v1alpha1.SparkApplicationStatus) error {
	if equality.Semantic.DeepEqual(p.app.Status, status) {
		return nil
	}
	before := p.app.DeepCopy()
	after := p.app.DeepCopy()
	after.Status = status
	patch, asked := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), p.Clock.Now()
	if err := p.Client.Status().Patch(ctx, after, patch, client.FieldOwner(v1alpha1.FieldOwner)); err != nil {
		return fmt.Errorf("write status: %w", err)
	}
	p.app, p.stood = after, asked
	p.memory.wrote(after, asked)
	countTransition(before, after)
	return nil
}

// gateName is the gate that the application deals with: of its grant, else of the plan of this pass, else Embedded.
func (p *pass) gateName() string {
	switch {
	case p.app.Status.Grant != nil:
		return string(p.app.Status.Grant.Gate)
	case p.plan != nil:
		return p.plan.Gate
	}
	return string(v1alpha1.GateEmbedded)
}

func (p *pass) addFinalizer(ctx context.Context) error {
	if controllerutil.ContainsFinalizer(p.app, v1alpha1.Finalizer) {
		return nil
	}
	return p.patchFinalizers(ctx, controllerutil.AddFinalizer)
}

func (p *pass) removeFinalizer(ctx context.Context) error {
	if !controllerutil.ContainsFinalizer(p.app, v1alpha1.Finalizer) {
		return nil
	}
	return client.IgnoreNotFound(p.patchFinalizers(ctx, controllerutil.RemoveFinalizer))
}

// patchFinalizers changes the finalizers, nothing else, unless the object has changed since it was read.
func (p *pass) patchFinalizers(ctx context.Context, change func(client.Object, string) bool) error {
	before, after := p.app.DeepCopy(), p.app.DeepCopy()
	change(after, v1alpha1.Finalizer)
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := p.Client.Patch(ctx, after, patch, client.FieldOwner(v1alpha1.FieldOwner)); err != nil {
		return fmt.Errorf("write finalizer: %w", err)
	}
	p.app = after
	p.memory.Saw(after)
	return nil
}
