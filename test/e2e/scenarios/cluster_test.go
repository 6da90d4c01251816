// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// TestASparkClusterRunsPrograms: a program waits for the cluster, runs in its workers and asks for its driver alone; a worker that is killed is
// replaced, one that is no longer wanted is decommissioned, another follows for a program that may use it, and all is gone with the cluster.
func TestASparkClusterRunsPrograms(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	job := env.Pi("job", s.Name, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.ClusterRef = &v1alpha1.ClusterReference{Name: "spark-master"} // the name that a Service must not have for Spark's sake
	})
	cluster := &v1alpha1.SparkCluster{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SparkClusterKind},
		ObjectMeta: metav1.ObjectMeta{Name: "spark-master", Namespace: s.Name},
		Spec: v1alpha1.SparkClusterSpec{
			SparkVersion: job.Spec.SparkVersion, Image: job.Spec.Image,
			Master:  v1alpha1.PodRole{Memory: "512m", CoreRequest: "100m"},
			Workers: v1alpha1.ClusterWorkers{PodRole: v1alpha1.PodRole{Memory: "512m", CoreRequest: "100m"}, Min: ptr.To[int32](1), Max: ptr.To[int32](3), Replicas: ptr.To[int32](2)},
		},
	}
	s.Apply(env.Queue(s.Name, "2", "6Gi"), job)
	s.Shows("job", "waiting for the cluster", func(app *v1alpha1.SparkApplication) error {
		if ready := env.Condition(app, v1alpha1.ReadyCondition); ready.Reason != v1alpha1.ReferenceNotFoundReason {
			return fmt.Errorf("%s: %s", ready.Reason, ready.Message)
		}
		return nil
	})
	s.Apply(cluster)
	s.Kubectl("wait", "--for=condition=Ready", "sgcluster/spark-master", "--timeout=300s")
	s.Kubectl("wait", "--for=condition=Ready", "sgapp/job", "--timeout=300s")
	done := s.Shows("job", "in the cluster", func(app *v1alpha1.SparkApplication) error {
		if app.Status.Executors != nil {
			return fmt.Errorf("it has executors of its own: %+v", app.Status.Executors)
		}
		return nil
	})
	if sets := done.Status.Ask; sets != nil && len(sets.PodSets) != 1 {
		t.Errorf("it asked for %+v", sets.PodSets)
	}
	worker := s.Kubectl("get", "pods", "-l", "spark-role=executor", "-o", "jsonpath={.items[0].metadata.name}")
	s.Kubectl("delete", "pod", worker, "--grace-period=0", "--force")
	s.Kubectl("wait", "--for=jsonpath={.status.workers}=2/2", "sgcluster/spark-master", "--timeout=120s")
	master := s.Kubectl("get", "sgapp", "spark-master", "-o", "jsonpath={.status.driver.podName}")
	decommissioned := func() int { return strings.Count(s.Kubectl("logs", master), "Decommissioning worker") }
	before := decommissioned()
	s.Kubectl("scale", "sgcluster/spark-master", "--replicas=1")
	s.Kubectl("wait", "--for=jsonpath={.status.workers}=1/1", "sgcluster/spark-master", "--timeout=120s")
	if after := decommissioned(); after != before+1 {
		t.Errorf("%d workers were decommissioned, want one", after-before)
	}
	s.Kubectl("patch", "sgcluster/spark-master", "--type=merge", "--patch", `{"spec": {"workers": {"replicas": null, "autoscale": {"idleTimeout": "10s"}}}}`)
	s.Apply(env.Pi("wide", s.Name, env.Sleep("40"), func(spec *v1alpha1.SparkApplicationSpec) {
		spec.ClusterRef, spec.Executor.Instances = job.Spec.ClusterRef, ptr.To[int32](2)
	}))
	s.Kubectl("wait", "--for=jsonpath={.status.workers}=2/2", "sgcluster/spark-master", "--timeout=120s")
	s.Kubectl("wait", "--for=condition=Ready", "sgapp/wide", "--timeout=300s")
	s.Kubectl("wait", "--for=jsonpath={.status.workers}=1/1", "sgcluster/spark-master", "--timeout=120s")
	s.Kubectl("delete", "sgcluster", "spark-master")
	awaitNoPods(s, "spark-master")
	s.GivenBack(s.Name)
}
