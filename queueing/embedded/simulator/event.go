// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"time"
)

// Time is virtual time, or a span of it. It is written the way Go writes durations: 1m30s.
type Time time.Duration

// String returns it the way Go writes durations.
func (t Time) String() string { return time.Duration(t).String() }

// MarshalText implements encoding.TextMarshaler.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Kind is what has happened to an application.
type Kind string

// The kinds of events. The set is closed.
const (
	// Admitted: it holds quota and runs.
	Admitted Kind = "admitted"
	// Waiting: it is pending, or waits for a correction of the configuration. Emitted on arrival and whenever the
	// reason changes.
	Waiting Kind = "waiting"
	// Preempted: it has lost its quota and is pending again.
	Preempted Kind = "preempted"
	// Refused: it can never be admitted with the current configuration; a change of it may alter that.
	Refused Kind = "refused"
	// Finished: it has run its time and released its quota.
	Finished Kind = "finished"
	// Created: a schedule has created it. It arrives.
	Created Kind = "created"
	// Deleted: its schedule has deleted it. It has released its quota, or waits no longer.
	Deleted Kind = "deleted"
	// Missed: its schedule has passed it over. There is no such application.
	Missed Kind = "missed"
)

// Event is one thing that has happened to one application. Its JSON is a line of the output of sparkctl simulate.
type Event struct {
	T     Time `json:"t"`
	Event Kind `json:"event"`
	// App is namespace/name.
	App   string `json:"app"`
	Queue string `json:"queue"`
	// Flavors in which the pods are placed, by pod set; for Admitted.
	Flavors map[string]string `json:"flavors,omitempty"`
	// By is the namespace/name of the preempting application; for Preempted, empty if there is none. For Deleted, of
	// the one that replaces it.
	By string `json:"by,omitempty"`
	// Reason is "Reason: a sentence"; for Waiting, Refused, Preempted and Missed.
	Reason string `json:"reason,omitempty"`
	// ScheduledFor is when it was due, in the time zone of its schedule; for Created and Missed.
	ScheduledFor string `json:"scheduledFor,omitempty"`
}

// Summary is what came of the whole scenario. Its JSON is the last line of the output of sparkctl simulate.
type Summary struct {
	// Event is "summary".
	Event string `json:"event"`
	// Makespan is when the last application finished; 0 if none did.
	Makespan Time `json:"makespan"`
	// Wait of those that finished, from arrival to the admission with which they ran to their end.
	Wait Waits `json:"wait"`
	// Usage by "flavor/resource", from 0 to 1: what was in use of the nominal quota of all queues until Makespan. Cells
	// that no queue limits are not there.
	Usage map[string]float64 `json:"usage"`
	// Preemptions counts preemptions, not preempted applications.
	Preemptions int `json:"preemptions"`
	// Unfinished counts the applications that would be pending forever.
	Unfinished int `json:"unfinished,omitempty"`
	// Schedules are what became of the runs of each schedule, by its name.
	Schedules map[string]*Runs `json:"schedules,omitempty"`
}

// Runs counts the runs of a schedule.
type Runs struct {
	// Created applications, and how many of them it has deleted.
	Created int `json:"created"`
	Deleted int `json:"deleted,omitempty"`
	// Missed runs by reason.
	Missed map[string]int `json:"missed,omitempty"`
}

// Waits are percentiles by nearest rank: the least wait that so many in a hundred did not exceed.
type Waits struct {
	P50 Time `json:"p50"`
	P95 Time `json:"p95"`
	Max Time `json:"max"`
}
