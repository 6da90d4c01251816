// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// ClusterLost says what has become of the SparkCluster on which the driver of an application started; empty if it is still
// there, if that is not known, or if the application has none. cache has the application that runs the cluster.
func ClusterLost(ctx context.Context, cache client.Reader, app *v1alpha1.SparkApplication) string {
	ref, started := app.Spec.ClusterRef, app.Status.Times.DriverStarted
	if ref == nil || started == nil {
		return ""
	}
	cluster := &v1alpha1.SparkApplication{}
	err := cache.Get(ctx, types.NamespacedName{Namespace: app.Namespace, Name: ref.Name}, cluster)
	times := &cluster.Status.Times
	what := ""
	switch {
	case apierrors.IsNotFound(err):
		what = "no longer exists"
	case err != nil:
		return ""
	case cluster.Status.Grant == nil, times.DriverStarted == nil, times.Stopping != nil:
		what = "has stopped"
	case times.DriverStarted.After(started.Time):
		what = "was started again"
	default:
		return ""
	}
	return fmt.Sprintf("SparkCluster %s, on which the program ran, %s", ref.Name, what)
}
