// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

func TestAnImageThatDoesNotExistIsNamed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		policy corev1.PullPolicy
		// reason is the kubelet's.
		reason string
	}{
		"never pulled":     {corev1.PullNever, "ErrImageNeverPull"},
		"cannot be pulled": {corev1.PullIfNotPresent, "ImagePullBackOff"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := env.NewTenant(t, 0)
			const image = "127.0.0.1:1/sparkgate/absent:1" // nothing answers there: the pull fails at once, whatever the network is
			s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, func(spec *v1alpha1.SparkApplicationSpec) {
				spec.Image, spec.ImagePullPolicy = image, tt.policy
				spec.Timeouts = &v1alpha1.Timeouts{DriverStart: &metav1.Duration{Duration: 40 * time.Second}}
			}))
			end := s.Becomes("pi", v1alpha1.DriverStartTimeoutReason)
			ready := env.Condition(end, v1alpha1.ReadyCondition)
			for _, want := range []string{tt.reason, image, "40s"} {
				if !strings.Contains(ready.Message, want) {
					t.Errorf("the message does not tell %q: %s", want, ready.Message)
				}
			}
			if c := env.Condition(end, v1alpha1.StalledCondition); c.Status != metav1.ConditionTrue {
				t.Errorf("Stalled is %q", c.Status)
			}
			awaitNoPods(s, "pi")
			s.GivenBack(s.Name)
		})
	}
}

// TestAJobThatRunsTooLongIsStopped: a job that runs for too long is stopped gracefully: its driver is asked to end and
// has time to do so.
func TestAJobThatRunsTooLongIsStopped(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, env.Sleep("600"), func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Timeouts = &v1alpha1.Timeouts{Run: &metav1.Duration{Duration: 20 * time.Second}}
	}))
	end := s.Becomes("pi", v1alpha1.DeadlineExceededReason)
	if ready := env.Condition(end, v1alpha1.ReadyCondition); !strings.Contains(ready.Message, "timeouts.run (20s)") {
		t.Errorf("the message does not name the limit: %s", ready.Message)
	}
	if c := env.Condition(end, v1alpha1.StalledCondition); c.Status != metav1.ConditionTrue {
		t.Errorf("Stalled is %q", c.Status)
	}
	attempt := end.Status.Attempts[0]
	if ran := attempt.FinishedAt.Sub(attempt.StartedAt.Time); ran < 20*time.Second {
		t.Errorf("the driver was stopped after %s, want 20 s at the earliest", ran)
	}
	awaitNoPods(s, "pi")
	s.GivenBack(s.Name)
}

// greedy fills memory until the kernel ends the container: pages count once they are written.
const greedy = `
apiVersion: v1
kind: ConfigMap
metadata: {name: program}
data:
  greedy.py: |
    hoard = []
    while True:
        hoard.append(bytearray(b"x" * (64 << 20)))
`

func TestADriverOutOfMemoryIsReportedAsSuch(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.ApplyText(greedy)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, withProgram("greedy.py")))
	end := s.Becomes("pi", v1alpha1.FailedReason)
	attempt := end.Status.Attempts[0]
	if attempt.Reason != "OOMKilled" || attempt.Cause != v1alpha1.CauseApplication || attempt.ExitCode == nil || *attempt.ExitCode == 0 {
		t.Errorf("the attempt is %+v, want OOMKilled by the application, with an exit code", attempt)
	}
	if message := env.Condition(end, v1alpha1.ReadyCondition).Message; !strings.Contains(message, "memory") {
		t.Errorf("the message does not speak of memory: %s", message)
	}
	s.GivenBack(s.Name)
}

// steadfast succeeds once a third executor has registered. Spark numbers executors in the order of their creation.
const steadfast = `
apiVersion: v1
kind: ConfigMap
metadata: {name: program}
data:
  steadfast.py: |
    import sys, time
    from pyspark.sql import SparkSession
    context = SparkSession.builder.getOrCreate().sparkContext
    deadline = time.monotonic() + 400
    while "3" not in context._jsc.sc().getExecutorIds().mkString(" ").split():
        if time.monotonic() > deadline:
            sys.exit(3)
        time.sleep(0.5)
`

func TestAnExecutorThatIsKilledIsReplaced(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.ApplyText(steadfast)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, withProgram("steadfast.py"), func(spec *v1alpha1.SparkApplicationSpec) {
		spec.SparkConf["spark.kubernetes.executor.apiPollingInterval"] = "10s" // what is deleted by force Spark finds out by asking only
	}))
	killed := awaitExecutors(s, "pi", 2)[0]
	s.Kubectl("delete", "pod", killed.Name, "--force", "--grace-period=0")
	awaitExecutors(s, "pi", 3)
	s.Reaches("pi", env.First, v1alpha1.SucceededReason)
	s.GivenBack(s.Name)
}

// withProgram runs a file of the ConfigMap "program".
func withProgram(file string) env.Change {
	return func(spec *v1alpha1.SparkApplicationSpec) {
		env.Program("/opt/program/" + file)(spec)
		spec.Driver.Volumes = []runtime.RawExtension{{Raw: []byte(`{"name":"program","configMap":{"name":"program"}}`)}}
		spec.Driver.VolumeMounts = []runtime.RawExtension{{Raw: []byte(`{"name":"program","mountPath":"/opt/program"}`)}}
	}
}
