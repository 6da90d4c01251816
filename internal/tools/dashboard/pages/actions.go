// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/tracker"
)

// action is something that a viewer can do to an application or a schedule.
type action struct {
	// Name is the last element of the path; Done is the message after the action.
	Name, Label, About, Done string
}

// until returns the action on spec.suspend with a note about the tool that will set the field back, if there is one.
func (a action) until(app *v1alpha1.SparkApplication) action {
	if setBack := tracker.AfterSuspension(app, !app.Spec.Suspend); setBack != "" {
		a.About += " But " + setBack + "."
	}
	return a
}

// The actions.
var (
	ActionSuspend = action{"suspend", "Suspend", "Kills the run, if there is one: its pods are stopped and its quota is released. Resume continues it with a new attempt.", "spec.suspend is set: the run stops and releases its quota."}
	ActionResume  = action{"resume", "Resume", "Removes spec.suspend: the application requests quota again.", "spec.suspend was removed: the application requests quota again."}
	actionRerun   = action{"rerun", "Run again", "Requests one more run with the spec as it is.", "Another run is requested."}
	ActionRun     = action{"run", "Run now", "Requests a run outside the times of the schedule.", "A run is requested. It is created when the concurrency policy of the schedule allows it."}

	// ApplicationActions are those on applications.
	ApplicationActions = map[string]action{ActionSuspend.Name: ActionSuspend, ActionResume.Name: ActionResume, actionRerun.Name: actionRerun}
)
