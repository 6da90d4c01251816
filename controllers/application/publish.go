// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/redact"
	"github.com/sparkgate/sparkgate/internal/spark/leftover"
	"github.com/sparkgate/sparkgate/internal/status"
)

// execute does what was decided, in the order that keeps every crash harmless: what belongs before the status, the finalizer, the
// status, events, what needs the status, what accompanies the attempt.
func (p *pass) execute(ctx context.Context, d lifecycle.Decision) error {
	if err := p.act(ctx, d.Before); err != nil {
		return err
	}
	if d.Finalizer {
		if err := p.addFinalizer(ctx); err != nil {
			return p.unwritten(ctx, d, err)
		}
	}
	before := p.app
	if err := p.publish(ctx, d.Status); err != nil {
		return p.unwritten(ctx, d, err)
	}
	for _, a := range d.Events {
		p.announce(a)
	}
	p.recordStage(before, d.Events)
	if err := p.act(ctx, d.After); err != nil {
		return err
	}
	if after := p.companions.Reconcile(ctx, p.app); after > 0 {
		p.lookAgain(after)
	}
	p.ensureReservation(ctx)
	return p.reportProgress(ctx)
}

// announce records an event, and tells it those who want to be notified.
func (p *pass) announce(a lifecycle.Event) {
	kind := corev1.EventTypeNormal
	if a.Warning {
		kind = corev1.EventTypeWarning
	}
	p.Recorder.Eventf(p.app, nil, kind, a.Reason, a.Reason, "%s", status.Truncate(redact.Visible(a.Message))) // the API server refuses longer ones
	if p.Notifier != nil {
		p.Notifier.Notify(p.app, a.Warning, a.Reason, a.Message)
	}
}

// recordStage records an event of a stage that was reached, unless it was announced, or the namespace has used up its budget: events are
// written beside the passes, as many at once as there are, so thousands of them would keep the API server busy.
func (p *pass) recordStage(before *v1alpha1.SparkApplication, announced []lifecycle.Event) {
	was, is := apimeta.FindStatusCondition(before.Status.Conditions, v1alpha1.ReadyCondition), apimeta.FindStatusCondition(p.app.Status.Conditions, v1alpha1.ReadyCondition)
	if p.FewEvents || is == nil || (was != nil && was.Reason == is.Reason && before.Status.Run == p.app.Status.Run && before.Status.Attempt == p.app.Status.Attempt) {
		return
	}
	told := slices.ContainsFunc(announced, func(a lifecycle.Event) bool { return a.Reason == is.Reason })
	if !told && p.stageEvents.Turn(p.app.Namespace, 0) == 0 {
		p.stageEvents.Spend(p.app.Namespace, 1)
		p.Recorder.Eventf(p.app, nil, corev1.EventTypeNormal, is.Reason, is.Reason, "%s", is.Message)
	}
}

// publish writes the status, if it differs, in one merge patch that fails when the object has changed since it was read. Fields that
// this version does not know survive.
func (p *pass) publish(ctx context.Context, status v1alpha1.SparkApplicationStatus) error {
	if equality.Semantic.DeepEqual(p.app.Status, status) {
		return nil
	}
	diff, err := difference(&p.app.Status, &status)
	if err != nil {
		return fmt.Errorf("encode status: %w", err)
	}
	answer, asked := metadataOf(p.app), p.Clock.Now()
	patch, err := mergePatch(map[string]any{"metadata": map[string]any{"resourceVersion": p.app.ResourceVersion}, "status": diff})
	if err == nil {
		err = p.Client.Status().Patch(ctx, answer, patch, client.FieldOwner(v1alpha1.FieldOwner))
	}
	if err != nil {
		return fmt.Errorf("write status: %w", err)
	}
	before, after := p.app, *p.app
	after.Status, after.ResourceVersion = status, answer.ResourceVersion
	p.app, p.intentVerifiedAt = &after, asked
	p.expectations.recordWrite(p.app, asked)
	p.expectations.taken(p.app)
	p.countChange(before, p.app, p.o.Eviction)
	logStage(ctx, before, p.app)
	return nil
}

// difference returns the merge patch (RFC 7386) from one status to another.
func difference(before, after *v1alpha1.SparkApplicationStatus) (json.RawMessage, error) {
	from, err := json.Marshal(before)
	if err != nil {
		return nil, err
	}
	to, err := json.Marshal(after)
	if err != nil {
		return nil, err
	}
	return jsonpatch.CreateMergePatch(from, to)
}

func mergePatch(change map[string]any) (client.Patch, error) {
	data, err := json.Marshal(change)
	return client.RawPatch(types.MergePatchType, data), err
}

// metadataOf stands for an application in a write: the API server answers with the metadata alone, since the rest is known here.
func metadataOf(app *v1alpha1.SparkApplication) *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("SparkApplication"))
	m.Namespace, m.Name = app.Namespace, app.Name
	return m
}

// gateName returns the gate that the application deals with: of its grant, else of the plan of this pass, else Embedded.
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
	if slices.Contains(p.app.Finalizers, v1alpha1.Finalizer) {
		return nil
	}
	return p.writeFinalizers(ctx, append(slices.Clone(p.app.Finalizers), v1alpha1.Finalizer))
}

func (p *pass) removeFinalizer(ctx context.Context) error {
	if !slices.Contains(p.app.Finalizers, v1alpha1.Finalizer) {
		return nil
	}
	if p.expectations.orphans(p.app) {
		if err := p.sweep(ctx, leftover.Application{NamespacedName: client.ObjectKeyFromObject(p.app), UID: p.app.UID}); err != nil {
			return err
		}
	}
	others := slices.DeleteFunc(slices.Clone(p.app.Finalizers), func(f string) bool { return f == v1alpha1.Finalizer })
	if err := p.writeFinalizers(ctx, others); err != nil {
		return client.IgnoreNotFound(err) // who has removed it may have left something
	}
	p.expectations.parts(p.app)
	return nil
}

// writeFinalizers replaces the finalizers, nothing else, unless the object has changed since it was read.
func (p *pass) writeFinalizers(ctx context.Context, finalizers []string) error {
	if p.app.Stub != nil {
		return p.writeFinalizersOfStub(ctx, slices.Contains(finalizers, v1alpha1.Finalizer))
	}
	answer := metadataOf(p.app)
	patch, err := mergePatch(map[string]any{"metadata": map[string]any{
		"resourceVersion": p.app.ResourceVersion, "finalizers": finalizers,
	}})
	if err == nil {
		err = p.Client.Patch(ctx, answer, patch, client.FieldOwner(v1alpha1.FieldOwner))
	}
	if err != nil {
		return fmt.Errorf("write finalizer: %w", err)
	}
	after := *p.app
	after.Finalizers, after.ResourceVersion = finalizers, answer.ResourceVersion
	p.app = &after
	p.expectations.Observed(p.app)
	return nil
}

// writeFinalizersOfStub adds or takes off the own finalizer of an application of which only a stub is known: the others are read first.
func (p *pass) writeFinalizersOfStub(ctx context.Context, wanted bool) error {
	live := metadataOf(p.app)
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(live), live); err != nil {
		return err
	}
	if live.UID != p.app.UID || live.ResourceVersion != p.app.ResourceVersion {
		return apierrors.NewConflict(schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "sparkapplications"}, p.app.Name, errors.New("it has changed"))
	}
	others := slices.DeleteFunc(live.Finalizers, func(f string) bool { return f == v1alpha1.Finalizer })
	if wanted {
		others = append(others, v1alpha1.Finalizer)
	}
	answer := metadataOf(p.app)
	patch, err := mergePatch(map[string]any{"metadata": map[string]any{"resourceVersion": live.ResourceVersion, "finalizers": others}})
	if err == nil {
		err = p.Client.Patch(ctx, answer, patch, client.FieldOwner(v1alpha1.FieldOwner))
	}
	if err != nil {
		return fmt.Errorf("write finalizer: %w", err)
	}
	after := *p.app
	if after.Finalizers = nil; wanted {
		after.Finalizers = []string{v1alpha1.Finalizer}
	}
	after.ResourceVersion = answer.ResourceVersion
	p.app = &after
	p.expectations.Observed(p.app)
	return nil
}
