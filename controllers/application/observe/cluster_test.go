// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/cachetransform"
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

// TestClusterCores: the cores of the programs that run on a cluster count, or have the quota to start; those of other clusters, that wait or that stop do not.
func TestClusterCores(t *testing.T) {
	t.Parallel()
	program := func(name, cluster string, change func(*v1alpha1.SparkApplication)) *v1alpha1.SparkApplication {
		app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "jobs", Name: name}}
		app.Spec.ClusterRef = &v1alpha1.ClusterReference{Name: cluster}
		app.Spec.Executor.Instances, app.Spec.Executor.Cores = ptr.To[int32](3), ptr.To[int32](2)
		app.Status.Grant = &v1alpha1.Grant{}
		if change != nil {
			change(app)
		}
		return app
	}
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	cache := fake.NewClientBuilder().WithScheme(scheme).WithIndex(&v1alpha1.SparkApplication{}, cachetransform.UnpackedIndex, cachetransform.IndexUnpacked).WithObjects(
		program("runs", "etl", nil),
		program("elastic", "etl", func(a *v1alpha1.SparkApplication) {
			a.Spec.Executor.Instances, a.Spec.DynamicAllocation = nil, &v1alpha1.DynamicAllocation{Enabled: true, MaxExecutors: ptr.To[int32](5)}
		}),
		program("of-another-cluster", "bi", nil),
		program("waits", "etl", func(a *v1alpha1.SparkApplication) { a.Status.Grant = nil }),
		program("stops", "etl", func(a *v1alpha1.SparkApplication) { a.Status.Times.Stopping = &metav1.Time{Time: time.Unix(1, 0)} }),
		program("says-no-number", "etl", func(a *v1alpha1.SparkApplication) { a.Spec.SparkConf = map[string]string{"spark.cores.max": "many"} }),
		program("no-program", "", func(a *v1alpha1.SparkApplication) { a.Spec.ClusterRef = nil }),
	).Build()
	cluster := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "jobs", Name: "etl"}}
	cluster.Spec.Server = &v1alpha1.Server{Type: v1alpha1.MasterServer, IdleTimeout: &metav1.Duration{Duration: time.Minute}}
	if got, err := ClusterCores(t.Context(), cache, cluster); err != nil || got != 6+10 {
		t.Errorf("%d cores, %v, want 16", got, err)
	}
	cluster.Spec.Server.IdleTimeout = nil
	if got, err := ClusterCores(t.Context(), cache, cluster); err != nil || got != 0 {
		t.Errorf("%d cores, %v of a cluster whose spec says how many workers it has", got, err)
	}
}
