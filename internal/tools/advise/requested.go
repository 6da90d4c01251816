// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/podsets"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// Sizes in bytes.
const (
	mib = 1 << 20
	gib = 1 << 30
)

// minOverhead is the smallest overhead that is advised: Spark's own minimum.
const minOverhead = 384 * mib

// defaultFactor is Spark's default overhead factor. Spark reports the one that applies, also for programs in Python.
const defaultFactor = 0.1

// requested is what the run requested according to its properties. Properties that are not set have Spark's defaults.
type requested struct {
	heap, overhead int64 // bytes
	// memory and properties determine heap and overhead.
	memory     render.Memory
	properties conf.Properties
	// beside is the pod's other memory: Spark's memory outside the heap, and Python's, where they are set.
	beside int64
	// tasks is the number of tasks that an executor runs at once.
	tasks int
	// coreRequest is the pod's CPU request in cores.
	coreRequest float64
	// instances is the number of executors; 0 for the driver, and under dynamic allocation.
	instances int
}

// requestsOf reads the properties of a role. Spark has run with them, so a value that cannot be read counts as not set.
func requestsOf(values map[string]string, role conf.Role) requested {
	p := conf.Properties{}
	for key, value := range values {
		p.Put(key, value)
	}
	memory, err := render.MemoryOf(role, p, defaultFactor)
	if err != nil {
		memory.SharedFactor = defaultFactor
	}
	heap, overhead, err := memory.Parts(p)
	if err != nil {
		heap, overhead, _ = memory.Parts(nil)
	}
	r := requested{heap: heap * mib, overhead: overhead * mib, memory: memory, properties: p, coreRequest: 1}
	cores := "spark." + string(role) + ".cores"
	if request, err := render.Cores(p, role.Key("request.cores"), cores); err == nil {
		r.coreRequest = request.AsApproximateFloat64()
	}
	whole, _ := p.Int(cores, 1)
	r.tasks = TaskSlots(max(1, int(whole)), values)
	if role == conf.Driver {
		return r
	}
	python, _ := p.MiB(conf.ExecutorPySparkMemory, 0)
	offHeap, _ := podsets.OffHeap(p)
	r.beside = (python + offHeap) * mib
	if gang, err := p.Executors(); err == nil && !gang.Dynamic {
		r.instances = int(gang.Base)
	}
	return r
}

// overheadBeside returns the overhead that a pod with the given heap would have.
func (r requested) overheadBeside(heap int64) int64 {
	p := maps.Clone(r.properties)
	p.Put(r.memory.Heap, sparkSize(heap))
	_, overhead, err := r.memory.Parts(p)
	if err != nil {
		return r.overhead
	}
	return overhead * mib
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
