// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package advise

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// Confidence is how reliable a measurement is.
type Confidence string

// The levels of confidence. Changes with Low are left out of a patch unless they raise a value.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// Change is a value that would be enough, or would work better.
type Change struct {
	// Field is the field of the SparkApplication's spec, such as executor.memory.
	Field string `json:"field"`
	// Property is the equivalent Spark property; empty if there is none.
	Property string `json:"property,omitempty"`
	// Current and Advised are values as they are written in a manifest.
	Current string `json:"current"`
	Advised string `json:"advised"`
	// Raises reports whether the advised value is higher than the current one.
	Raises     bool       `json:"raises"`
	Reason     string     `json:"reason"`
	Confidence Confidence `json:"confidence"`
}

// Advice is the result for one run.
type Advice struct {
	// Source says where the measurements come from.
	Source        string `json:"source"`
	ApplicationID string `json:"applicationID,omitempty"`
	// Changes are in the order of the manifest.
	Changes []Change `json:"changes"`
	// Hints are problems that no single field of the manifest solves.
	Hints []string `json:"hints"`
	// Unknown says what was not measured, and how to get it measured.
	Unknown []string `json:"unknown"`
}

// The rules of docs/advise.md in numbers.
const (
	// headroom is the share that is added to the highest measured value.
	headroom = 0.25
	// worthwhile is the share by which the advised value must be below the current one for the change to be worth it.
	worthwhile = 0.2
	// minHeap is the smallest heap that is advised: Spark refuses to start with less than 450 MiB.
	minHeap = 512 * mib
	// step is the size to whose multiples memory is rounded up.
	step = 128 * mib
	// muchGC is the share of task time in the garbage collector above which the heap is too small.
	muchGC = 0.1
	// spilledMuch is the number of bytes spilled to disk from which on memory was too small.
	spilledMuch = 64 * mib
	// growth is the factor by which memory that was too small is raised; the measurements do not show how much is
	// missing.
	growth = 1.5
	// shortRun is the duration below which a run is too short for samples, which are taken every few seconds.
	shortRun = time.Minute
	// enoughTasks is the number of tasks from which on a share is meaningful.
	enoughTasks = 20
	// idle is the share of busy time below which executors count as idle.
	idle = 0.5
	// skewFactor is how many times the median the slowest task of a skewed stage takes, and skewTime how long it takes
	// at least.
	skewFactor = 4
	skewTime   = 10 * time.Second
	// lowCPU is the share of CPU time in a task's time below which fewer cores are advised.
	lowCPU = 0.6
)

// Advise applies the rules to a run.
func Advise(run *Run) Advice {
	a := &adviser{run: run, Advice: Advice{Source: run.Source, ApplicationID: run.ApplicationID, Changes: []Change{}, Hints: []string{}, Unknown: []string{}}}
	driver, executor := requestsOf(run.Properties, conf.Driver), requestsOf(run.Properties, conf.Executor)
	a.memory(conf.Driver, driver, run.Driver)
	if run.Executors > 0 {
		a.cpu(executor)
		a.memory(conf.Executor, executor, run.Executor)
		a.executors(executor)
	}
	a.hints()
	if !run.Complete {
		a.unknown("the rest of the run: it has not ended, or its measurements end before it; what comes later may need more")
	}
	return a.Advice
}

// adviser collects the advice.
type adviser struct {
	Advice
	run *Run
}

func (a *adviser) unknown(format string, args ...any) {
	a.Unknown = append(a.Unknown, fmt.Sprintf(format, args...))
}

func (a *adviser) hint(format string, args ...any) {
	a.Hints = append(a.Hints, fmt.Sprintf(format, args...))
}

// confidence returns the confidence in sampled values of this run.
func (a *adviser) confidence() Confidence {
	switch {
	case !a.run.Complete || a.run.Duration < shortRun:
		return Low
	case a.run.Tasks < enoughTasks:
		return Medium
	}
	return High
}

// memory advises the heap of a role and the memory beside it. If overhead is a fraction of the heap, a smaller heap
// would shrink it, too; then the current overhead is advised as a fixed value, because less was not seen to be enough.
func (a *adviser) memory(role conf.Role, r requested, peak Peak) {
	advised := a.heap(role, r, peak)
	heap := len(a.Changes)
	a.overhead(role, r, peak)
	if advised == 0 || len(a.Changes) > heap {
		return
	}
	if beside := r.overheadBeside(advised); beside < r.overhead {
		a.Changes = append(a.Changes, Change{
			Field: string(role) + ".memoryOverhead", Property: r.memory.Overhead, Current: sparkSize(r.overhead), Advised: sparkSize(r.overhead),
			Confidence: a.confidence(), Reason: fmt.Sprintf("it is not set, and would become %s, as a part of the heap that is advised", sparkSize(beside)),
		})
	}
}

// heap advises the memory of a role, and returns it; 0 if what it has is enough, and not too much.
func (a *adviser) heap(role conf.Role, r requested, peak Peak) int64 {
	short, seen := a.shortOfHeap(role), fmt.Sprintf("at most %s of heap was in use", size(peak.Heap))
	if peak.Heap == 0 {
		a.unknown("the heap of the %s: set spark.eventLog.logStageExecutorMetrics to true, or let the run take longer than spark.executor.heartbeatInterval", role)
		if short == "" {
			return 0
		}
		seen = "how much of it was in use is not known"
	}
	c := Change{Field: string(role) + ".memory", Property: r.memory.Heap, Current: sparkSize(r.heap), Confidence: a.confidence()}
	needed := max(minHeap, roundUp(int64(float64(peak.Heap)*(1+headroom))))
	if short != "" {
		needed = max(needed, roundUp(int64(float64(r.heap)*growth)))
		c.Advised, c.Reason, c.Raises = sparkSize(needed), short+"; "+seen, true
		a.Changes = append(a.Changes, c)
		return needed
	}
	if float64(needed) > float64(r.heap)*(1-worthwhile) {
		// Too little to gain. A full heap alone does not need to grow, because the JVM fills it before it collects.
		return 0
	}
	c.Advised, c.Reason = sparkSize(needed), fmt.Sprintf("%s; %d %% more than that", seen, int(headroom*100))
	if needed == minHeap {
		c.Reason = fmt.Sprintf("%s; %s is the least that is advised", seen, sparkSize(minHeap))
	}
	a.Changes = append(a.Changes, c)
	return needed
}

// shortOfHeap returns the reason why the heap of a role was too small; empty if it was not.
func (a *adviser) shortOfHeap(role conf.Role) string {
	if role != conf.Executor {
		return ""
	}
	switch gc := share(a.run.GCTime, a.run.BusyTime); {
	case a.run.HeapFull > 0:
		return fmt.Sprintf("executors that ended because their heap was full: %d", a.run.HeapFull)
	case a.run.Spilled >= spilledMuch:
		return fmt.Sprintf("tasks wrote %s to disk because they had too little memory", size(a.run.Spilled))
	case gc > muchGC && a.run.Tasks >= enoughTasks:
		return fmt.Sprintf("tasks spent %d %% of their time in the garbage collector", int(gc*100))
	}
	return ""
}

// overhead advises the memory of a pod beside the heap.
func (a *adviser) overhead(role conf.Role, r requested, peak Peak) {
	c := Change{Field: string(role) + ".memoryOverhead", Property: r.memory.Overhead, Current: sparkSize(r.overhead), Confidence: a.confidence()}
	if role == conf.Executor && a.run.OutOfMemory > 0 {
		c.Advised, c.Raises = sparkSize(roundUp(int64(float64(r.overhead)*growth))), true
		c.Reason = fmt.Sprintf("executors that were killed because their pod used more memory than it requested: %d", a.run.OutOfMemory)
		a.Changes = append(a.Changes, c)
		return
	}
	beside := peak.OffHeap + peak.Direct + peak.Mapped + peak.PythonResident + peak.OtherResident
	if peak.resident() > 0 {
		beside = max(beside, peak.resident()-r.heap)
	}
	if beside == 0 {
		return
	}
	c.Raises = beside > r.overhead+r.beside
	if !c.Raises {
		// The part of the JVM's memory that is not heap in use may be heap or not, such as memory of native libraries.
		beside = max(beside, peak.resident()-peak.Heap)
	}
	needed := roundUp(max(step, int64(float64(beside)*(1+headroom))-r.beside))
	c.Reason = fmt.Sprintf("at most %s was in use beside the heap; %d %% more than that", size(beside), int(headroom*100))
	switch {
	case c.Raises:
		c.Advised = sparkSize(needed)
	case peak.resident() == 0:
		a.unknown("the memory of the %s's processes, so its overhead is not lowered: set spark.executor.processTreeMetrics.enabled to true", role)
		return
	case float64(max(needed, minOverhead)) > float64(r.overhead)*(1-worthwhile):
		return
	default:
		c.Advised = sparkSize(max(needed, minOverhead))
	}
	a.Changes = append(a.Changes, c)
}

// cpu advises the number of cores that an executor requests of its node. It leaves alone what Spark calls cores, the
// number of tasks that run at once.
func (a *adviser) cpu(r requested) {
	switch {
	case a.run.PythonWorkers:
		a.unknown("the CPU time of Python workers, which Spark does not measure; so cores are left alone")
		return
	case a.run.MostCPU == 0:
		a.unknown("the CPU time of a stage that ran for a minute of tasks; so cores are left alone")
		return
	case a.run.MostCPU >= lowCPU:
		return
	case coresPerTask(a.run.Properties) > 1:
		a.unknown("the CPU time of tasks that take several cores (spark.task.cpus), of which Spark measures one thread; so cores are left alone")
		return
	}
	needed := math.Ceil(float64(r.tasks)*a.run.MostCPU*(1+headroom)*10) / 10
	if needed > r.coreRequest*(1-worthwhile) {
		return
	}
	a.Changes = append(a.Changes, Change{
		Field: "executor.coreRequest", Property: conf.Executor.Key("request.cores"), Confidence: a.confidence(),
		Current: strconv.FormatFloat(r.coreRequest, 'g', -1, 64), Advised: fmt.Sprintf("%dm", int(math.Round(needed*1000))),
		Reason: fmt.Sprintf("tasks used CPU for at most %d %% of their time, in any stage; they waited for data otherwise", int(math.Ceil(a.run.MostCPU*100))),
	})
}

// executors advises the number of executors. It only removes executors that never had a task.
func (a *adviser) executors(r requested) {
	if a.run.PeakTasks == 0 || r.instances == 0 {
		return
	}
	needed := max(1, (a.run.PeakTasks+r.tasks-1)/r.tasks)
	if needed >= r.instances || a.run.PeakExecutors < r.instances {
		return
	}
	a.Changes = append(a.Changes, Change{
		Field: "executor.instances", Property: conf.ExecutorInstances, Current: strconv.Itoa(r.instances), Advised: strconv.Itoa(needed), Confidence: a.confidence(),
		Reason: fmt.Sprintf("at most %d tasks ran at once, and each executor runs %d", a.run.PeakTasks, r.tasks),
	})
}

// hints adds problems that no single field solves.
func (a *adviser) hints() {
	if busy := share(a.run.BusyTime, a.run.SlotTime); a.run.Executors > 0 && a.run.SlotTime > 0 && busy < idle {
		a.hint("executors were idle for %d %% of their time: fewer would suffice, with a longer run, or dynamicAllocation, which returns those that have nothing to do", int(math.Round((1-busy)*100)))
	}
	for _, s := range a.run.Skewed {
		if s.Tasks > 1 && s.Slowest >= skewTime && s.Slowest > skewFactor*max(s.Median, time.Millisecond) {
			a.hint("stage %d (%s) is skewed: of %d tasks, the slowest took %s and the median %s; its data is unequally divided, which more executors do not change",
				s.ID, cut(s.Name), s.Tasks, s.Slowest.Round(time.Second/10), s.Median.Round(time.Second/10))
		}
	}
	if a.run.Lost > 0 {
		a.hint("executors that were lost: %d; see why in status.executors.failures or in the events", a.run.Lost)
	}
	if a.run.FailedTasks > 0 {
		a.hint("tasks that failed and ran again: %d of %d", a.run.FailedTasks, a.run.Tasks)
	}
}

// share returns a part of a whole as a fraction; 0 if the whole is 0.
func share(part, whole time.Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return part.Seconds() / whole.Seconds()
}

// cut returns the name of a stage, which comes from the user's program, as one short line.
func cut(name string) string {
	const most = 60
	return redact.FirstCharacters(strings.Join(strings.Fields(name), " "), most)
}

func roundUp(bytes int64) int64 { return (bytes + step - 1) / step * step }

// sparkSize formats a size as manifests have it: 2g, 1280m.
func sparkSize(bytes int64) string {
	if bytes%gib == 0 {
		return fmt.Sprintf("%dg", bytes/gib)
	}
	return fmt.Sprintf("%dm", (bytes+mib-1)/mib)
}

// size formats a size for messages.
func size(bytes int64) string {
	if bytes >= gib {
		return fmt.Sprintf("%.1f GiB", float64(bytes)/gib)
	}
	return fmt.Sprintf("%d MiB", (bytes+mib-1)/mib)
}
