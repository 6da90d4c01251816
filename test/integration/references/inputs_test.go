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
	resourcehelper "k8s.io/component-helpers/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// driverName is a name of a driver that another client may take.
const driverName = "my-driver"

// inputChanges are what may change between the grant and the driver: what the application begins with, what a user changes while the name
// of the driver is taken, and how many MiB the driver requests before and after. Who makes their own ask larger begins a new place in line.
var inputChanges = map[string]struct {
	begin         func(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication)
	change        func(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication)
	before, after int64
	newPlace      bool
}{
	"config map": {
		begin: func(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) {
			app.Spec.SparkConfigMap, app.Spec.Driver.Memory = "conf", ""
			harness.Create(t, defaults(w, "spark.driver.memory 512m\n"))
		},
		change: func(t *testing.T, w *harness.World, _ *v1alpha1.SparkApplication) {
			harness.Change(t, defaults(w, ""), func(c *corev1.ConfigMap) { c.Data["spark-defaults.conf"] = "spark.driver.memory 2g\n" })
		},
		before: 896, after: 2048 + 819, newPlace: true,
	},
	"spec that is ignored": {
		begin: func(_ *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) {
			app.Spec.OnTemplateChange = v1alpha1.TemplateChangeIgnore
		},
		change: func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) {
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Driver.Memory = "2g" })
		},
		before: 896, after: 2048 + 819, newPlace: true,
	},
	"limit range": {
		begin: func(_ *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) {
			app.Spec.Driver.Template = &runtime.RawExtension{Raw: []byte(
				`{"spec":{"containers":[{"name":"spark-kubernetes-driver"},{"name":"agent","image":"agent"}]}}`)}
		},
		change: func(t *testing.T, w *harness.World, _ *v1alpha1.SparkApplication) {
			harness.Create(t, &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "defaults"},
				Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer,
					DefaultRequest: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}}}}})
		},
		before: 896, after: 896 + 1024,
	},
}

// defaults returns a ConfigMap with defaults of Spark.
func defaults(w *harness.World, text string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "conf"}, Data: map[string]string{"spark-defaults.conf": text}}
}

// TestInputsChangeBeforeTheDriver: what a driver follows from changes after the grant, while its name is taken. The grant goes back, and the
// driver is derived from what there is now under a grant for that, without a failure.
func TestInputsChangeBeforeTheDriver(t *testing.T) {
	t.Parallel()
	for name, tc := range inputChanges {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			foreign := takeName(t, w)
			app := w.Apply("pi", func(app *v1alpha1.SparkApplication) {
				app.Spec.Driver.PodName = driverName
				tc.begin(t, w, app)
			})
			harness.Eventually(t, app, "stopped by the name", func(a *v1alpha1.SparkApplication) bool {
				return strings.Contains(harness.Message(a), driverName+" already exists")
			})
			queued, first := app.Status.Times.Queued, app.Status.Grant.DeepCopy()
			if got := grantedMiB(first); got != tc.before || first.Inputs == "" {
				t.Errorf("the first grant has %d MiB for the driver, want %d: %+v", got, tc.before, first)
			}
			tc.change(t, w, app)
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"look": "again"} })
			harness.Eventually(t, app, "planned again", func(a *v1alpha1.SparkApplication) bool {
				return a.Status.Attempt == 2 && strings.Contains(harness.Message(a), driverName+" already exists")
			})
			free(t, foreign)

			driver := w.Driver(app)
			if got := podMiB(driver); got != tc.after {
				t.Errorf("the driver requests %d MiB, want %d", got, tc.after)
			}
			grant := app.Status.Grant
			if got := grantedMiB(grant); got != tc.after || grant.Inputs == first.Inputs {
				t.Errorf("the driver has a grant of %d MiB, want %d: %+v", got, tc.after, grant)
			}
			if app.Status.Failures != 0 || app.Status.Run != 1 {
				t.Errorf("want the same run without a failure: %s", harness.Show(app))
			}
			if now := app.Status.Times.Queued; now.Before(queued) || !tc.newPlace && !now.Equal(queued) {
				t.Errorf("queued since %s, before that since %s; a new place: %t", now, queued, tc.newPlace)
			}
			if told := w.History.Messages(app, "Finalizing"); len(told) != 1 || !strings.Contains(told[0], "before the driver was created") {
				t.Errorf("told %q", told)
			}
			w.Succeed(app)
			w.Unused()
		})
	}
}

// TestGoneAfterTheGrant: what an application names vanishes between its grant and its driver. The grant goes back, so others can use the quota, and
// the application waits for what is missing.
func TestGoneAfterTheGrant(t *testing.T) {
	t.Parallel()
	for name, object := range map[string]client.Object{
		"config map": &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "conf"}},
		"secret":     &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s3"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "8Gi", nil)
			operator.Use(t)
			foreign, r := takeName(t, w), kinds[name]
			r.make(t, w)
			app := w.Apply("pi", r.name, func(app *v1alpha1.SparkApplication) { app.Spec.Driver.PodName = driverName })
			harness.Eventually(t, app, "stopped by the name", func(a *v1alpha1.SparkApplication) bool {
				return strings.Contains(harness.Message(a), driverName+" already exists")
			})
			object.SetNamespace(w.Namespace)
			if err := env.Client().Delete(t.Context(), object); err != nil {
				t.Fatal(err)
			}
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"look": "again"} })
			harness.Eventually(t, app, "missing it", func(a *v1alpha1.SparkApplication) bool { return harness.Stage(a) == v1alpha1.ReferenceNotFoundReason })
			if message := harness.Message(app); app.Status.Grant != nil || app.Status.Failures != 0 || !strings.Contains(message, r.words[1]) {
				t.Errorf("want no grant, no failure and a message with %s: %s", r.words[1], harness.Show(app))
			}
			w.Unused()
			r.make(t, w)
			free(t, foreign)
			w.Succeed(app)
		})
	}
}

// takeName creates a pod of another client that has the name of the driver.
func takeName(t *testing.T, w *harness.World) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: driverName},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "busybox"}}}}
	harness.Create(t, pod)
	return pod
}

// free deletes such a pod.
func free(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	if err := env.Client().Delete(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
}

// grantedMiB returns the memory that a grant has for the driver.
func grantedMiB(g *v1alpha1.Grant) int64 {
	for _, p := range g.PodSets {
		if p.Name == v1alpha1.DriverPodSet {
			memory := p.Requests[corev1.ResourceMemory]
			return memory.Value() >> 20
		}
	}
	return 0
}

// podMiB returns the memory that a pod requests.
func podMiB(pod *corev1.Pod) int64 {
	memory := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})[corev1.ResourceMemory]
	return memory.Value() >> 20
}
