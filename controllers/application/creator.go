// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/redact"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// creator creates the objects of an attempt.
type creator struct {
	*state
	reader  *reader
	builder *objectBuilder
	intent  *intent
	// sent holds the names of the containers of the driver pod that this pass creates.
	sent map[string]bool
}

const (
	// watchLagTimeout is how long the watch may take to show a driver that this process has created.
	watchLagTimeout = 30 * time.Second
	// requestTimeout is how long a create without an answer may still take effect: the API server ends requests after 60 s
	// (kube-apiserver --request-timeout).
	requestTimeout = 65 * time.Second
)

// createDriver creates the objects of the attempt in the status, the driver pod last. Before each object it makes sure
// that the status still names this attempt, either because this pass has just written it or by a live read.
func (cr *creator) createDriver(ctx context.Context) error {
	current := lifecycle.CurrentAttempt(cr.app)
	if cr.record.Refusals.GaveUp(current) {
		return nil // its grant was released already
	}
	if since := cr.record.Writes.CreatedSince(current); !since.IsZero() {
		if wait := since.Add(watchLagTimeout).Sub(cr.Clock.Now()); wait > 0 {
			cr.requeueWithin(wait)
			return nil
		}
	}
	if found := validate.Stub(cr.app); len(found) > 0 {
		cr.obstacle = found[0].Message
		return nil
	}
	objects, ok, err := cr.builder.buildGranted(ctx)
	if err != nil || !ok {
		return err
	}
	cr.sent = containersOf(objects.Pod)
	for _, obj := range objects.InOrder() {
		if stands, err := cr.intent.intentStands(ctx); err != nil || !stands {
			return err
		}
		if err := cr.create(ctx, obj); err != nil || cr.blocked() {
			return err
		}
	}
	cr.record.Writes.Created(current, cr.Clock.Now())
	cr.record.Plans.Used()
	cr.recordLeftOut(cr.Exposure.JudgeProperties(objects.Properties))
	return nil
}

// recordLeftOut records an event about annotations that the Service of the attempt was created without. Events with the
// same reason and action are one series, which shows only the first message.
func (cr *creator) recordLeftOut(refused []expose.Refusal) {
	if len(refused) > 0 {
		cr.Recorder.Eventf(cr.app, nil, corev1.EventTypeWarning, expose.CreateFailedReason, "CreateService", "%s", status.Truncate(redact.Visible(expose.Join(refused))))
	}
}

// create creates one object, or adopts the existing one. If the API server refuses the object, the refusal is noted for
// the status and no error is returned.
func (cr *creator) create(ctx context.Context, obj client.Object) error {
	err := cr.Client.Create(ctx, obj, client.FieldOwner(v1alpha1.FieldOwner))
	switch {
	case err == nil:
		cr.rememberDriver(obj)
		return nil
	case apierrors.IsAlreadyExists(err):
		return cr.adopt(ctx, obj)
	case cr.refuse(ctx, obj, err):
		return nil
	}
	if isPod(obj) {
		cr.record.Writes.Unanswered(cr.Clock.Now().Add(requestTimeout))
	}
	return fmt.Errorf("create %s: %w", describe(obj), err)
}

// refuse notes a refusal by the API server, and reports whether err is one. It is a rejection if the object will never
// be accepted, or else an obstacle, which lasts until something changes that the status names.
func (cr *creator) refuse(ctx context.Context, obj client.Object, err error) bool {
	switch {
	case rejected(err):
		cr.rejection = rejectionOf(obj, err, runAgain)
		if key, err := newContent(cr.app); err == nil {
			cr.rejections.note(key, startOf{cr.app.Status.Run, cr.builder.inputs}, cr.rejection)
		}
		return true
	case apianswer.IsWebhookAway(err), apianswer.IsDenied(err):
		cr.obstacle = obstacleOf(obj, err)
		return true
	case refused(err):
		if cr.outdated, err = cr.accountGone(ctx, obj, err); err != nil {
			cr.obstacle = obstacleOf(obj, err)
		}
		return true
	}
	return false
}

// accountGone returns a message if the API server has refused the driver because its service account was deleted after
// the grant was given. Otherwise it returns the refusal as the error.
func (cr *creator) accountGone(ctx context.Context, obj client.Object, refusal error) (string, error) {
	name := cr.app.Spec.Driver.ServiceAccountName
	if name == "" || !isPod(obj) {
		return "", refusal
	}
	err := cr.Live.Get(ctx, types.NamespacedName{Namespace: cr.app.Namespace, Name: name}, metadata(accountKind))
	if !apierrors.IsNotFound(err) {
		return "", refusal
	}
	cr.lookups.put(cr.reader.toReference(accountKind, name, ""), doesNotExist)
	return fmt.Sprintf("ServiceAccount %q of spec.driver.serviceAccountName was deleted %s", name, beforeDriver), nil
}

// adopt accepts an existing object if it belongs to this attempt of this application and has the wanted content. It
// replaces an object with other content: any user who may create such objects in the namespace can set their owner and
// labels.
func (cr *creator) adopt(ctx context.Context, obj client.Object) error {
	existing, ok := obj.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%s is not an API object", describe(obj))
	}
	if err := cr.Live.Get(ctx, client.ObjectKeyFromObject(obj), existing); err != nil {
		return fmt.Errorf("read %s: %w", describe(obj), err)
	}
	switch {
	case !ownedBy(existing, cr.app), isPod(obj) && existing.GetLabels()[v1alpha1.SparkRoleLabel] != v1alpha1.SparkRoleDriver:
		cr.obstacle = fmt.Sprintf("%s already exists and belongs to another owner; delete it, or choose another name for the application or in spec.driver.podName", describe(obj))
	case !ofAttempt(existing, cr.app.Status.Run, cr.app.Status.Attempt):
		cr.obstacle = fmt.Sprintf("%s of an earlier attempt still exists", describe(obj))
	case !asWanted(existing, obj):
		return cr.replace(ctx, existing, obj)
	}
	return nil
}

// replace deletes the object that was read, never a newer one, and creates the wanted one. If the old object stays, or
// another one appears, that is an obstacle.
func (cr *creator) replace(ctx context.Context, existing, wanted client.Object) error {
	uid := existing.GetUID()
	err := cr.Client.Delete(ctx, existing, client.Preconditions{UID: &uid})
	if err != nil && !apianswer.IsGoneOrChanged(err) {
		return fmt.Errorf("delete %s, which has different content: %w", describe(existing), err)
	}
	err = cr.Client.Create(ctx, wanted, client.FieldOwner(v1alpha1.FieldOwner))
	switch {
	case apierrors.IsAlreadyExists(err):
		cr.obstacle = fmt.Sprintf("%s already exists with different content than the attempt needs, and was not created by the operator; find out what creates it, and delete it",
			describe(wanted))
		return nil
	case err != nil && !cr.refuse(ctx, wanted, err):
		return fmt.Errorf("create %s: %w", describe(wanted), err)
	}
	return nil
}

// rememberDriver records the driver pod that was created, unless its own containers request more than was granted: a
// LimitRange or RuntimeClass may be newer than the caches. Containers that admission has added, such as sidecars, do
// not count. Other objects are ignored.
func (cr *creator) rememberDriver(obj client.Object) {
	pod, ok := obj.(*corev1.Pod)
	if !ok || cr.app.Status.Grant == nil {
		return
	}
	own := pod.DeepCopy()
	own.Spec.Containers, own.Spec.InitContainers = containersNamed(own.Spec.Containers, cr.sent), containersNamed(own.Spec.InitContainers, cr.sent)
	requests, err := podsets.Environment{}.Requests(own)
	if err != nil {
		return // without known requests it cannot be shown to fit the grant
	}
	for _, set := range convert.FromAPI(cr.app.Status.Grant).PodSets {
		if set.Name != v1alpha1.DriverPodSet {
			continue
		}
		for name, asks := range requests {
			if asks > set.Requests[name] {
				return
			}
		}
	}
	cr.record.Writes.DriverCreated(lifecycle.CurrentAttempt(cr.app), pod.UID)
}
