// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// companions: the driver reads what the init container writes. The sidecar ignores that the driver has ended.
const companions = `{"spec": {
  "initContainers": [{
    "name": "prepare", "image": "` + env.Image + `", "command": ["sh", "-c", "echo prepared > /shared/state"],
    "volumeMounts": [{"name": "shared", "mountPath": "/shared"}]
  }],
  "containers": [
    {"name": "spark-kubernetes-driver", "volumeMounts": [{"name": "shared", "mountPath": "/shared"}]},
    {"name": "companion", "image": "` + env.Image + `", "command": ["sleep", "3600"]}
  ],
  "volumes": [{"name": "shared", "emptyDir": {}}],
  "terminationGracePeriodSeconds": 1
}}`

// reader succeeds if the init container has done its work.
const reader = `
apiVersion: v1
kind: ConfigMap
metadata: {name: program}
data:
  reader.py: |
    import sys
    print("the shared state was read", flush=True)
    sys.exit(0 if open("/shared/state").read() == "prepared\n" else 4)
`

// sidecarGrace is how long other containers may continue after the driver has ended; times of the kubelet are in whole
// seconds.
const sidecarGrace = 30*time.Second - time.Second

func TestASidecarDoesNotKeepAJobFromEnding(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.ApplyText(reader)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, withProgram("reader.py"), func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Driver.Template = &runtime.RawExtension{Raw: []byte(companions)}
	}))
	s.Reaches("pi", env.First, v1alpha1.FinalizingReason)
	driver := s.Pods("pi", v1alpha1.SparkRoleDriver)[0]
	if state := containerState(driver.Pod, "companion"); state == nil || state.Running == nil {
		t.Errorf("the sidecar is %+v when the driver has ended, want running", state)
	}
	end := s.Reaches("pi", env.First, v1alpha1.SucceededReason)
	if a := end.Status.Attempts; len(a) != 1 || a[0].Outcome != v1alpha1.OutcomeSucceeded || a[0].ExitCode == nil || *a[0].ExitCode != 0 {
		t.Errorf("the history is %+v, want one success with exit code 0", a)
	}
	checkLingered(t, s.Pods("pi", v1alpha1.SparkRoleDriver)[0].Pod)
	s.GivenBack(s.Name)
	if log := s.Kubectl("logs", driver.Pod.Name); !strings.Contains(log, "the shared state was read") {
		t.Errorf("the log of the driver does not have what it has printed:\n%s", log)
	}
	if events := s.Kubectl("get", "events", "--field-selector", "involvedObject.name=pi", "-o", "custom-columns=R:.reason,M:.message"); !strings.Contains(events, "SidecarsEnded ") {
		t.Errorf("no event says that the sidecar was ended:\n%s", events)
	}
}

// checkLingered checks that the sidecar was ended, but not before its time was over, and that the pod stays as long as
// it is to be kept.
func checkLingered(t *testing.T, driver *corev1.Pod) {
	t.Helper()
	spark, sidecar := containerState(driver, "spark-kubernetes-driver"), containerState(driver, "companion")
	if spark == nil || spark.Terminated == nil || sidecar == nil || sidecar.Terminated == nil || driver.DeletionTimestamp != nil {
		t.Fatalf("the driver's container is %+v, the sidecar %+v, and its pod was deleted at %v", spark, sidecar, driver.DeletionTimestamp)
	}
	if spark.Terminated.ExitCode != 0 || driver.Status.Phase != corev1.PodFailed || driver.Status.Reason != "DeadlineExceeded" {
		t.Errorf("the driver ended with %d, and its pod is %s/%s", spark.Terminated.ExitCode, driver.Status.Phase, driver.Status.Reason)
	}
	if lingered := sidecar.Terminated.FinishedAt.Sub(spark.Terminated.FinishedAt.Time); lingered < sidecarGrace {
		t.Errorf("the sidecar was ended %s after the end of its driver", lingered)
	}
}

// containerState returns the state of a container of a pod; nil if the kubelet has reported none.
func containerState(pod *corev1.Pod, name string) *corev1.ContainerState {
	i := slices.IndexFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &pod.Status.ContainerStatuses[i].State
}

// TestAPodThatTheNamespaceRefusesIsExplained: the namespaces of the tests refuse pods that do not satisfy the
// restricted Pod Security Standard. This pod does not.
func TestAPodThatTheNamespaceRefusesIsExplained(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 0)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), env.Pi("pi", s.Name, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.PodSecurity = v1alpha1.PodSecurityNone
	}))
	s.Shows("pi", "naming the standard", func(app *v1alpha1.SparkApplication) error {
		message := env.Condition(app, v1alpha1.ReadyCondition).Message
		if !strings.Contains(message, "pod-security.kubernetes.io/enforce") || !strings.Contains(message, "restricted") {
			return errors.New("it says: " + message)
		}
		return nil
	})
	if drivers := s.Pods("pi", v1alpha1.SparkRoleDriver); len(drivers) != 0 {
		t.Errorf("%d drivers were made", len(drivers))
	}
}
