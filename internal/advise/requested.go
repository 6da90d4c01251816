// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"math"
	"strconv"
	"strings"
)

// Sizes in bytes.
const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
	tib = 1 << 40
)

// requested is what the run requested according to its properties. Properties that are not set have Spark's defaults.
type requested struct {
	heap, overhead int64 // bytes
	// overheadFactor is the fraction of the heap that is added as overhead, and minOverhead the minimum; 0 where the
	// overhead is set.
	overheadFactor float64
	minOverhead    int64
	// beside is the pod's other memory: Spark's memory outside the heap, and Python's, where they are set.
	beside int64
	cores  int
	// tasks is the number of tasks that an executor runs at once.
	tasks int
	// coreRequest is the pod's CPU request in cores.
	coreRequest float64
	// instances is the number of executors; 0 for the driver, and under dynamic allocation.
	instances int
}

// Spark's defaults (configuration page, and ResourceProfile.MEMORY_OVERHEAD_MIN_MIB, which is a property since 4.0).
const (
	defaultHeap      = gib
	minOverhead      = 384 * mib
	defaultInstances = 2
)

// requestsOf reads the properties of a role: driver or executor.
func requestsOf(properties map[string]string, role string) requested {
	get := func(key string) string { return properties["spark."+role+"."+key] }
	r := requested{heap: sizeOr(get("memory"), defaultHeap), cores: positive(get("cores"), 1)}
	if n, set := bytesOf(get("memoryOverhead")); set {
		r.overhead = n
	} else {
		r.overheadFactor, r.minOverhead = overheadFactor(properties, role), sizeOr(get("minMemoryOverhead"), minOverhead)
		r.overhead = r.overheadBeside(r.heap)
	}
	r.tasks = TaskSlots(r.cores, properties)
	r.coreRequest = float64(r.cores)
	if n, ok := coresOf(properties["spark.kubernetes."+role+".request.cores"]); ok {
		r.coreRequest = n
	}
	if role == driverRole {
		return r
	}
	r.beside = sizeOr(get("pyspark.memory"), 0)
	if n, ok := sizeIn(properties["spark.memory.offHeap.size"], 1); ok && properties["spark.memory.offHeap.enabled"] == "true" {
		r.beside += n
	}
	if properties["spark.dynamicAllocation.enabled"] != "true" {
		r.instances = positive(get("instances"), defaultInstances)
	}
	return r
}

// overheadBeside returns the overhead that a pod with the given heap would have.
func (r requested) overheadBeside(heap int64) int64 {
	if r.overheadFactor == 0 {
		return r.overhead
	}
	return max(r.minOverhead, int64(float64(heap)*r.overheadFactor))
}

// coresPerTask returns how many cores a task takes, by the properties of a run. From Spark 4.3 on, that may be a part of
// one.
func coresPerTask(properties map[string]string) float64 {
	if cores, err := strconv.ParseFloat(strings.TrimSpace(properties["spark.task.cpus"]), 64); err == nil && cores > 0 && !math.IsInf(cores, 0) {
		return cores
	}
	return 1
}

// TaskSlots returns how many tasks an executor with so many cores runs at once, by the properties of a run.
func TaskSlots(cores int, properties map[string]string) int {
	const rounding = 1e-9 // what Spark counts in decimals has no exact binary fraction
	return int(max(1, min(float64(cores)/coresPerTask(properties)+rounding, math.MaxInt32)))
}

// sizeOr reads a size in bytes; it returns otherwise if the text is not a size.
func sizeOr(text string, otherwise int64) int64 {
	if n, ok := bytesOf(text); ok {
		return n
	}
	return otherwise
}

// positive reads a positive integer; it returns otherwise if the text is not one.
func positive(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// overheadFactor returns the fraction of the heap that is added: that of the role, else the property from before Spark
// 3.3, else Spark's default for JVM programs.
func overheadFactor(properties map[string]string, role string) float64 {
	for _, key := range []string{"spark." + role + ".memoryOverheadFactor", "spark.kubernetes.memoryOverheadFactor"} {
		if f, err := strconv.ParseFloat(properties[key], 64); err == nil && f > 0 {
			return f
		}
	}
	return 0.1
}

// bytesOf reads a size as Spark writes it: 512m, 2g, 1024k; a number without a unit is in MiB.
func bytesOf(text string) (int64, bool) { return sizeIn(text, mib) }

// units are Spark's suffixes of sizes; those with an i came with Spark 4.2.
var units = map[string]int64{
	"b": 1, "k": kib, "kb": kib, "ki": kib, "kib": kib, "m": mib, "mb": mib, "mi": mib, "mib": mib,
	"g": gib, "gb": gib, "gi": gib, "gib": gib, "t": tib, "tb": tib, "ti": tib, "tib": tib,
}

// sizeIn reads a size; a number without a suffix is in the given unit. It returns false if the text is not a size.
func sizeIn(text string, unit int64) (int64, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	digits := strings.TrimRight(text, "bikmgt")
	if suffix := text[len(digits):]; suffix != "" {
		unit = units[suffix]
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || unit == 0 || n <= 0 || n > 1<<53/unit {
		return 0, false
	}
	return n * unit, true
}

// coresOf reads a number of cores: 2, 0.5, 500m.
func coresOf(text string) (float64, bool) {
	digits, thousandths := strings.CutSuffix(text, "m")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || n <= 0 || n > 1e6 {
		return 0, false
	}
	if thousandths {
		n /= 1000
	}
	return n, true
}
