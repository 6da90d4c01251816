// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
)

// Finalizer adds and removes the finalizer of an application. It writes the finalizers and nothing else, and fails with
// a conflict if the application has changed since it was read.
type Finalizer struct {
	Client client.Client
	Live   client.Reader
	Record *memory.Record
}

// Add adds the finalizer, and returns the application as it is then.
func (fz *Finalizer) Add(ctx context.Context, app *v1alpha1.SparkApplication) (*v1alpha1.SparkApplication, error) {
	if slices.Contains(app.Finalizers, v1alpha1.Finalizer) {
		return app, nil
	}
	return fz.write(ctx, app, append(slices.Clone(app.Finalizers), v1alpha1.Finalizer))
}

// Remove removes the finalizer, and returns the application as it is then. It returns the application unchanged if
// there is nothing to remove.
func (fz *Finalizer) Remove(ctx context.Context, app *v1alpha1.SparkApplication) (*v1alpha1.SparkApplication, error) {
	if !slices.Contains(app.Finalizers, v1alpha1.Finalizer) {
		return app, nil
	}
	after, err := fz.write(ctx, app, without(app.Finalizers))
	if err != nil {
		return app, client.IgnoreNotFound(err)
	}
	return after, nil
}

func without(finalizers []string) []string {
	return slices.DeleteFunc(slices.Clone(finalizers), func(f string) bool { return f == v1alpha1.Finalizer })
}

// write replaces the finalizers. Of an application that is only a stub in memory it reads those of others first.
func (fz *Finalizer) write(ctx context.Context, app *v1alpha1.SparkApplication, finalizers []string) (*v1alpha1.SparkApplication, error) {
	all := finalizers
	if app.Stub != nil { // it contains our finalizer only
		live := livemeta.Application(app.Namespace, app.Name)
		if err := fz.Live.Get(ctx, client.ObjectKeyFromObject(live), live); err != nil {
			return app, err
		}
		if live.UID != app.UID || live.ResourceVersion != app.ResourceVersion {
			return app, conflictOf(app, errors.New("it has changed"))
		}
		all = append(without(live.Finalizers), finalizers...)
	}
	answer := livemeta.Application(app.Namespace, app.Name)
	patch, err := mergePatch(map[string]any{"metadata": map[string]any{"resourceVersion": app.ResourceVersion, "finalizers": all}})
	if err == nil {
		err = fz.Client.Patch(ctx, answer, patch, client.FieldOwner(v1alpha1.FieldOwner))
	}
	if err != nil {
		return app, fmt.Errorf("write finalizer: %w", err)
	}
	after := *app
	after.Finalizers, after.ResourceVersion = finalizers, answer.ResourceVersion
	fz.Record.Writes.Observed(after.ResourceVersion)
	return &after, nil
}
