// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
)

// Object has the metadata of an object of any kind, and its conditions if it has some.
type Object struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

// RemoveFinalizer removes a finalizer from an object. It is no error if the object is gone, or if another one has its
// name.
func RemoveFinalizer(ctx context.Context, c *Cluster, kind Kind, o *Object, finalizer string) error {
	c = c.In(o.Namespace)
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if !slices.Contains(o.Finalizers, finalizer) {
			return nil
		}
		rest := slices.DeleteFunc(slices.Clone(o.Finalizers), func(f string) bool { return f == finalizer })
		_, err := patch[Object](ctx, c, kind, o.Name, map[string]any{"metadata": map[string]any{"resourceVersion": o.ResourceVersion, "uid": o.UID, "finalizers": rest}})
		if !apierrors.IsConflict(err) {
			return err
		}
		fresh, readErr := GetObject[Object](ctx, c, kind, o.Name)
		if readErr != nil || fresh.UID != o.UID {
			return readErr
		}
		o = fresh
		return err
	})
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	return fmt.Errorf("remove finalizer %s of %s %s/%s: %w", finalizer, kind.Resource, o.Namespace, o.Name, err)
}
