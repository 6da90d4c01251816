// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package objectstore

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// reader writes the words that the example has counted as text.
const reader = `
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.read.parquet(sys.argv[1]).selectExpr("concat(value, ' ', count)").write.text(sys.argv[2])
spark.stop()
`

// TestSlowTheExampleReadsAndWritesS3: the example counts lines of a bucket, with a connector that the driver fetches
// and keys from properties. A job with the connector in its image and keys from the environment finds what it wrote.
func TestSlowTheExampleReadsAndWritesS3(t *testing.T) {
	t.Parallel()
	s := newTenant(t)
	s.keys(s.store.AccessKey, s.store.SecretKey)
	s.Apply(s.example(inMemory, func(spec *v1alpha1.SparkApplicationSpec) {
		// Spark asks this instead of Maven Central.
		spec.Driver.Env = []v1alpha1.EnvVar{{Name: "DEFAULT_ARTIFACT_REPOSITORY", Value: env.MavenCentral(t)}}
	}))
	counted := s.Becomes("object-storage", v1alpha1.SucceededReason)

	reading := s.example(connector(), fromEnvironment, program(reader, "s3a://my-bucket/out/", "s3a://my-bucket/lines/"))
	reading.Name = "reader"
	s.Apply(reading)
	read := s.Becomes("reader", v1alpha1.SucceededReason)
	if diff := cmp.Diff([]string{"or not 1\n", "to be 2\n"}, s.lines("lines")); diff != "" {
		t.Errorf("the counted lines (-want +got):\n%s", diff)
	}
	s.hidesKeys(counted.Status.Driver.PodName, read.Status.Driver.PodName)
	s.GivenBack(s.Name)
}

// inMemory keeps Spark's copies of the SDK in memory: 2.4 GiB in the driver and 1.8 in the executor, which would
// otherwise be on the disk of the node.
func inMemory(spec *v1alpha1.SparkApplicationSpec) {
	spec.Driver.MemoryOverhead, spec.Executor.MemoryOverhead = "4g", "3g"
	spec.Driver.Volumes = []runtime.RawExtension{raw(`{"name":"ivy","emptyDir":{"medium":"Memory"}}`), raw(`{"name":"work","emptyDir":{"medium":"Memory"}}`)}
	spec.Driver.VolumeMounts = []runtime.RawExtension{raw(`{"name":"ivy","mountPath":"/tmp/ivy"}`), raw(`{"name":"work","mountPath":"/opt/spark/work-dir"}`)}
	spec.Executor.Volumes, spec.Executor.VolumeMounts = spec.Driver.Volumes[1:], spec.Driver.VolumeMounts[1:]
	spec.SparkConf["spark.kubernetes.local.dirs.tmpfs"] = "true"
}

// TestSlowAHistoryServerShowsARunByItsEventLogInS3: a job writes its event log to a bucket, without the keys, and the
// history server of the example finds it there.
func TestSlowAHistoryServerShowsARunByItsEventLogInS3(t *testing.T) {
	t.Parallel()
	s := newTenant(t)
	s.keys(s.store.AccessKey, s.store.SecretKey)
	s.put("events/", "")
	s.Apply(s.example(connector(), func(spec *v1alpha1.SparkApplicationSpec) {
		spec.SparkConf["spark.eventLog.enabled"], spec.SparkConf["spark.eventLog.dir"] = "true", "s3a://my-bucket/events"
		spec.SparkConf["spark.eventLog.compress"] = "false" // because the test also reads it
	}))
	s.ApplyText(s.historyServer())
	end := s.Becomes("object-storage", v1alpha1.SucceededReason)
	s.logsHideKeys()
	s.hidesKeys(end.Status.Driver.PodName)

	id := end.Status.Driver.ApplicationID
	s.HistoryShows("pods/history:18080", id)
	s.GivenBack(s.Name)
}

// logsHideKeys checks the event logs in the bucket: Spark writes all properties into them, and those of keys without
// their values.
func (s *tenant) logsHideKeys() {
	s.t.Helper()
	lines := s.lines("events")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "SparkListenerEnvironmentUpdate") })
	if at < 0 || !strings.Contains(lines[at], "fs.s3a.secret.key") {
		s.t.Fatalf("no line of the event log has the properties, of %d", len(lines))
	}
	for _, line := range lines {
		if strings.Contains(line, s.store.AccessKey) || strings.Contains(line, s.store.SecretKey) {
			s.t.Errorf("the event log has a key: %s", line)
		}
	}
}

// historyServer reads event logs from the bucket: the server of the guide, with the connector and keys from its
// environment.
func (s *tenant) historyServer() string {
	return strings.NewReplacer("$URL", s.store.URL, "$HADOOP", hadoopJar, "$SDK", sdkJar).Replace(`apiVersion: v1
kind: Pod
metadata: {name: history}
spec:
  securityContext: {runAsNonRoot: true, runAsUser: 185, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: history
    image: ` + env.Image + `
    resources: {requests: {cpu: 200m, memory: 512Mi}}
    command: [/opt/spark/bin/spark-class, org.apache.spark.deploy.history.HistoryServer]
    env:
    - {name: SPARK_NO_DAEMONIZE, value: "true"}
    - {name: SPARK_DAEMON_MEMORY, value: 384m}
    - name: SPARK_HISTORY_OPTS
      value: >-
        -Dspark.history.fs.logDirectory=s3a://my-bucket/events
        -Dspark.hadoop.fs.s3a.endpoint.region=eu-central-1
        -Dspark.hadoop.fs.s3a.endpoint=$URL
        -Dspark.hadoop.fs.s3a.path.style.access=true
        -Dspark.history.fs.update.interval=1s
    envFrom: [{secretRef: {name: s3-env}}]
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
    volumeMounts:
    - {name: jars, mountPath: /opt/spark/jars/hadoop-aws.jar, subPath: $HADOOP, readOnly: true}
    - {name: jars, mountPath: /opt/spark/jars/bundle.jar, subPath: $SDK, readOnly: true}
  volumes: [{name: jars, persistentVolumeClaim: {claimName: jars, readOnly: true}}]
`)
}
