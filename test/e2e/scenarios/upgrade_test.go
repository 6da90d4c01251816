// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// untilTold keeps an executor busy until the test creates a file in the driver.
const untilTold = `
apiVersion: v1
kind: ConfigMap
metadata: {name: program}
data:
  until_told.py: |
    import os, time
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.getOrCreate()
    while not os.path.exists("/tmp/enough"):
        spark.sparkContext.parallelize(range(1), 1).foreach(lambda _: time.sleep(1))
    spark.stop()
`

// TestAnUpgradeTouchesNoJob: helm upgrade replaces the operator while a job runs, another one waits for its quota, and
// others have ended. It does not affect any job: pods stay the same, the run succeeds, the waiting job has its turn,
// and ended ones are not written again.
//
// It is not parallel: it would replace the operator of other tests.
func TestAnUpgradeTouchesNoJob(t *testing.T) {
	s := env.NewTenant(t, 3)
	running := env.Pi("running", s.Name, withProgram("until_told.py"))
	running.Spec.Executor.Instances = ptr.To[int32](1)
	s.ApplyText(untilTold)
	s.Apply(env.Queue(s.Name, "600m", "3Gi"), running)
	other := s.Name + "-other"
	s.Apply(env.Queue(other, "2", "6Gi"), env.Pi("succeeded", other, env.Brief()), env.Pi("failed", other, env.Fail("3")))
	pods := []types.UID{s.RunningExecutors("running", 1)[0].UID, s.Pods("running", v1alpha1.SparkRoleDriver)[0].UID}
	s.Reaches("running", env.First, v1alpha1.RunningReason)
	s.Apply(env.Pi("waiting", s.Name, env.Brief()))
	s.Reaches("waiting", env.First, v1alpha1.QueuedReason)
	s.Becomes("succeeded", v1alpha1.SucceededReason)
	s.Becomes("failed", v1alpha1.FailedReason)

	ended := map[string]string{}
	for _, name := range []string{"succeeded", "failed"} {
		ended[name] = s.Application(name).ResourceVersion
	}
	env.UpgradeOperator(t)

	driver := s.Pods("running", v1alpha1.SparkRoleDriver)[0]
	s.Kubectl("exec", driver.Name, "--container", "spark-kubernetes-driver", "--", "touch", "/tmp/enough")
	end := s.Becomes("running", v1alpha1.SucceededReason)
	if a := end.Status.Attempts; end.Status.Run != 1 || len(a) != 1 || a[0].Outcome != v1alpha1.OutcomeSucceeded {
		t.Errorf("the job that ran is in run %d, with the history %+v", end.Status.Run, a)
	}
	for i, role := range []string{v1alpha1.SparkRoleExecutor, v1alpha1.SparkRoleDriver} {
		if all := s.Pods("running", role); len(all) != 1 || all[0].UID != pods[i] {
			t.Errorf("the job that ran had %d pods as %s, want the one of before", len(all), role)
		}
	}
	s.Becomes("waiting", v1alpha1.SucceededReason)
	for name, version := range ended {
		if now := s.Application(name); now == nil || now.ResourceVersion != version {
			t.Errorf("%s was written after its end: %+v", name, now)
		}
	}
	s.GivenBack(s.Name)
}
