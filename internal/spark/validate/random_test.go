// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// TestWhatIsFoundWellCanBeBuilt makes applications at random. Where nothing is found, building and asking must not fail, and the pods must
// be ones that Kubernetes takes as far as names go. Where building fails, something must have been found.
func TestWhatIsFoundWellCanBeBuilt(t *testing.T) {
	t.Parallel()
	well := 0
	rounds := randtest.Each(t, 1000, func(seed uint64) {
		app := randomApplication(t, rand.New(rand.NewPCG(seed, 1)))
		findings := Application(app)
		objects, err := buildAndAsk(app)
		switch {
		case err != nil && len(findings) == 0:
			t.Errorf("nothing was found, but %v", err)
		case len(findings) == 0:
			well++
			checkNamesOfPods(t, objects)
		}
	})
	t.Logf("%d of %d are well", well, rounds)
	if share := rounds / 20; well < share {
		t.Errorf("only %d of %d applications were well: the test shows little", well, rounds)
	}
}

// buildAndAsk does what the controller does with an application.
func buildAndAsk(app *v1alpha1.SparkApplication) (render.Objects, error) {
	in, _ := render.NewInput(app, conf.Sources{})
	objects, err := render.Build(in)
	if err != nil {
		return objects, err
	}
	_, err = podsets.PodSets(app, objects, podsets.Environment{})
	return objects, err
}

// checkNamesOfPods makes sure that nothing in the pods is there twice.
func checkNamesOfPods(t *testing.T, objects render.Objects) {
	t.Helper()
	for _, pod := range []*corev1.Pod{objects.Pod, objects.ExecutorTemplate} {
		containers := slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers)
		if name := firstTwice(containers, func(c corev1.Container) string { return c.Name }); name != "" {
			t.Errorf("container %s is there twice", name)
		}
		if name := firstTwice(pod.Spec.Volumes, func(v corev1.Volume) string { return v.Name }); name != "" {
			t.Errorf("volume %s is there twice", name)
		}
		for _, container := range containers {
			if path := firstTwice(container.VolumeMounts, func(m corev1.VolumeMount) string { return m.MountPath }); path != "" {
				t.Errorf("container %s mounts %s twice", container.Name, path)
			}
		}
	}
}

// pool are values that properties get at random: right ones more often than wrong ones.
var pool = map[string][]string{
	conf.DriverMemory:                                           {"1g", "512m", "2048", "1Gi", "0"},
	conf.ExecutorMemory:                                         {"1g", "2g", "4t", "x"},
	conf.ExecutorMemoryOverhead:                                 {"1g", "384", "-1"},
	conf.MemoryOverheadFactor:                                   {"0.1", "2", "1e-3", "ten"},
	conf.ExecutorInstances:                                      {"1", "5", "0"},
	conf.AllocationMaximum:                                      {"9", "2", "0"},
	conf.DynamicAllocationEnabled:                               {"false", "true", "maybe"},
	conf.DynamicAllocationMax:                                   {"5", "9", "x"},
	conf.DynamicAllocationMin:                                   {"0", "3", "7"},
	conf.OffHeapEnabled:                                         {"true", "false", "2"},
	conf.OffHeapSize:                                            {"1g", "1048576", "big", "1Gi"},
	conf.PrivilegeEscalation:                                    {"true", "false", "no"},
	conf.DriverServiceNotReady:                                  {"true", "false", "no"},
	conf.UIPort:                                                 {"4040", "4041", "7078", "0"},
	conf.LocalDir:                                               {"/a", "/a,/b"},
	conf.LocalDirsTmpfs:                                         {"true", "false", "on"},
	conf.HadoopConfigMap:                                        {"hadoop", "Hadoop"},
	conf.TokenSecretName:                                        {"tokens"},
	conf.TokenSecretKey:                                         {"key"},
	conf.ExecutorPySparkMemory:                                  {"512m", "y"},
	conf.Jars:                                                   {"local:///a.jar", "a.jar"},
	conf.Driver.Key("limit.cores"):                              {"1", "2", "500m", "two"},
	"spark.driver.resource.gpu.amount":                          {"1", "0", "x"},
	"spark.driver.resource.gpu.vendor":                          {"nvidia.com"},
	"spark.executor.resource.gpu.amount":                        {"1"},
	"spark.kubernetes.driver.secrets.s":                         {"/s", "/a"},
	"spark.kubernetes.driver.secretKeyRef.S":                    {"s:k", "s"},
	"spark.kubernetes.driver.volumes.emptyDir.v.mount.path":     {"/v", "/s"},
	"spark.kubernetes.driver.volumes.nfs.n.mount.path":          {"/n"},
	"spark.kubernetes.driver.volumes.nfs.n.options.path":        {"/x"},
	"spark.kubernetes.driver.volumes.nfs.n.options.server":      {"h"},
	"spark.kubernetes.executor.volumes.hostPath.h.mount.path":   {"/h"},
	"spark.kubernetes.executor.volumes.hostPath.h.options.path": {"/h"},
	"spark.kubernetes.driver.label.team":                        {"a", "b c"},
	"spark.kubernetes.driver.podTemplateContainerName":          {"a", "b"},
	"spark.some.thing":                                          {"", " x ", "y=z"},
	"spark.kubernetes.driver.volumes.persistentVolumeClaim.p.options.claimName":      {"c"},
	"spark.kubernetes.driver.volumes.persistentVolumeClaim.p.mount.path":             {"/p"},
	"spark.kubernetes.driver.pod.excludedFeatureSteps":                               {"org.apache.spark.deploy.k8s.features.LocalDirsFeatureStep"},
	"spark.kubernetes.driver.service.ipFamilies":                                     {"IPv4", "IPv6,IPv4", "IPv5"},
	"spark.kubernetes.driver.node.selector.disk":                                     {"ssd"},
	"spark.kubernetes.executor.podNamePrefix":                                        {"w", "W"},
	"spark.kubernetes.authenticate.driver.serviceAccountName":                        {"spark"},
	"spark.kubernetes.driver.volumes.emptyDir.spark-local-dir-1.mount.path":          {"/l"},
	"spark.kubernetes.driver.volumes.emptyDir.spark-local-dir-1.options.sizeLimit":   {"1Gi", "5"},
	"spark.kubernetes.executor.volumes.emptyDir.spark-local-dir-1.mount.path":        {"/l"},
	"spark.kubernetes.executor.volumes.emptyDir.spark-local-dir-1.options.sizeLimit": {"1Gi"},
	"spark.kubernetes.driver.annotation.a":                                           {"any thing"},
	"spark.kubernetes.kerberos.krb5.configMapName":                                   {"krb5"},
	"spark.kubernetes.executor.request.cores":                                        {"100m", "1"},
}

// templates are templates that roles get at random.
var templates = []string{
	`{}`, `{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}`, `{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":1}}}]}}`,
	`{"spec":{"volumes":[{"name":"v"}],"containers":[{"volumeMounts":[{"name":"v","mountPath":"/a"}]}]}}`,
	`{"spec":{"containers":[{"name":"a"}],"initContainers":[{"name":"a"}]}}`, `{"spec":{"nope":1}}`, `[]`,
	`{"spec":{"containers":[{"name":"a","securityContext":{"privileged":true,"allowPrivilegeEscalation":true}}]}}`,
	`{"spec":{"securityContext":{"runAsUser":0}}}`, `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"spark-kubernetes-driver"}]}}`,
}

// randomApplication creates an application with a few settings.
func randomApplication(t *testing.T, random *rand.Rand) *v1alpha1.SparkApplication {
	t.Helper()
	pick := func(values []string) string { return values[min(random.IntN(len(values)+1), len(values)-1)] }
	app := spec("").application(t)
	app.Spec.SparkVersion = pick(render.Supported) + ".0"
	if random.IntN(2) == 0 {
		app.Spec.Type, app.Spec.MainClass, app.Spec.MainApplicationFile = v1alpha1.PythonApplication, "", "local:///a.py"
	}
	app.Spec.SparkConf = map[string]string{}
	keys := slices.Sorted(maps.Keys(pool))
	for range random.IntN(6) {
		key := keys[random.IntN(len(keys))]
		app.Spec.SparkConf[key] = pick(pool[key][:1+random.IntN(len(pool[key]))])
		// Options of one volume or resource come together, most of the time.
		family := key[:strings.LastIndexByte(key, '.')]
		for _, other := range keys {
			if strings.HasPrefix(other, family[:strings.LastIndexByte(family, '.')+1]) && strings.Count(other, ".") > 4 && random.IntN(4) > 0 {
				app.Spec.SparkConf[other] = pool[other][0]
			}
		}
	}
	for _, role := range []*v1alpha1.PodRole{&app.Spec.Driver.PodRole, &app.Spec.Executor.PodRole} {
		if random.IntN(3) == 0 {
			role.Template = &runtime.RawExtension{Raw: []byte(templates[random.IntN(len(templates))])}
		}
		if random.IntN(5) == 0 {
			role.Volumes = []runtime.RawExtension{{Raw: []byte(`{"name":"v","emptyDir":{}}`)}}
			role.VolumeMounts = []runtime.RawExtension{{Raw: []byte(`{"name":"v","mountPath":"/v"}`)}}
		}
		if random.IntN(5) == 0 {
			role.Cores, role.GPU = ptr.To(int32(random.IntN(3))), &v1alpha1.GPU{Name: "nvidia.com/gpu", Quantity: 1}
		}
	}
	if random.IntN(5) == 0 {
		app.Spec.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true, MaxExecutors: ptr.To(int32(random.IntN(9)))}
	}
	addFilesAndMetrics(app, random)
	return app
}

// addFilesAndMetrics lets some applications have files, properties from Secrets and metrics, which may get in the way of the rest.
func addFilesAndMetrics(app *v1alpha1.SparkApplication, random *rand.Rand) {
	folders := []string{"/etc/job", "/a", "/v", "/s/", "/l", "/opt/spark/conf", "/opt"}
	for i := range random.IntN(7) - 4 {
		app.Spec.ConfigMaps = append(app.Spec.ConfigMaps, v1alpha1.InlineConfigMap{
			Name: []string{"a", "b", "a"}[i], MountPath: folders[random.IntN(len(folders))], Data: map[string]string{"f": "x"},
		})
	}
	if random.IntN(5) == 0 {
		key := []string{"spark.a.password", "spark.some.thing", conf.DriverMemory, conf.UIPort}[random.IntN(4)]
		app.Spec.SparkConfFrom = []v1alpha1.SparkConfSource{{Name: key, SecretKeyRef: v1alpha1.SecretKeyReference{Name: "s", Key: "k"}}}
	}
	if random.IntN(4) == 0 {
		app.Spec.Monitoring = &v1alpha1.Monitoring{Prometheus: &v1alpha1.PrometheusMonitoring{
			JMXExporterJar: []string{"", "/opt/jmx.jar", "jmx.jar"}[random.IntN(3)],
		}}
	}
}
