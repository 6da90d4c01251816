// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package servers

import (
	"fmt"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// pythonPod has PySpark's client, but no Spark and no rights. It requests nothing, so that all requests of the namespace are those of Spark.
const pythonPod = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: client}
spec:
  storageClassName: %s
  accessModes: [ReadOnlyMany]
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: notebook}
spec:
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 1
  securityContext: {runAsNonRoot: true, runAsUser: 1000, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: python
    image: ` + env.Image + `
    command: [sleep, infinity]
    env: [{name: PYTHONPATH, value: /client}]
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
    volumeMounts: [{name: client, mountPath: /client, readOnly: true}]
  volumes:
  - name: client
    persistentVolumeClaim: {claimName: client, readOnly: true}
`

// connected is what each notebook begins with.
const connected = `
import os, time
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

def connect():
    return SparkSession.builder.remote("sc://notebooks.%s:15002").getOrCreate()

def wait_for(file):
    while not os.path.exists(file):
        time.sleep(0.1)

spark = connect()
`

// notebook is a pod with Python that reaches the server "notebooks" by the name of its Service.
type notebook struct{ *env.Namespace }

// newNotebook returns a notebook in a new namespace with a queue.
func newNotebook(t *testing.T, cpu, memory string) notebook {
	t.Helper()
	folder := os.Getenv("SPARKGATE_PYSPARK_CLIENT")
	if folder == "" {
		t.Fatal("SPARKGATE_PYSPARK_CLIENT does not name the folder of PySpark's client: run `make e2e-slow`")
	}
	s := env.NewTenant(t, 1)
	s.HostVolume("client", folder, corev1.ReadOnlyMany)
	s.ApplyText(fmt.Sprintf(pythonPod, s.Name))
	s.Apply(env.Queue(s.Name, cpu, memory))
	s.Kubectl("wait", "--for=condition=Ready", "pod/notebook", "--timeout=5m")
	return notebook{s}
}

// python is the command that runs a program in the notebook, in a session of its own. The session has to be stopped: Python may hang when
// it ends with one that is open (SparkSession.__del__, Channel.close).
func (n notebook) python(program string) []string {
	patience := fmt.Sprint(env.Patience.Seconds())
	return []string{"exec", "notebook", "--", "timeout", patience, "python3", "-c", fmt.Sprintf(connected, n.Name) + program + "\nspark.stop()"}
}

// run returns what a program prints.
func (n notebook) run(program string) string { return n.Kubectl(n.python(program)...) }

// start runs a program while the test continues. The program fails by an exception.
func (n notebook) start(program string) *env.Background {
	return n.KubectlBackground(n.python(program)...)
}

// tell creates a file that a program waits for.
func (n notebook) tell(file string) { n.Kubectl("exec", "notebook", "--", "touch", file) }

// await waits for a file that a program creates.
func (n notebook) await(file string) {
	n.Await("the notebook to create "+file, func() error {
		_, err := n.TryKubectl("", "exec", "notebook", "--", "test", "-e", file)
		return err
	})
}
