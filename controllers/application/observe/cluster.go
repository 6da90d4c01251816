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
	"github.com/sparkgate/sparkgate/controllers/internal/cachetransform"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/server"
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

// running selects the applications of a namespace that may run.
func running(namespace string) []client.ListOption {
	return []client.ListOption{
		client.InNamespace(namespace), client.MatchingFields{cachetransform.UnpackedIndex: cachetransform.Unpacked}, client.UnsafeDisableDeepCopy,
	}
}

// ClusterCores returns how many cores the programs may have together that run on the cluster of an application, or that
// have the quota to start; 0 if the cluster has as many workers as its spec says.
func ClusterCores(ctx context.Context, cache client.Reader, app *v1alpha1.SparkApplication) (cores int64, err error) {
	if !server.IsMaster(&app.Spec) || app.Spec.Server.IdleTimeout == nil {
		return 0, nil
	}
	programs := &v1alpha1.SparkApplicationList{}
	if err := cache.List(ctx, programs, running(app.Namespace)...); err != nil {
		return 0, fmt.Errorf("list the programs of a cluster: %w", err)
	}
	for i := range programs.Items {
		if p := &programs.Items[i]; p.Spec.ClusterRef != nil && p.Spec.ClusterRef.Name == app.Name && p.Status.Grant != nil && p.Status.Times.Stopping == nil {
			cores += int64(conf.ClusterCores(p))
		}
	}
	return cores, nil
}
