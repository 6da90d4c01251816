// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/status"
)

// rerun decides whether another run is wanted.
type rerun struct {
	*state
}

// forceToken returns the token of a request to run again that was not handled yet.
func (rr rerun) forceToken() string {
	return status.ForceToken(rr.o.App.Annotations, rr.o.App.Status.LastHandledForceAt)
}

// changed reports whether the run template differs from that of the current run in a way that asks for another run.
func (rr rerun) changed() bool {
	if rr.o.App.Spec.TemplatePolicy() == v1alpha1.TemplateChangeIgnore {
		return rr.o.App.Spec.RunID != rr.s.RunID
	}
	return !rr.o.SameTemplate
}

// ignored reports whether the run template differs and nothing is done about it.
func (rr rerun) ignored() bool {
	return rr.s.Run > 0 && !rr.o.SameTemplate && !rr.changed() && rr.forceToken() == ""
}

// wanted reports whether another run is wanted after the current one.
func (rr rerun) wanted() bool { return rr.changed() || rr.forceToken() != "" }

// followsReason is the reason of the event that another run follows the one that is under way.
const followsReason = "RunFollows"

// nextRunNote begins the part of a message that says that another run follows.
func nextRunNote(run int64) string { return fmt.Sprintf("; run %d follows this one: ", run+1) }

// restarts reports whether the run that is wanted does not wait for the end of the current one.
func (rr rerun) restarts() bool {
	return rr.wanted() && rr.o.App.Spec.TemplatePolicy() == v1alpha1.TemplateChangeRestart
}

// replaces reports whether the run that is wanted takes the place of one whose driver cannot start, of which nothing has
// run yet: what is wanted may correct that.
func (rr rerun) replaces(driver *pods.Record) bool {
	return rr.wanted() && driver != nil && !driver.Running && driver.Ended == nil && rr.s.Times.DriverStarted == nil &&
		pods.WhyNotStarted(driver).Reason != ""
}

// next returns the start of the run that follows.
func (rr rerun) next() Start { return Start{Run: rr.s.Run + 1, Attempt: 1, QueuedAt: rr.now().Time} }

// heldBack returns why the run that follows cannot begin, according to its plan, and the reason in a word; empty if it
// can, or if it was not planned.
func (rr rerun) heldBack() (reason, why string) {
	switch plan := rr.o.Plan; {
	case plan == nil:
		return "", ""
	case len(plan.Findings) > 0:
		stage, message := mistakesOf(plan)
		return string(stage), message
	case len(plan.Missing) > 0:
		return v1alpha1.ReferenceNotFoundReason, strings.Join(plan.Missing, "; ")
	}
	return "", ""
}

// mustWait reports whether the run that follows was planned, and cannot begin.
func (rr rerun) mustWait() bool {
	reason, _ := rr.heldBack()
	return reason != ""
}

// mistakesOf returns the stage of an application whose start cannot be planned for mistakes, and its message.
func mistakesOf(plan *Plan) (status.Stage, string) {
	stage, messages := status.NotYetSupported, make([]string, 0, len(plan.Findings))
	for _, f := range plan.Findings {
		if f.Reason == v1alpha1.InvalidSpecReason {
			stage = status.InvalidSpec
		}
	}
	for _, f := range plan.Findings {
		if f.Reason == string(stage) {
			messages = append(messages, f.String())
		}
	}
	return stage, strings.Join(messages, "; ")
}

// announce adds to the message of a run under way that another one follows, and why, or what keeps it from beginning.
// news is the event about it if the status does not say so yet. It is not said of a run that is stopped for the change,
// nor in the pass that starts a run.
func (rr rerun) announce(stage status.Stage, message string) (said string, news *Event) {
	app := rr.o.App
	underWay := stage.Active() && rr.was.Active() && app.DeletionTimestamp.IsZero() && !app.Spec.Suspend
	if !underWay || !rr.wanted() || rr.s.Stopping == v1alpha1.StopTemplateChanged {
		return message, nil
	}
	note := nextRunNote(rr.s.Run) + "the run template has changed"
	if !rr.changed() {
		note = nextRunNote(rr.s.Run) + "it was requested by the annotation " + status.ForceAnnotation
	}
	known := strings.Contains(readyMessage(app), nextRunNote(rr.s.Run))
	event := Event{Reason: followsReason}
	reason, why := rr.heldBack()
	if reason != "" {
		note = shorten(status.Truncate(note+", but cannot begin yet, so this one continues: "+why), status.MaxMessage*3/4)
	}
	if reason != "" && reason != v1alpha1.ReferenceNotFoundReason { // what is missing may be about to come, with the same commit
		event, known = Event{Warning: true, Reason: reason}, strings.HasSuffix(readyMessage(app), note)
		rr.view.Blocked, rr.view.Generation = true, app.Generation
	}
	if event.Message = strings.TrimPrefix(note, "; "); !known {
		news = &event
	}
	return shorten(status.Truncate(message), status.MaxMessage-len(note)) + note, news
}

// shorten cuts a message to a number of bytes, with an ellipsis at its end.
func shorten(message string, most int) string {
	const ellipsis = "…"
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most-len(ellipsis)], "") + ellipsis
}

// observeSpec sets which generation the status speaks of while a run continues or has ended: the current one, unless
// its run template waits for the next run.
func (rr rerun) observeSpec() {
	rr.view.Generation = rr.o.App.Generation
	if rr.ignored() {
		rr.view.TemplateIgnored = "the run template has changed since run " + strconv.FormatInt(rr.s.Run, 10) +
			" began and onTemplateChange is Ignore; change runID to run it"
		return
	}
	if !rr.o.SameTemplate {
		rr.view.Generation = rr.o.App.Status.ObservedGeneration
	}
}
