// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package objectstore

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
	"github.com/sparkgate/sparkgate/test/systems"
)

const (
	bucket = "my-bucket" // of the guide and its example

	hadoopJar = "org/apache/hadoop/hadoop-aws/3.4.2/hadoop-aws-3.4.2.jar"
	sdkJar    = "software/amazon/awssdk/bundle/2.29.52/bundle-2.29.52.jar"
	agentJar  = "io/prometheus/jmx/jmx_prometheus_javaagent/1.0.1/jmx_prometheus_javaagent-1.0.1.jar"
)

// tenant is a team with an S3 server, whose bucket has a text of three lines, two of them equal, and a record of what
// it can see in its namespace.
type tenant struct {
	*env.Namespace
	t     *testing.T
	store *systems.ObjectStore
	seen  *record
}

func newTenant(t *testing.T) *tenant {
	t.Helper()
	store := systems.S3(t, env.Cluster(), env.NodeAddress(t))
	s := &tenant{Namespace: newNamespace(t), t: t, store: store}
	s.seen = recordAll(t, s.Name)
	if err := store.CreateBucket(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	s.put("in/words.txt", "to be\nor not\nto be\n")
	return s
}

// newNamespace returns a namespace with a queue and a claim of the jars.
func newNamespace(t *testing.T) *env.Namespace {
	t.Helper()
	folder := env.Jars(t)
	s := env.NewTenant(t, 1)
	s.Apply(env.Queue(s.Name, "2", "12Gi"))
	s.HostVolume("jars", folder, corev1.ReadOnlyMany)
	s.ApplyText(fmt.Sprintf(`apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: jars}
spec:
  storageClassName: %s
  accessModes: [ReadOnlyMany]
  resources: {requests: {storage: 1Gi}}
`, s.Name))
	return s
}

func (s *tenant) put(key, content string) {
	s.t.Helper()
	if err := s.store.Put(s.t.Context(), bucket, key, content); err != nil {
		s.t.Fatal(err)
	}
}

// lines returns the sorted lines of all objects of a folder of the bucket.
func (s *tenant) lines(folder string) []string {
	s.t.Helper()
	objects, err := s.store.Objects(bucket, folder)
	if err != nil {
		s.t.Fatal(err)
	}
	var all []string
	for _, content := range objects {
		all = slices.AppendSeq(all, strings.Lines(content))
	}
	slices.Sort(all)
	return all
}

// keys creates the Secrets of the guide: for sparkConfFrom, and for envFrom.
func (s *tenant) keys(access, secret string) {
	s.t.Helper()
	s.Kubectl("create", "secret", "generic", "s3", "--from-literal=access-key="+access, "--from-literal=secret-key="+secret)
	s.Kubectl("create", "secret", "generic", "s3-env", "--from-literal=AWS_ACCESS_KEY_ID="+access, "--from-literal=AWS_SECRET_ACCESS_KEY="+secret)
}

// example returns examples/object-storage.yaml with what the guide adds for a store that is not from AWS.
func (s *tenant) example(changes ...env.Change) *v1alpha1.SparkApplication {
	s.t.Helper()
	app := env.Example(s.t, "object-storage.yaml")
	app.Namespace, app.Spec.Queue.Name = "", s.Name
	app.Spec.Arguments = []string{"s3a://" + bucket + "/in/", "s3a://" + bucket + "/out/"}
	app.Spec.Executor.Instances = ptr.To[int32](1)
	maps.Copy(app.Spec.HadoopConf, map[string]string{"fs.s3a.endpoint": s.store.URL, "fs.s3a.path.style.access": "true"})
	for _, change := range changes {
		change(&app.Spec)
	}
	return app
}

// inImage is the guide's first way to add libraries: jars are in the image of both roles, at these paths. They are
// mounted there.
func inImage(paths map[string]string) env.Change {
	return func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Deps = nil
		for _, role := range []*v1alpha1.PodRole{&spec.Driver.PodRole, &spec.Executor.PodRole} {
			role.Volumes = append(role.Volumes, raw(`{"name":"jars","persistentVolumeClaim":{"claimName":"jars","readOnly":true}}`))
			for _, jar := range slices.Sorted(maps.Keys(paths)) {
				role.VolumeMounts = append(role.VolumeMounts, raw(fmt.Sprintf(`{"name":"jars","mountPath":%q,"subPath":%q,"readOnly":true}`, paths[jar], jar)))
			}
		}
	}
}

// connector is what the guide's Dockerfile adds.
func connector() env.Change {
	const folder = "/opt/spark/jars/"
	return inImage(map[string]string{hadoopJar: folder + path.Base(hadoopJar), sdkJar: folder + path.Base(sdkJar)})
}

func raw(text string) runtime.RawExtension { return runtime.RawExtension{Raw: []byte(text)} }

// program replaces the program of the example.
func program(text string, arguments ...string) env.Change {
	return func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Arguments = arguments
		for file := range spec.ConfigMaps[0].Data {
			spec.ConfigMaps[0].Data[file] = text
		}
	}
}

// fromEnvironment is the guide's other way to pass keys.
func fromEnvironment(spec *v1alpha1.SparkApplicationSpec) {
	spec.SparkConfFrom = nil
	spec.HadoopConf["fs.s3a.aws.credentials.provider"] = "software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider"
	source := []runtime.RawExtension{raw(`{"secretRef":{"name":"s3-env"}}`)}
	spec.Driver.EnvFrom, spec.Executor.EnvFrom = source, source
}
