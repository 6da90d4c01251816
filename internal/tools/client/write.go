// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fluxcd/pkg/apis/meta"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/tracker"
)

// fieldManager is the field manager of sparkctl's writes. It is not one of kubectl's, because Flux reverts what these
// have set.
const fieldManager = "sparkctl"

// patch applies a merge patch to an object of the namespace, and returns the result.
func patch[T any](ctx context.Context, c *Cluster, kind Kind, name string, patch any) (*T, error) {
	body, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	data, err := bodyOf(kind.named(c.client.Patch(types.MergePatchType), c.Namespace, name).
		Param("fieldManager", fieldManager).Body(body).Do(ctx))
	return decoded[T](data, c.explain(ctx, err, action{"patch", kind.Resource, c.Namespace, name}))
}

// SuspendApplication suspends an application, or removes its suspension. setBack says which tool will set the field back;
// empty if none is known.
func (c *Cluster) SuspendApplication(ctx context.Context, name string, suspended bool) (app *v1alpha1.SparkApplication, setBack string, err error) {
	setBack = whoSetsBack(ctx, c, Applications, name, suspended)
	app, err = patch[v1alpha1.SparkApplication](ctx, c, Applications, name, suspension(suspended))
	return app, setBack, err
}

// SuspendSchedule is SuspendApplication for a schedule.
func (c *Cluster) SuspendSchedule(ctx context.Context, name string, suspended bool) (schedule *v1alpha1.ScheduledSparkApplication, setBack string, err error) {
	setBack = whoSetsBack(ctx, c, Schedules, name, suspended)
	schedule, err = patch[v1alpha1.ScheduledSparkApplication](ctx, c, Schedules, name, suspension(suspended))
	return schedule, setBack, err
}

// whoSetsBack returns tracker.AfterSuspension of an object, which has to be read before the change: that takes the field
// away from its managers. An object that cannot be read has none.
func whoSetsBack(ctx context.Context, c *Cluster, kind Kind, name string, suspended bool) string {
	o, err := GetObject[struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
		Spec     struct {
			Suspend bool `json:"suspend"`
		} `json:"spec"`
	}](ctx, c, kind, name)
	if err != nil || o.Spec.Suspend == suspended {
		return ""
	}
	return tracker.AfterSuspension(&o.Metadata, suspended)
}

// suspension returns a patch that sets or removes spec.suspend.
func suspension(suspended bool) map[string]any {
	value := any(nil)
	if suspended {
		value = true
	}
	return map[string]any{"spec": map[string]any{"suspend": value}}
}

// Rerun requests another run of an application, with Flux's annotations. token is their value.
func (c *Cluster) Rerun(ctx context.Context, name, token string) (*v1alpha1.SparkApplication, error) {
	return patch[v1alpha1.SparkApplication](ctx, c, Applications, name, request(token))
}

// RunSchedule requests a run of a schedule, with Flux's annotations. token is their value.
func (c *Cluster) RunSchedule(ctx context.Context, name, token string) (*v1alpha1.ScheduledSparkApplication, error) {
	return patch[v1alpha1.ScheduledSparkApplication](ctx, c, Schedules, name, request(token))
}

// RunScheduleFor requests runs of past times of a schedule by an annotation, and updates s to what the schedule is then.
// status.runFor.request has its value once the operator has accepted or refused the request. If the schedule has changed
// since s was read, it returns an error for which IsConflict is true: another request may be in its place.
func RunScheduleFor(ctx context.Context, c *Cluster, s *v1alpha1.ScheduledSparkApplication, request string) error {
	after, err := patch[v1alpha1.ScheduledSparkApplication](ctx, c, Schedules, s.Name, map[string]any{"metadata": map[string]any{
		"annotations": map[string]any{v1alpha1.RunForAnnotation: request}, "resourceVersion": s.ResourceVersion,
	}})
	if err == nil {
		*s = *after
	}
	return err
}

// IsConflict reports whether err means that the object has changed since it was read.
func IsConflict(err error) bool { return apierrors.IsConflict(err) }

// request returns the patch that requests a run.
func request(token string) map[string]any {
	annotations := map[string]any{meta.ReconcileRequestAnnotation: token, meta.ForceRequestAnnotation: token}
	return map[string]any{"metadata": map[string]any{"annotations": annotations}}
}

// CreateApplication creates an application in a namespace from a JSON manifest, and returns it. An unknown field is an
// error.
func (c *Cluster) CreateApplication(ctx context.Context, namespace, name string, manifest []byte) (*v1alpha1.SparkApplication, error) {
	data, err := bodyOf(Applications.in(c.client.Post(), namespace).SetHeader("Content-Type", "application/json").
		Param("fieldManager", fieldManager).Param("fieldValidation", "Strict").Body(manifest).Do(ctx))
	if apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("sparkapplication %s exists in namespace %s: run it again with sparkctl rerun, or delete it first", name, namespace)
	}
	return decoded[v1alpha1.SparkApplication](data, c.explain(ctx, err, action{"create", Applications.Resource, namespace, ""}))
}

// CreateSecret creates a Secret in the namespace of the cluster.
func CreateSecret(ctx context.Context, c *Cluster, secret *corev1.Secret) error {
	_, err := c.core.Secrets(c.Namespace).Create(ctx, secret, metav1.CreateOptions{FieldManager: fieldManager})
	return c.explain(ctx, err, action{"create", secrets.Resource, c.Namespace, ""})
}

// OwnSecret makes an application the owner of a Secret of its namespace, which is deleted with it.
func OwnSecret(ctx context.Context, c *Cluster, name string, owner *v1alpha1.SparkApplication) error {
	_, err := patch[corev1.Secret](ctx, c, secrets, name, map[string]any{"metadata": map[string]any{"ownerReferences": []metav1.OwnerReference{{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SparkApplicationKind, Name: owner.Name, UID: owner.UID,
	}}}})
	return err
}

// DeleteSecret deletes a Secret of the namespace of the cluster.
func DeleteSecret(ctx context.Context, c *Cluster, name string) error {
	err := c.core.Secrets(c.Namespace).Delete(ctx, name, metav1.DeleteOptions{})
	return c.explain(ctx, err, action{"delete", secrets.Resource, c.Namespace, name})
}

// DeleteApplication deletes an application. comesBack says which tool will create it again; empty if none is known.
func (c *Cluster) DeleteApplication(ctx context.Context, name string) (comesBack string, err error) {
	if o, err := GetObject[metav1.PartialObjectMetadata](ctx, c, Applications, name); err == nil {
		comesBack = tracker.AfterDeletion(o)
	}
	_, err = bodyOf(Applications.named(c.client.Delete(), c.Namespace, name).Do(ctx))
	return comesBack, c.explain(ctx, err, action{"delete", Applications.Resource, c.Namespace, name})
}
