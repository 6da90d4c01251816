// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package eventlog

// event has the fields of all events that are read.
type event struct {
	Event      string `json:"Event"`
	Version    string `json:"Spark Version"`
	Timestamp  int64  `json:"Timestamp"` // milliseconds since 1970
	AppID      string `json:"App ID"`
	ExecutorID string `json:"Executor ID"`
	Reason     string `json:"Removed Reason"`

	Properties map[string]string `json:"Spark Properties"`
	Executor   struct {
		Cores int `json:"Total Cores"`
	} `json:"Executor Info"`
	Stage struct {
		ID        int    `json:"Stage ID"`
		Attempt   int    `json:"Stage Attempt ID"`
		Name      string `json:"Stage Name"`
		Completed int64  `json:"Completion Time"`
	} `json:"Stage Info"`

	StageID      int `json:"Stage ID"`
	StageAttempt int `json:"Stage Attempt ID"`
	EndReason    struct {
		Reason string `json:"Reason"`
	} `json:"Task End Reason"`
	Task struct {
		Launched   int64  `json:"Launch Time"`
		Finished   int64  `json:"Finish Time"`
		ExecutorID string `json:"Executor ID"`
		Failed     bool   `json:"Failed"`
		Killed     bool   `json:"Killed"`
	} `json:"Task Info"`
	Peaks   map[string]int64 `json:"Task Executor Metrics"`
	Metrics struct {
		RunTime     int64 `json:"Executor Run Time"` // milliseconds
		CPUTime     int64 `json:"Executor CPU Time"` // nanoseconds
		GCTime      int64 `json:"JVM GC Time"`       // milliseconds
		DiskSpilled int64 `json:"Disk Bytes Spilled"`
	} `json:"Task Metrics"`

	StagePeaks map[string]int64 `json:"Executor Metrics"`
	Updates    []struct {
		Peaks map[string]int64 `json:"Executor Metrics"`
	} `json:"Executor Metrics Updated"`
}

// The names of the events that are read.
const (
	logStart         = "SparkListenerLogStart"
	applicationStart = "SparkListenerApplicationStart"
	applicationEnd   = "SparkListenerApplicationEnd"
	environment      = "SparkListenerEnvironmentUpdate"
	executorAdded    = "SparkListenerExecutorAdded"
	executorRemoved  = "SparkListenerExecutorRemoved"
	stageCompleted   = "SparkListenerStageCompleted"
	taskStart        = "SparkListenerTaskStart"
	taskEnd          = "SparkListenerTaskEnd"
	stageMetrics     = "SparkListenerStageExecutorMetrics"
	metricsUpdate    = "SparkListenerExecutorMetricsUpdate"
)
