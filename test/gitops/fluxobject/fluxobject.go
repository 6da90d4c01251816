// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fluxobject deals with the objects of Flux that tests create, on whatever API server.
package fluxobject

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// versions of the kinds that tests deal with by name.
var versions = map[string]string{
	"GitRepository": "source.toolkit.fluxcd.io/v1", "Kustomization": "kustomize.toolkit.fluxcd.io/v1", "HelmRelease": "helm.toolkit.fluxcd.io/v2",
}

// Named returns an object of one of these kinds to read or change: GitRepository, Kustomization or HelmRelease.
func Named(kind, namespace, name string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	obj.SetAPIVersion(versions[kind])
	obj.SetKind(kind)
	obj.SetNamespace(namespace)
	obj.SetName(name)
	return obj
}

// requests makes each token differ from all others of this process.
var requests atomic.Int64

// Request has Flux reconcile an object at once, as its webhook receiver does. It returns the token of the request.
func Request(ctx context.Context, c client.Client, obj client.Object) (token string, err error) {
	token = strconv.FormatInt(requests.Add(1), 10)
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":%q}}}`, token)
	return token, c.Patch(ctx, obj, client.RawPatch(types.MergePatchType, patch))
}

// Leave deletes an object and leaves what it has applied: suspended, it prunes nothing and lets go at once.
func Leave(ctx context.Context, c client.Client, obj client.Object) error {
	suspend := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"suspend":true}}`))
	return errors.Join(client.IgnoreNotFound(c.Patch(ctx, obj, suspend)), client.IgnoreNotFound(c.Delete(ctx, obj)))
}

// Read reads the status of an object into a value with JSON tags, and returns the condition Ready; nil if there is none yet.
func Read(ctx context.Context, c client.Client, obj *unstructured.Unstructured, status any) (*metav1.Condition, error) {
	if err := c.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
		return nil, err
	}
	fields, _, err := unstructured.NestedMap(obj.Object, "status")
	if err != nil {
		return nil, err
	}
	var common struct {
		Conditions []metav1.Condition `json:"conditions"`
	}
	converter := runtime.DefaultUnstructuredConverter
	if err := errors.Join(converter.FromUnstructured(fields, &common), converter.FromUnstructured(fields, status)); err != nil {
		return nil, err
	}
	return apimeta.FindStatusCondition(common.Conditions, "Ready"), nil
}
