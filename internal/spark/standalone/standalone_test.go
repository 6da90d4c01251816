// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package standalone_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/standalone"
	"github.com/sparkgate/sparkgate/internal/spark/validate"
)

func etl() *v1alpha1.SparkCluster {
	return &v1alpha1.SparkCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "etl", UID: "c", Generation: 3, Labels: map[string]string{"kustomize.toolkit.fluxcd.io/name": "jobs"}},
		Spec:       v1alpha1.SparkClusterSpec{SparkVersion: "4.1.4", Image: "spark:4.1"},
	}
}

// TestApplication: the smallest cluster makes a valid application, closed to what needs no password, and its properties win over the defaults.
func TestApplication(t *testing.T) {
	t.Parallel()
	smallest := standalone.Application(etl())
	if found := validate.Application(smallest); len(found) > 0 {
		t.Errorf("findings: %v", found)
	}
	if smallest.Spec.SparkConf["spark.master.rest.enabled"] != "false" || *smallest.Spec.Executor.Instances != 1 || len(smallest.Labels) > 0 || !metav1.IsControlledBy(smallest, etl()) {
		t.Errorf("made %+v", smallest)
	}
	c := etl()
	c.Spec.SparkConf = map[string]string{"spark.master.rest.enabled": "true"}
	if got := standalone.Application(c).Spec.SparkConf["spark.master.rest.enabled"]; got != "true" {
		t.Errorf("the property is %s", got)
	}
	if again := standalone.Application(etl()); again.Spec.SparkConf["spark.master.rest.enabled"] != "false" {
		t.Error("the defaults have changed")
	}
}

// TestApplicationOfWorkers: the fields of workers are those of executors, and those that may come and go are elastic executors.
func TestApplicationOfWorkers(t *testing.T) {
	t.Parallel()
	c := etl()
	c.Spec.Workers = v1alpha1.ClusterWorkers{PodRole: v1alpha1.PodRole{Memory: "4g"}, ServiceAccountName: "jobs", Min: ptr.To[int32](3)}
	c.Spec.Suspend, c.Spec.AllowedNamespaces = true, []string{"hub"}
	got := standalone.Application(c).Spec
	if got.SparkConf["spark.kubernetes.authenticate.executor.serviceAccountName"] != "jobs" ||
		*got.Executor.Instances != 3 || got.Executor.Memory != "4g" || !got.Suspend || got.Server.AllowedNamespaces[0] != "hub" {
		t.Errorf("made %+v", got)
	}
	c.Spec.Workers.Max, c.Spec.Workers.Replicas = ptr.To[int32](5), ptr.To[int32](4)
	grows := standalone.Application(c)
	if d := grows.Spec.DynamicAllocation; d == nil || !d.Enabled || *grows.Spec.Executor.Instances != 3 || *grows.Spec.Server.Workers != 4 || got.DynamicAllocation != nil {
		t.Errorf("made %+v", grows.Spec)
	}
	if found := validate.Application(grows); len(found) > 0 {
		t.Errorf("findings: %v", found)
	}
	c.Spec.Workers.Replicas, c.Spec.Workers.Autoscale = nil, &v1alpha1.ClusterAutoscale{}
	if s := standalone.Application(c).Spec.Server; *s.Workers != 5 || s.IdleTimeout.Duration != 10*time.Minute {
		t.Errorf("made %+v", s)
	}
}

// TestInWords: messages name the fields of a cluster, and leave properties, pods and images alone.
func TestInWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"driver pod etl-1-1-driver is running":                                               "master pod etl-1-1-driver is running",
		"driver was killed with exit code 137; raise driver.memory or driver.memoryOverhead": "master was killed with exit code 137; raise master.memory or master.memoryOverhead",
		"0 of 2 executors are ready: the executor pod is unschedulable":                      "0 of 2 workers are ready: the worker pod is unschedulable",
		"an executor's container was killed: raise executor.memoryOverhead.":                 "a worker's container was killed: raise workers.memoryOverhead.",
		"spec.executor.instances":                                                            "spec.workers.min",
		"spec.driver.env[0].name":                                                            "spec.master.env[0].name",
		"set spec.executor.":                                                                 "set spec.workers.",
		"set spark.executor.cores and spark.driver.memory":                                   "set spark.executor.cores and spark.driver.memory",
		"timeouts.executorStart, queue.flavors.executor":                                     "timeouts.executorStart, queue.flavors.executor",
		"driver did not run within timeouts.driverStart (10m0s): no node":                    "master did not run within 10m0s: no node",
		"stopping the driver: another run is requested and onTemplateChange is Restart":      "stopping the master: another run is requested",
		"attempt 1 has ended and restartPolicy.type is Always: driver pod p is gone":         "attempt 1 has ended: master pod p is gone",
		"image registry.example.com/executor:1":                                              "image registry.example.com/executor:1",
	} {
		if got := standalone.InWords(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
