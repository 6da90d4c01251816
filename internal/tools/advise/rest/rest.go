// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/internal/tools/advise"
)

// Limits for the answers of a driver, which may run anyone's code.
const (
	// maxAnswer is the size of the largest answer in bytes: ten thousand executors, or all stages that Spark keeps
	// by default.
	maxAnswer = 16 << 20
	// maxItems is the largest number of items in one list.
	maxItems = 100_000
)

// maxStages is the number of stages, those that ran longest, whose task durations are read.
const maxStages = 10

// Spark is a driver or a history server. Redirections are not followed: they could lead to any address that this
// process can reach.
type Spark struct {
	// Address is that of its web interface, such as http://127.0.0.1:4040.
	Address string
	// Client sends the requests. Default: http.DefaultClient.
	Client *http.Client
}

// Read returns the measurements of the application with a Spark id. If the id is empty, it takes the first application
// of the list; a driver has only one.
func (s Spark) Read(ctx context.Context, id string) (*advise.Run, error) {
	apps, err := list[application](ctx, s, "applications")
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(apps, func(a application) bool { return a.ID == id || id == "" })
	if at < 0 {
		return nil, fmt.Errorf("%s does not know application %s", s.Address, id)
	}
	run := apps[at].run()
	id = run.ApplicationID
	var environment struct {
		Properties [][2]string `json:"sparkProperties"`
	}
	if err := s.get(ctx, &environment, "applications", id, "environment"); err != nil {
		return nil, err
	}
	for _, p := range environment.Properties {
		run.Properties[p[0]] = p[1]
	}
	executors, err := list[executor](ctx, s, "applications", id, "allexecutors")
	if err != nil {
		return nil, err
	}
	addExecutors(run, executors)
	return run, s.addStages(ctx, run)
}

// get reads one object.
func (s Spark) get(ctx context.Context, into any, path ...string) error {
	return s.read(ctx, path, func(d *json.Decoder) error { return d.Decode(into) })
}

// list reads a list and decodes the fields that its type has.
func list[T any](ctx context.Context, s Spark, path ...string) (items []T, err error) {
	err = s.read(ctx, path, func(d *json.Decoder) error {
		if start, err := d.Token(); err != nil || start != json.Delim('[') {
			return cmp.Or(err, errors.New("it is not a valid list"))
		}
		for d.More() {
			var item T
			if err := d.Decode(&item); err != nil {
				return err
			}
			if items = append(items, item); len(items) > maxItems {
				return fmt.Errorf("it lists more than %d items", maxItems)
			}
		}
		_, err := d.Token()
		return err
	})
	return items, err
}

// read sends a GET request for a path below /api/v1, and decodes the answer.
func (s Spark) read(ctx context.Context, path []string, decode func(*json.Decoder) error) error {
	base, query, _ := strings.Cut(path[len(path)-1], "?")
	address, err := url.JoinPath(s.Address, slices.Concat([]string{"api", "v1"}, path[:len(path)-1], []string{base})...)
	if err != nil {
		return err
	}
	if query != "" {
		address += "?" + query
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	direct := *cmp.Or(s.Client, http.DefaultClient)
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := direct.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, response.Status)
	}
	body := &io.LimitedReader{R: response.Body, N: maxAnswer}
	err = decode(json.NewDecoder(body))
	switch {
	case err != nil && body.N <= 0:
		return fmt.Errorf("%s answers more than %d MiB, which is not read", address, maxAnswer>>20)
	case err != nil:
		return fmt.Errorf("%s is not Spark's REST API: %w", address, err)
	}
	return nil
}

type application struct {
	ID       string `json:"id"`
	Attempts []struct {
		Duration  int64  `json:"duration"` // milliseconds
		Completed bool   `json:"completed"`
		Version   string `json:"appSparkVersion"`
	} `json:"attempts"`
}

func (a application) run() *advise.Run {
	run := &advise.Run{ApplicationID: a.ID, Properties: map[string]string{}}
	if len(a.Attempts) > 0 {
		// The newest attempt comes first.
		last := a.Attempts[0]
		run.Complete, run.SparkVersion, run.Duration = last.Completed, last.Version, millis(last.Duration)
	}
	return run
}

type executor struct {
	ID        string           `json:"id"`
	Active    bool             `json:"isActive"`
	Added     sparkTime        `json:"addTime"`
	Removed   sparkTime        `json:"removeTime"`
	Reason    string           `json:"removeReason"`
	Slots     int              `json:"maxTasks"`
	Tasks     int              `json:"totalTasks"`
	Failed    int              `json:"failedTasks"`
	BusyTime  int64            `json:"totalDuration"` // milliseconds
	GCTime    int64            `json:"totalGCTime"`   // milliseconds
	PeakBytes map[string]int64 `json:"peakMemoryMetrics"`
}

// sparkTime is a time as the REST API writes it: 2026-03-01T12:00:00.000GMT.
type sparkTime struct{ time.Time }

// UnmarshalJSON reads a time. Text that is not such a time becomes the zero time.
func (t *sparkTime) UnmarshalJSON(text []byte) error {
	parsed, err := time.Parse(`"2006-01-02T15:04:05.000GMT"`, string(text))
	if err == nil {
		t.Time = parsed
	}
	return nil
}

func addExecutors(run *advise.Run, executors []executor) {
	// end is when the application ended, as far as is known.
	end := time.Time{}
	for _, x := range executors {
		if x.ID == "driver" && !x.Added.IsZero() {
			end = x.Added.Add(run.Duration)
		}
	}
	for _, x := range executors {
		peak := advise.PeakOf(x.PeakBytes)
		if x.ID == "driver" {
			run.Driver.Join(peak)
			continue
		}
		run.Executors++
		run.Executor.Join(peak)
		run.PythonWorkers = run.PythonWorkers || peak.PythonResident > 0
		run.Tasks, run.FailedTasks = run.Tasks+x.Tasks, run.FailedTasks+x.Failed
		run.BusyTime, run.GCTime = run.BusyTime+millis(x.BusyTime), run.GCTime+millis(x.GCTime)
		until := x.Removed.Time
		if until.IsZero() {
			until = end
		}
		if until.After(x.Added.Time) && !x.Added.IsZero() {
			run.SlotTime += time.Duration(max(1, x.Slots)) * until.Sub(x.Added.Time)
		}
		run.Ended(x.Reason)
	}
}

type stage struct {
	ID      int    `json:"stageId"`
	Attempt int    `json:"attemptId"`
	Name    string `json:"name"`
	Tasks   int    `json:"numCompleteTasks"`
	RunTime int64  `json:"executorRunTime"` // milliseconds
	CPUTime int64  `json:"executorCpuTime"` // nanoseconds
	Spilled int64  `json:"diskBytesSpilled"`
}

// addStages adds the measurements of stages and, for the longest ones, how much their tasks differ in duration.
func (s Spark) addStages(ctx context.Context, run *advise.Run) error {
	stages, err := list[stage](ctx, s, "applications", run.ApplicationID, "stages")
	if err != nil {
		return err
	}
	for _, st := range stages {
		run.Spilled += max(0, st.Spilled)
		run.StageCPU(millis(st.RunTime), time.Duration(st.CPUTime))
	}
	slices.SortFunc(stages, func(a, b stage) int { return cmp.Compare(b.RunTime, a.RunTime) })
	for _, st := range stages[:min(maxStages, len(stages))] {
		var summary struct {
			Durations []float64 `json:"duration"` // milliseconds
		}
		path := []string{"applications", run.ApplicationID, "stages", fmt.Sprint(st.ID), fmt.Sprint(st.Attempt), "taskSummary?quantiles=0.5,1.0"}
		if err := s.get(ctx, &summary, path...); err != nil || len(summary.Durations) != 2 {
			// No task of the stage has ended.
			continue
		}
		run.AddStage(advise.Stage{ID: st.ID, Name: st.Name, Tasks: st.Tasks, Median: millis(int64(summary.Durations[0])), Slowest: millis(int64(summary.Durations[1]))})
	}
	return nil
}

func millis(n int64) time.Duration { return time.Duration(max(0, n)) * time.Millisecond }
