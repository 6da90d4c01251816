// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// settings are properties with values of which some are right.
var settings = map[string][]string{
	"spark.executor.memory":                                 {"1g", "512", "1Gi", "x", ""},
	"spark.driver.memory":                                   {"1g", "2048", "1gb"},
	"spark.executor.instances":                              {"1", "0", "-1", "1.5"},
	"spark.dynamicAllocation.enabled":                       {"true", "false", "on"},
	"spark.dynamicAllocation.minExecutors":                  {"0", "3"},
	"spark.dynamicAllocation.maxExecutors":                  {"2", "9", "0"},
	"spark.kubernetes.driver.node.selector.disk":            {"ssd", "s s d", "-"},
	"spark.kubernetes.node.selector.a/b/c":                  {"x"},
	"spark.kubernetes.driver.label.team":                    {"a", "a b", strings.Repeat("x", 64)},
	"spark.kubernetes.executor.label.Team_":                 {"a"},
	"spark.kubernetes.executor.annotation.A":                {"a\nb"},
	"spark.kubernetes.driverEnv.A-B":                        {"x"},
	"spark.executorEnv.9":                                   {"x"},
	"spark.kubernetes.executor.request.cores":               {"100m", "0", "1e3", "many"},
	"spark.kubernetes.driver.limit.cores":                   {"500m", "2"},
	"spark.kubernetes.container.image.pullSecrets":          {"a", "a,,b", "A_"},
	"spark.kubernetes.container.image.pullPolicy":           {"Always", "always", "Sometimes"},
	"spark.kubernetes.executor.podNamePrefix":               {"w", "W", strings.Repeat("w", 60)},
	"spark.kubernetes.executor.scheduler.name":              {"default-scheduler", "volcano", "A b"},
	"spark.ui.port":                                         {"4040", "7078", "99999", "0"},
	"spark.driver.port":                                     {"7078", "70000"},
	"spark.kubernetes.driver.secrets.s":                     {"/s", "s", "/s:x"},
	"spark.kubernetes.driver.secretKeyRef.S":                {"s:k", "s"},
	"spark.executor.resource.gpu.amount":                    {"1", "x"},
	"spark.executor.resource.gpu.vendor":                    {"nvidia.com", "NVIDIA"},
	"spark.kubernetes.driver.volumes.emptyDir.v.mount.path": {"/v", "v", "/v:x", "/opt/spark/conf"},
	"spark.kubernetes.driver.service.ipFamilies":            {"IPv4", "IPv5"},
	"spark.kubernetes.executor.terminationGracePeriod":      {"30", "-5", "30s"},
	"spark.kubernetes.hadoop.configMapName":                 {"hadoop", "Hadoop"},
	"spark.kubernetes.scheduler.name":                       {"volcano", "yunikorn"},
	"spark.eventLog.dir":                                    {"/x", "s3a://b/x"},
	"spark.local.dir":                                       {"/a,/b", "a", "/a,/a"},
	"spark.my.thing":                                        {"", " x ", "a\r", "\u0085"},
	"spark.log.callerContext ":                              {"x"},
	"spark.authenticate":                                    {"true", "maybe"},
	"spark.io.encryption.enabled":                           {"true"},
	"spark.kubernetes.submission.waitAppCompletion":         {"false"},
	"spark.kubernetes.trust.certificates":                   {"true"},
	"spark.executor.cores":                                  {"1", "0", "1000000000"},
	"spark.executor.memoryOverhead":                         {"1g", "-1", "9223372036854775807"},
}

// podTemplates are templates of which some are right.
var podTemplates = []string{
	`{"spec":{"nodeName":"a"}}`, `{"spec":{"schedulerName":"volcano"}}`, `{"spec":{"nodeSelector":{"a":"b c"}}}`, `{"spec":{"hostNetwork":true}}`,
	`{"spec":{"tolerations":[{"key":"a","operator":"Exists","value":"b"}]}}`, `{"spec":{"tolerations":[{"operator":"Equals"}]}}`,
	`{"spec":{"restartPolicy":"Always"}}`, `{"spec":{"dnsPolicy":"None"}}`, `{"spec":{"priorityClassName":"A"}}`, `{"spec":{"runtimeClassName":"A_"}}`,
	`{"spec":{"securityContext":{"runAsUser":-1}}}`, `{"spec":{"securityContext":{"runAsUser":0}}}`, `{"spec":{"terminationGracePeriodSeconds":-1}}`,
	`{"spec":{"activeDeadlineSeconds":0}}`, `{"spec":{"hostAliases":[{"ip":"x"}]}}`, `{"spec":{"topologySpreadConstraints":[{"maxSkew":0}]}}`,
	`{"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}}}}`,
	`{"spec":{"volumes":[{"name":"A"}]}}`, `{"spec":{"volumes":[{"name":"v","emptyDir":{},"hostPath":{"path":"/x"}}]}}`, `{"spec":{"volumes":[{"name":"v"}]}}`,
	`{"spec":{"initContainers":[{"name":"i"}]}}`, `{"spec":{"initContainers":[{"name":"i","image":"x","restartPolicy":"Always"}]}}`,
	`{"spec":{"containers":[{"name":"spark-kubernetes-driver","ports":[{"containerPort":0}]}]}}`,
	`{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}`, `{"spec":{"containers":[{"name":"a"},{"name":"b","image":"x"}]}}`,
	`{"spec":{"containers":[{"name":"a","env":[{"name":"A","value":"x","valueFrom":{"fieldRef":{"fieldPath":"metadata.nam"}}}]}]}}`,
	`{"spec":{"containers":[{"name":"a","env":[{"name":"1"}],"envFrom":[{}]}]}}`, `{"spec":{"containers":[{"name":"a","livenessProbe":{"periodSeconds":5}}]}}`,
	`{"spec":{"containers":[{"name":"a","lifecycle":{"preStop":{}}}]}}`, `{"spec":{"containers":[{"name":"a","imagePullPolicy":"x"}]}}`,
	`{"spec":{"containers":[{"name":"a","resources":{"requests":{"ephemeral-storage":"2Gi"},"limits":{"ephemeral-storage":"1Gi"}}}]}}`,
	`{"spec":{"containers":[{"name":"a","resources":{"limits":{"example.com/fpga":"1500m"}}}]}}`, `{"metadata":{"labels":{"a":"b c"}}}`,
	`{"metadata":{"labels":{"sparkgate.io/queue":"x"}}}`, `{"metadata":{"annotations":{"a b":"c"}}}`, `{"metadata":{"finalizers":["x"]}}`, `{"metadata":{"name":"x"}}`,
	`{"spec":{"readinessGates":[{"conditionType":"x y"}]}}`, `{"spec":{"schedulingGates":[{"name":"x"}]}}`, `{"spec":{"overhead":{"cpu":"1"}}}`,
	`{"spec":{"resources":{"requests":{"cpu":"1"}}}}`, `{"spec":{"os":{"name":"windows"}}}`, `{"spec":{"hostUsers":false}}`, `{"spec":{"setHostnameAsFQDN":true,"hostname":"A"}}`,
	`{"spec":{"imagePullSecrets":[{}]}}`, `{"spec":{"serviceAccountName":"A"}}`, `{"spec":{"enableServiceLinks":null}}`, `{"spec":{"dnsConfig":{"nameservers":["a","b","c","d"]}}}`,
}

// fields change typed fields.
var fields = []func(*v1alpha1.SparkApplicationSpec){
	func(s *v1alpha1.SparkApplicationSpec) {
		s.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true, MaxExecutors: ptr.To[int32](4)}
	},
	func(s *v1alpha1.SparkApplicationSpec) {
		s.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true}
	},
	func(s *v1alpha1.SparkApplicationSpec) { s.Queue.Gate = v1alpha1.GateKueue },
	func(s *v1alpha1.SparkApplicationSpec) { s.Queue.Gate = v1alpha1.GateVolcano },
	func(s *v1alpha1.SparkApplicationSpec) { s.Queue.Gate = v1alpha1.GateYuniKorn },
	func(s *v1alpha1.SparkApplicationSpec) { s.Queue.MinExecutors = ptr.To[int32](7) },
	func(s *v1alpha1.SparkApplicationSpec) { s.SparkVersion = "4.9.0" },
	func(s *v1alpha1.SparkApplicationSpec) { s.SparkVersion = "3.4.0" },
	func(s *v1alpha1.SparkApplicationSpec) { s.PodSecurity = v1alpha1.PodSecurityNone },
	func(s *v1alpha1.SparkApplicationSpec) { s.PodSecurity = v1alpha1.PodSecurityBaseline },
	func(s *v1alpha1.SparkApplicationSpec) { s.MainApplicationFile = "job.py" },
	func(s *v1alpha1.SparkApplicationSpec) { s.Arguments = []string{"\x00", "$(X)", "a\r"} },
	func(s *v1alpha1.SparkApplicationSpec) { s.Driver.PodName = "a-driver" },
	func(s *v1alpha1.SparkApplicationSpec) { s.Driver.PodName = strings.Repeat("a", 70) },
	func(s *v1alpha1.SparkApplicationSpec) { s.Driver.CoreRequest = "0" },
	func(s *v1alpha1.SparkApplicationSpec) { s.Executor.Cores = ptr.To[int32](1 << 30) },
	func(s *v1alpha1.SparkApplicationSpec) {
		s.Driver.Env = []v1alpha1.EnvVar{{Name: "A", Value: "x"}, {Name: "A", Value: "y"}, {Name: "a b"}}
	},
	func(s *v1alpha1.SparkApplicationSpec) {
		s.Executor.Volumes = []runtime.RawExtension{{Raw: []byte(`{"name":"v","emptyDir":{"sizeLimit":"-1"}}`)}}
	},
	func(s *v1alpha1.SparkApplicationSpec) {
		s.Driver.VolumeMounts = []runtime.RawExtension{{Raw: []byte(`{"name":"v","mountPath":"/v"}`)}}
	},
	func(s *v1alpha1.SparkApplicationSpec) {
		s.Executor.Tolerations = []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists, Value: "b"}}
	},
	func(s *v1alpha1.SparkApplicationSpec) { s.Executor.NodeSelector = map[string]string{"a b": "c"} },
	func(s *v1alpha1.SparkApplicationSpec) {
		s.Executor.Affinity = &runtime.RawExtension{Raw: []byte(`{"podAffinity":{"x":1}}`)}
	},
	func(s *v1alpha1.SparkApplicationSpec) {
		s.DriverService = &v1alpha1.DriverService{Ports: []v1alpha1.DriverServicePort{{Name: "a", Port: 15002}, {Name: "b", Port: 15002}}}
	},
	func(s *v1alpha1.SparkApplicationSpec) {
		s.ConfigMaps = []v1alpha1.InlineConfigMap{{Name: "a", MountPath: "/etc/a", Data: map[string]string{"a/b": "x"}}}
	},
	func(s *v1alpha1.SparkApplicationSpec) {
		s.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartAlways}
	},
	func(s *v1alpha1.SparkApplicationSpec) { s.Image = "a b" },
	func(s *v1alpha1.SparkApplicationSpec) { s.Driver.ServiceAccountName = "A_" },
	func(s *v1alpha1.SparkApplicationSpec) { s.ProxyUser = "a b" },
	func(s *v1alpha1.SparkApplicationSpec) { s.Driver.GPU = &v1alpha1.GPU{Name: "gpu", Quantity: 1} },
}

// randomSpec changes a few things of a spec.
func randomSpec(s *v1alpha1.SparkApplicationSpec, random *rand.Rand) {
	keys := slices.Sorted(maps.Keys(settings))
	s.SparkConf = map[string]string{}
	for range random.IntN(3) {
		key := keys[random.IntN(len(keys))]
		s.SparkConf[key] = settings[key][random.IntN(len(settings[key]))]
	}
	for _, role := range []*v1alpha1.PodRole{&s.Driver.PodRole, &s.Executor.PodRole} {
		if random.IntN(3) == 0 {
			role.Template = &runtime.RawExtension{Raw: []byte(podTemplates[random.IntN(len(podTemplates))])}
		}
	}
	for range random.IntN(3) {
		fields[random.IntN(len(fields))](s)
	}
}

// TestLintAgreesWithTheOperator: what the linter accepts, the operator accepts, and what it refuses, the operator or the
// API server refuses, for the same reason. The exception is what the API server refuses in pods.
func TestLintAgreesWithTheOperator(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyHold })
	var apps []*v1alpha1.SparkApplication
	apply := func(name string, change func(*v1alpha1.SparkApplicationSpec)) {
		app := w.Pi(name)
		change(&app.Spec)
		agreeAtCreation(t, app, &apps)
	}
	for i, field := range fields {
		apply(fmt.Sprintf("field-%d", i), field)
	}
	for i, template := range podTemplates {
		apply(fmt.Sprintf("driver-%d", i), func(s *v1alpha1.SparkApplicationSpec) {
			s.Driver.Template = &runtime.RawExtension{Raw: []byte(template)}
		})
		apply(fmt.Sprintf("executor-%d", i), func(s *v1alpha1.SparkApplicationSpec) {
			s.Executor.Template = &runtime.RawExtension{Raw: []byte(template)}
		})
	}
	apply("dynamic", func(s *v1alpha1.SparkApplicationSpec) {
		s.Executor.Template = &runtime.RawExtension{Raw: []byte(`{"spec":{"nodeName":"a"}}`)}
		fields[0](s)
	})
	for key, values := range settings {
		for i, value := range values {
			name := strings.Trim(strings.ToLower(strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
					return r
				}
				return '-'
			}, key)), "-")
			apply(fmt.Sprintf("%s-%d", name[max(0, len(name)-50):], i), func(s *v1alpha1.SparkApplicationSpec) { s.SparkConf = map[string]string{key: value} })
		}
	}
	randtest.Each(t, 100, func(seed uint64) {
		apply(fmt.Sprintf("random-%d", seed), func(s *v1alpha1.SparkApplicationSpec) { randomSpec(s, rand.New(rand.NewPCG(seed, 1))) })
	})
	for _, app := range apps {
		agrees(t, app)
	}
}

// agreeAtCreation creates an application, unless the API server refuses it; then the linter also has to refuse it.
func agreeAtCreation(t *testing.T, app *v1alpha1.SparkApplication, created *[]*v1alpha1.SparkApplication) {
	t.Helper()
	lint := linted(t, app)
	switch err := env.Client().Create(t.Context(), app); {
	case err == nil:
		*created = append(*created, app)
	case !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err):
		t.Fatal(err)
	case len(lint.wrong) == 0:
		t.Errorf("%s: the API server refuses it, the linter does not: %v", app.Name, err)
	}
}

// verdict is what the linter finds.
type verdict struct{ wrong, warnings []string }

func linted(t *testing.T, app *v1alpha1.SparkApplication) verdict {
	t.Helper()
	app.Kind, app.APIVersion = v1alpha1.SparkApplicationKind, v1alpha1.GroupVersion.String()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(app)
	if err != nil {
		t.Fatal(err)
	}
	delete(fields, "status")
	text, err := yaml.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	found, err := offline.Lint([]offline.File{{Name: app.Name, Text: text}})
	if err != nil {
		t.Fatal(err)
	}
	var v verdict
	for _, f := range found.Findings {
		if f.Warning {
			v.warnings = append(v.warnings, f.Field+": "+f.Message)
			continue
		}
		v.wrong = append(v.wrong, f.Field+": "+f.Message)
	}
	return v
}

// agrees waits until the operator has planned an application, and compares.
func agrees(t *testing.T, app *v1alpha1.SparkApplication) {
	t.Helper()
	asCreated := &v1alpha1.SparkApplication{ObjectMeta: app.ObjectMeta, Spec: app.Spec}
	asCreated.ManagedFields = nil
	lint := linted(t, asCreated)
	harness.Eventually(t, app, "planned", func(a *v1alpha1.SparkApplication) bool {
		return a.Status.ObservedGeneration == a.Generation && harness.Stage(a) != ""
	})
	stage, message := harness.Stage(app), harness.Message(app)
	has := func(findings []string) bool {
		return slices.ContainsFunc(findings, func(f string) bool { return strings.Contains(message, f) })
	}
	if strings.Contains(message, "the API server refuses such pods") {
		return // it was asked about the pods, which the linter cannot do
	}
	switch refused := stage == v1alpha1.InvalidSpecReason; {
	case refused && len(lint.wrong) == 0:
		t.Errorf("%s: the operator refuses it, the linter does not: %s", app.Name, message)
	case !refused && len(lint.wrong) > 0:
		t.Errorf("%s: the linter refuses it, the operator says %s: %s\n%q", app.Name, stage, message, lint.wrong)
	case refused && !has(lint.wrong):
		t.Errorf("%s: the linter says %q, the operator %s", app.Name, lint.wrong, message)
	case stage == v1alpha1.NotYetSupportedReason && !has(lint.warnings):
		t.Errorf("%s: the operator does not honour it, the linter says nothing of it: %s", app.Name, message)
	}
}
