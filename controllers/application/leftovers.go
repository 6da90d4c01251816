// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/spark/leftover"
)

// sweep deletes the objects of an application that no longer exists or is about to be removed. It continues after an
// error, so that one object cannot protect the others.
func (r *Reconciler) sweep(ctx context.Context, of leftover.Application) error {
	attempts, failed := map[leftover.Attempt]bool{}, []error{}
	for _, kind := range slices.Concat(leftover.Listed, r.GateKinds) {
		failed = append(failed, livemeta.Each(ctx, r.Live, kind, func(obj *metav1.PartialObjectMetadata) error {
			created, err := r.sweepObject(ctx, of, obj)
			if attempt, known := leftover.AttemptOf(obj); created && known {
				attempts[attempt] = true
			}
			return err
		}, client.InNamespace(of.Namespace), client.MatchingLabels{v1alpha1.ApplicationUIDLabel: string(of.UID)}))
	}
	for _, record := range r.Pods.Of(of.NamespacedName) {
		attempt := leftover.Attempt{Run: record.Run, Number: record.Attempt}
		if record.AppUID == string(of.UID) && !record.Deleting && of.CreatedPod(record.Name, record.OwnerUID, attempt) {
			attempts[attempt] = true
			failed = append(failed, r.deletePod(ctx, record, false))
		}
	}
	for attempt := range attempts {
		for kind, name := range of.Unlisted(attempt) {
			failed = append(failed, r.sweepNamed(ctx, of, livemeta.Key{Kind: kind, Name: name}))
		}
	}
	return errors.Join(failed...)
}

// sweepNamed deletes an object by its name, if the operator has created it for the application.
func (r *Reconciler) sweepNamed(ctx context.Context, of leftover.Application, m livemeta.Key) error {
	obj := m.Metadata(of.Namespace)
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(obj), obj)
	if livemeta.Absent(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s %s/%s: %w", m.Kind.Kind, of.Namespace, m.Name, err)
	}
	_, err = r.sweepObject(ctx, of, obj)
	return err
}

// sweepObject deletes an object if the operator has created it for the application, and reports whether it has.
func (r *Reconciler) sweepObject(ctx context.Context, of leftover.Application, obj *metav1.PartialObjectMetadata) (created bool, err error) {
	if created = of.Created(obj.GroupVersionKind(), obj); !created && of.MayBeService(obj.GroupVersionKind(), obj) {
		service := &corev1.Service{}
		if err := r.Live.Get(ctx, client.ObjectKeyFromObject(obj), service); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		created = service.UID == obj.UID && of.IsService(service)
	}
	if !created || !obj.DeletionTimestamp.IsZero() {
		return created, nil
	}
	uid := obj.UID
	err = r.Client.Delete(ctx, obj, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil && !apianswer.IsGoneOrChanged(err) {
		return true, fmt.Errorf("delete %s %s/%s, which its application has left behind: %w", obj.Kind, obj.Namespace, obj.Name, err)
	}
	return true, nil
}

// sweepLeftovers deletes the objects left by deleted applications of this name, except of those with active pods.
func (r *Reconciler) sweepLeftovers(ctx context.Context, name types.NamespacedName) error {
	var failed []error
	for _, uid := range r.deletions.leftoversOf(name) {
		of := leftover.Application{NamespacedName: name, UID: uid}
		if slices.ContainsFunc(r.Pods.Of(name), func(p *pods.Record) bool { return p.AppUID == string(uid) && p.Active() }) {
			continue
		}
		exists, err := r.exists(ctx, of)
		if err == nil && !exists {
			err = r.sweep(ctx, of)
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		r.deletions.swept(name, uid)
	}
	return errors.Join(failed...)
}

// exists reports whether an application exists. It reads from the API server, because the cache may be behind.
func (r *Reconciler) exists(ctx context.Context, of leftover.Application) (bool, error) {
	app := metadataOf(of.Object())
	err := r.Live.Get(ctx, of.NamespacedName, app)
	if err != nil && !apierrors.IsNotFound(err) {
		return false, fmt.Errorf("read application %s: %w", of.NamespacedName, err)
	}
	return err == nil && app.UID == of.UID, nil
}
