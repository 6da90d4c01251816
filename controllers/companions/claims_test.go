// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/expose"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// TestIngressStaysWhileHostsCannotBeListed: an API server that does not list Ingresses or routes for a while, as one of their conversion webhooks may
// have it do, costs no application that runs its way to the web interface; one that no longer wants it loses it all the same.
func TestIngressStaysWhileHostsCannotBeListed(t *testing.T) {
	t.Parallel()
	scheme, answers := runtime.NewScheme(), error(nil)
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	app := exposed()
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: render.NamesOf(app, 1, 1).Service, OwnerReferences: []metav1.OwnerReference{render.OwnerOf(app)}},
		Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: render.UIPortName, Port: 4040}}}}
	c := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme).WithObjects(service).Build(), interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return answers },
	})
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	r := New(Options{Client: c, Live: c, Exposure: expose.Rules{Hosts: []string{"{{name}}.example.org"}}, Recorder: events.NewFakeRecorder(10), Clock: clock})
	look := func() (ingresses bool) {
		t.Helper()
		clock.Step(time.Minute)
		app.Generation++
		r.reconcileExisting(t.Context(), app)
		err := c.Get(t.Context(), client.ObjectKey{Namespace: app.Namespace, Name: render.NamesOf(app, 1, 1).UI()}, &networkingv1.Ingress{})
		if client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
		return err == nil
	}
	if !look() || r.Address(app) != "http://pi.example.org" {
		t.Fatalf("no Ingress was created; the address is %q", r.Address(app))
	}
	answers = errors.New("conversion webhook for gateway.networking.k8s.io/v1beta1, Kind=HTTPRoute failed")
	if !look() || r.Address(app) != "http://pi.example.org" {
		t.Errorf("the Ingress is deleted; the address is %q", r.Address(app))
	}
	app.Spec.UI = nil
	if look() {
		t.Error("the Ingress stays although nothing asks for it")
	}
}

// exposed is an application that runs and has its web interface exposed.
func exposed() *v1alpha1.SparkApplication {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pi", UID: "app", Generation: 1}}
	app.Spec.UI = &v1alpha1.UserInterface{Ingress: &v1alpha1.UIIngress{Host: "pi.example.org"}}
	app.Status.Run, app.Status.Attempt, app.Status.Grant = 1, 1, &v1alpha1.Grant{}
	app.Status.Driver = &v1alpha1.DriverStatus{PodName: "driver", UIAddress: "http://inside:4040"}
	return app
}
