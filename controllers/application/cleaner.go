// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// cleaner deletes the objects of attempts, and the application after its time to live.
type cleaner struct{ *state }

// deleteObjects deletes the objects that were created for an attempt: the ConfigMaps after all but the pod, and the pod
// last, because either shows that other objects may remain (ObserveExisting).
func (cl *cleaner) deleteObjects(ctx context.Context, of lifecycle.AttemptID) error {
	names := render.NamesOf(cl.app, of.Run, of.Attempt)
	if err := cl.delete(ctx, &corev1.Service{}, names.Service); err != nil {
		return err
	}
	if err := cl.Gates.Forget(ctx, convert.KeyOf(cl.app), of.Run, of.Attempt); err != nil {
		return err
	}
	if err := cl.delete(ctx, &networkingv1.NetworkPolicy{}, names.NetworkPolicy); err != nil {
		return err
	}
	if err := cl.deleteClaims(ctx, of); err != nil {
		return err
	}
	if err := cl.deleteFiles(ctx, of); err != nil {
		return err
	}
	for _, r := range cl.observed.Pods {
		if r.Role != pods.Driver || r.Run != of.Run || r.Attempt != of.Attempt || r.OwnerUID != cl.app.UID {
			continue
		}
		if err := cl.deletePod(ctx, r, false); err != nil {
			return err
		}
	}
	cl.record.Kept.Deleted(of)
	return nil
}

// deleteApplication deletes the application, unless it has changed since it was read.
func (cl *cleaner) deleteApplication(ctx context.Context) error {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: cl.app.Namespace, Name: cl.app.Name}}
	uid, version := cl.app.UID, cl.app.ResourceVersion
	err := cl.Client.Delete(ctx, app, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if err != nil && !apianswer.IsGoneOrChanged(err) {
		return fmt.Errorf("delete %s/%s after spec.ttlAfterFinished: %w", app.Namespace, app.Name, err)
	}
	return nil
}

// deleteClaims deletes the PersistentVolumeClaims of an attempt.
func (cl *cleaner) deleteClaims(ctx context.Context, of lifecycle.AttemptID) error {
	kind := corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
	return cl.deleteLabelled(ctx, of, kind, func() client.Object { return &corev1.PersistentVolumeClaim{} })
}

// delete deletes an object of the attempt if it exists and this application controls it. It reads first, because often
// the object is gone: Spark deletes the Service of a driver that ends normally.
func (cl *cleaner) delete(ctx context.Context, obj client.Object, name string) error {
	obj.SetNamespace(cl.app.Namespace)
	obj.SetName(name)
	existing := livemeta.Key{Kind: render.KindOf(obj), Name: name}.Metadata(cl.app.Namespace)
	if err := cl.Live.Get(ctx, client.ObjectKeyFromObject(existing), existing); err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("read %s: %w", describe(obj), err)
	}
	if !ownedBy(existing, cl.app) || !existing.DeletionTimestamp.IsZero() {
		return nil
	}
	uid := existing.UID
	err := cl.Client.Delete(ctx, obj, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil && !apianswer.IsGoneOrChanged(err) {
		return fmt.Errorf("delete %s: %w", describe(obj), err)
	}
	return nil
}

// deleteFiles deletes the ConfigMaps and the Secret that hold the files of an attempt. While the spec is still that of
// the attempt, it says which of them exist; otherwise they are listed.
func (cl *cleaner) deleteFiles(ctx context.Context, of lifecycle.AttemptID) error {
	names, spec := render.NamesOf(cl.app, of.Run, of.Attempt), &cl.app.Spec
	known := cl.observed.SameTemplate && cl.app.Stub == nil && of == lifecycle.CurrentAttempt(cl.app)
	if len(spec.SparkConfFrom) > 0 || !known {
		if err := cl.delete(ctx, &corev1.Secret{}, names.Secret); err != nil {
			return err
		}
	}
	if len(spec.ConfigMaps) == 0 && known {
		return cl.delete(ctx, &corev1.ConfigMap{}, names.ConfigMap)
	}
	return cl.deleteLabelled(ctx, of, corev1.SchemeGroupVersion.WithKind("ConfigMap"), func() client.Object { return &corev1.ConfigMap{} })
}

// deleteLabelled deletes all objects of a kind that carry the labels of an attempt. It lists them from the API server,
// because the spec that determined their number may have changed.
func (cl *cleaner) deleteLabelled(ctx context.Context, of lifecycle.AttemptID, kind schema.GroupVersionKind, empty func() client.Object) error {
	err := livemeta.Walk(ctx, cl.Live, kind, func(obj *metav1.PartialObjectMetadata) error { return cl.delete(ctx, empty(), obj.Name) },
		client.InNamespace(cl.app.Namespace), client.MatchingLabels{
			v1alpha1.ApplicationUIDLabel: string(cl.app.UID),
			v1alpha1.RunLabel:            strconv.FormatInt(of.Run, 10),
			v1alpha1.AttemptLabel:        strconv.FormatInt(of.Attempt, 10),
		})
	if err != nil {
		return fmt.Errorf("delete objects of kind %s of %s/%s: %w", kind.Kind, cl.app.Namespace, cl.app.Name, err)
	}
	return nil
}

// deletePod deletes the pod that was observed, never a new one of the same name. With force there is no grace period,
// otherwise it is bounded by MaxTermination.
func (r *Reconciler) deletePod(ctx context.Context, of *pods.Record, force bool) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Name}}
	err := r.Client.Delete(ctx, pod, of.DeleteOptions(r.MaxTermination, force))
	if apianswer.IsGoneOrChanged(err) {
		return nil // the pod is gone, or another pod has its name
	}
	if err != nil {
		return fmt.Errorf("delete pod %s/%s: %w", of.Namespace, of.Name, err)
	}
	return nil
}

// endContainers makes the kubelet end the containers of the pod that was observed, never those of a new one of the same
// name. The pod object stays.
func (cl *cleaner) endContainers(ctx context.Context, of *pods.Record) error {
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
