// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/server"
	"github.com/sparkgate/sparkgate/internal/spark/standalone"
)

// statusOf returns the status of a cluster: that of its application, in the words of a cluster. refused is why there is
// no application, or why it does not have the spec of the cluster; empty if it has.
func statusOf(cluster *v1alpha1.SparkCluster, app *v1alpha1.SparkApplication, refused string, now metav1.Time) v1alpha1.SparkClusterStatus {
	out := v1alpha1.SparkClusterStatus{ObservedGeneration: cluster.Generation}
	if kind, known := server.KindOf(&v1alpha1.SparkApplicationSpec{Server: &v1alpha1.Server{Type: v1alpha1.MasterServer}}); known {
		out.Address = fmt.Sprintf("%s%s.%s:%d", kind.Scheme, cluster.Name, cluster.Namespace, kind.Port)
	}
	switch {
	case refused != "":
		out.Conditions = status.Conditions(cluster.Status.Conditions, status.View{Stage: status.InvalidSpec, Message: standalone.InWords(refused), Generation: cluster.Generation}, now)
		return out
	case app.Status.ObservedGeneration != app.Generation:
		// The operator has not seen the application, or has not published what its spec means.
		out.ObservedGeneration = cluster.Status.ObservedGeneration
		out.Conditions = cluster.Status.Conditions
	default:
		out.Conditions = make([]metav1.Condition, 0, len(app.Status.Conditions))
		for _, c := range app.Status.Conditions {
			c.ObservedGeneration, c.Message = cluster.Generation, standalone.InWords(c.Message)
			out.Conditions = append(out.Conditions, c)
		}
	}
	out.Queue = app.Status.Queue
	if e := app.Status.Executors; e != nil {
		out.Workers, out.Replicas = e.Summary, e.Ready
	}
	out.Selector = fmt.Sprintf("%s=%s,%s=%s", v1alpha1.ApplicationUIDLabel, app.UID, v1alpha1.SparkRoleLabel, v1alpha1.SparkRoleExecutor)
	return out
}
