// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

const exampleJar = "local:///opt/spark/examples/jars/sparkgate-examples.jar"

// A main program that does not exist fails the job with its exit code.
func TestMissingMainProgramFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change env.Change
		code   int32  // of Spark
		tell   string // in the message
		log    string // what Spark says to it
	}{
		"wrong class": {inJVM("io.sparkgate.examples.SparkTau", exampleJar), 101, "spec.mainClass", "Failed to load class io.sparkgate.examples.SparkTau"},
		"wrong jar":   {inJVM("io.sparkgate.examples.SparkPi", "local:///opt/spark/examples/jars/absent.jar"), 1, "exit code 1", "NoSuchFileException: /opt/spark/examples/jars/absent.jar"},
		"wrong file":  {env.Program("/opt/spark/examples/absent.py"), 2, "exit code 2: can't open file", "can't open file '/opt/spark/examples/absent.py'"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := env.NewTenant(t, 1)
			s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, tt.change))
			end := s.Becomes("pi", v1alpha1.FailedReason)
			checkFailed(t, end, v1alpha1.CauseApplication, tt.code)
			if message := env.Condition(end, v1alpha1.ReadyCondition).Message; !strings.Contains(message, tt.tell) {
				t.Errorf("the message does not tell %q: %s", tt.tell, message)
			}
			if log := s.Kubectl("logs", end.Status.Driver.PodName); !strings.Contains(log, tt.log) {
				t.Errorf("the log of the driver does not say %q:\n%s", tt.log, log)
			}
			s.GivenBack(s.Name)
		})
	}
}

// If no node fits the driver, the message says why, in the scheduler's words. Corrected, the job runs.
func TestADriverWithoutANodeIsExplained(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	nowhere := func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Driver.NodeSelector = map[string]string{"example.org/disk": "none"}
	}
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, nowhere))
	const why = "does not start: the driver pod is unschedulable: node(s) didn't match Pod's node affinity/selector"
	s.Shows("pi", "told why", func(app *v1alpha1.SparkApplication) error {
		if message := env.Condition(app, v1alpha1.ReadyCondition).Message; !strings.HasSuffix(message, why) {
			return fmt.Errorf("the message is %q", message)
		}
		return nil
	})
	s.Kubectl("patch", "sgapp", "pi", "--type=json", "--patch", `[{"op":"remove","path":"/spec/driver/nodeSelector"}]`)
	s.Becomes("pi", v1alpha1.SucceededReason)
	s.GivenBack(s.Name)
}

// inJVM runs a class of a jar.
func inJVM(class, jar string) env.Change {
	return func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Type, spec.MainClass, spec.MainApplicationFile = v1alpha1.JavaApplication, class, jar
	}
}

// checkFailed: the run has ended after one attempt, and status and message have the exit code.
func checkFailed(t *testing.T, end *v1alpha1.SparkApplication, cause v1alpha1.FailureCause, code int32) {
	t.Helper()
	ready, stalled := env.Condition(end, v1alpha1.ReadyCondition), env.Condition(end, v1alpha1.StalledCondition)
	if ready.Status != metav1.ConditionFalse || stalled.Status != metav1.ConditionTrue || stalled.Reason != ready.Reason {
		t.Errorf("Ready is %s/%s, Stalled %s/%s, want False and True with one reason", ready.Status, ready.Reason, stalled.Status, stalled.Reason)
	}
	if len(end.Status.Attempts) != 1 {
		t.Fatalf("the history is %+v, want one attempt", end.Status.Attempts)
	}
	if a := end.Status.Attempts[0]; a.Outcome != v1alpha1.OutcomeFailed || a.Cause != cause || a.ExitCode == nil || *a.ExitCode != code {
		t.Errorf("the attempt is %+v, want Failed, cause %s, exit code %d", a, cause, code)
	}
}

// A user deletes the driver's pod while it runs. That is not a failure of the job's own.
func TestADeletedDriverIsReportedAsSuch(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, env.Sleep("600")))
	running := s.Reaches("pi", env.First, v1alpha1.RunningReason)
	awaitExecutors(s, "pi", 2)
	s.Kubectl("delete", "pod", running.Status.Driver.PodName)

	end := s.Becomes("pi", v1alpha1.FailedReason)
	attempt := end.Status.Attempts[0]
	if attempt.Outcome != v1alpha1.OutcomeFailed || attempt.Cause != v1alpha1.CauseInfrastructure {
		t.Errorf("the attempt is %+v, want Failed by the infrastructure", attempt)
	}
	message := env.Condition(end, v1alpha1.ReadyCondition).Message
	for _, want := range []string{"driver", "deleted by a user or another controller"} {
		if !strings.Contains(message, want) {
			t.Errorf("the message does not tell %q: %s", want, message)
		}
	}
	awaitNoPods(s, "pi")
	s.GivenBack(s.Name)
}
