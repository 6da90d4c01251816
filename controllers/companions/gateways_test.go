// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestGatewaysOfOthers: users of a namespaced operator may name Gateways of any namespace. At most one read an hour is
// refused by the API server, however many Gateways they name, so that this does not look like a missing permission of
// the operator. Gateways that it may read are read.
func TestGatewaysOfOthers(t *testing.T) {
	t.Parallel()
	reads := map[string]int{}
	live := interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
			switch reads[key.Namespace]++; key.Namespace {
			case "team":
				return apierrors.NewNotFound(schema.GroupResource{Resource: "gateways"}, key.Name)
			case "gateways":
				return nil
			}
			reads["refused"]++
			return apierrors.NewForbidden(schema.GroupResource{Resource: "gateways"}, key.Name, errors.New("no"))
		},
	})
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	r := New(Options{Live: live, Namespaces: []string{"team"}, Clock: clock})
	names := func(namespace string) {
		app := &v1alpha1.SparkApplication{}
		app.Namespace = "team"
		app.Spec.UI = &v1alpha1.UserInterface{Route: &v1alpha1.UIRoute{Hostname: "spark.example.org", ParentRefs: []v1alpha1.RouteParent{{Namespace: namespace, Name: "public"}}}}
		(&reconciliation{Reconciler: r, app: app}).gatewayEncrypts(t.Context())
	}
	names("gateways")
	for hour := range 3 {
		for i := range 10 {
			names(fmt.Sprint("other-", i))
			names("gateways")
			names("team")
		}
		if reads["refused"] != hour+1 || reads["gateways"] != 10*(hour+1)+1 || reads["team"] != 10*(hour+1) {
			t.Errorf("hour %d: read %v", hour, reads)
		}
		clock.Step(refusedGatewayPause)
	}
}
