// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package references_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/references"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// objectsOf returns those of an attempt whose pods have these specs, in YAML.
func objectsOf(t *testing.T, driver, executor string, properties map[string]string) render.Objects {
	t.Helper()
	objects := render.Objects{Pod: &corev1.Pod{}, ExecutorTemplate: &corev1.Pod{}, Properties: conf.Properties{}}
	for pod, text := range map[*corev1.Pod]string{objects.Pod: driver, objects.ExecutorTemplate: executor} {
		if err := yaml.UnmarshalStrict([]byte(text), &pod.Spec); err != nil {
			t.Fatal(err)
		}
	}
	for key, value := range properties {
		objects.Properties.Put(key, value)
	}
	return objects
}

func told(found []references.Reference) []string {
	var lines []string
	for _, r := range found {
		lines = append(lines, fmt.Sprintf("%s %s: %s", r.Kind, r.Name, r.By))
	}
	return lines
}

func TestOf(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		driver, executor string
		properties       map[string]string
		want             []string
	}{
		"nothing": {},
		"credentials of a registry": {driver: `imagePullSecrets: [{name: regcred}]`, executor: `imagePullSecrets: [{name: regcred}, {name: other}]`,
			want: []string{"Secret regcred: imagePullSecrets of the driver pod", "Secret other: imagePullSecrets of the executor pods"}},
		"volumes": {driver: `
volumes:
- {name: a, configMap: {name: settings}}
- {name: b, secret: {secretName: keys}}
- {name: c, persistentVolumeClaim: {claimName: data}}
- {name: d, projected: {sources: [{configMap: {name: more}}, {secret: {name: certificate}}, {serviceAccountToken: {path: token}}]}}
- {name: e, emptyDir: {}}`,
			want: []string{
				`ConfigMap settings: volume "a" of the driver pod`, `Secret keys: volume "b" of the driver pod`,
				`PersistentVolumeClaim data: volume "c" of the driver pod`, `ConfigMap more: volume "d" of the driver pod`,
				`Secret certificate: volume "d" of the driver pod`,
			}},
		"environment of all containers": {driver: `
initContainers: [{name: fetch, env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: token, key: t}}}]}]
containers:
- {name: spark, env: [{name: A, value: a}, {name: B, valueFrom: {configMapKeyRef: {name: settings, key: b}}}, {name: C, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}
- {name: proxy, envFrom: [{configMapRef: {name: proxy}}, {secretRef: {name: password}}]}`,
			want: []string{
				`Secret token: env "TOKEN" of container "fetch" of the driver pod`, `ConfigMap settings: env "B" of container "spark" of the driver pod`,
				`ConfigMap proxy: envFrom of container "proxy" of the driver pod`, `Secret password: envFrom of container "proxy" of the driver pod`,
			}},
		"optional": {driver: `
volumes:
- {name: a, configMap: {name: a, optional: true}}
- {name: b, secret: {secretName: b, optional: true}}
- {name: c, projected: {sources: [{configMap: {name: c, optional: true}}, {secret: {name: d, optional: true}}]}}
containers:
- name: spark
  env: [{name: E, valueFrom: {secretKeyRef: {name: e, key: e, optional: true}}}, {name: F, valueFrom: {configMapKeyRef: {name: f, key: f, optional: true}}}]
  envFrom: [{configMapRef: {name: g, optional: true}}, {secretRef: {name: h, optional: true}}]`},
		"optional in one place only": {driver: `
volumes: [{name: a, configMap: {name: a, optional: true}}, {name: b, configMap: {name: a}}]`,
			want: []string{`ConfigMap a: volume "b" of the driver pod`}},
		"both roles": {
			driver:   `volumes: [{name: a, secret: {secretName: keys}}]`,
			executor: `volumes: [{name: b, secret: {secretName: keys}}, {name: c, secret: {secretName: others}}]`,
			want:     []string{`Secret keys: volume "a" of the driver pod`, `Secret others: volume "c" of the executor pods`},
		},
		"no executors": {executor: `volumes: [{name: b, secret: {secretName: keys}}]`, properties: map[string]string{
			"spark.executor.instances": "0", "spark.kubernetes.executor.secrets.db": "/db",
		}},
		"what Spark adds to executors": {properties: map[string]string{
			"spark.kubernetes.executor.secrets.db":                                          "/db",
			"spark.kubernetes.executor.secretKeyRef.PASSWORD":                               "login:password",
			"spark.kubernetes.executor.volumes.persistentVolumeClaim.a.options.claimName":   "data",
			"spark.kubernetes.executor.volumes.persistentVolumeClaim.a.mount.path":          "/data",
			"spark.kubernetes.executor.volumes.persistentVolumeClaim.own.options.claimName": "my-OnDemand-claim",
		}, want: []string{
			"Secret db: spec.sparkConf[spark.kubernetes.executor.secrets.db]", "Secret login: spec.sparkConf[spark.kubernetes.executor.secretKeyRef.PASSWORD]",
			"PersistentVolumeClaim data: spec.sparkConf[spark.kubernetes.executor.volumes.persistentVolumeClaim.a.options.claimName]",
		}},
		"claims that Spark creates for executors, whatever their names": {properties: map[string]string{
			"spark.kubernetes.executor.volumes.persistentVolumeClaim.a.options.claimName":    "scratch",
			"spark.kubernetes.executor.volumes.persistentVolumeClaim.a.options.storageClass": "fast",
			"spark.kubernetes.executor.volumes.persistentVolumeClaim.a.options.sizeLimit":    "10Gi",
			"spark.kubernetes.executor.volumes.persistentVolumeClaim.b.options.claimName":    "data",
			"spark.kubernetes.executor.volumes.persistentVolumeClaim.b.options.sizeLimit":    "10Gi",
		}, want: []string{
			"PersistentVolumeClaim data: spec.sparkConf[spark.kubernetes.executor.volumes.persistentVolumeClaim.b.options.claimName]",
		}},
		"a claim for each executor": {properties: map[string]string{
			"spark.kubernetes.executor.volumes.persistentVolumeClaim.a.options.claimName": "data-SPARK_EXECUTOR_ID",
		}},
		"without a name": {driver: `containers: [{name: spark, envFrom: [{configMapRef: {}}]}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := told(references.Of(objectsOf(t, tt.driver, tt.executor, tt.properties)))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCreatedForTheAttempt: what is created together with the driver is not looked for.
func TestCreatedForTheAttempt(t *testing.T) {
	t.Parallel()
	objects := objectsOf(t, `
volumes:
- {name: a, configMap: {name: own}}
- {name: b, projected: {sources: [{secret: {name: properties}}]}}
- {name: c, configMap: {name: files}}
- {name: d, persistentVolumeClaim: {claimName: scratch}}
- {name: e, secret: {secretName: own}}`, "", nil)
	named := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }
	objects.ConfigMap, objects.Secret = &corev1.ConfigMap{ObjectMeta: named("own")}, &corev1.Secret{ObjectMeta: named("properties")}
	objects.Files = []*corev1.ConfigMap{{ObjectMeta: named("files")}}
	objects.Claims = []*corev1.PersistentVolumeClaim{{ObjectMeta: named("scratch")}}
	want := []string{`Secret own: volume "e" of the driver pod`} // only its name is that of the ConfigMap
	if diff := cmp.Diff(want, told(references.Of(objects))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMost: an application cannot make the operator read as much as it likes.
func TestMost(t *testing.T) {
	t.Parallel()
	var volumes strings.Builder
	for i := range 3 * references.Most {
		fmt.Fprintf(&volumes, "- {name: v%d, configMap: {name: c%d}}\n", i, i)
	}
	if n := len(references.Of(objectsOf(t, "volumes:\n"+volumes.String(), "", nil))); n != references.Most {
		t.Errorf("%d references, want %d", n, references.Most)
	}
}
