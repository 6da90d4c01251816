// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// deleteFiles deletes what holds the files of an attempt: its ConfigMaps, and its Secret. As long as the spec is still that of the attempt, it
// says whether there are more than the one ConfigMap; else they are looked for.
func (p *pass) deleteFiles(ctx context.Context, of attempt) error {
	names, spec := render.NamesOf(p.app, of.run, of.attempt), &p.app.Spec
	known := p.o.SameTemplate && p.app.Stub == nil && of == attempt{p.app.Status.Run, p.app.Status.Attempt}
	if len(spec.SparkConfFrom) > 0 || !known {
		if err := p.delete(ctx, &corev1.Secret{}, names.Secret); err != nil {
			return err
		}
	}
	if len(spec.ConfigMaps) == 0 && known {
		return p.delete(ctx, &corev1.ConfigMap{}, names.ConfigMap)
	}
	return p.deleteLabelled(ctx, of, corev1.SchemeGroupVersion.WithKind("ConfigMap"), func() client.Object { return &corev1.ConfigMap{} })
}

// deleteLabelled deletes all objects of a kind that belong to an attempt. It lists them live, because how many there were follows from a
// spec that may be another one now.
func (p *pass) deleteLabelled(ctx context.Context, of attempt, kind schema.GroupVersionKind, empty func() client.Object) error {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	err := p.Live.List(ctx, list, client.InNamespace(p.app.Namespace), client.MatchingLabels{
		v1alpha1.ApplicationUIDLabel: string(p.app.UID),
		v1alpha1.RunLabel:            strconv.FormatInt(of.run, 10),
		v1alpha1.AttemptLabel:        strconv.FormatInt(of.attempt, 10),
	})
	if err != nil {
		return fmt.Errorf("list objects of kind %s of %s/%s: %w", kind.Kind, p.app.Namespace, p.app.Name, err)
	}
	for i := range list.Items {
		if err := p.delete(ctx, empty(), list.Items[i].Name); err != nil {
			return err
		}
	}
	return nil
}
