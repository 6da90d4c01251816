// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package measured

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestAdviseFromAHistoryServer: the page of an application leads to the REST API beside it, below whatever path it is served.
func TestAdviseFromAHistoryServer(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"/logs/api/v1/applications":                      `[{"id":"spark-1","attempts":[{"completed":true,"duration":120000}]}]`,
		"/logs/api/v1/applications/spark-1/environment":  `{}`,
		"/logs/api/v1/applications/spark-1/allexecutors": `[{"id":"1","peakMemoryMetrics":{"JVMHeapMemory":5}}]`,
		"/logs/api/v1/applications/spark-1/stages":       `[]`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answers[r.URL.Path] == "" {
			http.NotFound(w, r)
		}
		fmt.Fprint(w, answers[r.URL.Path])
	}))
	defer server.Close()
	run, err := readHistory(t.Context(), server.URL+"/logs/history/spark-1/jobs/", "spark-1")
	if err != nil {
		t.Fatal(err)
	}
	if !run.Complete || run.Executor.Heap != 5 || !strings.HasPrefix(run.Source, "history server 127.0.0.1:") {
		t.Errorf("run %+v", run)
	}
	if _, err := readHistory(t.Context(), server.URL+"/history/spark-1", "spark-1"); err == nil || !strings.Contains(err.Error(), "read from the history server") {
		t.Errorf("got %v", err)
	}
}

// TestLocalEventLog: the log of the last run is found where the manifest has it written, if that folder is on this machine.
func TestLocalEventLog(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"spark-1", "eventlog_v2_spark-2"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct{ dir, id, want string }{
		"a file":             {folder, "spark-1", filepath.Join(folder, "spark-1")},
		"one that rolls":     {"file://" + folder, "spark-2", filepath.Join(folder, "eventlog_v2_spark-2")},
		"with one slash":     {"file:" + folder, "spark-1", filepath.Join(folder, "spark-1")},
		"not there":          {folder, "spark-3", ""},
		"not yet started":    {folder, "", ""},
		"in a bucket":        {"s3a://logs/spark", "spark-1", ""},
		"beside the program": {"events", "spark-1", ""},
	} {
		app := &v1alpha1.SparkApplication{Spec: v1alpha1.SparkApplicationSpec{SparkConf: map[string]string{"spark.eventLog.dir": tc.dir}}}
		app.Status.Driver = &v1alpha1.DriverStatus{ApplicationID: tc.id}
		if got := localEventLog(app); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// TestLocalPath: an address of Hadoop is a path with a scheme; anything else is a path.
func TestLocalPath(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"file:///mnt/events": "/mnt/events", "file:/mnt/events": "/mnt/events", "/mnt/events": "/mnt/events", "//mnt/events": "//mnt/events", "events": "events",
	} {
		if got := localPath(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}
