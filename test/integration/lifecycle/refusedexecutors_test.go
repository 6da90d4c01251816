// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strconv"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/meta"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// invalid waits until a spec is found to be invalid, with all the words, and holds nothing.
func invalid(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication, words ...string) {
	t.Helper()
	w.Reach(app, v1alpha1.InvalidSpecReason)
	for _, word := range words {
		if !strings.Contains(harness.Message(app), word) {
			t.Errorf("the message does not have %q: %s", word, harness.Message(app))
		}
	}
	w.Unused()
}

// TestLimitRangeForbidsExecutors: the driver is small enough for the namespace and would start, and Spark could create no executor. The
// application says so before it asks for quota, and starts once the LimitRange allows them.
func TestLimitRangeForbidsExecutors(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	atMost := func(memory string) []corev1.LimitRangeItem {
		return []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Max: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}}}
	}
	limits := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "small"}, Spec: corev1.LimitRangeSpec{Limits: atMost("1Gi")}}
	harness.Create(t, limits)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Memory = "1g" })
	invalid(t, w, app, "spec.executor.memory", "1433Mi", "above the 1Gi", "LimitRange small")
	harness.Change(t, limits, func(l *corev1.LimitRange) { l.Spec.Limits = atMost("2Gi") })
	w.Succeed(app)
}

// TestLimitRangeWithRatio: a LimitRange that holds limits to a multiple of requests demands limits, of the driver as of executors.
func TestLimitRangeWithRatio(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	twice := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}}
	limits := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "burst"}}
	limits.Spec.Limits = []corev1.LimitRangeItem{twice}
	harness.Create(t, limits)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Driver.CoreRequest, a.Spec.Driver.CoreLimit = "500m", "1" })
	invalid(t, w, app, "spec.executor.coreLimit", "is absent", "LimitRange burst")
	executors := func(limit string) func(a *v1alpha1.SparkApplication) {
		return func(a *v1alpha1.SparkApplication) {
			a.Spec.Executor.CoreRequest, a.Spec.Executor.CoreLimit = "500m", limit
		}
	}
	harness.Change(t, app, executors("1001m"))
	harness.Eventually(t, app, "more than the ratio", func(a *v1alpha1.SparkApplication) bool {
		return strings.Contains(harness.Message(a), "more than 2 times the request")
	})
	harness.Change(t, app, executors("1"))
	w.Succeed(app)
}

// TestQuotaThatDemandsLimits: a ResourceQuota that counts limits forbids pods without one, however much of it is free.
func TestQuotaThatDemandsLimits(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "team"}}
	quota.Spec.Hard = corev1.ResourceList{corev1.ResourceLimitsCPU: resource.MustParse("8")}
	harness.Create(t, quota)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Driver.CoreLimit = "1" })
	invalid(t, w, app, "spec.executor.coreLimit", "is absent", "ResourceQuota team")
	harness.Change(t, quota, func(q *corev1.ResourceQuota) { delete(q.Spec.Hard, corev1.ResourceLimitsCPU) })
	w.Succeed(app)
}

// TestExecutorsThatKubernetesRefuses: the driver is sound and would start, and no executor could be created from the template.
func TestExecutorsThatKubernetesRefuses(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	template := func(probe string) *runtime.RawExtension {
		return &runtime.RawExtension{Raw: []byte(`{"spec": {"containers": [{"name": "spark-kubernetes-executor", "livenessProbe": ` + probe + `}]}}`)}
	}
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Template = template(`{"periodSeconds": 3}`) })
	invalid(t, w, app, "spec.executor", "livenessProbe", "must specify a handler type")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
		a.Spec.Executor.Template = template(`{"exec": {"command": ["true"]}}`)
	})
	w.Succeed(app)
}

// TestTemplatesAreCheckedOnce: while an application with templates waits for a Secret that its pods name, the same pods are not checked again with
// each look.
func TestTemplatesAreCheckedOnce(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	network := operator.Use(t)
	harness.Create(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "conf"}, Data: map[string]string{"spark-defaults.conf": "spark.a b\n"}})
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Spec.SparkConfigMap = "conf"
		a.Spec.Executor.EnvFrom = []runtime.RawExtension{{Raw: []byte(`{"secretRef": {"name": "db"}}`)}}
	})
	w.Reach(app, v1alpha1.ReferenceNotFoundReason)
	for i := range 5 {
		token := strconv.Itoa(i)
		harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
			a.Annotations = map[string]string{meta.ReconcileRequestAnnotation: token}
		})
		harness.Eventually(t, app, "looked at", func(a *v1alpha1.SparkApplication) bool { return a.Status.LastHandledReconcileAt == token })
	}
	if dry := network.Touching("/" + w.Namespace + "/pods"); len(dry) != 1 {
		t.Errorf("pods were checked %d times, want once: %v", len(dry), dry)
	}
	harness.Create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "db"}})
	w.Succeed(app)
}
