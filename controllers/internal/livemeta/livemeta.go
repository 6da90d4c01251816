// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package livemeta reads only the metadata of objects from the API server.
package livemeta

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Key identifies an object in its namespace.
type Key struct {
	Kind schema.GroupVersionKind
	Name string
}

// Metadata returns an empty object with this identity, for reads and deletions.
func (k Key) Metadata(namespace string) *metav1.PartialObjectMetadata {
	obj := &metav1.PartialObjectMetadata{}
	obj.SetGroupVersionKind(k.Kind)
	obj.Namespace, obj.Name = namespace, k.Name
	return obj
}

// Namespace returns an empty object for reading the metadata of a namespace.
func Namespace(name string) *metav1.PartialObjectMetadata {
	return Key{Kind: corev1.SchemeGroupVersion.WithKind("Namespace"), Name: name}.Metadata("")
}

// Application returns an empty object for an application, for reads and writes that are answered with its metadata
// only.
func Application(namespace, name string) *metav1.PartialObjectMetadata {
	return Key{Kind: v1alpha1.GroupVersion.WithKind(v1alpha1.SparkApplicationKind), Name: name}.Metadata(namespace)
}

// pageSize is how many objects are listed at once. Labels and owners alone can make an object as large as etcd stores,
// 1.5 MiB; those that the operator creates have less than 2 KiB.
const pageSize = 64

// Each calls see with each object of a kind that the options select. It continues after errors of see and returns all
// of them. A kind that is not installed, or not readable, counts as having no objects.
func Each(ctx context.Context, live client.Reader, kind schema.GroupVersionKind, see func(*metav1.PartialObjectMetadata) error, options ...client.ListOption) error {
	var failed []error
	err := Walk(ctx, live, kind, func(obj *metav1.PartialObjectMetadata) error {
		failed = append(failed, see(obj))
		return nil
	}, options...)
	if err != nil && !absent(err) {
		failed = append(failed, fmt.Errorf("list %s: %w", kind.Kind, err))
	}
	return errors.Join(failed...)
}

// Walk calls see with each object of a kind that the options select, page by page, and returns the first error of the
// list or of see.
func Walk(ctx context.Context, live client.Reader, kind schema.GroupVersionKind, see func(*metav1.PartialObjectMetadata) error, options ...client.ListOption) error {
	for token := ""; ; {
		page := &metav1.PartialObjectMetadataList{}
		page.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		if err := live.List(ctx, page, append(slices.Clone(options), client.Limit(pageSize), client.Continue(token))...); err != nil {
			return err
		}
		for i := range page.Items {
			page.Items[i].SetGroupVersionKind(kind)
			if err := see(&page.Items[i]); err != nil {
				return err
			}
		}
		if token = page.Continue; token == "" {
			return nil
		}
	}
}

// absent reports whether an error means that there is nothing to find: the object is gone, its kind is not installed,
// or the operator may not read it and so has created none.
func absent(err error) bool {
	return apimeta.IsNoMatchError(err) || apierrors.IsNotFound(err) || apierrors.IsForbidden(err)
}
