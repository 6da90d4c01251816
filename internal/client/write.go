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
)

// fieldManager is the field manager of sparkctl's writes. It is not one of kubectl's, because Flux reverts what these
// have set.
const fieldManager = "sparkctl"

// patch applies a merge patch to an object of the namespace, and returns the answer of the API server.
func (c *Cluster) patch(ctx context.Context, kind Kind, name string, patch any) ([]byte, error) {
	body, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	data, err := bodyOf(kind.named(c.client.Patch(types.MergePatchType), c.Namespace, name).
		Param("fieldManager", fieldManager).Body(body).Do(ctx))
	return data, c.explain(ctx, err, action{"patch", kind.Resource, c.Namespace, name})
}

// PatchApplication applies a merge patch to an application, and returns the result.
func (c *Cluster) PatchApplication(ctx context.Context, name string, patch any) (*v1alpha1.SparkApplication, error) {
	data, err := c.patch(ctx, Applications, name, patch)
	return decoded[v1alpha1.SparkApplication](data, err)
}

// Suspend suspends an application: its run stops until it is resumed.
func (c *Cluster) Suspend(ctx context.Context, name string) (*v1alpha1.SparkApplication, error) {
	return c.PatchApplication(ctx, name, suspension(true))
}

// Resume resumes a suspended application.
func (c *Cluster) Resume(ctx context.Context, name string) (*v1alpha1.SparkApplication, error) {
	return c.PatchApplication(ctx, name, suspension(nil))
}

// SuspendSchedule suspends a schedule, or resumes it if suspended is false. Applications that it has created continue
// to run.
func (c *Cluster) SuspendSchedule(ctx context.Context, name string, suspended bool) (*v1alpha1.ScheduledSparkApplication, error) {
	value := any(nil)
	if suspended {
		value = true
	}
	data, err := c.patch(ctx, Schedules, name, suspension(value))
	return decoded[v1alpha1.ScheduledSparkApplication](data, err)
}

// suspension returns the patch that sets spec.suspend, or removes the field if value is nil.
func suspension(value any) map[string]any {
	return map[string]any{"spec": map[string]any{"suspend": value}}
}

// Rerun requests another run of an application with Flux's annotations. The token identifies the request:
// status.lastHandledForceAt has it once the run has begun.
func (c *Cluster) Rerun(ctx context.Context, name, token string) (*v1alpha1.SparkApplication, error) {
	return c.PatchApplication(ctx, name, request(token))
}

// RunSchedule requests a run of a schedule outside of its times, with the same annotations. status.lastHandledForceAt
// has the token once the application for the run has been created.
func (c *Cluster) RunSchedule(ctx context.Context, name, token string) (*v1alpha1.ScheduledSparkApplication, error) {
	data, err := c.patch(ctx, Schedules, name, request(token))
	return decoded[v1alpha1.ScheduledSparkApplication](data, err)
}

// RunScheduleFor requests runs of past times of a schedule by an annotation, and updates s to what the schedule is then.
// status.runFor.request has its value once the operator has accepted or refused the request. If the schedule has changed
// since s was read, it returns an error for which IsConflict is true: another request may be in its place.
func RunScheduleFor(ctx context.Context, c *Cluster, s *v1alpha1.ScheduledSparkApplication, request string) error {
	data, err := c.patch(ctx, Schedules, s.Name, map[string]any{"metadata": map[string]any{
		"annotations": map[string]any{v1alpha1.RunForAnnotation: request}, "resourceVersion": s.ResourceVersion,
	}})
	after, err := decoded[v1alpha1.ScheduledSparkApplication](data, err)
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
	body, err := json.Marshal(secret)
	if err != nil {
		return err
	}
	_, err = bodyOf(secrets.in(c.client.Post(), c.Namespace).SetHeader("Content-Type", "application/json").Param("fieldManager", fieldManager).Body(body).Do(ctx))
	return c.explain(ctx, err, action{"create", secrets.Resource, c.Namespace, ""})
}

// OwnSecret makes an application the owner of a Secret of its namespace, which is deleted with it.
func OwnSecret(ctx context.Context, c *Cluster, name string, owner *v1alpha1.SparkApplication) error {
	_, err := c.patch(ctx, secrets, name, map[string]any{"metadata": map[string]any{"ownerReferences": []metav1.OwnerReference{{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SparkApplicationKind, Name: owner.Name, UID: owner.UID,
	}}}})
	return err
}

// DeleteSecret deletes a Secret of the namespace of the cluster.
func DeleteSecret(ctx context.Context, c *Cluster, name string) error {
	_, err := bodyOf(secrets.named(c.client.Delete(), c.Namespace, name).Do(ctx))
	return c.explain(ctx, err, action{"delete", secrets.Resource, c.Namespace, name})
}

func decoded[T any](data []byte, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	object := new(T)
	return object, json.Unmarshal(data, object)
}

// DeleteApplication deletes an application.
func (c *Cluster) DeleteApplication(ctx context.Context, name string) error {
	_, err := bodyOf(Applications.named(c.client.Delete(), c.Namespace, name).Do(ctx))
	return c.explain(ctx, err, action{"delete", Applications.Resource, c.Namespace, name})
}
