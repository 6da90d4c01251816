// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/companions"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/redact"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/internal/status"
)

const (
	// intentFreshness is how long after the write of Submitting, or after the last look, the driver may be created without another look: a
	// process that was paused in between may have been replaced, and its driver may have come and gone.
	intentFreshness = 5 * time.Second
	// watchLagTimeout is how long the watch may take to show a driver that this process has created.
	watchLagTimeout = 30 * time.Second
	// requestTimeout is how long a create without an answer may still take effect: the API server ends requests after 60 s
	// (kube-apiserver --request-timeout).
	requestTimeout = 65 * time.Second
)

func (p *pass) act(ctx context.Context, actions []lifecycle.Action) error {
	for _, a := range actions {
		if err := p.do(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func (p *pass) do(ctx context.Context, a lifecycle.Action) error {
	switch a.Kind {
	case lifecycle.ConfirmGrant, lifecycle.SettleGrant:
		p.persisted(ctx)
	case lifecycle.UngatePods:
		return p.ungatePods(ctx, a.Ungates)
	case lifecycle.CreateDriver:
		return p.createDriver(ctx)
	case lifecycle.DeletePod:
		return p.deletePod(ctx, a.Pod, a.Force)
	case lifecycle.DeleteService:
		return p.delete(ctx, &corev1.Service{}, render.NamesOf(p.app, a.Run, a.Attempt).Service)
	case lifecycle.DeleteObjects:
		return p.deleteObjects(ctx, attempt{a.Run, a.Attempt})
	case lifecycle.ReleaseGrant:
		return p.Gates.Release(ctx, keyOf(p.app), p.releaseReason())
	case lifecycle.RemoveFinalizer:
		return p.removeFinalizer(ctx)
	case lifecycle.DeleteApplication:
		return p.deleteApplication(ctx)
	}
	return nil
}

// createDriver makes the objects of the attempt that the status names, the driver pod last. It does so straight after the intent was
// written, or after a live look that says it still stands.
func (p *pass) createDriver(ctx context.Context) error {
	current := attempt{p.app.Status.Run, p.app.Status.Attempt}
	if p.expectations.gaveUp(p.app, current) {
		return nil // what it would run under is not held any more
	}
	if since := p.expectations.createdSince(p.app, current); !since.IsZero() {
		if wait := since.Add(watchLagTimeout).Sub(p.Clock.Now()); wait > 0 {
			p.requeueAfter = wait
			return nil
		}
	}
	if found := validate.Stub(p.app); len(found) > 0 {
		p.obstacle = found[0].Message
		return nil
	}
	objects, ok, err := p.buildGranted(ctx)
	if err != nil || !ok {
		return err
	}
	p.sent = containersOf(objects.Pod)
	for _, obj := range objects.InOrder() {
		if stands, err := p.intentStands(ctx); err != nil || !stands {
			return err
		}
		if err := p.create(ctx, obj); err != nil || p.hindered() {
			return err
		}
	}
	p.expectations.expectDriver(p.app, current, p.Clock.Now())
	p.recordLeftOut(p.Exposure.JudgeProperties(objects.Properties))
	return nil
}

// recordLeftOut records an event of annotations that the Service of the attempt was created without. Events with the same reason and action are one
// series, of which the first text is shown.
func (p *pass) recordLeftOut(refused []expose.Refusal) {
	if len(refused) > 0 {
		p.Recorder.Eventf(p.app, nil, corev1.EventTypeWarning, companions.CreateFailedReason, "CreateService", "%s", status.Truncate(redact.Visible(expose.Join(refused))))
	}
}

// intentStands reports whether the application still wants this driver and never had it: because this pass has just written so, or
// because a live read says so.
func (p *pass) intentStands(ctx context.Context) (bool, error) {
	if !p.intentVerifiedAt.IsZero() && p.Clock.Since(p.intentVerifiedAt) <= intentFreshness {
		return true, nil
	}
	asked, live := p.Clock.Now(), &v1alpha1.SparkApplication{}
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(p.app), live); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	stage, known := status.StageOf(live.Status.Conditions)
	s := &live.Status
	p.intentVerifiedAt = asked
	return known && stage == status.Submitting && live.UID == p.app.UID && live.DeletionTimestamp.IsZero() &&
		s.Run == p.app.Status.Run && s.Attempt == p.app.Status.Attempt && s.Grant != nil &&
		s.Driver != nil && s.Driver.UID == "", nil
}

// create makes one object, or finds that it was made already. What the API server refuses is an obstacle for people to remove.
func (p *pass) create(ctx context.Context, obj client.Object) error {
	err := p.Client.Create(ctx, obj, client.FieldOwner(v1alpha1.FieldOwner))
	switch {
	case err == nil:
		p.made(obj)
		return nil
	case apierrors.IsAlreadyExists(err):
		return p.adopt(ctx, obj)
	case refused(err):
		if p.outdated, err = p.accountGone(ctx, obj, err); err != nil {
			p.obstacle = fmt.Sprintf("the API server refuses %s: %s", describe(obj), err)
		}
		return nil
	}
	if isPod(obj) {
		p.expectations.unanswered(p.app, p.Clock.Now().Add(requestTimeout))
	}
	return fmt.Errorf("create %s: %w", describe(obj), err)
}

// refused reports whether the API server has answered and will answer the same again: policy, quota, validation.
func refused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsNotFound(err) ||
		apierrors.IsRequestEntityTooLargeError(err)
}

// deletePod deletes exactly the pod that was seen, never a new one of the same name: without grace, or with a bounded one.
func (r *Reconciler) deletePod(ctx context.Context, of *pods.Record, force bool) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Name}}
	err := r.Client.Delete(ctx, pod, of.DeleteOptions(r.MaxTermination, force))
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // gone, or another one
	}
	if err != nil {
		return fmt.Errorf("delete pod %s/%s: %w", of.Namespace, of.Name, err)
	}
	return nil
}

// deleteObjects deletes what was made for an attempt. The pod goes last: it marks that there is something left to delete.
func (p *pass) deleteObjects(ctx context.Context, of attempt) error {
	names := render.NamesOf(p.app, of.run, of.attempt)
	if err := p.delete(ctx, &corev1.Service{}, names.Service); err != nil {
		return err
	}
	if err := p.Gates.Forget(ctx, keyOf(p.app), of.run, of.attempt); err != nil {
		return err
	}
	if err := p.deleteFiles(ctx, of); err != nil {
		return err
	}
	if err := p.delete(ctx, &networkingv1.NetworkPolicy{}, names.NetworkPolicy); err != nil {
		return err
	}
	if err := p.deleteClaims(ctx, of); err != nil {
		return err
	}
	for _, r := range p.o.Pods {
		if r.Role == pods.Driver && r.Run == of.run && r.Attempt == of.attempt && r.OwnerUID == p.app.UID {
			return p.deletePod(ctx, r, false)
		}
	}
	return nil
}

// deleteApplication deletes the application as it was seen: one that has just been changed lives on.
func (p *pass) deleteApplication(ctx context.Context) error {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: p.app.Namespace, Name: p.app.Name}}
	uid, version := p.app.UID, p.app.ResourceVersion
	err := p.Client.Delete(ctx, app, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete %s/%s after spec.ttlAfterFinished: %w", app.Namespace, app.Name, err)
	}
	return nil
}

// deleteClaims deletes the claims of an attempt.
func (p *pass) deleteClaims(ctx context.Context, of attempt) error {
	kind := corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
	return p.deleteLabelled(ctx, of, kind, func() client.Object { return &corev1.PersistentVolumeClaim{} })
}

// delete deletes an object of the attempt, if it is there and this application's own. Often there is nothing to do: Spark deletes the
// Service of a driver that ends in order.
func (p *pass) delete(ctx context.Context, obj client.Object, name string) error {
	obj.SetNamespace(p.app.Namespace)
	obj.SetName(name)
	existing := &metav1.PartialObjectMetadata{}
	existing.SetGroupVersionKind(render.KindOf(obj))
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(obj), existing); err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("read %s: %w", describe(obj), err)
	}
	if !ownedBy(existing, p.app) || !existing.DeletionTimestamp.IsZero() {
		return nil
	}
	uid := existing.UID
	err := p.Client.Delete(ctx, obj, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete %s: %w", describe(obj), err)
	}
	return nil
}

func describe(obj client.Object) string {
	return fmt.Sprintf("%s %s/%s", render.KindOf(obj).Kind, obj.GetNamespace(), obj.GetName())
}
