// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// sessions has two sessions in a row, and each asks for one executor more than the spec.
const sessions = `
apiVersion: v1
kind: ConfigMap
metadata: {name: program}
data:
  sessions.py: |
    import sys, time
    from pyspark.sql import SparkSession
    deadline = time.monotonic() + 400
    for _ in range(2):
        session = SparkSession.builder.config("spark.executor.instances", "2").getOrCreate()
        while session.sparkContext._jsc.sc().getExecutorIds().length() < 2:
            if time.monotonic() > deadline:
                sys.exit(3)
            time.sleep(0.5)
        print(session.range(0, 1000, 1, 8).count())
        session.stop()
`

// TestAProgramAsksForMoreThanItsSpec: what a program asks for in its code is charged, also in its second session.
func TestAProgramAsksForMoreThanItsSpec(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.ApplyText(sessions)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, withProgram("sessions.py"), func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Executor.Instances = ptr.To[int32](1)
	}))
	s.Shows("pi", "charged for the second executor", func(app *v1alpha1.SparkApplication) error {
		const want = "the program asks for 2 executors: spec.executor.instances is 1"
		if g, e := app.Status.Grant, app.Status.Executors; g == nil || len(g.PodSets) < 3 || !strings.Contains(e.Problem, want) {
			return fmt.Errorf("grant %+v, executors %+v", g, e)
		}
		return nil
	})
	end := s.Reaches("pi", env.First, v1alpha1.SucceededReason)
	if end.Status.Executors.Refusals > 0 {
		t.Errorf("executors %+v, want none refused", end.Status.Executors)
	}
	within(t, s, "3Gi")
	s.GivenBack(s.Name)
}

// TestADriverWithoutExecutors: Spark runs the tasks in the driver, whose service account needs no rights.
func TestADriverWithoutExecutors(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "1", "1Gi"), env.Pi("pi", s.Name, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.SparkConf["spark.kubernetes.driver.master"], spec.Driver.ServiceAccountName = "local[2]", "default"
	}))
	if end := s.Reaches("pi", env.First, v1alpha1.SucceededReason); end.Status.Executors != nil {
		t.Errorf("executors %+v", end.Status.Executors)
	}
	within(t, s, "1Gi")
	s.GivenBack(s.Name)
}
