// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

func TestExecutors(t *testing.T) {
	t.Parallel()
	const on = DynamicAllocationEnabled
	for name, test := range map[string]struct {
		values  map[string]string
		want    Gang
		problem string
	}{
		"Spark's default":  {nil, Gang{Base: 2, Most: 2, Initial: 2}, ""},
		"a fixed number":   {map[string]string{ExecutorInstances: "5"}, Gang{Base: 5, Most: 5, Initial: 5}, ""},
		"switched off":     {map[string]string{on: "false", ExecutorInstances: "5", DynamicAllocationMax: "9"}, Gang{Base: 5, Most: 5, Initial: 5}, ""},
		"nothing but on":   {map[string]string{on: "true"}, Gang{true, 1, math.MaxInt32, 0}, ""},
		"with a bound":     {map[string]string{on: "true", DynamicAllocationMax: "9"}, Gang{true, 1, 9, 0}, ""},
		"from a minimum":   {map[string]string{on: "true", DynamicAllocationMin: "3", DynamicAllocationMax: "9"}, Gang{true, 3, 9, 3}, ""},
		"from an initial":  {map[string]string{on: "true", DynamicAllocationInitial: "4", DynamicAllocationMin: "3"}, Gang{true, 4, math.MaxInt32, 4}, ""},
		"minimum wins":     {map[string]string{on: "true", DynamicAllocationInitial: "2", DynamicAllocationMin: "3"}, Gang{true, 3, math.MaxInt32, 3}, ""},
		"instances win":    {map[string]string{on: "true", DynamicAllocationInitial: "2", ExecutorInstances: "6"}, Gang{true, 6, math.MaxInt32, 6}, ""},
		"never below one":  {map[string]string{on: "true", DynamicAllocationInitial: "0", DynamicAllocationMin: "0"}, Gang{true, 1, math.MaxInt32, 0}, ""},
		"no switch":        {map[string]string{on: "maybe"}, Gang{}, "is neither true nor false"},
		"no number":        {map[string]string{ExecutorInstances: "two"}, Gang{}, "is not a whole number"},
		"no minimum":       {map[string]string{on: "true", DynamicAllocationMin: "x"}, Gang{}, "is not a whole number"},
		"no initial":       {map[string]string{on: "true", DynamicAllocationInitial: "x"}, Gang{}, "is not a whole number"},
		"no instances":     {map[string]string{on: "true", ExecutorInstances: "x"}, Gang{}, "is not a whole number"},
		"no bound that is": {map[string]string{on: "true", DynamicAllocationMax: "x"}, Gang{Dynamic: true, Base: 1}, "is not a whole number"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := properties(test.values).Executors()
			checkProblem(t, err, test.problem)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("gang (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSensitive(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"spark.hadoop.fs.s3a.secret.key":  true,
		"spark.hadoop.fs.s3a.access.key":  true,
		"spark.hadoop.fs.s3a.accessKey":   true,
		"spark.ssl.keyPassword":           true,
		"spark.my.TOKEN":                  true,
		"spark.sql.catalog.a.credential":  true,
		"spark.driver.memory":             false,
		"spark.hadoop.fs.s3a.endpoint":    false,
		"spark.kubernetes.access.mode":    false,
		"spark.sql.shuffle.partitions":    false,
		"spark.kubernetes.driver.secrets": true,
	} {
		if got := Sensitive(key); got != want {
			t.Errorf("Sensitive(%q) = %t, want %t", key, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ key, value, want string }{
		"plain":     {"spark.a", `a"b`, `"a\"b"`},
		"sensitive": {"spark.a.password", "x", "(hidden)"},
		"long":      {"spark.a", strings.Repeat("x", 200), `"` + strings.Repeat("x", 128) + `"…`},
	} {
		if got := Quote(test.key, test.value); got != test.want {
			t.Errorf("%s: Quote = %s, want %s", name, got, test.want)
		}
	}
}

func TestPropertiesAreSorted(t *testing.T) {
	t.Parallel()
	p := properties(map[string]string{"spark.x.b": "2", "spark.x.a": "1", "spark.y": "3", "spark.x.": "0"})
	var keys []string
	for _, property := range p.Sorted() {
		keys = append(keys, property.Key)
	}
	if diff := cmp.Diff([]string{"spark.x.", "spark.x.a", "spark.x.b", "spark.y"}, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	var names []string
	for _, named := range p.WithPrefix("spark.x.") {
		names = append(names, named.Name+"="+named.Value)
	}
	if diff := cmp.Diff([]string{"=0", "a=1", "b=2"}, names); diff != "" {
		t.Errorf("family (-want +got):\n%s", diff)
	}
}

func TestPropertiesLookUp(t *testing.T) {
	t.Parallel()
	p := properties(map[string]string{"spark.a": "1", "spark.empty": ""})
	if value, ok := p.Lookup("spark.empty"); value != "" || !ok {
		t.Errorf("Lookup of an empty value = %q, %t", value, ok)
	}
	if _, ok := p.Lookup("spark.none"); ok {
		t.Error("Lookup found a key that is not there")
	}
	if got := p.Get("spark.none", "x"); got != "x" {
		t.Errorf("Get = %q, want the fallback", got)
	}
	if got := p.First("x", "spark.none", "spark.a"); got != "1" {
		t.Errorf("First = %q, want 1", got)
	}
	if got := p.First("x", "spark.none"); got != "x" {
		t.Errorf("First = %q, want the fallback", got)
	}
}

// TestFormerNames: Spark reads a former name where the present one is not set, and so do we; the file keeps what was written.
func TestFormerNames(t *testing.T) {
	t.Parallel()
	spec := v1alpha1.SparkApplicationSpec{SparkConf: map[string]string{
		"spark.yarn.executor.memoryOverhead": "4096", "spark.yarn.driver.memoryOverhead": "1g", DriverMemoryOverhead: "2g", "spark.unsafe.offHeap": "true",
	}}
	p, findings := Merge(&v1alpha1.SparkApplication{Spec: spec}, Sources{})
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	for key, want := range map[string]int64{ExecutorMemoryOverhead: 4096, DriverMemoryOverhead: 2048} {
		if got, err := p.MiB(key, 0); got != want || err != nil {
			t.Errorf("%s = %d, %v, want %d", key, got, err, want)
		}
	}
	if on, err := p.Bool(OffHeapEnabled, false); !on || err != nil {
		t.Errorf("memory outside the heap: %t, %v", on, err)
	}
	if got, want := p.Field(ExecutorMemoryOverhead), "spec.sparkConf[spark.yarn.executor.memoryOverhead]"; got != want {
		t.Errorf("field %s, want %s", got, want)
	}
	if text := p.Text(); strings.Contains(text, ExecutorMemoryOverhead) {
		t.Errorf("the file has a property that nobody has set:\n%s", text)
	}
}

func TestPropertiesName(t *testing.T) {
	t.Parallel()
	p := Properties{}
	p.Set(DriverMemory, "1g", Origin{Source: TypedField, Field: "spec.driver.memory"})
	p.Put("spark.derived", "x")
	for key, want := range map[string]string{
		DriverMemory:    "spec.driver.memory",
		"spark.derived": "spec.sparkConf[spark.derived]",
		"spark.none":    "spec.sparkConf[spark.none]",
	} {
		if got := p.Field(key); got != want {
			t.Errorf("Field(%q) = %s, want %s", key, got, want)
		}
	}
}

func TestRoleKey(t *testing.T) {
	t.Parallel()
	if got := Executor.Key("label.") + "x"; got != "spark.kubernetes.executor.label.x" {
		t.Errorf("key = %s", got)
	}
}

func TestFindingString(t *testing.T) {
	t.Parallel()
	if got := (Finding{Field: "spec.x", Message: "value 1 is wrong: set 2"}).String(); got != "spec.x: value 1 is wrong: set 2" {
		t.Errorf("finding = %s", got)
	}
}
