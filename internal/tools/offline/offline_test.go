// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

func ExampleFromSubmit() {
	submitted, err := offline.FromSubmit(offline.Submission{
		Arguments: []string{
			"--master", "k8s://https://10.0.0.1", "--deploy-mode", "cluster", "--name", "pi", "--driver-memory", "512m",
			"--conf", "spark.kubernetes.container.image=docker.io/apache/spark:4.1.4", "local:///opt/spark/examples/src/main/python/pi.py", "1000",
		},
		ReadFile: os.ReadFile,
	})
	if err != nil {
		panic(err)
	}
	fmt.Print(string(submitted.Manifest))
	// Output:
	// apiVersion: sparkgate.io/v1alpha1
	// kind: SparkApplication
	// metadata:
	//   name: pi
	//   namespace: default
	// spec:
	//   arguments:
	//   - "1000"
	//   driver:
	//     memory: 512m
	//   image: docker.io/apache/spark:4.1.4
	//   mainApplicationFile: local:///opt/spark/examples/src/main/python/pi.py
	//   podSecurity: None
	//   sparkVersion: 4.1.4
	//   type: Python
}

// TestManifestSaysTheSame: what is printed reads back as what was translated, whatever the arguments and values hold.
func TestManifestSaysTheSame(t *testing.T) {
	t.Parallel()
	odd := []string{
		"yes", "no", "on", "y", "null", "~", "1", "1e3", "0x1f", "012", "2026-01-01", "12:30:00", "true", ".inf", "", " ", "  two", "two  ", "a: b", "- a", "# a", "'", `"`, "\\",
		"two\nlines", "line\n", "\n", "\n\n  indented\n", "tab\there", "carriage\rreturn", "\u2028", "\uFEFF", "👍", "{a: b}", "[a]", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a`", "---", "...",
	}
	t.Run("in YAML", func(t *testing.T) { saysTheSame(t, odd, "apiVersion: ") })
	t.Run("in JSON, for what YAML cannot write", func(t *testing.T) { saysTheSame(t, append(odd, "next\u0085line"), "{") })
}

func saysTheSame(t *testing.T, odd []string, beginning string) {
	t.Parallel()
	var arguments []string
	for i, value := range odd {
		arguments = append(arguments, "--conf", fmt.Sprintf("spark.odd.%d=%s", i, value), "--conf", fmt.Sprintf("spark.hadoop.odd.%d=%s", i, value))
	}
	arguments = append(arguments, "--conf", "spark.kubernetes.container.image=spark", "local:///a.py")
	submitted, err := offline.FromSubmit(offline.Submission{Arguments: append(arguments, odd...), SparkVersion: "4.1.4"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(submitted.Manifest), beginning) {
		t.Errorf("the manifest does not begin with %q", beginning)
	}
	var read v1alpha1.SparkApplication
	if err := yaml.UnmarshalStrict(submitted.Manifest, &read); err != nil {
		t.Fatalf("%v in\n%s", err, submitted.Manifest)
	}
	if diff := cmp.Diff(odd, read.Spec.Arguments); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(submitted.Application.Spec, read.Spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	for i, value := range odd {
		for key, got := range map[string]string{"sparkConf": read.Spec.SparkConf[fmt.Sprintf("spark.odd.%d", i)], "hadoopConf": read.Spec.HadoopConf[fmt.Sprintf("odd.%d", i)]} {
			if got != value {
				t.Errorf("%s: %q, want %q", key, got, value)
			}
		}
	}
}

// TestRenderIsStable: the same files give the same bytes, and a cluster's knowledge changes nothing but what hangs on it.
func TestRenderIsStable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../examples/java.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rendering := offline.Rendering{Files: []offline.File{{Name: "java.yaml", Text: text}}}
	first, err := offline.Render(rendering)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := offline.Render(rendering)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(first.Manifests), string(again.Manifests)); diff != "" {
			t.Fatalf("rendered again (-first +again):\n%s", diff)
		}
	}
	for _, want := range []string{"uid: " + string(offline.PlaceholderUID), "namespace: " + offline.PlaceholderNamespace, "spark.app.submitTime=0\n"} {
		if !strings.Contains(string(first.Manifests), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// TestRenderShowsAll: nothing is missing that the operator would make.
func TestRenderShowsAll(t *testing.T) {
	t.Parallel()
	const manifest = `
apiVersion: sparkgate.io/v1alpha1
kind: SparkApplication
metadata: {name: pi}
spec:
  type: Java
  sparkVersion: 4.2.1
  image: spark
  mainClass: org.example.Pi
  mainApplicationFile: local:///pi.jar
  driver: {serviceAccountName: spark}
  podDisruptionBudget: Driver
  driverService: {ports: [{name: connect, port: 15002}]}
  ui:
    ingress: {host: example.org}
    route: {parentRefs: [{name: public}]}
  sparkConf:
    spark.kubernetes.driver.volumes.persistentVolumeClaim.data.mount.path: /data
    spark.kubernetes.driver.volumes.persistentVolumeClaim.data.options.claimName: OnDemand
    spark.kubernetes.driver.volumes.persistentVolumeClaim.data.options.storageClass: fast
    spark.kubernetes.driver.volumes.persistentVolumeClaim.data.options.sizeLimit: 1Gi
  sparkConfFrom: [{name: spark.hadoop.fs.s3a.secret.key, secretKeyRef: {name: s3, key: secret}}]
  configMaps: [{name: job, mountPath: /etc/job, data: {a.txt: a}}]
---
apiVersion: v1
kind: Secret
metadata: {name: s3}
stringData: {secret: letmein}
`
	rendered, err := offline.Render(offline.Rendering{Files: []offline.File{{Name: "pi.yaml", Text: []byte(manifest)}}})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, document := range strings.Split(string(rendered.Manifests), "---\n") {
		var object struct{ Kind string }
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, object.Kind)
	}
	want := []string{
		"ConfigMap", "Secret", "ConfigMap", "Service", "NetworkPolicy", "PersistentVolumeClaim", "Pod",
		"Service", "PodDisruptionBudget", "Ingress", "HTTPRoute",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	text := string(rendered.Manifests)
	if strings.Contains(text, "letmein") || !strings.Contains(text, "spark.hadoop.fs.s3a.secret.key=(hidden)") {
		t.Errorf("the value of the Secret is not hidden:\n%s", text)
	}
	if len(rendered.Notes) != 1 || rendered.Notes[0].Subject != "spec.sparkConfFrom" {
		t.Errorf("notes: %v", rendered.Notes)
	}
}
