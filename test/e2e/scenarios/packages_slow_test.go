// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package scenarios

import (
	"archive/zip"
	"bytes"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// repository serves the ConfigMap "artifacts" as a Maven repository. The settings keep Ivy from asking any other.
const repository = `
apiVersion: v1
kind: ConfigMap
metadata: {name: program}
data:
  ivysettings.xml: |
    <ivysettings>
      <settings defaultResolver="nobody"/>
      <resolvers><chain name="nobody"/></resolvers>
    </ivysettings>
  greeter.py: |
    from pyspark.sql import SparkSession
    context = SparkSession.builder.getOrCreate().sparkContext

    def greeting(_):
        import greeting
        return greeting.WORD

    words = context.parallelize(range(4), 4).map(greeting).distinct().collect()
    assert words == ["hello"], words
    loader = context._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    assert loader.getResource("greeting.py") is not None
---
apiVersion: v1
kind: Service
metadata: {name: maven}
spec:
  selector: {app: maven}
  ports: [{port: 80, targetPort: 8000}]
---
apiVersion: v1
kind: Pod
metadata: {name: maven, labels: {app: maven}}
spec:
  securityContext: {runAsNonRoot: true, runAsUser: 185, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: maven
    image: ` + env.Image + `
    command: [python3, -u, -m, http.server, "8000", --directory, /repository]
    readinessProbe: {tcpSocket: {port: 8000}, periodSeconds: 1, timeoutSeconds: 30}
    resources: {requests: {cpu: 100m, memory: 64Mi}}
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
    volumeMounts: [{name: artifacts, mountPath: /repository}]
  volumes:
  - name: artifacts
    configMap:
      name: artifacts
      items:
      - {key: jar, path: io/sparkgate/test/greeting/1.0/greeting-1.0.jar}
      - {key: pom, path: io/sparkgate/test/greeting/1.0/greeting-1.0.pom}
`

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>io.sparkgate.test</groupId>
  <artifactId>greeting</artifactId>
  <version>1.0</version>
</project>
`

// The package is a jar with a Python module: Spark puts packages on the path of both the JVM and Python.
func TestSlowPackagesComeFromARepositoryInTheCluster(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "artifacts"},
		Data:       map[string]string{"pom": pom},
		BinaryData: map[string][]byte{"jar": jarOf(t, "greeting.py", `WORD = "hello"`)},
	})
	s.ApplyText(repository)
	s.Kubectl("wait", "--for=condition=Ready", "pod/maven", "--timeout=5m")
	s.Apply(env.Pi("pi", s.Name, withProgram("greeter.py"), func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Deps = &v1alpha1.Dependencies{
			Packages:     []string{"io.sparkgate.test:greeting:1.0"},
			Repositories: []string{"http://maven." + s.Name + ".svc.cluster.local"},
		}
		spec.SparkConf["spark.jars.ivySettings"] = "/opt/program/ivysettings.xml"
	}))
	s.Reaches("pi", env.First, v1alpha1.SucceededReason)
	s.GivenBack(s.Name)
}

// jarOf packs one file.
func jarOf(t *testing.T, name, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	file, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
