// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/internal/tools/advise"
	"github.com/sparkgate/sparkgate/internal/tools/advise/rest"
)

// answers are what a driver of Spark 4.1 says, by path; fields that are not read are left out.
var answers = map[string]string{
	"/api/v1/applications":                     `[{"id":"spark-1","name":"pi","attempts":[{"duration":600000,"completed":false,"appSparkVersion":"4.1.4"}]}]`,
	"/api/v1/applications/spark-1/environment": `{"sparkProperties":[["spark.executor.memory","4g"],["spark.executor.cores","2"]]}`,
	"/api/v1/applications/spark-1/allexecutors": `[
		{"id":"driver","isActive":true,"addTime":"2026-03-01T12:00:00.000GMT","maxTasks":0,"peakMemoryMetrics":{"JVMHeapMemory":500}},
		{"id":"1","isActive":true,"addTime":"2026-03-01T12:01:00.000GMT","maxTasks":2,"totalTasks":10,"failedTasks":1,"totalDuration":60000,"totalGCTime":6000,
		 "peakMemoryMetrics":{"JVMHeapMemory":900,"ProcessTreePythonRSSMemory":7}},
		{"id":"2","isActive":false,"addTime":"2026-03-01T12:01:00.000GMT","removeTime":"2026-03-01T12:02:00.000GMT","maxTasks":2,"removeReason":"exited with exit code 137(SIGKILL, possible container OOM)"}]`,
	"/api/v1/applications/spark-1/stages": `[
		{"stageId":0,"attemptId":0,"name":"count","numCompleteTasks":10,"executorRunTime":120000,"executorCpuTime":30000000000,"diskBytesSpilled":42},
		{"stageId":1,"attemptId":0,"name":"pending","numCompleteTasks":0}]`,
	"/api/v1/applications/spark-1/stages/0/0/taskSummary": `{"quantiles":[0.5,1.0],"duration":[1000.0,30000.0]}`,
}

func serve(t *testing.T, change map[string]string) rest.Spark {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, known := change[r.URL.Path]
		if !known {
			answer, known = answers[r.URL.Path]
		}
		if !known {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	return rest.Spark{Address: server.URL}
}

func TestRead(t *testing.T) {
	t.Parallel()
	want := &advise.Run{
		ApplicationID: "spark-1", SparkVersion: "4.1.4", Duration: 10 * time.Minute, Properties: map[string]string{"spark.executor.memory": "4g", "spark.executor.cores": "2"},
		Driver: advise.Peak{Heap: 500}, Executor: advise.Peak{Heap: 900, PythonResident: 7}, Executors: 2, OutOfMemory: 1, Tasks: 10, FailedTasks: 1, PythonWorkers: true,
		SlotTime: 2*9*time.Minute + 2*time.Minute, BusyTime: time.Minute, GCTime: 6 * time.Second, Spilled: 42, MostCPU: 0.25,
		Skewed: []advise.Stage{{ID: 0, Name: "count", Tasks: 10, Median: time.Second, Slowest: 30 * time.Second}},
	}
	for _, id := range []string{"spark-1", ""} {
		got, err := serve(t, nil).Read(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("run (-want +got):\n%s", diff)
		}
	}
}

func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change map[string]string
		id     string
		want   string
	}{
		"another application":  {nil, "spark-2", "does not know application spark-2"},
		"no application":       {map[string]string{"/api/v1/applications": "[]"}, "", "does not know application"},
		"not Spark":            {map[string]string{"/api/v1/applications": "<html>"}, "", "is not Spark's REST API"},
		"a page that is gone":  {map[string]string{"/api/v1/applications": `[{"id":"other"}]`}, "", "404 Not Found"},
		"an endless answer":    {map[string]string{"/api/v1/applications": "[" + strings.Repeat(" ", 17<<20)}, "", "answers more than 16 MiB"},
		"an endless list":      {map[string]string{"/api/v1/applications": "[" + strings.Repeat("{},", 100_001) + "{}]"}, "", "more than 100000 items"},
		"half a list":          {map[string]string{"/api/v1/applications": `[{"id":"spark-1"}`}, "", "is not Spark's REST API"},
		"no list":              {map[string]string{"/api/v1/applications": `{"id":"spark-1"}`}, "", "it is not a valid list"},
		"an id that is a path": {map[string]string{"/api/v1/applications": `[{"id":"../../x"}]`}, "", "404 Not Found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := serve(t, tc.change).Read(t.Context(), tc.id)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// TestRedirection: a driver does not choose what else is asked in the name of who reads it.
func TestRedirection(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, answers["/api/v1/applications"])
	}))
	t.Cleanup(other.Close)
	hostile := httptest.NewServer(http.RedirectHandler(other.URL+"/secrets", http.StatusFound))
	t.Cleanup(hostile.Close)
	if _, err := (rest.Spark{Address: hostile.URL}).Read(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "302 Found") {
		t.Errorf("got %v, want 302 Found", err)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the other address was asked %d times", n)
	}
}

// TestRecordedAnswers: what a real driver has said is read whole.
func TestRecordedAnswers(t *testing.T) {
	t.Parallel()
	const prefix, id = "/api/v1/applications", "app-20261123220223-0000"
	recorded := map[string]string{}
	for path, file := range map[string]string{
		prefix: "applications", prefix + "/" + id + "/environment": "environment", prefix + "/" + id + "/allexecutors": "allexecutors",
		prefix + "/" + id + "/stages": "stages", prefix + "/" + id + "/stages/0/0/taskSummary": "taskSummary-0",
		prefix + "/" + id + "/stages/1/0/taskSummary": "taskSummary-1", prefix + "/" + id + "/stages/2/0/taskSummary": "taskSummary-2",
	} {
		text, err := os.ReadFile(filepath.Join("testdata", file+".json"))
		if err != nil {
			t.Fatal(err)
		}
		recorded[path] = string(text)
	}
	run, err := serve(t, recorded).Read(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	stages, slots := len(run.Skewed), run.SlotTime
	run.Skewed, run.SlotTime, run.Duration, run.GCTime = nil, 0, 0, 0
	run.Driver, run.Executor.OffHeap, run.Executor.Direct = advise.Peak{Heap: run.Driver.Heap}, 0, 0
	want := &advise.Run{
		ApplicationID: id, SparkVersion: "4.1.4", Properties: run.Properties, Executors: 2, Tasks: 9, BusyTime: 42280 * time.Millisecond,
		Driver: advise.Peak{Heap: 97029536}, Executor: advise.Peak{Heap: 89882624, JVMResident: 272764928},
	}
	if diff := cmp.Diff(want, run); diff != "" || stages != 3 || slots <= 0 || run.Properties["spark.executor.memory"] != "640m" {
		t.Errorf("%d stages, %s of slots, %v; run (-want +got):\n%s", stages, slots, run.Properties, diff)
	}
	for _, c := range advise.Advise(run).Changes {
		if c.Confidence != advise.Low {
			t.Errorf("of a run that has not ended: %+v", c)
		}
	}
}
