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
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/reservation"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing/none"
)

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
