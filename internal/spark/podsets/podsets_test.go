// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podsets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/queueing"
)

const mib = int64(1) << 20

// edit changes the spec of a small Java application.
type edit func(*v1alpha1.SparkApplicationSpec)

// build renders a small Java application without a grant.
func build(t *testing.T, change edit) (*v1alpha1.SparkApplication, render.Objects) {
	t.Helper()
	app := &v1alpha1.SparkApplication{
		ObjectMeta: metav1.ObjectMeta{Name: "pi", Namespace: "jobs", UID: "u"},
		Spec: v1alpha1.SparkApplicationSpec{
			Type: v1alpha1.JavaApplication, SparkVersion: "4.1.4", Image: "spark:4.1", MainClass: "Main", MainApplicationFile: "local:///pi.jar",
		},
	}
	if change != nil {
		change(&app.Spec)
	}
	in, findings := render.NewInput(app, conf.Sources{})
	if len(findings) > 0 {
		t.Fatalf("findings of conf.Merge: %v", findings)
	}
	objects, err := render.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return app, objects
}

// python makes the application one in Python.
func python(change edit) edit {
	return func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Type, spec.MainClass, spec.MainApplicationFile = v1alpha1.PythonApplication, "", "local:///pi.py"
		change(spec)
	}
}

// sparkConf sets properties.
func sparkConf(pairs ...string) edit {
	return func(spec *v1alpha1.SparkApplicationSpec) {
		spec.SparkConf = map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			spec.SparkConf[pairs[i]] = pairs[i+1]
		}
	}
}

// TestStory is the application of the stories: three pods of 896Mi.
func TestStory(t *testing.T) {
	t.Parallel()
	app, objects := build(t, python(func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Driver.Cores, spec.Driver.CoreRequest, spec.Driver.Memory = ptr.To(int32(1)), "200m", "512m"
		spec.Executor.Cores, spec.Executor.CoreRequest, spec.Executor.Memory = ptr.To(int32(1)), "200m", "512m"
		spec.Executor.Instances = ptr.To(int32(2))
	}))
	got, err := PodSets(app, objects, Environment{})
	want := []queueing.PodSet{
		{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 200, "memory": 896 * mib, "pods": 1}},
		{Name: "executor", Count: 2, Requests: queueing.Resources{"cpu": 200, "memory": 896 * mib, "pods": 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, pod sets (-want +got):\n%s", err, diff)
	}
}

func TestPodSetsOfThePlacement(t *testing.T) {
	t.Parallel()
	app, objects := build(t, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.SparkConf = map[string]string{"spark.kubernetes.node.selector.zone": "z", "spark.kubernetes.node.selector.pool": "any"}
		spec.Driver.NodeSelector = map[string]string{"pool": "d"}
		spec.Executor.NodeSelector = map[string]string{"pool": "e"}
		spec.Executor.Affinity = &runtime.RawExtension{Raw: []byte(`{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
			{"matchExpressions": [{"key": "disk", "operator": "In", "values": ["fast"]}]}]}}}`)}
		spec.Driver.Tolerations = []corev1.Toleration{{Key: "d"}}
		spec.Executor.Tolerations = []corev1.Toleration{{Key: "e"}}
		spec.Queue = &v1alpha1.QueueReference{Flavors: &v1alpha1.FlavorChoice{Driver: []string{"on-demand"}, Executor: []string{"spot", "on-demand"}}}
	})
	got, err := PodSets(app, objects, Environment{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i].Requests = nil
	}
	want := []queueing.PodSet{
		{
			Name: "driver", Count: 1, Flavors: []string{"on-demand"},
			NodeSelector: map[string]string{"zone": "z", "pool": "d"}, Tolerations: []corev1.Toleration{{Key: "d"}},
		},
		{
			Name: "executor", Count: 2, Flavors: []string{"spot", "on-demand"},
			NodeSelector: map[string]string{"zone": "z", "pool": "e", "disk": "fast"}, Tolerations: []corev1.Toleration{{Key: "e"}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pod sets (-want +got):\n%s", diff)
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	minimum := func(n int32, change edit) edit {
		return func(spec *v1alpha1.SparkApplicationSpec) {
			change(spec)
			spec.Queue = &v1alpha1.QueueReference{MinExecutors: ptr.To(n)}
		}
	}
	for name, test := range map[string]struct {
		change                edit
		count, least, atStart int32
	}{
		"Spark's default":               {nil, 2, 0, 2},
		"a number":                      {sparkConf(conf.ExecutorInstances, "5"), 5, 0, 5},
		"a number, fewer to start with": {minimum(2, sparkConf(conf.ExecutorInstances, "5")), 5, 2, 5},
		"as many to start with":         {minimum(5, sparkConf(conf.ExecutorInstances, "5")), 5, 0, 5},
		"dynamic": {
			sparkConf(conf.DynamicAllocationEnabled, "true", conf.DynamicAllocationInitial, "3", conf.DynamicAllocationMax, "9"), 9, 0, 3,
		},
		"dynamic from nothing": {sparkConf(conf.DynamicAllocationEnabled, "true", conf.DynamicAllocationMax, "9"), 9, 0, 0},
		"dynamic takes no minimum of the queue": {
			minimum(1, sparkConf(conf.DynamicAllocationEnabled, "true", conf.DynamicAllocationMax, "9")), 9, 0, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app, objects := build(t, test.change)
			sets, err := PodSets(app, objects, Environment{})
			if err != nil {
				t.Fatal(err)
			}
			if got := sets[1]; got.Count != test.count || got.MinCount != test.least {
				t.Errorf("count = %d, least %d, want %d, %d", got.Count, got.MinCount, test.count, test.least)
			}
			if got, err := Wanted(objects.Properties); err != nil || got != test.atStart {
				t.Errorf("wanted = %d, %v, want %d", got, err, test.atStart)
			}
		})
	}
}

// TestDriverOnly: a driver that runs the tasks itself asks for nothing else, and its executors are in no limit's way.
func TestDriverOnly(t *testing.T) {
	t.Parallel()
	app, objects := build(t, func(spec *v1alpha1.SparkApplicationSpec) {
		sparkConf(conf.DriverMaster, "local[4]", conf.ExecutorInstances, "5", conf.ExecutorMemory, "64g")(spec)
		spec.Queue = &v1alpha1.QueueReference{MinExecutors: ptr.To[int32](2), Flavors: &v1alpha1.FlavorChoice{Driver: []string{"spot"}, Executor: []string{"gpu"}}}
	})
	environment := Environment{LimitRanges: limitRanges(t, `[{type: Container, max: {memory: 2Gi}}]`)}
	want := []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": 1000, "memory": 1408 * mib, "pods": 1}, Flavors: []string{"spot"}}}
	for name, sets := range map[string]func(*v1alpha1.SparkApplication, render.Objects, Environment) ([]queueing.PodSet, error){"all": PodSets, "base": BaseSets} {
		got, err := sets(app, objects, environment)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, pod sets (-want +got):\n%s", name, err, diff)
		}
	}
	if wanted, err := Wanted(objects.Properties); wanted != 0 || err != nil {
		t.Errorf("wanted %d, %v", wanted, err)
	}
}

// TestBaseSets: gates that leave what dynamic allocation adds to a scheduler are asked for the base gang, whatever is above it.
func TestBaseSets(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		dynamic *v1alpha1.DynamicAllocation
		queue   *v1alpha1.QueueReference
		want    [2]int32 // executors, and the least of them
	}{
		"static":                    {nil, nil, [2]int32{4, 4}},
		"static, fewer are enough":  {nil, &v1alpha1.QueueReference{MinExecutors: ptr.To[int32](2)}, [2]int32{4, 2}},
		"dynamic":                   {&v1alpha1.DynamicAllocation{Enabled: true, InitialExecutors: ptr.To[int32](5), MaxExecutors: ptr.To[int32](50)}, nil, [2]int32{5, 5}},
		"dynamic, without a bound":  {&v1alpha1.DynamicAllocation{Enabled: true, InitialExecutors: ptr.To[int32](5)}, nil, [2]int32{5, 5}},
		"dynamic, fewer are enough": {&v1alpha1.DynamicAllocation{Enabled: true, InitialExecutors: ptr.To[int32](5)}, &v1alpha1.QueueReference{MinExecutors: ptr.To[int32](1)}, [2]int32{5, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app, objects := build(t, func(spec *v1alpha1.SparkApplicationSpec) {
				spec.Executor.Instances, spec.DynamicAllocation, spec.Queue = ptr.To[int32](4), test.dynamic, test.queue
			})
			sets, err := BaseSets(app, objects, Environment{})
			if err != nil {
				t.Fatal(err)
			}
			if got := [2]int32{sets[1].Count, sets[1].Least()}; got != test.want || objects.Gated {
				t.Errorf("executors and least: %v, want %v", got, test.want)
			}
		})
	}
}

func TestPodSetsErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values []string
		want   string
	}{
		"no bound":        {[]string{conf.DynamicAllocationEnabled, "true"}, "set dynamicAllocation.maxExecutors"},
		"executor memory": {[]string{conf.ExecutorMemory, "1Ei"}, `spec.sparkConf[spark.executor.memory]: value "1Ei" has the unknown unit`},
		"executor cores":  {[]string{conf.ExecutorCores, "x"}, `spec.sparkConf[spark.executor.cores]: value "x" is not a whole number`},
		"executor limit":  {[]string{"spark.kubernetes.executor.limit.cores", "x"}, `value "x" is not an amount of cores`},
		"executor factor": {[]string{conf.ExecutorOverheadFactor, "x"}, `value "x" is not a number`},
		"off-heap switch": {[]string{conf.OffHeapEnabled, "x"}, `value "x" is neither true nor false`},
		"off-heap memory": {[]string{conf.OffHeapEnabled, "true", conf.OffHeapSize, "x"}, `value "x" is not a memory size`},
		"accelerators":    {[]string{"spark.executor.resource.gpu.amount", "1"}, `value "1" has no vendor`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app, objects := build(t, sparkConf(test.values...))
			if _, err := PodSets(app, objects, Environment{}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestPythonMemoryThatCannotBeRead(t *testing.T) {
	t.Parallel()
	app, objects := build(t, python(sparkConf(conf.ExecutorPySparkMemory, "x")))
	if _, err := PodSets(app, objects, Environment{}); err == nil || !strings.Contains(err.Error(), conf.ExecutorPySparkMemory) {
		t.Errorf("error = %v, want one about %s", err, conf.ExecutorPySparkMemory)
	}
}

func TestExecutorMemory(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change edit
		want   int64
	}{
		"nothing set":         {nil, 1408},
		"nothing set, Python": {python(sparkConf()), 1433},
		"heap":                {sparkConf(conf.ExecutorMemory, "8g"), 8192 + 819},
		"explicit overhead":   {sparkConf(conf.ExecutorMemory, "8g", conf.ExecutorMemoryOverhead, "100m"), 8292},
		"an own minimum":      {sparkConf(conf.ExecutorMinOverhead, "600m"), 1624},
		"an own minimum, too early": {func(spec *v1alpha1.SparkApplicationSpec) {
			spec.SparkVersion = "3.5.9"
			spec.SparkConf = map[string]string{conf.ExecutorMinOverhead: "600m"}
		}, 1408},
		"an own factor":           {sparkConf(conf.ExecutorMemory, "8g", conf.ExecutorOverheadFactor, "0.5"), 12288},
		"the shared factor":       {sparkConf(conf.ExecutorMemory, "8g", conf.MemoryOverheadFactor, "0.25"), 10240},
		"the driver's factor":     {sparkConf(conf.ExecutorMemory, "8g", conf.DriverOverheadFactor, "0.5"), 8192 + 819},
		"off-heap, switched off":  {sparkConf(conf.OffHeapSize, "1g"), 1408},
		"off-heap, in bytes":      {sparkConf(conf.OffHeapEnabled, "true", conf.OffHeapSize, "1073741824"), 2432},
		"off-heap, with a unit":   {sparkConf(conf.OffHeapEnabled, "true", conf.OffHeapSize, "1g"), 2432},
		"Python's own memory":     {python(sparkConf(conf.ExecutorPySparkMemory, "512m")), 1945},
		"Python's memory in Java": {sparkConf(conf.ExecutorPySparkMemory, "512m"), 1408},
		"all of it": {
			python(sparkConf(conf.ExecutorMemory, "2g", conf.OffHeapEnabled, "true", conf.OffHeapSize, "1g", conf.ExecutorPySparkMemory, "512m")),
			2048 + 819 + 1024 + 512,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app, objects := build(t, test.change)
			sets, err := PodSets(app, objects, Environment{})
			if err != nil {
				t.Fatal(err)
			}
			if got := sets[1].Requests["memory"] / mib; got != test.want {
				t.Errorf("memory = %d MiB, want %d", got, test.want)
			}
		})
	}
}

func TestExecutorCPU(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values []string
		want   int64
	}{
		"nothing set": {nil, 1000},
		"cores":       {[]string{conf.ExecutorCores, "4"}, 4000},
		"a request":   {[]string{conf.ExecutorCores, "4", "spark.kubernetes.executor.request.cores", "0.1"}, 100},
		"a limit":     {[]string{conf.ExecutorCores, "4", "spark.kubernetes.executor.limit.cores", "8"}, 4000},
		"the driver's own": {
			[]string{conf.DriverCores, "7", "spark.kubernetes.driver.request.cores", "5"}, 1000,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app, objects := build(t, sparkConf(test.values...))
			sets, err := PodSets(app, objects, Environment{})
			if err != nil {
				t.Fatal(err)
			}
			if got := sets[1].Requests["cpu"]; got != test.want {
				t.Errorf("cpu = %d, want %d", got, test.want)
			}
		})
	}
}

func TestAcceleratorsAreRequested(t *testing.T) {
	t.Parallel()
	app, objects := build(t, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Driver.GPU = &v1alpha1.GPU{Name: "nvidia.com/gpu", Quantity: 1}
		spec.Executor.GPU = &v1alpha1.GPU{Name: "nvidia.com/gpu", Quantity: 2}
		spec.SparkConf = map[string]string{"spark.executor.resource.fpga.amount": "3", "spark.executor.resource.fpga.vendor": "intel.com"}
	})
	sets, err := PodSets(app, objects, Environment{})
	if err != nil {
		t.Fatal(err)
	}
	if got := sets[0].Requests["nvidia.com/gpu"]; got != 1 {
		t.Errorf("driver requests %d accelerators, want 1", got)
	}
	if got := sets[1].Requests; got["nvidia.com/gpu"] != 2 || got["intel.com/fpga"] != 3 {
		t.Errorf("executors request %v, want 2 and 3 accelerators", got)
	}
}

func TestExecutorPodLeavesTheObjectsAlone(t *testing.T) {
	t.Parallel()
	_, objects := build(t, func(spec *v1alpha1.SparkApplicationSpec) {
		spec.Executor.NodeSelector = map[string]string{"a": "b"}
		spec.Executor.Template = &runtime.RawExtension{Raw: []byte(`{"spec":{"nodeSelector":{"c":"d"}}}`)}
	})
	before := objects.ExecutorTemplate.DeepCopy()
	if _, err := ExecutorPod(objects); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, objects.ExecutorTemplate); diff != "" {
		t.Errorf("template (-before +after):\n%s", diff)
	}
}
