// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/application/plan"
	"github.com/sparkgate/sparkgate/controllers/application/requeue"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// Driver finds out by live reads what a decision needs to know of the driver of an attempt.
type Driver struct {
	Live   client.Reader
	Reader *plan.Reader
	Logs   LogReader
	Record *memory.Record
	Clock  clock.Clock
}

// Find reads from the API server whether the driver pod of the attempt exists, given the pods that the watch has shown.
// The driver counts as absent only if no request to create it can still take effect; if its uid is recorded, none can.
// A pod that the watch will never show as the driver is returned as stray.
func (dr *Driver) Find(ctx context.Context, app *v1alpha1.SparkApplication, known []*pods.Record) (absent bool, stray *pods.Record, err error) {
	if until := dr.Record.Writes.UnansweredUntil(); app.Status.Driver.UID == "" && dr.Clock.Now().Before(until) {
		return false, nil, &requeue.Error{After: until.Sub(dr.Clock.Now()), Why: "the request to create the driver pod was not answered"}
	}
	pod := &corev1.Pod{}
	err = dr.Live.Get(ctx, types.NamespacedName{Namespace: app.Namespace, Name: app.Status.Driver.PodName}, pod)
	switch {
	case err == nil && isDriver(pod, app):
		stray, err = strayDriver(ctx, app, pods.RecordOf(pod))
		return false, stray, err
	case dr.namespaceGoes(ctx, app, err):
		return true, nil, nil
	case client.IgnoreNotFound(err) != nil:
		return false, nil, fmt.Errorf("read driver pod: %w", err)
	}
	absent, err = dr.watchIsCaughtUp(ctx, app, known)
	return absent, nil, err
}

// isDriver reports whether the pod with the driver's name is the driver of the current attempt. Once the uid of the
// driver is recorded, only the uid counts. Before that, the pod must be owned by the application and have the labels of
// the attempt; a pod that has lost the application's labels is judged by its owner alone.
func isDriver(pod *corev1.Pod, app *v1alpha1.SparkApplication) bool {
	if uid := app.Status.Driver.UID; uid != "" {
		return pod.UID == uid
	}
	return metav1.IsControlledBy(pod, app) && (render.OfAttempt(pod, app.Status.Run, app.Status.Attempt) || pod.Labels[v1alpha1.ApplicationUIDLabel] != string(app.UID))
}

// strayDriver handles a driver pod that exists although the watch has not shown it as the driver. Usually the watch is
// only late, so the pass is repeated. But if the pod's labels or owner were changed after it was created, the watch
// will never show it as the driver, so it is returned with those that it should have.
func strayDriver(ctx context.Context, app *v1alpha1.SparkApplication, found *pods.Record) (*pods.Record, error) {
	as := *found.Origin
	as.OwnerUID, as.Application, as.AppUID = app.UID, app.Name, string(app.UID)
	as.Run, as.Attempt = app.Status.Run, app.Status.Attempt
	if as == *found.Origin && found.Role == pods.Driver {
		return nil, &requeue.Error{After: time.Second, Why: "the driver pod exists but the watch has not shown it"}
	}
	if !found.Deleting {
		ctrl.LoggerFrom(ctx).Info("Labels or owner of the driver pod were changed; it is ended", "pod", found.Name)
	}
	found.Origin, found.Role = &as, pods.Driver
	return found, nil
}

// namespaceGoes reports whether reading pods was refused because the namespace is being deleted and its RoleBindings
// are gone already. No pod can be created in such a namespace, so the watch has shown all of them.
func (dr *Driver) namespaceGoes(ctx context.Context, app *v1alpha1.SparkApplication, refusal error) bool {
	if !apierrors.IsForbidden(refusal) {
		return false
	}
	namespace, err := dr.Reader.Namespace(ctx, app)
	return err == nil && !namespace.GetDeletionTimestamp().IsZero()
}

// watchIsCaughtUp reads from the API server whether the application has active pods that the watch has not shown, and
// returns a requeue.Error if so. It reads page by page, because any user who may create pods can give them the
// application's labels.
func (dr *Driver) watchIsCaughtUp(ctx context.Context, app *v1alpha1.SparkApplication, known []*pods.Record) (bool, error) {
	for token := ""; ; {
		page := &corev1.PodList{}
		err := dr.Live.List(ctx, page, client.InNamespace(app.Namespace), client.MatchingLabels{
			v1alpha1.ApplicationUIDLabel: string(app.UID), v1alpha1.ApplicationLabel: app.Name,
		}, client.Limit(pods.PageSize), client.Continue(token))
		if dr.namespaceGoes(ctx, app, err) {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("list pods: %w", err)
		}
		for i := range page.Items {
			if err := wasShown(known, pods.RecordOf(&page.Items[i])); err != nil {
				return false, err
			}
		}
		if token = page.Continue; token == "" {
			return true, nil
		}
	}
}

// wasShown returns a requeue.Error if a pod is active and the watch has not shown it.
func wasShown(shown []*pods.Record, record *pods.Record) error {
	seen := slices.ContainsFunc(shown, func(known *pods.Record) bool { return known.UID == record.UID })
	if record.Active() && !seen {
		return &requeue.Error{After: time.Second, Why: "pod " + record.Name + " exists but the watch has not shown it"}
	}
	return nil
}
