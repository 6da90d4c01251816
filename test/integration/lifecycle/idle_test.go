// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestIdleServer: the operator asks the web interface of a server for its jobs and sessions, stops the server when it has had none for long enough,
// and starts it again when its spec changes. In an end-to-end test the web interface is Spark's.
func TestIdleServer(t *testing.T) {
	clock := &harness.Clock{}
	w := harness.NewWorld(t, "8Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{Clock: clock})
	var jobs, sessions atomic.Pointer[string]
	var asked atomic.Int32
	jobs.Store(ptr.To(`[{"jobId": 0, "status": "RUNNING"}]`))
	sessions.Store(ptr.To(`[{"finishTimestamp": 0}]`))
	api := http.NewServeMux()
	api.HandleFunc("GET /api/v1/applications/{id}/jobs", func(out http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(out, *jobs.Load())
	})
	api.HandleFunc("GET /api/v1/applications/{id}/connect/sessions", func(out http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(out, *sessions.Load())
	})
	ui := httptest.NewServer(api)
	t.Cleanup(ui.Close)
	address, err := url.Parse(ui.URL)
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(address.Host)
	if err != nil {
		t.Fatal(err)
	}
	app := w.Apply("notebooks", func(a *v1alpha1.SparkApplication) {
		a.Spec.MainApplicationFile, a.Spec.Arguments, a.Spec.Server = "", nil, &v1alpha1.Server{Type: v1alpha1.ConnectServer}
		a.Spec.ReadyWhen, a.Spec.Executor.Instances, a.Spec.SparkConf = v1alpha1.ReadyWhenRunning, nil, map[string]string{"spark.ui.port": port}
		a.Spec.Timeouts = &v1alpha1.Timeouts{Idle: &v1alpha1.Duration{Duration: 10 * time.Minute}}
	})
	driver := w.Driver(app)
	w.Kubelet.Start(t.Context(), driver)
	before := driver.DeepCopy()
	driver.Status.PodIP, driver.Status.PodIPs = host, []corev1.PodIP{{IP: host}}
	if err := env.Client().Status().Patch(t.Context(), driver, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	w.Reach(app, "Running")
	look := func(at string) {
		harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Labels = map[string]string{"look": at} })
	}
	clock.Advance(10 * time.Minute)
	look("it-runs-a-job")
	env.UntilSeen(t, "the driver was asked", func() (bool, int32) { return asked.Load() == 1, asked.Load() })
	jobs.Store(ptr.To(fmt.Sprintf(`[{"jobId": 0, "status": "SUCCEEDED", "completionTime": %q}]`, clock.Now().UTC().Format("2006-01-02T15:04:05.000")+"GMT")))
	clock.Advance(10 * time.Minute)
	look("it-has-a-session")
	env.UntilSeen(t, "the driver was asked again", func() (bool, int32) { return asked.Load() == 2, asked.Load() })
	sessions.Store(ptr.To(fmt.Sprintf(`[{"finishTimestamp": %d}]`, clock.Now().UnixMilli())))
	clock.Advance(10 * time.Minute)
	look("it-is-idle")
	w.Reach(app, "Finalizing")
	w.Kubelet.Finish(t.Context(), driver, 143, "Error")
	w.Reach(app, "Idle")
	if !strings.Contains(harness.Message(app), "sparkctl resume") || app.Status.Grant != nil {
		t.Errorf("%s; holds %+v", harness.Message(app), app.Status.Grant)
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("the driver was asked %d times in 30 minutes", n)
	}
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Timeouts.Idle.Duration = time.Hour })
	harness.Eventually(t, app, "started again", func(a *v1alpha1.SparkApplication) bool { return a.Status.Attempt == 2 && a.Status.Grant != nil })
}
