// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
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

// announce adds to the message of a run under way that another one follows, and why. news is that sentence if the status
// does not say so yet. It is not said of a run that is stopped for the change, nor in the pass that starts a run.
func (rr rerun) announce(stage status.Stage, message string) (said, news string) {
	app := rr.o.App
	underWay := stage.Active() && rr.was.Active() && app.DeletionTimestamp.IsZero() && !app.Spec.Suspend
	if !underWay || !rr.wanted() || rr.s.Stopping == v1alpha1.StopTemplateChanged {
		return message, ""
	}
	why := "the run template has changed"
	if !rr.changed() {
		why = "it was requested by the annotation " + status.ForceAnnotation
	}
	note := nextRunNote(rr.s.Run) + why
	if !strings.Contains(readyMessage(app), nextRunNote(rr.s.Run)) {
		news = strings.TrimPrefix(note, "; ")
	}
	message = status.Truncate(message)
	if most := status.MaxMessage - len(note); len(message) > most {
		message = strings.ToValidUTF8(message[:most-len("…")], "") + "…"
	}
	return message + note, news
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
