// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/queueing/none"
)

// TestRendersPerSubmission counts how often the objects of an attempt are built between the creation of an application
// and that of its driver pod: for the plan, and with the grant. ConfigMaps and Secrets are read only after the
// application alone was found to be valid, which takes one more build. docs/performance.md has the numbers; they may
// only decrease. The test is not parallel, so that no other test of this package builds objects at the same time.
func TestRendersPerSubmission(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.SparkApplicationSpec)
		want int64
	}{
		"the application alone": {func(*v1alpha1.SparkApplicationSpec) {}, 2},
		"with a ConfigMap":      {func(spec *v1alpha1.SparkApplicationSpec) { spec.SparkConfigMap = "conf" }, 3},
		"with a Secret": {func(spec *v1alpha1.SparkApplicationSpec) {
			spec.SparkConfFrom = []v1alpha1.SparkConfSource{{Name: "spark.hadoop.key", SecretKeyRef: v1alpha1.SecretKeyReference{Name: "keys", Key: "key"}}}
		}, 3},
		"with both": {func(spec *v1alpha1.SparkApplicationSpec) {
			spec.SparkConfigMap = "conf"
			spec.SparkConfFrom = []v1alpha1.SparkConfSource{{Name: "spark.hadoop.key", SecretKeyRef: v1alpha1.SecretKeyReference{Name: "keys", Key: "key"}}}
		}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			r, c, app := submission(t, tc.edit)
			before := render.Builds()
			for range 5 {
				if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(app)}); err != nil {
					t.Fatal(err)
				}
			}
			var drivers corev1.PodList
			if err := c.List(t.Context(), &drivers); err != nil {
				t.Fatal(err)
			}
			if len(drivers.Items) != 1 {
				t.Fatalf("%d pods after the submission, want the driver", len(drivers.Items))
			}
			if got := render.Builds() - before; got != tc.want {
				t.Errorf("%d renders before the driver exists, want %d: more slow down every start; if there are fewer, lower the number here and in docs/performance.md", got, tc.want)
			}
		})
	}
}

// submission returns a new application in its own cluster, and a reconciler that admits everything.
func submission(t *testing.T, edits ...func(*v1alpha1.SparkApplicationSpec)) (*Reconciler, client.Client, *v1alpha1.SparkApplication) {
	t.Helper()
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(known); err != nil {
			t.Fatal(err)
		}
	}
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "pi-uid"}}
	app.Spec = v1alpha1.SparkApplicationSpec{
		Type: v1alpha1.PythonApplication, SparkVersion: "4.1.4", Image: "spark", MainApplicationFile: "local:///pi.py",
	}
	for _, edit := range edits {
		edit(&app.Spec)
	}
	in := metav1.ObjectMeta{Namespace: "default"}
	files, keys := &corev1.ConfigMap{ObjectMeta: in, Data: map[string]string{"spark-defaults.conf": "spark.driver.cores 1\n"}}, &corev1.Secret{ObjectMeta: in, Data: map[string][]byte{"key": []byte("value")}}
	files.Name, keys.Name = "conf", "keys"
	c := fake.NewClientBuilder().WithScheme(known).WithStatusSubresource(app).
		WithObjects(app, files, keys, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}).Build()
	r := New(Options{
		Client: c, Live: c, Pods: pods.NewStore(func(types.NamespacedName) {}), Gates: reservation.Gates{none.Name: none.Gate{}},
		DefaultGate: v1alpha1.GateNone, AllowedGates: []v1alpha1.GateType{v1alpha1.GateNone}, Recorder: events.NewFakeRecorder(100),
		Clock: clocktesting.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)),
	})
	return r, c, app
}
