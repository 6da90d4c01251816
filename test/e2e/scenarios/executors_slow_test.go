// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package scenarios

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// hungry fills the memory of every executor that it gets.
const hungry = `
apiVersion: v1
kind: ConfigMap
metadata: {name: program}
data:
  hungry.py: |
    from pyspark.sql import SparkSession
    context = SparkSession.builder.getOrCreate().sparkContext

    def fill(_):
        hoard = []
        while True:
            hoard.append(bytearray(b"x" * (64 << 20)))

    context.parallelize(range(2), 2).foreach(fill)
`

// tooManyExecutorsExit is the exit code of a driver that gives up because too many executors have failed (SparkExitCode, since 3.5).
const tooManyExecutorsExit = 11

// TestSlowAJobWhoseExecutorsRunOutOfMemoryFails: every executor runs out of memory, and so do its successors, until
// Spark gives up. Nothing is left then.
func TestSlowAJobWhoseExecutorsRunOutOfMemoryFails(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.ApplyText(hungry)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, withProgram("hungry.py"), func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Executor.JavaOptions += " -XX:+AlwaysPreTouch" // the kernel ends what is largest: the JVM, not the Python beside it
		spec.SparkConf["spark.executor.maxNumFailures"], spec.SparkConf["spark.task.maxFailures"] = "3", "100"
	}))
	end := s.Becomes("pi", v1alpha1.FailedReason)
	checkFailed(t, end, v1alpha1.CauseApplication, tooManyExecutorsExit)
	message := env.Condition(end, v1alpha1.ReadyCondition).Message
	for _, want := range []string{"spark.executor.maxNumFailures", "executor.memoryOverhead"} {
		if !strings.Contains(message, want) {
			t.Errorf("the message does not name %s: %s", want, message)
		}
	}
	checkHungry(t, end.Status.Executors)
	awaitNoPods(s, "pi", v1alpha1.SparkRoleExecutor)
	s.GivenBack(s.Name)
}

// checkHungry checks that the status counts as many failed executors as may fail, and gives the reason for each.
// Executors that had just started lose their driver while it gives up, and end with code 1.
func checkHungry(t *testing.T, executors *v1alpha1.ExecutorStatus) {
	t.Helper()
	if executors == nil || executors.Failed < 3 || len(executors.Failures) < 3 {
		t.Fatalf("the executors are %+v, want three failed ones or more", executors)
	}
	ofMemory := 0
	for _, failure := range executors.Failures {
		switch {
		case failure.Reason == "OOMKilled" && strings.Contains(failure.Message, "executor.memory"):
			ofMemory++
		case ofMemory < 3 || failure.ExitCode == nil || *failure.ExitCode != 1:
			t.Errorf("the failure is %+v, want OOMKilled with a remedy", failure)
		}
	}
}
