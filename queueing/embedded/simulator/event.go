// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"time"
)

// Time is a virtual time or duration. Its text form is that of time.Duration, such as 1m30s.
type Time time.Duration

// String returns the time formatted as a time.Duration.
func (t Time) String() string { return time.Duration(t).String() }

// MarshalText implements encoding.TextMarshaler.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Kind says what has happened to an asker.
type Kind string

// The kinds of events. The set is closed.
const (
	// Admitted means that the asker holds quota and runs.
	Admitted Kind = "admitted"
	// Waiting means that the asker is pending, or waits for a correction of the configuration. It is emitted on arrival
	// and whenever the reason changes.
	Waiting Kind = "waiting"
	// Preempted means that the asker has lost its quota and is pending again.
	Preempted Kind = "preempted"
	// Refused means that the asker can never be admitted with the current configuration. A change of the configuration
	// may alter that.
	Refused Kind = "refused"
	// Finished means that the asker has run for its time and released its quota.
	Finished Kind = "finished"
	// Created means that a schedule has created the asker, which arrives now.
	Created Kind = "created"
	// Deleted means that its schedule has deleted the asker. It has released its quota, or is no longer pending.
	Deleted Kind = "deleted"
	// Missed means that a schedule has skipped this run, so that there is no such asker.
	Missed Kind = "missed"
)

// Event is something that has happened to one asker. Its JSON is one line in the output of sparkctl simulate.
type Event struct {
	T     Time `json:"t"`
	Event Kind `json:"event"`
	// App is the namespace/name of the asker.
	App   string `json:"app"`
	Queue string `json:"queue"`
	// Flavors maps pod sets to the flavors in which they are placed; only for Admitted.
	Flavors map[string]string `json:"flavors,omitempty"`
	// By is the namespace/name of the preempting asker for Preempted, empty if there is none, and of the replacing
	// asker for Deleted.
	By string `json:"by,omitempty"`
	// Reason has the form "Reason: a sentence"; only for Waiting, Refused, Preempted and Missed.
	Reason string `json:"reason,omitempty"`
	// ScheduledFor is when the run was due, in the time zone of its schedule; only for Created and Missed.
	ScheduledFor string `json:"scheduledFor,omitempty"`
}

// Summary is the result of the whole scenario. Its JSON is the last line in the output of sparkctl simulate.
type Summary struct {
	// Event is always "summary".
	Event string `json:"event"`
	// Makespan is when the last asker finished; 0 if none did.
	Makespan Time `json:"makespan"`
	// Wait is the wait of the finished askers, from arrival to the admission after which they ran to their end.
	Wait Waits `json:"wait"`
	// Usage maps "flavor/resource" to the average part of the nominal quota of all queues that was in use until
	// Makespan, from 0 to 1. It has no entries for cells that no queue limits.
	Usage map[string]float64 `json:"usage"`
	// Preemptions counts preemptions, not preempted askers.
	Preemptions int `json:"preemptions"`
	// Unfinished counts the askers that would be pending forever.
	Unfinished int `json:"unfinished,omitempty"`
	// Schedules counts the runs of each schedule, by name.
	Schedules map[string]*Runs `json:"schedules,omitempty"`
}

// Runs counts the runs of a schedule.
type Runs struct {
	// Created counts the askers that the schedule has created, and Deleted those of them that it has deleted.
	Created int `json:"created"`
	Deleted int `json:"deleted,omitempty"`
	// Missed counts the missed runs by reason.
	Missed map[string]int `json:"missed,omitempty"`
}

// Waits are percentiles by nearest rank: the smallest wait that this percentage of the waits did not exceed.
type Waits struct {
	P50 Time `json:"p50"`
	P95 Time `json:"p95"`
	Max Time `json:"max"`
}
