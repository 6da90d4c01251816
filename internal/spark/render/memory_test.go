// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"math"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// propertiesOf makes properties of plain values.
func propertiesOf(values map[string]string) conf.Properties {
	p := conf.Properties{}
	for key, value := range values {
		p.Set(key, value, conf.Origin{Source: conf.SparkConf, Field: "spec.sparkConf[" + key + "]"})
	}
	return p
}

// The first rows are the assertions of Spark's own tests.
func TestDriverMemory(t *testing.T) {
	t.Parallel()
	python, scala := v1alpha1.PythonApplication, v1alpha1.ScalaApplication
	for name, test := range map[string]struct {
		language v1alpha1.ApplicationType
		values   map[string]string
		memory   string
		factor   float64
	}{
		"explicit overhead": {
			scala, map[string]string{conf.DriverMemory: "256M", conf.DriverMemoryOverhead: "200"}, "456Mi", 0.1,
		},
		"an own minimum": {
			scala, map[string]string{conf.DriverMemory: "256M", conf.DriverMinOverhead: "500"}, "756Mi", 0.1,
		},
		"explicit overhead beats the minimum": {
			scala, map[string]string{conf.DriverMemory: "256M", conf.DriverMemoryOverhead: "200", conf.DriverMinOverhead: "500"}, "456Mi", 0.1,
		},
		"the factor of Java":   {scala, map[string]string{conf.DriverMemory: "7680m"}, "8448Mi", 0.1},
		"the factor of Python": {python, map[string]string{conf.DriverMemory: "7680m"}, "10752Mi", 0.4},
		"the factor of R":      {v1alpha1.RApplication, map[string]string{conf.DriverMemory: "7680m"}, "10752Mi", 0.4},
		"the factor of the driver, not handed on": {
			python, map[string]string{conf.DriverMemory: "7680m", conf.DriverOverheadFactor: "0.9"}, "14592Mi", 0.4,
		},
		"the new factor beats the old": {
			scala, map[string]string{conf.DriverMemory: "10000m", conf.DriverOverheadFactor: "0.2", conf.MemoryOverheadFactor: "0.3"}, "12000Mi", 0.3,
		},
		"on Python the default of Java counts when it is written out": {
			python, map[string]string{conf.DriverMemory: "7680m", conf.DriverOverheadFactor: "0.1"}, "8448Mi", 0.4,
		},
		"nothing set":             {scala, nil, "1408Mi", 0.1},
		"nothing set, Python":     {python, nil, "1433Mi", 0.4},
		"cut, not rounded":        {scala, map[string]string{conf.DriverMemory: "10000m", conf.MemoryOverheadFactor: "0.57"}, "15699Mi", 0.57},
		"just below the minimum":  {scala, map[string]string{conf.DriverMemory: "3839m"}, "4223Mi", 0.1},
		"no share":                {scala, map[string]string{conf.DriverMemory: "8g", conf.MemoryOverheadFactor: "0"}, "8576Mi", 0},
		"memory of Python is not": {python, map[string]string{conf.ExecutorPySparkMemory: "512m"}, "1433Mi", 0.4},
		"nor is off-heap memory":  {scala, map[string]string{conf.OffHeapEnabled: "true", conf.OffHeapSize: "1g"}, "1408Mi", 0.1},
		// As recorded: memory-no-unit, memory-upper-case, memory-bytes. No driver starts with such a heap, but executors may have one.
		"no unit":             {scala, map[string]string{conf.DriverMemory: "1536"}, "1920Mi", 0.1},
		"a unit of two signs": {scala, map[string]string{conf.DriverMemory: "2048MB"}, "2432Mi", 0.1},
		"bytes":               {scala, map[string]string{conf.DriverMemory: "1610612000b", conf.DriverMemoryOverhead: "999999999b"}, "2488Mi", 0.1},
		"an int at most": {
			scala, map[string]string{conf.DriverMemory: "1g", conf.MemoryOverheadFactor: "9999999"}, "2147484671Mi", 9999999,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			memory, factor, err := driverMemory(clientOf("4.1.4"), propertiesOf(test.values), test.language)
			if err != nil {
				t.Fatal(err)
			}
			if want := Mebibytes(0); memory.String() == want.String() {
				t.Error("no memory")
			}
			if memory.Cmp(mustMemory(t, test.memory)) != 0 || factor != test.factor {
				t.Errorf("memory = %s, factor %v, want %s, %v", memory.String(), factor, test.memory, test.factor)
			}
		})
	}
}

func TestDriverMemoryOfClientsWithoutAnOwnMinimum(t *testing.T) {
	t.Parallel()
	p := propertiesOf(map[string]string{conf.DriverMemory: "256M", conf.DriverMinOverhead: "500"})
	memory, _, err := driverMemory(client{}, p, v1alpha1.JavaApplication)
	if err != nil || memory.Cmp(mustMemory(t, "640Mi")) != 0 {
		t.Errorf("memory = %s, %v, want 640Mi", memory.String(), err)
	}
}

func TestMemoryErrorsNameTheProperty(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values map[string]string
		want   string
	}{
		"heap":     {map[string]string{conf.DriverMemory: "1Ei"}, `spec.sparkConf[spark.driver.memory]: value "1Ei" has the unknown unit "ei": set a whole number followed by k, m, g or t, such as 512m or 4g`},
		"no heap":  {map[string]string{conf.DriverMemory: "1023k"}, `spec.sparkConf[spark.driver.memory]: value "1023k" is less than 1m: set a memory size such as 1g`},
		"overhead": {map[string]string{conf.DriverMemoryOverhead: "-1"}, `spec.sparkConf[spark.driver.memoryOverhead]: value "-1" is not a memory size: set a whole number followed by k, m, g or t, such as 512m or 4g`},
		"minimum":  {map[string]string{conf.DriverMinOverhead: "x"}, `spec.sparkConf[spark.driver.minMemoryOverhead]: value "x" is not a memory size: set a whole number followed by k, m, g or t, such as 512m or 4g`},
		"factor":   {map[string]string{conf.DriverOverheadFactor: "ten"}, `spec.sparkConf[spark.driver.memoryOverheadFactor]: value "ten" is not a number: set a number such as 0.1`},
		"below 0":  {map[string]string{conf.MemoryOverheadFactor: "-0.1"}, `spec.sparkConf[spark.kubernetes.memoryOverheadFactor]: value "-0.1" is not a share of memory: set a number that is not negative, such as 0.1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := driverMemory(clientOf("4.1.4"), propertiesOf(test.values), v1alpha1.JavaApplication)
			if err == nil || err.Error() != test.want {
				t.Errorf("error = %v\nwant    %s", err, test.want)
			}
		})
	}
}

func TestSaturatingAdd(t *testing.T) {
	t.Parallel()
	if got := saturatingAdd(math.MaxInt64-1, 2); got != math.MaxInt64 {
		t.Errorf("sum = %d, want the largest number", got)
	}
	if got := saturatingAdd(3, 4); got != 7 {
		t.Errorf("sum = %d, want 7", got)
	}
}

func TestCores(t *testing.T) {
	t.Parallel()
	request := conf.Driver.Key("request.cores")
	for name, test := range map[string]struct {
		values     map[string]string
		want       string
		wrongField string
	}{
		"nothing set":            {nil, "1", ""},
		"cores":                  {map[string]string{conf.DriverCores: "3"}, "3", ""},
		"a request wins":         {map[string]string{conf.DriverCores: "3", request: "100m"}, "100m", ""},
		"a part of a core":       {map[string]string{request: "0.1"}, "100m", ""},
		"blanks":                 {map[string]string{request: " 2 "}, "2", ""},
		"cores are whole":        {map[string]string{conf.DriverCores: "1.5"}, "", conf.DriverCores},
		"no cores":               {map[string]string{conf.DriverCores: "0"}, "", conf.DriverCores},
		"a request that is none": {map[string]string{request: "two"}, "", request},
		"a request of nothing":   {map[string]string{request: "0"}, "", request},
		"a request below zero":   {map[string]string{request: "-1"}, "", request},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Cores(propertiesOf(test.values), request, conf.DriverCores)
			checkWrongKey(t, err, test.wrongField)
			if err == nil && got.Cmp(mustMemory(t, test.want)) != 0 {
				t.Errorf("cores = %s, want %s", got.String(), test.want)
			}
		})
	}
}

func TestAccelerators(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values   map[string]string
		want     map[corev1.ResourceName]int64
		wrongKey string
	}{
		"none": {nil, nil, ""},
		"two kinds": {
			map[string]string{
				"spark.driver.resource.gpu.amount": "1", "spark.driver.resource.gpu.vendor": "nvidia.com",
				"spark.driver.resource.fpga.amount": "2", "spark.driver.resource.fpga.vendor": "intel.com",
				"spark.executor.resource.gpu.amount": "8",
			},
			map[corev1.ResourceName]int64{"nvidia.com/gpu": 1, "intel.com/fpga": 2}, "",
		},
		"an amount of zero needs no vendor": {map[string]string{"spark.driver.resource.gpu.amount": "0"}, nil, ""},
		"no vendor":                         {map[string]string{"spark.driver.resource.gpu.amount": "1"}, nil, "spark.driver.resource.gpu.amount"},
		"no number":                         {map[string]string{"spark.driver.resource.gpu.amount": "one"}, nil, "spark.driver.resource.gpu.amount"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Accelerators(propertiesOf(test.values), conf.DriverResourcePrefix)
			checkWrongKey(t, err, test.wrongKey)
			if len(got) != len(test.want) {
				t.Errorf("amounts = %v, want %v", got, test.want)
			}
			for name, want := range test.want {
				if amount := got[name]; amount.Value() != want {
					t.Errorf("%s = %s, want %d", name, amount.String(), want)
				}
			}
		})
	}
}
