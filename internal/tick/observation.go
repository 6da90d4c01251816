// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/cron"
)

// Observation is all that a decision depends on. Decide does not change it.
type Observation struct {
	Schedule *v1alpha1.ScheduledSparkApplication
	// Times are those of the schedule; nil if it has a mistake.
	Times *cron.Schedule
	// Now is the time of the decision; Since when this process began to lead. What was due until then was missed.
	Now, Since time.Time
	// Children are the applications of the schedule, in any order.
	Children []Child
	// Taken are names that other applications have.
	Taken map[string]bool
	// Refused is the name of the last application that could not be created for a tick, and RefusedRequest that of the last one for a
	// token; empty for none.
	Refused, RefusedRequest string
	// Token asks for a run now; empty if none is asked for, or the one that was asked for exists.
	Token string
}

// Child is an application of a schedule.
type Child struct {
	Name string
	UID  types.UID
	// Version is the resource version at which it was seen.
	Version string
	// Due is the time for which it was created; zero if a user asked for it. Created is when it was, Ended when its run ended.
	Due, Created, Ended time.Time
	// Finished says that its last run has ended, Succeeded how. One that is being deleted is not finished: it may hold quota.
	Finished, Succeeded bool
	// Stalled says that it holds nothing and cannot start before it or the cluster is changed: it gives way to the next run. If it is finished as
	// well, it counts as a run that has failed.
	Stalled  bool
	Deleting bool
	// Keep excepts it from the history limits.
	Keep    bool
	Message string
}

// active reports whether it may hold quota or ask for it.
func (c Child) active() bool { return c.Deleting || !c.Finished }

// mayRun reports whether it is active, or may become so. One that is to be kept cannot be prevented from that.
func (c Child) mayRun() bool {
	if c.Stalled && !c.Deleting {
		return !c.Keep
	}
	return c.active()
}

// IsInTheWay reports whether it forbids another run.
func (c Child) IsInTheWay() bool { return c.active() && !c.Stalled }

// Decision is what follows from an observation.
type Decision struct {
	// Create is the application to create, unless it exists already; nil for none. The rest of the decision holds once it exists.
	Create *Run
	// Delete are applications to delete before anything is created.
	Delete []Child
	// Passed are ticks that are not run, oldest first.
	Passed []Passed
	// Handled is what to record; until then nothing is due.
	Handled v1alpha1.HandledSchedule
	// Look is when to decide again at the latest: the next tick, or the end of a wait; zero if only a change can make a difference.
	Look time.Time
	// Again says that there is more to decide at once.
	Again bool
	// Waits says that a tick, or a user's request, waits for an application to finish.
	Waits *Child
}

// Run is an application to create.
type Run struct {
	Name string
	// At is the tick; zero for a run that was asked for by Token.
	At    time.Time
	Token string
	// Exists says that the application has been created already, and only has to be recorded.
	Exists bool
}

// Passed is a tick that is not run.
type Passed struct {
	At     time.Time
	Reason string // one of v1alpha1.Missed…
	// Blocker is the application in the way, for ConcurrencyForbidden. The caller makes sure that it has not finished.
	Blocker *Child
}
