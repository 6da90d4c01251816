// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/application/plan"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// Creator creates the objects of an attempt.
type Creator struct {
	Client     client.Client
	Live       client.Reader
	Reader     *plan.Reader
	Rejections *plan.Rejections
	Intent     *Intent
	Record     *memory.Record
	Clock      clock.Clock
}

const (
	// watchLagTimeout is how long the watch may take to show a driver that this process has created.
	watchLagTimeout = 30 * time.Second
	// requestTimeout is how long a create without an answer may still take effect: the API server ends requests after 60 s
	// (kube-apiserver --request-timeout).
	requestTimeout = 65 * time.Second
)

// Awaited returns how long the watch may still take to show the driver of an attempt that this process has created;
// zero if it has not, or has waited long enough.
func (cr *Creator) Awaited(of lifecycle.AttemptID) time.Duration {
	since := cr.Record.Writes.CreatedSince(of)
	if since.IsZero() {
		return 0
	}
	return max(0, since.Add(watchLagTimeout).Sub(cr.Clock.Now()))
}

// CreateDriver creates the objects of the attempt in the status, the driver pod last; inputs is the hash of what they
// were built from. Before each object it makes sure that the status still names this attempt, either because this pass
// has just written it or by a live read. It reports whether all of them exist, or what the obstacle is.
func (cr *Creator) CreateDriver(ctx context.Context, app *v1alpha1.SparkApplication, objects render.Objects, inputs string) (created bool, o plan.Obstacle, err error) {
	for _, obj := range objects.InOrder() {
		if stands, err := cr.Intent.IntentStands(ctx, app); err != nil || !stands {
			return false, o, err
		}
		if o, err = cr.create(ctx, app, obj); err != nil || o.Kind != 0 {
			break
		}
	}
	if o.Kind == plan.Rejected {
		cr.Rejections.Note(app, inputs, o.Message)
	}
	if err != nil || o.Kind != 0 {
		return false, o, err
	}
	cr.Record.Writes.Created(lifecycle.CurrentAttempt(app), cr.Clock.Now())
	cr.Record.Plans.Used()
	return true, o, nil
}

// CreateWorkers creates workers of the cluster whose master is the driver of the attempt, by their numbers. Those that
// exist stay as they are. A refusal by the API server is an obstacle.
func (cr *Creator) CreateWorkers(ctx context.Context, app *v1alpha1.SparkApplication, objects render.Objects, numbers []int) (o plan.Obstacle, err error) {
	template, err := podsets.ExecutorPod(objects)
	if err != nil {
		return o, err
	}
	template.Namespace = app.Namespace
	template.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "v1", Kind: v1alpha1.PodKind, Name: app.Status.Driver.PodName, UID: app.Status.Driver.UID, Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}}
	for _, n := range numbers {
		if stands, err := cr.Intent.GrantStands(ctx, app); err != nil || !stands {
			return o, err
		}
		worker := template.DeepCopy()
		worker.Name = fmt.Sprintf("%s%s%d", objects.Names.Prefix, v1alpha1.WorkerInfix, n)
		err := cr.Client.Create(ctx, worker, client.FieldOwner(v1alpha1.FieldOwner))
		switch {
		case err == nil, apierrors.IsAlreadyExists(err):
		case apianswer.IsRefused(err), apianswer.IsWebhookAway(err), apianswer.IsDenied(err):
			return plan.Obstacle{Kind: plan.Blocked, Message: obstacleOf(worker, err)}, nil
		default:
			return o, fmt.Errorf("create %s: %w", render.Describe(worker), err)
		}
	}
	return o, nil
}

// create creates one object, or adopts the existing one. A refusal by the API server is an obstacle, not an error.
func (cr *Creator) create(ctx context.Context, app *v1alpha1.SparkApplication, obj client.Object) (plan.Obstacle, error) {
	sent := containersOf(obj)
	err := cr.Client.Create(ctx, obj, client.FieldOwner(v1alpha1.FieldOwner))
	switch {
	case err == nil:
		cr.rememberDriver(app, obj, sent)
		return plan.Obstacle{}, nil
	case apierrors.IsAlreadyExists(err):
		return cr.adopt(ctx, app, obj)
	}
	if o := cr.refusal(ctx, app, obj, err); o.Kind != 0 {
		return o, nil
	}
	if isPod(obj) {
		cr.Record.Writes.Unanswered(cr.Clock.Now().Add(requestTimeout))
	}
	return plan.Obstacle{}, fmt.Errorf("create %s: %w", render.Describe(obj), err)
}

// refusal returns the obstacle if err is a refusal by the API server. The object is rejected if it will never be
// accepted; otherwise the obstacle lasts until something changes that the status names.
func (cr *Creator) refusal(ctx context.Context, app *v1alpha1.SparkApplication, obj client.Object, err error) plan.Obstacle {
	switch {
	case apianswer.IsRejected(err):
		return plan.Obstacle{Kind: plan.Rejected, Message: plan.RejectionOf(obj, err, plan.RunAgain)}
	case apianswer.IsWebhookAway(err), apianswer.IsDenied(err):
	case !apianswer.IsRefused(err):
		return plan.Obstacle{}
	case isPod(obj) && cr.Reader.AccountGone(ctx, app):
		return plan.Obstacle{Kind: plan.Outdated, Message: fmt.Sprintf("ServiceAccount %q of spec.driver.serviceAccountName was deleted %s", app.Spec.Driver.ServiceAccountName, plan.BeforeDriver)}
	}
	return plan.Obstacle{Kind: plan.Blocked, Message: obstacleOf(obj, err)}
}

// adopt accepts an existing object if it belongs to this attempt of this application and has the wanted content. It
// replaces an object with other content: any user who may create such objects in the namespace can set their owner and
// labels.
func (cr *Creator) adopt(ctx context.Context, app *v1alpha1.SparkApplication, obj client.Object) (o plan.Obstacle, err error) {
	existing, ok := obj.DeepCopyObject().(client.Object)
	if !ok {
		return o, fmt.Errorf("%s is not an API object", render.Describe(obj))
	}
	if err := cr.Live.Get(ctx, client.ObjectKeyFromObject(obj), existing); err != nil {
		return o, fmt.Errorf("read %s: %w", render.Describe(obj), err)
	}
	switch {
	case !metav1.IsControlledBy(existing, app), isPod(obj) && existing.GetLabels()[v1alpha1.SparkRoleLabel] != v1alpha1.SparkRoleDriver:
		return plan.Obstacle{Kind: plan.Blocked, Message: render.Describe(obj) + " already exists and belongs to another owner; delete it, or choose another name for the application or in spec.driver.podName"}, nil
	case !render.OfAttempt(existing, app.Status.Run, app.Status.Attempt):
		return plan.Obstacle{Kind: plan.Blocked, Message: render.Describe(obj) + " of an earlier attempt still exists"}, nil
	case !asWanted(existing, obj):
		return cr.replace(ctx, app, existing, obj)
	}
	return o, nil
}

// replace deletes the object that was read, never a newer one, and creates the wanted one. If the old object stays, or
// another one appears, that is an obstacle.
func (cr *Creator) replace(ctx context.Context, app *v1alpha1.SparkApplication, existing, wanted client.Object) (o plan.Obstacle, err error) {
	uid := existing.GetUID()
	err = cr.Client.Delete(ctx, existing, client.Preconditions{UID: &uid})
	if err != nil && !apianswer.IsGoneOrChanged(err) {
		return o, fmt.Errorf("delete %s, which has different content: %w", render.Describe(existing), err)
	}
	err = cr.Client.Create(ctx, wanted, client.FieldOwner(v1alpha1.FieldOwner))
	switch {
	case err == nil:
		return o, nil
	case apierrors.IsAlreadyExists(err):
		return plan.Obstacle{Kind: plan.Blocked, Message: render.Describe(wanted) +
			" already exists with different content than the attempt needs, and was not created by the operator; find out what creates it, and delete it"}, nil
	}
	if o = cr.refusal(ctx, app, wanted, err); o.Kind != 0 {
		return o, nil
	}
	return o, fmt.Errorf("create %s: %w", render.Describe(wanted), err)
}

// rememberDriver records the driver pod that was created, unless its own containers request more than was granted: a
// LimitRange or RuntimeClass may be newer than the caches. Containers that admission has added, such as sidecars, do
// not count. Other objects are ignored.
func (cr *Creator) rememberDriver(app *v1alpha1.SparkApplication, obj client.Object, sent map[string]bool) {
	pod, ok := obj.(*corev1.Pod)
	if !ok || app.Status.Grant == nil {
		return
	}
	own := pod.DeepCopy()
	added := func(c corev1.Container) bool { return !sent[c.Name] }
	own.Spec.Containers, own.Spec.InitContainers = slices.DeleteFunc(own.Spec.Containers, added), slices.DeleteFunc(own.Spec.InitContainers, added)
	requests, err := podsets.Environment{}.Requests(own)
	if err != nil {
		return // without known requests it cannot be shown to fit the grant
	}
	for _, set := range convert.FromAPI(app.Status.Grant).PodSets {
		if set.Name != v1alpha1.DriverPodSet {
			continue
		}
		for name, asks := range requests {
			if asks > set.Requests[name] {
				return
			}
		}
	}
	cr.Record.Writes.DriverCreated(lifecycle.CurrentAttempt(app), pod.UID)
}
