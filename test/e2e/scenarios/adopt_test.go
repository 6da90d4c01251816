// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// kubeflowPi is a job as people have it for kubeflow's operator.
const kubeflowPi = `
apiVersion: sparkoperator.k8s.io/v1beta2
kind: SparkApplication
metadata: {name: pi}
spec:
  type: Python
  mode: cluster
  sparkVersion: 4.1.4
  image: docker.io/sparkgate/spark:4.1
  mainApplicationFile: local:///opt/spark/examples/pi.py
  arguments: ["400"]
  driver: {cores: 1, coreRequest: 200m, memory: 512m, serviceAccount: spark}
  executor: {instances: 2, cores: 1, coreRequest: 200m, memory: 512m}
`

// TestAdoptedJob: a job of kubeflow's operator, whose kind the cluster gets after the operator has started, runs in a namespace that says so.
// Its status is what people wait for, and nothing is left when it is deleted.
func TestAdoptedJob(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	crd := filepath.Join(env.Cluster().Root, "config", "adopt", "crd")
	if _, err := s.TryKubectl("", "create", "-k", crd); err != nil && !strings.Contains(err.Error(), "AlreadyExists") {
		t.Fatal(err)
	}
	s.Kubectl("label", "namespace", s.Name, "sparkgate.io/adopt=kubeflow")
	s.Kubectl("annotate", "namespace", s.Name, "sparkgate.io/spec=podSecurity: Restricted", v1alpha1.DefaultQueueAnnotation+"="+s.Name)
	s.Kubectl("wait", "--for=condition=Established", "crd/sparkapplications.sparkoperator.k8s.io", "--timeout=1m")
	s.Apply(env.Queue(s.Name, "1", "3Gi"))
	s.ApplyText(kubeflowPi)

	s.Reaches("pi", env.First, v1alpha1.SucceededReason)
	const theirs = "sparkapplications.sparkoperator.k8s.io/pi"
	s.Kubectl("wait", "--for=jsonpath={.status.applicationState.state}=COMPLETED", theirs, "--timeout=1m")
	if log := s.Kubectl("logs", "pi-driver"); !strings.Contains(log, "Pi is roughly") {
		t.Errorf("the driver says:\n%s", log)
	}
	if executors := s.Kubectl("get", theirs, "-o", "jsonpath={.status.executorState}"); strings.Count(executors, "COMPLETED") != 2 {
		t.Errorf("the executors are %s", executors)
	}
	s.Kubectl("delete", theirs)
	s.Gone("pi")
	awaitNoPods(s, "pi")
	awaitNoObjects(t, s, "pi")
	s.GivenBack(s.Name)
}
