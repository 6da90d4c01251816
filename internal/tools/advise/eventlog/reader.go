// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package eventlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/internal/tools/advise"
)

// maxLine is the longest event that is read, in bytes; longer ones are skipped.
const maxLine = 16 << 20

// reader builds a run from its events.
type reader struct {
	run         *advise.Run
	events      int
	first, last int64 // milliseconds since 1970
	executors   map[string]*executor
	stages      map[stage]*tasks
	running     int
	handlers    map[string]func(*event)
}

type executor struct {
	cores   int
	added   int64
	removed bool
}

type stage struct{ id, attempt int }

// tasks are the tasks of a stage that is not complete yet.
type tasks struct {
	durations    []int64 // milliseconds
	runTime, cpu time.Duration
}

func newReader() *reader {
	r := &reader{run: &advise.Run{Properties: map[string]string{}}, executors: map[string]*executor{}, stages: map[stage]*tasks{}}
	r.handlers = map[string]func(*event){
		logStart:         func(e *event) { r.run.SparkVersion = e.Version },
		applicationStart: r.started,
		applicationEnd:   func(*event) { r.run.Complete = true },
		environment:      func(e *event) { r.run.Properties = e.Properties },
		executorAdded:    r.added,
		executorRemoved:  r.removed,
		stageCompleted:   r.completed,
		taskStart:        func(*event) { r.running++; r.run.PeakTasks = max(r.run.PeakTasks, r.running) },
		taskEnd:          r.taskEnded,
		stageMetrics:     func(e *event) { r.peak(e.ExecutorID, e.StagePeaks) },
		metricsUpdate: func(e *event) {
			for _, u := range e.Updates {
				r.peak(e.ExecutorID, u.Peaks)
			}
		},
	}
	return r
}

// read reads events, one per line. The last line may be incomplete.
func (r *reader) read(text io.Reader) error {
	lines := bufio.NewReaderSize(text, 1<<16)
	for number := 1; ; number++ {
		line, err := nextLine(lines)
		if len(line) > 0 {
			if problem := r.line(line); problem != nil && err == nil {
				return fmt.Errorf("line %d is not an event of Spark: %w", number, problem)
			}
		}
		switch {
		case errors.Is(err, io.EOF), cut(err):
			return nil
		case err != nil:
			return err
		}
	}
}

// nextLine returns the next line; an empty one if it is too long.
func nextLine(lines *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := lines.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > maxLine {
			line = nil
		}
		return bytes.TrimSpace(line), err
	}
}

func (r *reader) line(line []byte) error {
	if name, known := nameOf(line); known && r.handlers[name] == nil {
		r.events++
		return nil
	}
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	if e.Event == "" {
		return errors.New(`it has no field "Event"`)
	}
	r.events++
	r.saw(e.Timestamp)
	if handle := r.handlers[e.Event]; handle != nil {
		handle(&e)
	}
	return nil
}

// nameOf returns the name of an event if that is its first field, as Spark writes it. This avoids decoding the events
// that are not needed, which are most of them.
func nameOf(line []byte) (string, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"Event":"`))
	if !ok {
		return "", false
	}
	name, _, ok := bytes.Cut(rest, []byte(`"`))
	return string(name), ok
}

func (r *reader) saw(at int64) { r.last = max(r.last, at) }

func (r *reader) started(e *event) { r.run.ApplicationID, r.first = e.AppID, e.Timestamp }

func (r *reader) added(e *event) {
	if e.ExecutorID == "driver" {
		return
	}
	r.executors[e.ExecutorID] = &executor{cores: e.Executor.Cores, added: e.Timestamp}
	r.run.Executors++
	alive := 0
	for _, x := range r.executors {
		if !x.removed {
			alive++
		}
	}
	r.run.PeakExecutors = max(r.run.PeakExecutors, alive)
}

func (r *reader) removed(e *event) {
	x := r.executors[e.ExecutorID]
	if x == nil || x.removed {
		return
	}
	x.removed = true
	r.lived(x, e.Timestamp)
	r.run.Ended(e.Reason)
}

// lived adds the lifetime of an executor to SlotTime.
func (r *reader) lived(x *executor, until int64) {
	slots := advise.TaskSlots(x.cores, r.run.Properties)
	r.run.SlotTime += time.Duration(slots) * millis(max(0, until-x.added))
}

func (r *reader) peak(executorID string, metrics map[string]int64) {
	peak := advise.PeakOf(metrics)
	if executorID == "driver" {
		r.run.Driver.Join(peak)
		return
	}
	r.run.PythonWorkers = r.run.PythonWorkers || peak.PythonResident > 0
	r.run.Executor.Join(peak)
}

func (r *reader) taskEnded(e *event) {
	r.running = max(0, r.running-1)
	r.saw(e.Task.Finished)
	r.peak(e.Task.ExecutorID, e.Peaks)
	r.run.Tasks++
	if e.Task.Failed && !e.Task.Killed {
		r.run.FailedTasks++
	}
	duration, runTime, cpu := max(0, e.Task.Finished-e.Task.Launched), millis(e.Metrics.RunTime), time.Duration(e.Metrics.CPUTime)
	r.run.BusyTime += millis(duration)
	r.run.CPUTime += cpu
	r.run.GCTime += millis(e.Metrics.GCTime)
	r.run.Spilled += e.Metrics.DiskSpilled
	key := stage{e.StageID, e.StageAttempt}
	if r.stages[key] == nil {
		r.stages[key] = &tasks{}
	}
	t := r.stages[key]
	t.durations, t.runTime, t.cpu = append(t.durations, duration), t.runTime+runTime, t.cpu+cpu
}

func (r *reader) completed(e *event) {
	r.saw(e.Stage.Completed)
	key := stage{e.Stage.ID, e.Stage.Attempt}
	t := r.stages[key]
	delete(r.stages, key)
	if t == nil {
		return
	}
	r.run.StageCPU(t.runTime, t.cpu)
	slices.Sort(t.durations)
	n := len(t.durations)
	r.run.AddStage(advise.Stage{ID: e.Stage.ID, Name: e.Stage.Name, Tasks: n, Median: millis(t.durations[n/2]), Slowest: millis(t.durations[n-1])})
}

// finish completes the run after the last event.
func (r *reader) finish() *advise.Run {
	for _, x := range r.executors {
		if !x.removed {
			r.lived(x, r.last)
		}
	}
	if r.first > 0 {
		r.run.Duration = millis(max(0, r.last-r.first))
	}
	return r.run
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
