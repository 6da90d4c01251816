// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// submitter is a pod in which a user calls spark-submit. Nothing distinguishes it from any other pod.
const submitter = `
apiVersion: v1
kind: Pod
metadata: {name: submitter}
spec:
  restartPolicy: OnFailure # the API server may take a moment to hear of the rights of the account and of the guard
  serviceAccountName: spark
  volumes: [{name: template, configMap: {name: template}}]
  containers:
  - name: main
    image: %[2]s
    volumeMounts: [{name: template, mountPath: /template}]
    args:
    - spark-submit
    - --master=k8s://https://kubernetes.default.svc
    - --deploy-mode=cluster
    - --name=raw
    - --conf=spark.kubernetes.namespace=%[1]s
    - --conf=spark.kubernetes.container.image=%[2]s
    - --conf=spark.kubernetes.authenticate.driver.serviceAccountName=spark
    - --conf=spark.kubernetes.driver.pod.name=raw-driver
    - --conf=spark.kubernetes.submission.waitAppCompletion=false
    - --conf=spark.kubernetes.driver.request.cores=200m
    - --conf=spark.kubernetes.executor.request.cores=200m
    - --conf=spark.driver.memory=512m
    - --conf=spark.executor.memory=512m
    - --conf=spark.executor.instances=2
    - --conf=spark.kubernetes.driver.podTemplateFile=/template/pod.yaml
    - --conf=spark.kubernetes.executor.podTemplateFile=/template/pod.yaml
    - local:///opt/spark/examples/pi.py
    - "4"
---
apiVersion: v1
kind: ConfigMap
metadata: {name: template}
data:
  pod.yaml: |
    spec: {%[3]s}
`

// installGuard installs the guard, and returns what the pod templates of Spark pods need: where the API server lacks
// MutatingAdmissionPolicy, the guard does not add the scheduling gate, but refuses pods without it.
func installGuard(s *env.Namespace) (template string) {
	guard := filepath.Join(env.Root(), "config", "guard")
	if strings.Contains(s.Kubectl("get", "--raw", "/apis/admissionregistration.k8s.io/v1"), `"mutatingadmissionpolicies"`) {
		s.Kubectl("apply", "-k", guard)
		return ""
	}
	s.Kubectl("apply", "-k", filepath.Join(guard, "validating"))
	return "schedulingGates: [{name: sparkgate.io/quota}]"
}

// TestARawSubmitWaitsForQuota: after a raw spark-submit in a guarded namespace, the driver waits for quota in the queue
// of the namespace. Then as many executors start as have quota, the others say why they do not, and all quota is
// released in the end.
func TestARawSubmitWaitsForQuota(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	template := installGuard(s)
	queue := env.Queue(s.Name+"-raw", "4", "1792Mi") // two pods of 896Mi
	queue.Spec.StopPolicy = v1alpha1.StopPolicyHold
	s.Apply(queue)
	s.Kubectl("annotate", "namespace", s.Name, v1alpha1.DefaultQueueAnnotation+"="+queue.Name)
	// The driver that spark-submit creates does not satisfy the restricted standard.
	s.Kubectl("label", "--overwrite", "namespace", s.Name, v1alpha1.GuardedLabel+"=true", "pod-security.kubernetes.io/enforce=privileged")
	s.ApplyText(fmt.Sprintf(submitter, s.Name, env.Image, template))
	pods := func(admitted, pending int32) {
		t.Helper()
		s.QueueBecomes(queue.Name, fmt.Sprintf("%d pods have quota, %d wait", admitted, pending), func(q *v1alpha1.SparkQueue) error {
			if p := q.Status.UnmanagedPods; p == nil || *p != (v1alpha1.UnmanagedPods{Admitted: admitted, Pending: pending}) {
				return fmt.Errorf("pods: %+v", p)
			}
			return nil
		})
	}
	pods(0, 1)
	if text := s.Kubectl("describe", "sgq", queue.Name); !strings.Contains(text, "Unmanaged Pods") {
		t.Errorf("the queue does not show an unmanaged pod:\n%s", text)
	}
	s.Kubectl("patch", "sgq", queue.Name, "--type=merge", "-p", `{"spec":{"stopPolicy":"None"}}`)
	pods(2, 1)
	events := s.Kubectl("get", "events", "-o", "custom-columns=R:.reason,M:.message")
	for _, want := range []string{"QueueHeld", "Admitted", "WaitingForQuota", "waits for quota in queue " + queue.Name + ": needs memory 896Mi"} {
		if !strings.Contains(events, want) {
			t.Errorf("no event tells %q:\n%s", want, events)
		}
	}
	s.Kubectl("wait", "pod/raw-driver", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=10m")
	s.GivenBack(queue.Name)
}
