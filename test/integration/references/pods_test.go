// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package references

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestPodsNameWhatIsMissing: what the pods of both roles mount or take variables from is looked for before quota is asked for. All that is missing is
// named at once, what is optional is not, and the application continues when the rest is created.
func TestPodsNameWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	raw := func(text string) []runtime.RawExtension { return []runtime.RawExtension{{Raw: []byte(text)}} }
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Spec.Driver.Volumes = raw(`{"name":"files","configMap":{"name":"files"}}`)
		a.Spec.Driver.EnvFrom = raw(`{"configMapRef":{"name":"perhaps","optional":true}}`)
		a.Spec.Executor.Env = []v1alpha1.EnvVar{{Name: "P", ValueFrom: &raw(`{"secretKeyRef":{"name":"password","key":"PASSWORD"}}`)[0]}}
		a.Spec.Executor.EnvFrom = raw(`{"secretRef":{"name":"password"}}`)
		a.Spec.Executor.Volumes = raw(`{"name":"data","persistentVolumeClaim":{"claimName":"data"}}`)
	})
	misses(t, w, app, []string{
		`ConfigMap "files" named by volume "files" of the driver pod does not exist in namespace ` + w.Namespace,
		`Secret "password" named by env "P" of container "spark-kubernetes-executor" of the executor pods`, `PersistentVolumeClaim "data"`,
	}, true)
	w.Unused()
	named := metav1.ObjectMeta{Namespace: w.Namespace}
	files, password := &corev1.ConfigMap{ObjectMeta: named}, &corev1.Secret{ObjectMeta: named, StringData: map[string]string{"USER": "spark"}}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: named, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}}
	files.Name, password.Name, claim.Name = "files", "password", "data"
	harness.Create(t, files)
	harness.Create(t, password)
	harness.Create(t, claim)
	const noKey = ` has no key "PASSWORD", which env "P" of container "spark-kubernetes-executor" of the executor pods names`
	harness.Eventually(t, app, "missing the key", func(a *v1alpha1.SparkApplication) bool {
		return strings.Contains(harness.Message(a), `Secret "password" in namespace `+w.Namespace+noKey)
	})
	w.Unused()
	harness.Change(t, password, func(s *corev1.Secret) { s.Data["PASSWORD"] = []byte(secretValue) })
	w.Succeed(app)
	if app.Status.Run != 1 || app.Status.Attempt != 1 {
		t.Errorf("want the first attempt: %s", harness.Show(app))
	}
	seenNowhere(t, w, app)
}
