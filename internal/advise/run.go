// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Run is what Spark measured of one attempt. Zero is "none", unless a field says otherwise.
type Run struct {
	// Source is where the measurements come from, for people.
	Source string
	// ApplicationID and SparkVersion as Spark names them.
	ApplicationID, SparkVersion string
	// Complete says that the run has ended, and that all of it was measured.
	Complete bool
	// Duration from the start of the application to its end, or to the last event.
	Duration time.Duration
	// Properties are the effective properties of Spark.
	Properties map[string]string

	// Driver and Executor are the highest values that were seen, of any executor.
	Driver, Executor Peak
	// Executors is how many there were, and PeakExecutors how many at once.
	Executors, PeakExecutors int
	// OutOfMemory, HeapFull and Lost are executors that ended by themselves: killed for the memory of their pod, by the
	// JVM because its heap was full, or for another reason.
	OutOfMemory, HeapFull, Lost int

	// Tasks that ended, and FailedTasks among them. PeakTasks is how many ran at once; 0 if not known.
	Tasks, FailedTasks, PeakTasks int
	// SlotTime is how long executors lived, times the tasks that each can run at once.
	SlotTime time.Duration
	// BusyTime is how long tasks ran, all together; CPUTime and GCTime are parts of it: in the JVM, and in its collector.
	BusyTime, CPUTime, GCTime time.Duration
	// Spilled is what was written to disk because it did not fit into memory, in bytes.
	Spilled int64
	// MostCPU is the highest share of a stage's run time that was CPU time, among stages that ran for a minute of tasks.
	MostCPU float64
	// Skewed are the stages whose slowest task took longest compared with the median, worst first; five at most.
	Skewed []Stage
	// PythonWorkers says that tasks ran in processes of Python, whose CPU time Spark does not measure.
	PythonWorkers bool
}

// Peak are the highest values that were seen, in bytes. They are sampled: the truth may be higher.
type Peak struct {
	// Heap of the JVM that was in use; 0 if nothing was measured.
	Heap int64
	// OffHeap is what the JVM uses besides its heap (metaspace, code); Direct and Mapped are buffers outside of it.
	OffHeap, Direct, Mapped int64
	// JVMResident, PythonResident and OtherResident are the memory of the processes; 0 if they were not measured.
	JVMResident, PythonResident, OtherResident int64
}

// resident is the memory of all processes.
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

// Stage is a stage whose tasks took unequally long.
type Stage struct {
	ID int
	// Name as Spark gives it: text of the program.
	Name            string
	Tasks           int
	Median, Slowest time.Duration
}

// PeakOf reads the metrics of an executor by the names that Spark gives them (ExecutorMetricType).
func PeakOf(metrics map[string]int64) Peak {
	amount := func(name string) int64 { return min(max(0, metrics[name]), mostBytes) }
	return Peak{
		Heap: amount("JVMHeapMemory"), OffHeap: amount("JVMOffHeapMemory"), Direct: amount("DirectPoolMemory"), Mapped: amount("MappedPoolMemory"),
		JVMResident: amount("ProcessTreeJVMRSSMemory"), PythonResident: amount("ProcessTreePythonRSSMemory"), OtherResident: amount("ProcessTreeOtherRSSMemory"),
	}
}

// mostBytes is the largest amount of memory that is believed.
const mostBytes = 1 << 50

// Ended counts an executor that is gone, by the reason that Spark gives. The reason names images and pods, in which any
// word may stand.
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

// enoughRunTime is how long the tasks of a stage have to run, all together, for its share of CPU time to count.
const enoughRunTime = time.Minute

// StageCPU takes how long the tasks of a stage ran, and how much of that was CPU time.
func (r *Run) StageCPU(ran, cpu time.Duration) {
	if ran >= enoughRunTime {
		r.MostCPU = max(r.MostCPU, share(cpu, ran))
	}
}

// mostSkewed is how many skewed stages are remembered.
const mostSkewed = 5

// AddStage takes the durations of the tasks of a stage.
func (r *Run) AddStage(s Stage) {
	r.Skewed = append(r.Skewed, s)
	slices.SortStableFunc(r.Skewed, func(a, b Stage) int { return cmp.Compare(b.Slowest-b.Median, a.Slowest-a.Median) })
	r.Skewed = r.Skewed[:min(mostSkewed, len(r.Skewed))]
}
