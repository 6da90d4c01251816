// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"context"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// Cleaner deletes the objects of attempts, and the application after its time to live.
type Cleaner struct {
	Client client.Client
	Live   client.Reader
	Gates  reservation.Gates
	// MaxTermination bounds how long pods may take to end after they were asked to.
	MaxTermination time.Duration
}

// DeleteObjects deletes the objects that were created for an attempt: the ConfigMaps after all but the pod, and the pod
// last, because either shows that other objects may remain (ObserveExisting).
func (cl *Cleaner) DeleteObjects(ctx context.Context, app *v1alpha1.SparkApplication, of lifecycle.AttemptID, observed lifecycle.Observation) error {
	names := render.NamesOf(app, of.Run, of.Attempt)
	if err := cl.DeleteObject(ctx, app, &corev1.Service{}, names.Service); err != nil {
		return err
	}
	if err := cl.Gates.Forget(ctx, podsets.KeyOf(app), of.Run, of.Attempt); err != nil {
		return err
	}
	if err := cl.DeleteObject(ctx, app, &networkingv1.NetworkPolicy{}, names.NetworkPolicy); err != nil {
		return err
	}
	if err := cl.deleteLabelled(ctx, app, of, &corev1.PersistentVolumeClaim{}); err != nil {
		return err
	}
	if err := cl.deleteFiles(ctx, app, of, observed.SameTemplate); err != nil {
		return err
	}
	for _, r := range observed.Pods {
		if r.Role != pods.Driver || r.Run != of.Run || r.Attempt != of.Attempt || r.OwnerUID != app.UID {
			continue
		}
		if err := cl.DeletePod(ctx, r, false); err != nil {
			return err
		}
	}
	return nil
}

// DeleteApplication deletes the application, unless it has changed since it was read.
func (cl *Cleaner) DeleteApplication(ctx context.Context, app *v1alpha1.SparkApplication) error {
	named := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: app.Name}}
	uid, version := app.UID, app.ResourceVersion
	err := cl.Client.Delete(ctx, named, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if err != nil && !apianswer.IsGoneOrChanged(err) {
		return fmt.Errorf("delete %s/%s after spec.ttlAfterFinished: %w", app.Namespace, app.Name, err)
	}
	return nil
}

// DeleteObject deletes an object of the attempt if it exists and this application controls it. It reads first, because
// often the object is gone: Spark deletes the Service of a driver that ends normally.
func (cl *Cleaner) DeleteObject(ctx context.Context, app *v1alpha1.SparkApplication, obj client.Object, name string) error {
	obj.SetNamespace(app.Namespace)
	obj.SetName(name)
	existing := livemeta.Key{Kind: render.KindOf(obj), Name: name}.Metadata(app.Namespace)
	if err := cl.Live.Get(ctx, client.ObjectKeyFromObject(existing), existing); err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("read %s: %w", render.Describe(obj), err)
	}
	if !metav1.IsControlledBy(existing, app) || !existing.DeletionTimestamp.IsZero() {
		return nil
	}
	uid := existing.UID
	err := cl.Client.Delete(ctx, obj, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil && !apianswer.IsGoneOrChanged(err) {
		return fmt.Errorf("delete %s: %w", render.Describe(obj), err)
	}
	return nil
}

// deleteFiles deletes the ConfigMaps and the Secret that hold the files of an attempt. While the spec is still that of
// the attempt, it says which of them exist; otherwise they are listed.
func (cl *Cleaner) deleteFiles(ctx context.Context, app *v1alpha1.SparkApplication, of lifecycle.AttemptID, sameTemplate bool) error {
	names, spec := render.NamesOf(app, of.Run, of.Attempt), &app.Spec
	known := sameTemplate && app.Stub == nil && of == lifecycle.CurrentAttempt(app)
	if len(spec.SparkConfFrom) > 0 || !known {
		if err := cl.DeleteObject(ctx, app, &corev1.Secret{}, names.Secret); err != nil {
			return err
		}
	}
	if len(spec.ConfigMaps) == 0 && known {
		return cl.DeleteObject(ctx, app, &corev1.ConfigMap{}, names.ConfigMap)
	}
	return cl.deleteLabelled(ctx, app, of, &corev1.ConfigMap{})
}

// deleteLabelled deletes all objects of the kind of an empty one that carry the labels of an attempt. It lists them from
// the API server, because the spec that determined their number may have changed.
func (cl *Cleaner) deleteLabelled(ctx context.Context, app *v1alpha1.SparkApplication, of lifecycle.AttemptID, empty client.Object) error {
	kind := render.KindOf(empty)
	err := livemeta.Walk(ctx, cl.Live, kind, func(obj *metav1.PartialObjectMetadata) error { return cl.DeleteObject(ctx, app, empty, obj.Name) },
		client.InNamespace(app.Namespace), client.MatchingLabels{
			v1alpha1.ApplicationUIDLabel: string(app.UID),
			v1alpha1.RunLabel:            strconv.FormatInt(of.Run, 10),
			v1alpha1.AttemptLabel:        strconv.FormatInt(of.Attempt, 10),
		})
	if err != nil {
		return fmt.Errorf("delete objects of kind %s of %s/%s: %w", kind.Kind, app.Namespace, app.Name, err)
	}
	return nil
}

// DeletePod deletes the pod that was observed, never a new one of the same name. With force there is no grace period,
// otherwise it is bounded by MaxTermination.
func (cl *Cleaner) DeletePod(ctx context.Context, of *pods.Record, force bool) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Name}}
	err := cl.Client.Delete(ctx, pod, of.DeleteOptions(cl.MaxTermination, force))
	if apianswer.IsGoneOrChanged(err) {
		return nil // the pod is gone, or another pod has its name
	}
	if err != nil {
		return fmt.Errorf("delete pod %s/%s: %w", of.Namespace, of.Name, err)
	}
	return nil
}

// EndContainers makes the kubelet end the containers of the pod that was observed, never those of a new one of the same
// name. The pod object stays.
func (cl *Cleaner) EndContainers(ctx context.Context, of *pods.Record) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Name}}
	err := cl.Client.Patch(ctx, pod, client.RawPatch(types.MergePatchType, of.EndPatch()), client.FieldOwner(v1alpha1.FieldOwner))
	if apianswer.IsGoneOrChanged(err) {
		return nil // the pod is gone, or another pod has its name
	}
	if err != nil {
		return fmt.Errorf("end the containers of pod %s/%s: %w", of.Namespace, of.Name, err)
	}
	return nil
}
