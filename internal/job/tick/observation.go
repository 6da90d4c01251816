// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
)

// Observation is everything that a decision depends on. Decide does not change it.
type Observation struct {
	Schedule *v1alpha1.ScheduledSparkApplication
	// Times are the schedule's times; nil if the schedule has a mistake.
	Times *cron.Schedule
	// Now is the time of the decision. Since is when this process became the leader; ticks up to then are missed ones,
	// which catchUp governs.
	Now, Since time.Time
	// Children are the applications of the schedule, in any order.
	Children []Child
	// Taken are names that applications of others have.
	Taken map[string]bool
	// Refused is the name of the last application that could not be created for a tick, and RefusedRequest that of the
	// last one for a token; empty if there is none.
	Refused, RefusedRequest string
	// Token requests a run now; empty if none is requested, or if the application for the request exists.
	Token string
	// Request is the annotation that names past times to run; empty if there is none.
	Request string
}

// Child is an application of a schedule.
type Child struct {
	Name string
	UID  types.UID
	// Version is the resource version at which the application was seen.
	Version string
	// Due is the tick for which it was created; zero if a user requested it. Created is when it was created, Ended when
	// its run ended.
	Due, Created, Ended time.Time
	// Finished reports whether its last run has ended, and Succeeded whether that run succeeded. An application that is
	// being deleted does not count as finished: it may hold quota.
	Finished, Succeeded bool
	// Stalled reports whether it holds nothing and cannot start until it, or the cluster, is changed. It gives way to
	// the next run. If it is finished as well, it counts as a failed run.
	Stalled  bool
	Deleting bool
	// Keep exempts it from the history limits.
	Keep bool
	// Request is the hash of the request to run a past time because of which it was created; empty for others.
	Request string
	Message string
}

// active reports whether the application may hold quota or request it.
func (c Child) active() bool { return c.Deleting || !c.Finished }

// mayRun reports whether the application is active, or may become so. A stalled one that is to be kept does not count:
// it cannot be deleted to prevent it from running.
func (c Child) mayRun() bool {
	if c.Stalled && !c.Deleting {
		return !c.Keep
	}
	return c.active()
}

// IsInTheWay reports whether the application blocks another run.
func (c Child) IsInTheWay() bool { return c.active() && !c.Stalled }

// Decision is what Decide returns.
type Decision struct {
	// Create is the application to create, unless it exists already; nil for none. The rest of the decision is valid
	// once it exists.
	Create *Run
	// Delete are the applications to delete before any is created.
	Delete []Child
	// Passed are the ticks that are not run, oldest first.
	Passed []Passed
	// Handled is to be written into the status; nothing is due up to its time.
	Handled v1alpha1.HandledSchedule
	// Look is the latest time at which to decide again: the next tick, or the end of a wait; zero if only a change of
	// an object can make a difference.
	Look time.Time
	// Again reports whether to decide again at once, because there is more to do.
	Again bool
	// Waits is the application that a tick, or a user's request, waits for; nil if none waits. PastWaits reports
	// whether it is a run for a past time that waits.
	Waits     *Child
	PastWaits bool
	// RunFor is what is to be recorded of the request to run past times; nil for nothing.
	RunFor *v1alpha1.RunForStatus
	// Skips are the applications of the schedule because of which pending times are skipped. The caller checks that
	// they still exist.
	Skips []Child
	// Withdrawn are the pending times of a request that is no longer the current one.
	Withdrawn []string
}

// Run is an application to create.
type Run struct {
	Name string
	// At is the tick; zero for a run that was requested with Token.
	At    time.Time
	Token string
	// Previous is the tick before At. The caller sets it; zero if there is none.
	Previous time.Time
	// Request is the hash of the request because of which a past tick is run; empty for others.
	Request string
	// Exists reports whether the application has been created already and only has to be recorded.
	Exists bool
}

// Name returns the name of the application of a tick. Ticks are at least a minute apart, so no two ticks have the same
// name.
func Name(schedule string, at time.Time) string { return fmt.Sprintf("%s-%d", schedule, at.Unix()/60) }

// RequestedName returns the name of the application for a run that a user requested with a token.
func RequestedName(schedule, token string) string {
	sum := sha256.Sum256([]byte(token))
	return schedule + "-m-" + hex.EncodeToString(sum[:4])
}

// Requested reports whether a user has requested the run, so that it handles no tick.
func (r *Run) Requested() bool { return r.Token != "" || r.Request != "" }

// Passed is a tick that is not run.
type Passed struct {
	At     time.Time
	Reason string // one of v1alpha1.Missed…
	// Blocker is the application in the way, for ConcurrencyForbidden. The caller checks that it has not finished.
	Blocker *Child
}
