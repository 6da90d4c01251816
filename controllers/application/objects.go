// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"encoding/json"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// describe returns kind, namespace and name of an object for messages.
func describe(obj client.Object) string {
	return fmt.Sprintf("%s %s/%s", render.KindOf(obj).Kind, obj.GetNamespace(), obj.GetName())
}

// ownedBy reports whether the application is the controlling owner of an object.
func ownedBy(obj metav1.Object, app *v1alpha1.SparkApplication) bool {
	owner := metav1.GetControllerOfNoCopy(obj)
	return owner != nil && owner.UID == app.UID
}

// ofAttempt reports whether an object has the labels of an attempt.
func ofAttempt(obj metav1.Object, run, attempt int64) bool {
	labels := obj.GetLabels()
	return labels[v1alpha1.RunLabel] == strconv.FormatInt(run, 10) && labels[v1alpha1.AttemptLabel] == strconv.FormatInt(attempt, 10)
}

// attemptOf returns the attempt in the labels of an object; known is false if they name none.
func attemptOf(obj metav1.Object) (of lifecycle.AttemptID, known bool) {
	run, err := strconv.ParseInt(obj.GetLabels()[v1alpha1.RunLabel], 10, 64)
	number, err2 := strconv.ParseInt(obj.GetLabels()[v1alpha1.AttemptLabel], 10, 64)
	return lifecycle.AttemptID{Run: run, Attempt: number}, err == nil && err2 == nil
}

// metadata returns an empty object of a core kind, for reading its metadata only.
func metadata(kind string) *metav1.PartialObjectMetadata {
	return livemeta.Key{Kind: corev1.SchemeGroupVersion.WithKind(kind)}.Metadata("")
}

// metadataOf returns an object for writes to an application. The API server answers them with metadata only, because
// the rest is known.
func metadataOf(app *v1alpha1.SparkApplication) *metav1.PartialObjectMetadata {
	return livemeta.Application(app.Namespace, app.Name)
}

func isPod(obj client.Object) bool {
	_, is := obj.(*corev1.Pod)
	return is
}

// refused reports whether the API server has answered with an error that it would repeat: policy, quota or validation.
func refused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsNotFound(err) ||
		apierrors.IsRequestEntityTooLargeError(err)
}

// conflictOf returns the error with which the API server answers a write to an application that has changed.
func conflictOf(app *v1alpha1.SparkApplication, why error) error {
	return apierrors.NewConflict(v1alpha1.GroupVersion.WithResource("sparkapplications").GroupResource(), app.Name, why)
}

func mergePatch(change map[string]any) (client.Patch, error) {
	data, err := json.Marshal(change)
	return client.RawPatch(types.MergePatchType, data), err
}
