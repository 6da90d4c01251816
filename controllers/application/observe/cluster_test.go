// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestClusterLost: a program has lost its cluster if that does not run, or its master started after the driver.
func TestClusterLost(t *testing.T) {
	t.Parallel()
	at := func(minute int) *metav1.Time {
		return &metav1.Time{Time: time.Date(2026, 1, 1, 12, minute, 0, 0, time.UTC)}
	}
	runs := v1alpha1.SparkApplicationStatus{Grant: &v1alpha1.Grant{}, Times: v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{DriverStarted: at(0)}}}
	for name, tt := range map[string]struct {
		// master is nil if there is no cluster.
		master  *v1alpha1.SparkApplicationStatus
		started *metav1.Time
		want    string
	}{
		"it runs":           {&runs, at(5), ""},
		"not started yet":   {nil, nil, ""},
		"deleted":           {nil, at(5), "no longer exists"},
		"waits for quota":   {&v1alpha1.SparkApplicationStatus{}, at(5), "has stopped"},
		"master not there":  {&v1alpha1.SparkApplicationStatus{Grant: runs.Grant}, at(5), "has stopped"},
		"being stopped":     {&v1alpha1.SparkApplicationStatus{Grant: runs.Grant, Times: v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{DriverStarted: at(0), Stopping: at(6)}}}, at(5), "has stopped"},
		"another master":    {&v1alpha1.SparkApplicationStatus{Grant: runs.Grant, Times: v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{DriverStarted: at(6)}}}, at(5), "was started again"},
		"of the same clock": {&runs, at(0), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scheme := runtime.NewScheme()
			if err := v1alpha1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			cache := fake.NewClientBuilder().WithScheme(scheme)
			if tt.master != nil {
				cache = cache.WithObjects(&v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "jobs", Name: "etl"}, Status: *tt.master})
			}
			app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "jobs", Name: "report"}}
			app.Spec.ClusterRef, app.Status.Times.DriverStarted = &v1alpha1.ClusterReference{Name: "etl"}, tt.started
			got := ClusterLost(t.Context(), cache.Build(), app)
			if tt.want == "" && got != "" || !strings.HasSuffix(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
