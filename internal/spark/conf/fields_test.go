// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// fullRole sets every field of a role that stands for a property.
func fullRole(name string) v1alpha1.PodRole {
	return v1alpha1.PodRole{
		Image: name + ":1", Cores: ptr.To(int32(2)), CoreRequest: "500m", CoreLimit: "3", Memory: "2g", MemoryOverhead: "512m",
		JavaOptions: "-Dx=" + name,
		Labels:      map[string]string{"team": name}, Annotations: map[string]string{"note": name}, NodeSelector: map[string]string{"disk": name},
		// No property stands for these:
		Env: []v1alpha1.EnvVar{{Name: "A", Value: "b"}}, GPU: &v1alpha1.GPU{Name: "nvidia.com/gpu", Quantity: 1},
		Tolerations: []corev1.Toleration{{Key: "x"}},
	}
}

func TestTypedProperties(t *testing.T) {
	t.Parallel()
	spec := v1alpha1.SparkApplicationSpec{
		Type: v1alpha1.ScalaApplication, SparkVersion: "4.1.4", Image: "spark:4.1", ImagePullPolicy: corev1.PullAlways,
		ImagePullSecrets: []string{"a", "b"}, MainClass: "Main", MainApplicationFile: "local:///x.jar", ProxyUser: "u",
		HadoopConf: map[string]string{"fs.x": "1", "fs.y": ""}, HadoopConfigMap: "hadoop", MemoryOverheadFactor: "0.2",
		Deps: &v1alpha1.Dependencies{
			Jars: []string{"local:/a.jar", "local:/b.jar"}, Files: []string{"https://h/f"}, PyFiles: []string{"local:/p.py"},
			Archives: []string{"s3a://b/x.zip#env"}, Packages: []string{"g:a:1", "g:b:2"}, ExcludePackages: []string{"g:c"},
			Repositories: []string{"https://r"},
		},
		Driver: v1alpha1.DriverSpec{PodRole: fullRole("driver"), ServiceAccountName: "spark", PodName: "pi-driver"},
		Executor: v1alpha1.ExecutorSpec{
			PodRole: fullRole("executor"), Instances: ptr.To(int32(3)), DeleteOnTermination: ptr.To(false),
		},
		DynamicAllocation: &v1alpha1.DynamicAllocation{
			Enabled: true, InitialExecutors: ptr.To(int32(1)), MinExecutors: ptr.To(int32(0)), MaxExecutors: ptr.To(int32(9)),
			ShuffleTrackingTimeout: &metav1.Duration{Duration: 1500 * time.Millisecond},
		},
	}
	want := map[string][2]string{
		"spark.kubernetes.container.image":                        {"spark:4.1", "spec.image"},
		"spark.kubernetes.container.image.pullPolicy":             {"Always", "spec.imagePullPolicy"},
		"spark.kubernetes.container.image.pullSecrets":            {"a,b", "spec.imagePullSecrets"},
		"spark.kubernetes.memoryOverheadFactor":                   {"0.2", "spec.memoryOverheadFactor"},
		"spark.kubernetes.hadoop.configMapName":                   {"hadoop", "spec.hadoopConfigMap"},
		"spark.hadoop.fs.x":                                       {"1", "spec.hadoopConf[fs.x]"},
		"spark.hadoop.fs.y":                                       {"", "spec.hadoopConf[fs.y]"},
		"spark.jars":                                              {"local:/a.jar,local:/b.jar", "spec.deps.jars"},
		"spark.files":                                             {"https://h/f", "spec.deps.files"},
		"spark.submit.pyFiles":                                    {"local:/p.py", "spec.deps.pyFiles"},
		"spark.archives":                                          {"s3a://b/x.zip#env", "spec.deps.archives"},
		"spark.jars.packages":                                     {"g:a:1,g:b:2", "spec.deps.packages"},
		"spark.jars.excludes":                                     {"g:c", "spec.deps.excludePackages"},
		"spark.jars.repositories":                                 {"https://r", "spec.deps.repositories"},
		"spark.kubernetes.driver.container.image":                 {"driver:1", "spec.driver.image"},
		"spark.driver.cores":                                      {"2", "spec.driver.cores"},
		"spark.kubernetes.driver.request.cores":                   {"500m", "spec.driver.coreRequest"},
		"spark.kubernetes.driver.limit.cores":                     {"3", "spec.driver.coreLimit"},
		"spark.driver.memory":                                     {"2g", "spec.driver.memory"},
		"spark.driver.memoryOverhead":                             {"512m", "spec.driver.memoryOverhead"},
		"spark.driver.extraJavaOptions":                           {"-Dx=driver", "spec.driver.javaOptions"},
		"spark.kubernetes.driver.label.team":                      {"driver", "spec.driver.labels[team]"},
		"spark.kubernetes.driver.annotation.note":                 {"driver", "spec.driver.annotations[note]"},
		"spark.kubernetes.driver.node.selector.disk":              {"driver", "spec.driver.nodeSelector[disk]"},
		"spark.kubernetes.authenticate.driver.serviceAccountName": {"spark", "spec.driver.serviceAccountName"},
		"spark.kubernetes.executor.container.image":               {"executor:1", "spec.executor.image"},
		"spark.executor.cores":                                    {"2", "spec.executor.cores"},
		"spark.kubernetes.executor.request.cores":                 {"500m", "spec.executor.coreRequest"},
		"spark.kubernetes.executor.limit.cores":                   {"3", "spec.executor.coreLimit"},
		"spark.executor.memory":                                   {"2g", "spec.executor.memory"},
		"spark.executor.memoryOverhead":                           {"512m", "spec.executor.memoryOverhead"},
		"spark.executor.extraJavaOptions":                         {"-Dx=executor", "spec.executor.javaOptions"},
		"spark.kubernetes.executor.label.team":                    {"executor", "spec.executor.labels[team]"},
		"spark.kubernetes.executor.annotation.note":               {"executor", "spec.executor.annotations[note]"},
		"spark.kubernetes.executor.node.selector.disk":            {"executor", "spec.executor.nodeSelector[disk]"},
		"spark.executor.instances":                                {"3", "spec.executor.instances"},
		"spark.kubernetes.executor.deleteOnTermination":           {"false", "spec.executor.deleteOnTermination"},
		"spark.dynamicAllocation.enabled":                         {"true", "spec.dynamicAllocation.enabled"},
		"spark.dynamicAllocation.initialExecutors":                {"1", "spec.dynamicAllocation.initialExecutors"},
		"spark.dynamicAllocation.minExecutors":                    {"0", "spec.dynamicAllocation.minExecutors"},
		"spark.dynamicAllocation.maxExecutors":                    {"9", "spec.dynamicAllocation.maxExecutors"},
		"spark.dynamicAllocation.shuffleTracking.timeout":         {"1500ms", "spec.dynamicAllocation.shuffleTrackingTimeout"},
	}
	got := map[string][2]string{}
	for key, property := range typedProperties(&spec) {
		got[key] = [2]string{property.Value, property.Origin.Field}
		if property.Origin.Source != TypedField {
			t.Errorf("%s comes from %v", key, property.Origin.Source)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("properties and fields (-want +got):\n%s", diff)
	}
}

func TestTypedPropertiesOfAnEmptySpec(t *testing.T) {
	t.Parallel()
	if got := typedProperties(&v1alpha1.SparkApplicationSpec{}); len(got) > 0 {
		t.Errorf("absent fields set %v", got)
	}
}

func TestSparkDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0:                       "0s",
		time.Second:             "1s",
		90 * time.Minute:        "5400s",
		1500 * time.Millisecond: "1500ms",
		time.Microsecond:        "0ms",
	} {
		if got := SparkDuration(d); got != want {
			t.Errorf("SparkDuration(%v) = %s, want %s", d, got, want)
		}
	}
}
