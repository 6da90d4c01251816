// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// finalizer adds and removes the finalizer of the application.
type finalizer struct{ *state }

func (fz *finalizer) addFinalizer(ctx context.Context) error {
	if slices.Contains(fz.app.Finalizers, v1alpha1.Finalizer) {
		return nil
	}
	return fz.writeFinalizers(ctx, append(slices.Clone(fz.app.Finalizers), v1alpha1.Finalizer))
}

func (fz *finalizer) removeFinalizer(ctx context.Context) error {
	if !slices.Contains(fz.app.Finalizers, v1alpha1.Finalizer) {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(fz.app.Finalizers), func(f string) bool { return f == v1alpha1.Finalizer })
	if err := fz.writeFinalizers(ctx, others); err != nil {
		return client.IgnoreNotFound(err)
	}
	fz.addUsage(fz.app.Namespace, fz.record.Usage.Gone(fz.Clock.Now()))
	return nil
}

// writeFinalizers replaces the finalizers and nothing else. It fails with a conflict if the object has changed since it
// was read.
func (fz *finalizer) writeFinalizers(ctx context.Context, finalizers []string) error {
	if fz.app.Stub != nil {
		return fz.writeFinalizersOfStub(ctx, slices.Contains(finalizers, v1alpha1.Finalizer))
	}
	return fz.patchFinalizers(ctx, finalizers, finalizers)
}

// writeFinalizersOfStub adds or removes our finalizer on an application that is only a stub in memory. It reads the
// other finalizers first.
func (fz *finalizer) writeFinalizersOfStub(ctx context.Context, wanted bool) error {
	live := metadataOf(fz.app)
	if err := fz.Live.Get(ctx, client.ObjectKeyFromObject(live), live); err != nil {
		return err
	}
	if live.UID != fz.app.UID || live.ResourceVersion != fz.app.ResourceVersion {
		return conflictOf(fz.app, errors.New("it has changed"))
	}
	all := slices.DeleteFunc(live.Finalizers, func(f string) bool { return f == v1alpha1.Finalizer })
	var kept []string // a stub contains our finalizer only
	if wanted {
		all, kept = append(all, v1alpha1.Finalizer), []string{v1alpha1.Finalizer}
	}
	return fz.patchFinalizers(ctx, all, kept)
}

// patchFinalizers writes all as the finalizers of the application, and sets kept as its finalizers in memory.
func (fz *finalizer) patchFinalizers(ctx context.Context, all, kept []string) error {
	answer := metadataOf(fz.app)
	patch, err := mergePatch(map[string]any{"metadata": map[string]any{"resourceVersion": fz.app.ResourceVersion, "finalizers": all}})
	if err == nil {
		err = fz.Client.Patch(ctx, answer, patch, client.FieldOwner(v1alpha1.FieldOwner))
	}
	if err != nil {
		return fmt.Errorf("write finalizer: %w", err)
	}
	after := *fz.app
	after.Finalizers, after.ResourceVersion = kept, answer.ResourceVersion
	fz.app = &after
	fz.record.Writes.Observed(fz.app.ResourceVersion)
	return nil
}
