// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Run is what Spark measured in one attempt. A zero means "none", unless the field says otherwise.
type Run struct {
	// Source says where the measurements come from, for messages.
	Source string
	// ApplicationID and SparkVersion are as Spark reports them.
	ApplicationID, SparkVersion string
	// Complete reports whether the run has ended and all of it was measured.
	Complete bool
	// Duration is the time from the start of the application to its end, or to the last event.
	Duration time.Duration
	// Properties are Spark's effective properties.
	Properties map[string]string

	// Driver and Executor are the highest measured values; Executor is the maximum of all executors.
	Driver, Executor Peak
	// Executors is the total number of executors, and PeakExecutors the largest number at once.
	Executors, PeakExecutors int
	// OutOfMemory, HeapFull and Lost are the numbers of executors that ended unexpectedly: killed because their pod
	// used too much memory, ended by the JVM because its heap was full, or for another reason.
	OutOfMemory, HeapFull, Lost int

	// Tasks is the number of tasks that ended, and FailedTasks the number of those that failed. PeakTasks is the
	// largest number that ran at once; 0 if it is not known.
	Tasks, FailedTasks, PeakTasks int
	// SlotTime is the total lifetime of executors, each multiplied by the number of tasks that it can run at once.
	SlotTime time.Duration
	// BusyTime is the total run time of all tasks. CPUTime and GCTime are parts of it: on the CPU in the JVM, and in
	// its garbage collector.
	BusyTime, CPUTime, GCTime time.Duration
	// Spilled is the number of bytes written to disk because they did not fit into memory.
	Spilled int64
	// MostCPU is the highest fraction of CPU time in a stage's run time, among stages whose tasks ran for at least a
	// minute in total.
	MostCPU float64
	// Skewed are the stages whose slowest task took longest compared with the median, worst first; at most five.
	Skewed []Stage
	// PythonWorkers reports whether tasks ran in Python processes, whose CPU time Spark does not measure.
	PythonWorkers bool
}

// Peak has the highest measured values, in bytes. They are sampled, so the true maximum may be higher.
type Peak struct {
	// Heap is the JVM's heap in use; 0 if it was not measured.
	Heap int64
	// OffHeap is what the JVM uses besides its heap (metaspace, code). Direct and Mapped are buffers outside it.
	OffHeap, Direct, Mapped int64
	// JVMResident, PythonResident and OtherResident are the resident memory of the processes; 0 if it was not measured.
	JVMResident, PythonResident, OtherResident int64
}

// resident returns the memory of all processes.
func (p Peak) resident() int64 { return p.JVMResident + p.PythonResident + p.OtherResident }

// Join takes the higher of each value.
func (p *Peak) Join(q Peak) {
	for _, v := range []struct {
		into *int64
		from int64
	}{
		{&p.Heap, q.Heap}, {&p.OffHeap, q.OffHeap}, {&p.Direct, q.Direct}, {&p.Mapped, q.Mapped},
		{&p.JVMResident, q.JVMResident}, {&p.PythonResident, q.PythonResident}, {&p.OtherResident, q.OtherResident},
	} {
		*v.into = max(*v.into, v.from)
	}
}

// Stage is a stage whose tasks differ in duration.
type Stage struct {
	ID int
	// Name is the stage's name in Spark. It comes from the user's program.
	Name            string
	Tasks           int
	Median, Slowest time.Duration
}

// PeakOf reads the metrics of an executor by the names that Spark gives them (ExecutorMetricType).
func PeakOf(metrics map[string]int64) Peak {
	amount := func(name string) int64 { return min(max(0, metrics[name]), maxBytes) }
	return Peak{
		Heap: amount("JVMHeapMemory"), OffHeap: amount("JVMOffHeapMemory"), Direct: amount("DirectPoolMemory"), Mapped: amount("MappedPoolMemory"),
		JVMResident: amount("ProcessTreeJVMRSSMemory"), PythonResident: amount("ProcessTreePythonRSSMemory"), OtherResident: amount("ProcessTreeOtherRSSMemory"),
	}
}

// maxBytes is the largest amount of memory that is taken as plausible.
const maxBytes = 1 << 50

// Ended counts an executor that is gone, by the reason that Spark gives. The reason contains names of images and pods,
// in which any word may occur.
func (r *Run) Ended(reason string) {
	reason = strings.ToLower(reason)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(reason, word) })
	}
	switch {
	case has("jvm oom", "code 52", "code: 52"):
		r.HeapFull++
	case has("oomkilled", "container oom", "code 137", "code: 137"):
		r.OutOfMemory++
	case has("exited", "lost", "heartbeat", "timed out"):
		r.Lost++
	}
}

// enoughRunTime is the total run time of a stage's tasks from which on its share of CPU time counts.
const enoughRunTime = time.Minute

// StageCPU takes the total run time of a stage's tasks, and the part of it that was CPU time.
func (r *Run) StageCPU(ran, cpu time.Duration) {
	if ran >= enoughRunTime {
		r.MostCPU = max(r.MostCPU, share(cpu, ran))
	}
}

// maxSkewed is the number of skewed stages that are kept.
const maxSkewed = 5

// AddStage takes the durations of the tasks of a stage.
func (r *Run) AddStage(s Stage) {
	r.Skewed = append(r.Skewed, s)
	slices.SortStableFunc(r.Skewed, func(a, b Stage) int { return cmp.Compare(b.Slowest-b.Median, a.Slowest-a.Median) })
	r.Skewed = r.Skewed[:min(maxSkewed, len(r.Skewed))]
}
