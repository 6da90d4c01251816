// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// brokenOff prints a line and fails, without waiting for a Spark session.
const brokenOff = `
apiVersion: v1
kind: ConfigMap
metadata: {name: program}
data:
  broken.py: |
    import sys
    print("there is nothing to do", flush=True)
    sys.exit(3)
`

func TestAFailingJobIsTriedAgainWithGrowingPauses(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.ApplyText(brokenOff)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, withProgram("broken.py"), func(spec *v1alpha1.SparkApplicationSpec) {
		length := func(seconds time.Duration) *metav1.Duration { return &metav1.Duration{Duration: seconds * time.Second} }
		three, two := int32(3), int32(2)
		spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure, MaxAttempts: &three,
			Backoff: &v1alpha1.Backoff{Initial: length(2), Factor: &two, Max: length(10)}}
	}))
	end := s.Becomes("pi", v1alpha1.RetriesExceededReason)
	for next := int64(2); next <= 3; next++ {
		between := s.Reaches("pi", env.Attempt{Run: 1, Attempt: next}, v1alpha1.AttemptFailedReason)
		ready, reconciling := env.Condition(between, v1alpha1.ReadyCondition), env.Condition(between, v1alpha1.ReconcilingCondition)
		if ready.Status != metav1.ConditionFalse || reconciling.Status != metav1.ConditionTrue || between.Status.Grant != nil {
			t.Errorf("before attempt %d: Ready %s, Reconciling %s, grant %v", next, ready.Status, reconciling.Status, between.Status.Grant)
		}
		pause := between.Status.Times.Retry.Sub(ready.LastTransitionTime.Time)
		if shortest := time.Duration(2*(next-1)) * time.Second; pause < shortest || pause > shortest+2*time.Second {
			t.Errorf("the pause before attempt %d is %s, want %s and a little", next, pause, shortest)
		}
	}
	if len(end.Status.Attempts) != 3 || end.Status.Failures != 3 {
		t.Errorf("%d failures, attempts %+v", end.Status.Failures, end.Status.Attempts)
	}
	for _, pod := range s.Pods("pi", v1alpha1.SparkRoleDriver) {
		if log := s.Kubectl("logs", pod.Name); !strings.Contains(log, "there is nothing to do") {
			t.Errorf("the log of %s is %q", pod.Name, log)
		}
	}
	s.GivenBack(s.Name)
}

func TestADriverIsKeptAfterAFailureOnly(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.ApplyText(brokenOff)
	keep := func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Retention = &v1alpha1.Retention{Policy: v1alpha1.RetentionOnFailure, Duration: &metav1.Duration{Duration: time.Hour}}
	}
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("good", s.Name, env.Brief(), keep), env.Pi("bad", s.Name, withProgram("broken.py"), keep))
	s.Becomes("good", v1alpha1.SucceededReason)
	failed := s.Becomes("bad", v1alpha1.FailedReason)
	awaitNoPods(s, "good")
	if left := s.Kubectl("get", "configmap,service", "-l", "sparkgate.io/application=good", "-o", "name"); left != "" {
		t.Errorf("left of the good one:\n%s", left)
	}
	if log := s.Kubectl("logs", failed.Status.Driver.PodName); !strings.Contains(log, "there is nothing to do") {
		t.Errorf("the log of the bad one is %q", log)
	}
	s.GivenBack(s.Name)
}
