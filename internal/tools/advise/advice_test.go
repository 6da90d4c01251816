// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// sound returns a run of which nothing has to be changed.
func sound() *Run {
	return &Run{
		Complete: true, Duration: time.Hour, Tasks: 1000, PeakTasks: 8, Executors: 4, PeakExecutors: 4,
		Properties: map[string]string{"spark.driver.memory": "2g", "spark.executor.memory": "4g", "spark.executor.memoryOverhead": "512m",
			"spark.executor.cores": "2", "spark.executor.instances": "4"},
		Driver:   Peak{Heap: 1800 * mib, OffHeap: 200 * mib, JVMResident: 2048 * mib},
		Executor: Peak{Heap: 3500 * mib, OffHeap: 200 * mib, JVMResident: 4450 * mib},
		SlotTime: 8 * time.Hour, BusyTime: 6 * time.Hour, CPUTime: 5 * time.Hour, GCTime: 10 * time.Minute, MostCPU: 0.9,
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change  func(*Run)
		changes []string // field current → advised (confidence)
		hints   []string
		unknown []string
	}{
		"nothing to change":          {func(*Run) {}, nil, nil, nil},
		"a heap that is hardly used": {func(r *Run) { r.Executor.Heap = 1000 * mib }, []string{"executor.memory 4g → 1280m (high)"}, nil, nil},
		"a driver that does little":  {func(r *Run) { r.Driver.Heap = 50 * mib }, []string{"driver.memory 2g → 512m (high)"}, nil, nil},
		"tasks that spill":           {func(r *Run) { r.Spilled = gib }, []string{"executor.memory 4g → 6g (high)"}, nil, nil},
		"tasks that spill, with a heap that was not measured": {func(r *Run) { r.Spilled, r.Executor.Heap = gib, 0 }, []string{"executor.memory 4g → 6g (high)"}, nil,
			[]string{"the heap of the executor"}},
		"executors whose heap was full":  {func(r *Run) { r.HeapFull = 1 }, []string{"executor.memory 4g → 6g (high)"}, nil, nil},
		"a little is spilled":            {func(r *Run) { r.Spilled = mib }, nil, nil, nil},
		"the collector at work":          {func(r *Run) { r.GCTime = time.Hour }, []string{"executor.memory 4g → 6g (high)"}, nil, nil},
		"more beside the heap than fits": {func(r *Run) { r.Executor.PythonResident = 900 * mib }, []string{"executor.memoryOverhead 512m → 1664m (high)"}, nil, nil},
		"an overhead that is not used": {func(r *Run) { r.Properties["spark.executor.memoryOverhead"] = "2g" },
			[]string{"executor.memoryOverhead 2g → 1280m (high)"}, nil, nil},
		"native memory within what the heap leaves": {func(r *Run) {
			r.Properties["spark.executor.memoryOverhead"], r.Executor.Heap, r.Executor.JVMResident = "3g", 1000*mib, 3900*mib
		}, []string{"executor.memory 4g → 1280m (high)"}, nil, nil},
		"an overhead whose use was not measured": {func(r *Run) {
			r.Properties["spark.executor.memoryOverhead"], r.Executor.JVMResident = "2g", 0
		}, nil, nil, []string{"the memory of the executor's processes"}},
		"killed for their memory": {func(r *Run) { r.OutOfMemory = 2 }, []string{"executor.memoryOverhead 512m → 768m (high)"}, nil, nil},
		"memory of its own beside the overhead": {func(r *Run) {
			r.Properties["spark.memory.offHeap.enabled"], r.Properties["spark.memory.offHeap.size"] = "true", "1g"
			r.Executor.Direct = 1000 * mib
		}, nil, nil, nil},
		"memory of its own in bytes": {func(r *Run) {
			r.Properties["spark.memory.offHeap.enabled"], r.Properties["spark.memory.offHeap.size"] = "true", "1073741824"
			r.Properties["spark.executor.memoryOverhead"], r.Executor.Direct = "1g", 1800*mib
		}, nil, nil, nil},
		"an overhead by its least amount": {func(r *Run) {
			delete(r.Properties, "spark.executor.memoryOverhead")
			r.Properties["spark.executor.minMemoryOverhead"], r.Executor.Direct = "1g", 600*mib
		}, nil, nil, nil},
		"an overhead that is a part of a heap that shrinks": {func(r *Run) {
			delete(r.Properties, "spark.executor.memoryOverhead")
			r.Properties["spark.executor.memory"], r.Executor = "40g", Peak{Heap: 4 * gib, Direct: 3300 * mib, JVMResident: 7500 * mib}
		}, []string{"executor.memory 40g → 5g (high)", "executor.memoryOverhead 4g → 4g (high)"}, nil, nil},
		"a part of a heap that shrinks, of which little is used": {func(r *Run) {
			delete(r.Properties, "spark.executor.memoryOverhead")
			r.Properties["spark.executor.memory"], r.Executor = "40g", Peak{Heap: 4 * gib, Direct: 100 * mib, JVMResident: 4200 * mib}
		}, []string{"executor.memory 40g → 5g (high)", "executor.memoryOverhead 4g → 384m (high)"}, nil, nil},
		"a part of a heap that shrinks, whose use was not measured": {func(r *Run) {
			r.Properties["spark.driver.memory"], r.Driver = "20g", Peak{Heap: gib}
		}, []string{"driver.memory 20g → 1280m (high)", "driver.memoryOverhead 2g → 2g (high)"}, nil, nil},
		"the least overhead, whatever the heap": {func(r *Run) {
			delete(r.Properties, "spark.executor.memoryOverhead")
			r.Properties["spark.executor.memory"], r.Executor = "3g", Peak{Heap: gib}
		}, []string{"executor.memory 3g → 1280m (high)"}, nil, nil},
		"tasks that wait for data":       {func(r *Run) { r.MostCPU = 0.2 }, []string{"executor.coreRequest 2 → 500m (high)"}, nil, nil},
		"Python's CPU time is not known": {func(r *Run) { r.MostCPU, r.PythonWorkers = 0.2, true }, nil, nil, []string{"the CPU time of Python workers"}},
		"no stage was long enough":       {func(r *Run) { r.MostCPU = 0 }, nil, nil, []string{"the CPU time of a stage"}},
		"executors that never had a task": {func(r *Run) { r.PeakTasks = 3 },
			[]string{"executor.instances 4 → 2 (high)"}, nil, nil},
		"executors whose tasks take two cores each": {func(r *Run) { r.PeakTasks, r.Properties["spark.task.cpus"] = 3, "2" },
			[]string{"executor.instances 4 → 3 (high)"}, nil, nil},
		"executors whose tasks take half a core each": {func(r *Run) { r.PeakTasks, r.Properties["spark.task.cpus"] = 9, "0.5" },
			[]string{"executor.instances 4 → 3 (high)"}, nil, nil},
		"executors whose tasks take a core and a half each": {func(r *Run) { r.PeakTasks, r.Properties["spark.task.cpus"] = 3, "1.5" },
			[]string{"executor.instances 4 → 3 (high)"}, nil, nil},
		"tasks that take half a core and wait for data": {func(r *Run) { r.MostCPU, r.PeakTasks, r.Properties["spark.task.cpus"] = 0.2, 16, "0.5" },
			[]string{"executor.coreRequest 2 → 1000m (high)"}, nil, nil},
		"tasks that take several cores": {func(r *Run) { r.MostCPU, r.PeakTasks, r.Properties["spark.task.cpus"] = 0.2, 4, "2" }, nil, nil,
			[]string{"the CPU time of tasks that take several cores"}},
		"executors that did not come": {func(r *Run) { r.PeakTasks, r.PeakExecutors = 3, 2 }, nil, nil, nil},
		"dynamic allocation":          {func(r *Run) { r.PeakTasks, r.Properties["spark.dynamicAllocation.enabled"] = 3, "true" }, nil, nil, nil},
		"idle most of the time":       {func(r *Run) { r.BusyTime, r.GCTime = time.Hour, 0 }, nil, []string{"executors were idle for 88 % of their time"}, nil},
		"a skewed stage": {func(r *Run) {
			r.Skewed = []Stage{{ID: 3, Name: "left\n- join", Tasks: 200, Median: 2 * time.Second, Slowest: 90 * time.Second}, {ID: 4, Tasks: 9, Median: time.Millisecond, Slowest: time.Second}}
		}, nil, []string{"stage 3 (left - join) is skewed: of 200 tasks, the slowest took 1m30s and the median 2s"}, nil},
		"lost executors, failed tasks": {func(r *Run) { r.Lost, r.FailedTasks = 1, 5 }, nil, []string{"executors that were lost: 1", "tasks that failed and ran again: 5 of 1000"}, nil},
		"a short run":                  {func(r *Run) { r.Duration, r.Executor.Heap = 30*time.Second, gib }, []string{"executor.memory 4g → 1280m (low)"}, nil, nil},
		"few tasks":                    {func(r *Run) { r.Tasks, r.Executor.Heap = 5, gib }, []string{"executor.memory 4g → 1280m (medium)"}, nil, nil},
		"still running":                {func(r *Run) { r.Complete = false }, nil, nil, []string{"the rest of the run"}},
		"nothing was measured": {func(r *Run) { r.Driver, r.Executor = Peak{}, Peak{} }, nil, nil,
			[]string{"the heap of the driver", "the heap of the executor"}},
		"no executors": {func(r *Run) { r.Executors, r.Executor, r.SlotTime = 0, Peak{}, 0 }, nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := sound()
			tc.change(run)
			advice := Advise(run)
			var changes []string
			for _, c := range advice.Changes {
				changes = append(changes, c.Field+" "+c.Current+" → "+c.Advised+" ("+string(c.Confidence)+")")
				if c.Reason == "" || strings.Contains(c.Reason, "%!") {
					t.Errorf("%s: reason %q", c.Field, c.Reason)
				}
			}
			if diff := cmp.Diff(tc.changes, changes); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			begin(t, "hints", tc.hints, advice.Hints)
			begin(t, "unknown", tc.unknown, advice.Unknown)
		})
	}
}

// begin compares sentences with how they begin.
func begin(t *testing.T, what string, want, got []string) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%s: got %q, want %q", what, got, want)
		return
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%s: got %q, want %q", what, got[i], want[i])
		}
	}
}

// TestNeverBelowWhatWasSeen: whatever was measured, no advice is below it plus headroom.
func TestNeverBelowWhatWasSeen(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 500, func(seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		run := sound()
		run.Properties["spark.executor.memory"] = sparkSize(int64(1+random.IntN(64)) * 512 * mib)
		run.Properties["spark.executor.memoryOverhead"] = sparkSize(int64(1+random.IntN(64)) * 128 * mib)
		run.Executor = Peak{Heap: random.Int64N(32 * gib), OffHeap: random.Int64N(gib), PythonResident: random.Int64N(4 * gib), JVMResident: random.Int64N(40 * gib)}
		run.PeakTasks, run.MostCPU, run.Spilled, run.OutOfMemory = random.IntN(12), random.Float64(), random.Int64N(gib), random.IntN(2)
		run.Properties["spark.task.cpus"] = []string{"1", "2", "0.5", "1.5"}[random.IntN(4)]
		requested := requestsOf(run.Properties, conf.Executor)
		for _, c := range Advise(run).Changes {
			size := conf.Properties{}
			size.Put("size", c.Advised)
			advised, _ := size.MiB("size", 0)
			advised *= mib
			switch c.Field {
			case "executor.memory":
				if float64(advised) < min(float64(run.Executor.Heap)*1.25, float64(requested.heap)) {
					t.Errorf("%+v, and %d was used", c, run.Executor.Heap)
				}
			case "executor.memoryOverhead":
				beside := max(run.Executor.OffHeap+run.Executor.PythonResident, run.Executor.resident()-max(run.Executor.Heap, requested.heap))
				if !c.Raises {
					beside = max(beside, run.Executor.resident()-run.Executor.Heap)
				}
				if float64(advised) < min(float64(beside)*1.25, float64(requested.overhead)) {
					t.Errorf("%+v, and %d was used", c, beside)
				}
			case "executor.instances":
				if n := requestsOf(map[string]string{"spark.executor.instances": c.Advised}, conf.Executor).instances; n*requested.tasks < run.PeakTasks {
					t.Errorf("%+v, and %d tasks ran at once", c, run.PeakTasks)
				}
			}
		}
	})
}

// TestEnded: the words that Spark writes of executors, in which names of images and pods stand too.
func TestEnded(t *testing.T) {
	t.Parallel()
	const statuses = "\n\nThe API gave the following container statuses:\n\n\t container name: spark-kubernetes-executor\n\t container image: docker.io/acme/bloom:1\n"
	for reason, want := range map[string][3]int{ // killed for the memory of the pod, heap full, lost
		"\nThe executor with id 1 exited with exit code 137(SIGKILL, possible container OOM)." + statuses:                           {1, 0, 0},
		"\nThe executor with id 1 exited with exit code 1." + statuses + "\t exit code: 1\n\t termination reason: OOMKilled":        {1, 0, 0},
		"\nThe executor with id 1 exited with exit code 52(JVM OOM)." + statuses + "\t exit code: 52\n\t termination reason: Error": {0, 1, 0},
		"\nThe executor with id 1 exited with exit code 1(unexpected)." + statuses:                                                  {0, 0, 1},
		"Executor heartbeat timed out after 130000 ms":                                                                              {0, 0, 1},
		"Executor killed by driver.": {0, 0, 0},
	} {
		var run Run
		run.Ended(reason)
		if got := [3]int{run.OutOfMemory, run.HeapFull, run.Lost}; got != want {
			t.Errorf("%q: got %v, want %v", reason, got, want)
		}
	}
}

// TestPatch: applied to its manifest, the patch changes what is advised, where the manifest sets it, and nothing else.
func TestPatch(t *testing.T) {
	t.Parallel()
	app := &v1alpha1.SparkApplication{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SparkApplicationKind},
		ObjectMeta: metav1.ObjectMeta{Name: "pi", Namespace: "etl", Labels: map[string]string{"team": "a"}},
		Spec:       v1alpha1.SparkApplicationSpec{Image: "spark", SparkConf: map[string]string{"spark.executor.memory": "4g", "spark.other": "1"}},
	}
	run := sound()
	run.Executor.Heap, run.PeakTasks, run.MostCPU = gib, 2, 0.3
	advice := Advise(run)
	advice.Changes = append(advice.Changes, Change{Field: "driver.memory", Property: "spark.driver.memory", Advised: "512m", Confidence: Low})
	before, err := json.Marshal(app)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := json.Marshal(Patch(advice, app))
	if err != nil {
		t.Fatal(err)
	}
	after, err := jsonpatch.MergePatch(before, patch)
	if err != nil {
		t.Fatal(err)
	}
	var got v1alpha1.SparkApplication
	if err := json.Unmarshal(after, &got); err != nil {
		t.Fatal(err)
	}
	want := app.DeepCopy()
	instances := int32(1)
	want.Spec.SparkConf["spark.executor.memory"] = "1280m"
	want.Spec.Executor.Instances, want.Spec.Executor.CoreRequest = &instances, "800m"
	if diff := cmp.Diff(want, &got); diff != "" {
		t.Errorf("patched (-want +got):\n%s", diff)
	}
	app.Spec.Executor.Memory = "4g" // the same in both places, as it has to be
	if executor, conf := patched(t, advice, app); executor["memory"] != "1280m" || conf["spark.executor.memory"] != "1280m" {
		t.Errorf("patched in one place only: %v, %v", executor, conf)
	}
	if empty := Patch(Advise(sound()), app); empty["spec"] != nil {
		t.Errorf("a patch of nothing: %v", empty)
	}
}

// patched returns what a patch says of executors and of sparkConf.
func patched(t *testing.T, advice Advice, app *v1alpha1.SparkApplication) (executor, conf map[string]any) {
	t.Helper()
	spec, _ := Patch(advice, app)["spec"].(map[string]any)
	executor, _ = spec["executor"].(map[string]any)
	conf, _ = spec["sparkConf"].(map[string]any)
	return executor, conf
}
