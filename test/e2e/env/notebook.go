// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package env

import (
	"fmt"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
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
    image: %s
    command: [sleep, infinity]
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

// Notebook is a pod with Python that reaches the server "notebooks" by the name of its Service.
type Notebook struct {
	*Namespace
	path string
}

// ClientAlone is where Python finds PySpark's client, which needs no Spark. ClientOfSpark prefers what a Spark in the image has of it. Both are
// words of a shell.
const (
	ClientAlone   = "/client"
	ClientOfSpark = "$(printf %s: /opt/spark/python/lib/*.zip)/client"
)

// NewNotebook returns a notebook in a new namespace with a queue. path is where Python looks for packages.
func NewNotebook(t *testing.T, image, path, cpu, memory string) Notebook {
	t.Helper()
	folder := os.Getenv("SPARKGATE_PYSPARK_CLIENT")
	if folder == "" {
		t.Fatal("SPARKGATE_PYSPARK_CLIENT does not name the folder of PySpark's client: run `make e2e-slow`")
	}
	s := NewTenant(t, 1)
	s.HostVolume("client", folder, corev1.ReadOnlyMany)
	s.ApplyText(fmt.Sprintf(pythonPod, s.Name, image))
	s.Apply(Queue(s.Name, cpu, memory))
	s.Kubectl("wait", "--for=condition=Ready", "pod/notebook", "--timeout=5m")
	return Notebook{s, path}
}

// Python is the command that runs a program with arguments in the notebook.
func (n Notebook) Python(program string, args ...string) []string {
	shell := "PYTHONPATH=" + n.path + ` exec python3 -c "$0" "$@"`
	return append([]string{"exec", "notebook", "--", "timeout", fmt.Sprint(Patience.Seconds()), "sh", "-c", shell, program}, args...)
}

// session is a program in a session of its own. The session has to be stopped: Python may hang when it ends with one that is open
// (SparkSession.__del__, Channel.close).
func (n Notebook) session(program string) []string {
	return n.Python(fmt.Sprintf(connected, n.Name) + program + "\nspark.stop()")
}

// Run returns what a program prints.
func (n Notebook) Run(program string) string { return n.Kubectl(n.session(program)...) }

// Start runs a program while the test continues. The program fails by an exception.
func (n Notebook) Start(program string) *Background {
	return n.KubectlBackground(n.session(program)...)
}

// Tell creates a file that a program waits for.
func (n Notebook) Tell(file string) { n.Kubectl("exec", "notebook", "--", "touch", file) }

// AwaitFile waits for a file that a program creates.
func (n Notebook) AwaitFile(file string) {
	n.Await("the notebook to create "+file, func() error {
		_, err := n.TryKubectl("", "exec", "notebook", "--", "test", "-e", file)
		return err
	})
}
