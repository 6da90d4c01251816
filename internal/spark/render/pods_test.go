// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/queueing"
)

// template sets the template of both roles.
func template(document string) func(*v1alpha1.SparkApplicationSpec) {
	return func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Driver.Template, spec.Executor.Template = raw(document), raw(document)
	}
}

// bothPods returns driver and executor template.
func bothPods(objects Objects) map[string]*corev1.Pod {
	return map[string]*corev1.Pod{"driver": objects.Pod, "executor": objects.ExecutorTemplate}
}

func TestSecurityIsRestricted(t *testing.T) {
	t.Parallel()
	objects := mustBuild(t, template(`{"spec":{
		"containers":[{"name":"spark"},{"name":"side"}],"initContainers":[{"name":"init"}]}}`))
	for name, pod := range bothPods(objects) {
		wantPod := &corev1.PodSecurityContext{
			RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To(int64(185)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		}
		if diff := cmp.Diff(wantPod, pod.Spec.SecurityContext); diff != "" {
			t.Errorf("%s pod (-want +got):\n%s", name, diff)
		}
		wantContainer := &corev1.SecurityContext{
			AllowPrivilegeEscalation: ptr.To(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		}
		for _, container := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
			if diff := cmp.Diff(wantContainer, container.SecurityContext); diff != "" {
				t.Errorf("%s container %s (-want +got):\n%s", name, container.Name, diff)
			}
		}
	}
}

func TestSecurityKeepsWhatTheTemplateSays(t *testing.T) {
	t.Parallel()
	objects := mustBuild(t, template(`{"spec":{
		"securityContext":{"runAsNonRoot":false,"runAsUser":1000,"seccompProfile":{"type":"Unconfined"},"fsGroup":7},
		"containers":[{"name":"spark","securityContext":{
			"allowPrivilegeEscalation":true,"capabilities":{"add":["NET_BIND_SERVICE"],"drop":["CHOWN"]},"readOnlyRootFilesystem":true}}]}}`))
	for name, pod := range bothPods(objects) {
		wantPod := &corev1.PodSecurityContext{
			RunAsNonRoot: ptr.To(false), RunAsUser: ptr.To(int64(1000)), FSGroup: ptr.To(int64(7)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeUnconfined},
		}
		if diff := cmp.Diff(wantPod, pod.Spec.SecurityContext); diff != "" {
			t.Errorf("%s pod (-want +got):\n%s", name, diff)
		}
		wantContainer := &corev1.SecurityContext{
			AllowPrivilegeEscalation: ptr.To(true), ReadOnlyRootFilesystem: ptr.To(true),
			Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"NET_BIND_SERVICE"}, Drop: []corev1.Capability{"CHOWN"}},
		}
		if diff := cmp.Diff(wantContainer, pod.Spec.Containers[0].SecurityContext); diff != "" {
			t.Errorf("%s container (-want +got):\n%s", name, diff)
		}
	}
}

func TestSecurityNoneFillsNothing(t *testing.T) {
	t.Parallel()
	objects := mustBuild(t, func(spec *v1alpha1.SparkApplicationSpec) { spec.PodSecurity = v1alpha1.PodSecurityNone })
	for name, pod := range bothPods(objects) {
		if pod.Spec.SecurityContext != nil || pod.Spec.Containers[0].SecurityContext != nil {
			t.Errorf("%s has security fields", name)
		}
	}
}

func TestSparkContainer(t *testing.T) {
	t.Parallel()
	const key = "spark.kubernetes.driver.podTemplateContainerName"
	for name, test := range map[string]struct {
		containers []string
		named      string
		want       int
	}{
		"no containers":                   {nil, "", -1},
		"the first":                       {[]string{"a", "b"}, "", 0},
		"the one with Spark's name":       {[]string{"a", "spark-kubernetes-driver"}, "", 1},
		"the one that the property names": {[]string{"a", "b", "spark-kubernetes-driver"}, "b", 1},
		"the property names none":         {[]string{"a", "b"}, "c", 0},
		"the other role's name":           {[]string{"a", "spark-kubernetes-executor"}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var containers []corev1.Container
			for _, name := range test.containers {
				containers = append(containers, corev1.Container{Name: name})
			}
			p := conf.Properties{}
			if test.named != "" {
				p.Put(key, test.named)
			}
			if got := DriverOf(&v1alpha1.SparkApplication{}).SparkContainer(containers, p); got != test.want {
				t.Errorf("container = %d, want %d", got, test.want)
			}
		})
	}
}

func TestContainerOrder(t *testing.T) {
	t.Parallel()
	objects := mustBuild(t, template(`{"spec":{"containers":[{"name":"main"},{"name":"a"},{"name":"b"}]}}`))
	names := func(pod *corev1.Pod) []string {
		var names []string
		for _, container := range pod.Spec.Containers {
			names = append(names, container.Name)
		}
		return names
	}
	if diff := cmp.Diff([]string{"a", "b", "main"}, names(objects.Pod)); diff != "" {
		t.Errorf("driver, Spark's last (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"main", "a", "b"}, names(objects.ExecutorTemplate)); diff != "" {
		t.Errorf("executor, Spark's first (-want +got):\n%s", diff)
	}
	if note := objects.Pod.Annotations["kubectl.kubernetes.io/default-container"]; note != "main" {
		t.Errorf("default container = %q, want main", note)
	}
}

func TestEnvironmentOrder(t *testing.T) {
	t.Parallel()
	objects := mustBuild(t, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Type, spec.MainClass, spec.MainApplicationFile = v1alpha1.PythonApplication, "", "local:///a.py"
		spec.HadoopConfigMap = "h"
		spec.Driver.Env = []v1alpha1.EnvVar{{Name: "FIELD", Value: "1"}}
		spec.Driver.Template = raw(`{"spec":{"containers":[{"name":"x","env":[{"name":"TEMPLATE","value":"1"}]}]}}`)
		spec.SparkConf = map[string]string{
			"spark.kubernetes.driverEnv.B": "1", "spark.kubernetes.driverEnv.A": "1",
			"spark.kubernetes.driver.secretKeyRef.SECRET": "s:k", "spark.pyspark.python": "python3",
			conf.TokenSecretName: "t", conf.TokenSecretKey: "k",
		}
	})
	var names []string
	for _, variable := range sparkOf(objects.Pod).Env {
		names = append(names, variable.Name)
	}
	want := []string{
		"TEMPLATE", "FIELD", "SPARK_USER", "SPARK_APPLICATION_ID", "A", "B", "SPARK_DRIVER_BIND_ADDRESS", "SECRET", "PYSPARK_PYTHON",
		"PYSPARK_DRIVER_PYTHON", "HADOOP_CONF_DIR", "HADOOP_TOKEN_FILE_LOCATION", "SPARK_LOCAL_DIRS", "SPARK_CONF_DIR",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
}

// The rows are the assertions of Spark's own tests.
func TestPythonInterpreters(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values map[string]string
		want   map[string]string
	}{
		"none":             {nil, map[string]string{}},
		"one for both":     {map[string]string{conf.PySparkPython: "py3"}, map[string]string{"PYSPARK_PYTHON": "py3", "PYSPARK_DRIVER_PYTHON": "py3"}},
		"one of each":      {map[string]string{conf.PySparkPython: "py3", conf.PySparkDriverPython: "py4"}, map[string]string{"PYSPARK_PYTHON": "py3", "PYSPARK_DRIVER_PYTHON": "py4"}},
		"only the drivers": {map[string]string{conf.PySparkDriverPython: "py4"}, map[string]string{"PYSPARK_DRIVER_PYTHON": "py4"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects := mustBuild(t, func(spec *v1alpha1.SparkApplicationSpec) {
				spec.Type, spec.SparkConf = v1alpha1.PythonApplication, test.values
			})
			got := map[string]string{}
			for _, variable := range sparkOf(objects.Pod).Env {
				if variable.Name == "PYSPARK_PYTHON" || variable.Name == "PYSPARK_DRIVER_PYTHON" {
					got[variable.Name] = variable.Value
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("interpreters (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSparkUser(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		env            []corev1.EnvVar
		proxy, version string
		want           string
	}{
		"nobody says":           {want: "spark"},
		"a field says":          {env: []corev1.EnvVar{{Name: "SPARK_USER", Value: "alice"}}, want: "alice"},
		"the last one says":     {env: []corev1.EnvVar{{Name: "SPARK_USER", Value: "alice"}, {Name: "SPARK_USER", Value: "bob"}}, want: "bob"},
		"a field is empty":      {env: []corev1.EnvVar{{Name: "SPARK_USER"}}, want: "spark"},
		"a Secret would say":    {env: []corev1.EnvVar{{Name: "SPARK_USER", ValueFrom: &corev1.EnvVarSource{}}}, want: "spark"},
		"impersonated":          {proxy: "carol", want: "spark"},
		"impersonated, 4.3":     {proxy: "carol", version: "4.3.0", want: "carol"},
		"impersonated and said": {env: []corev1.EnvVar{{Name: "SPARK_USER", Value: "alice"}}, proxy: "carol", version: "4.3.0", want: "carol"},
	} {
		b := build{in: Input{App: &v1alpha1.SparkApplication{}}, client: clientOf("4.2.1")}
		b.driver.container.Env = test.env
		b.in.App.Spec.ProxyUser = test.proxy
		if test.version != "" {
			b.client = clientOf(test.version)
		}
		if got := b.user(); got != test.want {
			t.Errorf("%s: user = %q, want %q", name, got, test.want)
		}
	}
}

// The rows are the assertions of Spark's own tests.
func TestArguments(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edit func(*v1alpha1.SparkApplicationSpec)
		want []string
	}{
		"Java": {nil, []string{"driver", "--properties-file", "/opt/spark/conf/spark.properties", "--class", "Main", "local:///pi.jar"}},
		"with arguments": {
			func(spec *v1alpha1.SparkApplicationSpec) { spec.Arguments = []string{"5", "", " 7 "} },
			[]string{"driver", "--properties-file", "/opt/spark/conf/spark.properties", "--class", "Main", "local:///pi.jar", "5", "", " 7 "},
		},
		"for another user": {
			func(spec *v1alpha1.SparkApplicationSpec) { spec.ProxyUser = "alice" },
			[]string{"driver", "--proxy-user", "alice", "--properties-file", "/opt/spark/conf/spark.properties", "--class", "Main", "local:///pi.jar"},
		},
		"a class of the image": {
			func(spec *v1alpha1.SparkApplicationSpec) { spec.MainApplicationFile = NoResource },
			[]string{"driver", "--properties-file", "/opt/spark/conf/spark.properties", "--class", "Main", "spark-internal"},
		},
		"Python": {
			func(spec *v1alpha1.SparkApplicationSpec) {
				spec.Type, spec.MainClass, spec.MainApplicationFile = v1alpha1.PythonApplication, "", "local:///a.py"
			},
			[]string{"driver", "--properties-file", "/opt/spark/conf/spark.properties", "--class", "org.apache.spark.deploy.PythonRunner", "local:///a.py"},
		},
		"R": {
			func(spec *v1alpha1.SparkApplicationSpec) {
				spec.Type, spec.MainClass, spec.MainApplicationFile = v1alpha1.RApplication, "", "local:///a.R"
			},
			[]string{"driver", "--properties-file", "/opt/spark/conf/spark.properties", "--class", "org.apache.spark.deploy.RRunner", "local:///a.R"},
		},
		"behind those of the template": {
			template(`{"spec":{"containers":[{"name":"x","args":["--first"]}]}}`),
			[]string{"--first", "driver", "--properties-file", "/opt/spark/conf/spark.properties", "--class", "Main", "local:///pi.jar"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, sparkOf(mustBuild(t, test.edit).Pod).Args); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlacement(t *testing.T) {
	t.Parallel()
	in := inputOf(t, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Driver.NodeSelector = map[string]string{"disk": "ssd"}
		spec.Driver.Tolerations = []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists}}
		spec.SparkConf = map[string]string{"spark.kubernetes.node.selector.zone": "z"}
	})
	in.Grant = &queueing.Grant{PodSets: []queueing.PodSetGrant{
		{Name: "driver", NodeSelector: map[string]string{"pool": "d"}, Tolerations: []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists}, {Key: "b"}}},
		{Name: "executor", NodeSelector: map[string]string{"pool": "e"}, Tolerations: []corev1.Toleration{{Key: "c"}}},
	}}
	objects, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"disk": "ssd", "pool": "d", "zone": "z"}, objects.Pod.Spec.NodeSelector); diff != "" {
		t.Errorf("nodes of the driver (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists}, {Key: "b"}}, objects.Pod.Spec.Tolerations); diff != "" {
		t.Errorf("tolerations of the driver (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"pool": "e"}, objects.ExecutorTemplate.Spec.NodeSelector); diff != "" {
		t.Errorf("nodes of executors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]corev1.Toleration{{Key: "c"}}, objects.ExecutorTemplate.Spec.Tolerations); diff != "" {
		t.Errorf("tolerations of executors (-want +got):\n%s", diff)
	}
}

// TestMarksOfTheGrant: pods of either role carry what their grant says, by which another system knows them, over what the user says.
func TestMarksOfTheGrant(t *testing.T) {
	t.Parallel()
	in := inputOf(t, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Driver.Labels = map[string]string{"mine": "yes"}
		spec.Executor.Template = &runtime.RawExtension{Raw: []byte(`{"metadata": {"labels": {"group": "old", "mine": "yes"}}, "spec": {"schedulerName": "old"}}`)}
	})
	in.Grant = &queueing.Grant{PodSets: []queueing.PodSetGrant{
		{Name: "driver", Labels: map[string]string{"group": "a"}, Annotations: map[string]string{"part": "driver"}, SchedulerName: "other", SchedulingGates: []string{"hold"}},
		{Name: "executor", Labels: map[string]string{"group": "a"}, Annotations: map[string]string{"part": "executor"}, SchedulerName: "other", SchedulingGates: []string{"hold"}},
	}}
	objects, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	for part, pod := range map[string]*corev1.Pod{"driver": objects.Pod, "executor": objects.ExecutorTemplate} {
		if pod.Labels["group"] != "a" || pod.Labels["mine"] != "yes" || pod.Annotations["part"] != part || pod.Spec.SchedulerName != "other" {
			t.Errorf("%s: labels %v, annotations %v, scheduler %q", part, pod.Labels, pod.Annotations, pod.Spec.SchedulerName)
		}
		if gates := pod.Spec.SchedulingGates; len(gates) != 1 || gates[0].Name != "hold" {
			t.Errorf("%s: scheduling gates %v", part, gates)
		}
	}
}

// TestScheduledFor: the driver of an application of a schedule has the time for which it runs, its date, and the time before; others have
// no such annotations.
func TestScheduledFor(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"of a schedule": "2026-11-26T02:30:00+01:00", "of a user": ""} {
		in := inputOf(t, nil)
		if want != "" {
			in.App.Annotations = map[string]string{}
			for _, key := range v1alpha1.ScheduledAnnotations {
				in.App.Annotations[key] = want
			}
		}
		objects, err := Build(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range v1alpha1.ScheduledAnnotations {
			if got, has := objects.Pod.Annotations[key]; got != want || has != (want != "") {
				t.Errorf("%s: annotation %s %q, %t; want %q", name, key, got, has, want)
			}
		}
	}
}

func TestQueueLabel(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		resolved, granted, asked string
		want                     string
	}{
		"nobody knows":        {"", "", "", ""},
		"what the user asked": {"", "", "spec", "spec"},
		"what was granted":    {"", "grant", "spec", "grant"},
		"what was resolved":   {"input", "grant", "spec", "input"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := inputOf(t, func(spec *v1alpha1.SparkApplicationSpec) { spec.Queue = &v1alpha1.QueueReference{Name: test.asked} })
			in.Queue, in.Grant = test.resolved, &queueing.Grant{Queue: test.granted}
			objects, err := Build(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, labels := range []map[string]string{
				objects.Pod.Labels, objects.Service.Labels, objects.ConfigMap.Labels, objects.ExecutorTemplate.Labels,
			} {
				got, ok := labels[v1alpha1.QueueLabel]
				if got != test.want || ok != (test.want != "") {
					t.Errorf("queue label = %q, %t, want %q", got, ok, test.want)
				}
			}
		})
	}
}

func TestConfFiles(t *testing.T) {
	t.Parallel()
	got := ConfFiles(map[string]string{
		"log4j2.properties": "a", "spark-env.sh": "b", "empty": "",
		"spark-defaults.conf": "x", "spark.properties": "x", "spark.kubernetes.namespace": "x", "podspec-configmap-key": "x",
	})
	want := map[string]string{"log4j2.properties": "a", "spark-env.sh": "b", "empty": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestSupportedVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"4.1.4": true, "4.1.0": true, "4.1.5-SNAPSHOT": true, "4.1": true,
		"3.5.9": true, "4.0.5": true, "4.2.1": true, "4.3.0": true,
		"3.4.4": false, "4.4.0": false, "4.10.1": false, "5.0.0": false, "": false, "4": false, "four.one": false,
	} {
		if got := SupportedVersion(version); got != want {
			t.Errorf("SupportedVersion(%q) = %t, want %t", version, got, want)
		}
	}
	if clientOf("9.9.9") != clientOf("4.3.0") {
		t.Error("an unknown version is not built like the latest one")
	}
}
