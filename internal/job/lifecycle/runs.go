// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/base/tracker"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// ended follows a run that has ended: it starts another one if that is wanted, and deletes what was kept when its time
// is over.
func ended(st *state) Decision {
	if rerunWanted(st) {
		return startRun(st)
	}
	observeSpec(st)
	for _, r := range st.activePods() {
		deletePod(st, r)
	}
	st.after(Action{Kind: ReleaseGrant})
	return publish(st, st.was, applyTTL(st, st.view.Message))
}

// republishEnd publishes the end of the last run again, after the spec was invalid and was changed back to what that
// run executed.
func republishEnd(st *state) Decision {
	attempt := currentEntry(st)
	switch {
	case attempt == nil || attempt.Outcome == v1alpha1.OutcomeStopped:
		return resume(st)
	// ^ The run had not ended: its next attempt was about to be planned when the spec turned out to be invalid.
	case st.s.Times.Finished == nil && mayRetry(st, attempt) && !totalExceeded(st):
		return retry(st, attempt)
	case st.s.Times.Finished == nil:
		st.s.Times.Finished = attempt.FinishedAt
	}
	stage, message := runEnd(st, attempt)
	return publish(st, stage, message)
}

// suspended waits until spec.suspend is false.
func suspended(st *state) Decision {
	switch {
	case st.o.App.Spec.Suspend:
		deleteOrphanedPods(st)
		return publishSuspended(st)
	case st.s.Run == 0 || rerunWanted(st):
		return startRun(st)
	}
	if last := currentEntry(st); last != nil && last.Outcome != v1alpha1.OutcomeStopped {
		return republishEnd(st)
	}
	// Suspending gives up the place in the queue.
	st.s.Times.Queued = st.nowPtr()
	return resume(st)
}

// idle waits until a server that was stopped by timeouts.idle is wanted again: until its spec has changed, whatever the
// change is, or a run is requested.
func idle(st *state) Decision {
	switch {
	case st.o.App.Spec.Suspend:
		return publishSuspended(st)
	case rerunWanted(st):
		return startRun(st)
	case st.o.App.Generation != st.o.App.Status.ObservedGeneration:
		st.s.Times.Queued = st.nowPtr()
		return resume(st)
	}
	deleteOrphanedPods(st)
	st.after(Action{Kind: ReleaseGrant})
	return publish(st, status.Idle, st.view.Message)
}

// resume continues a run after it was suspended: with the attempt that never started, else with another one. That does
// not count as a failure.
func resume(st *state) Decision {
	if currentEntry(st) != nil {
		st.s.Resumes++
		st.nextAttempt()
	}
	return askPlanned(st)
}

// startRun plans a new run and asks for it.
func startRun(st *state) Decision {
	if st.was == status.New && endLeftBehind(st) {
		return st.unchanged()
	}
	if st.o.App.Spec.Suspend {
		return publishSuspended(st)
	}
	if blocked := st.was == status.InvalidSpec || st.was == status.NotYetSupported; blocked && st.s.Run > 0 && !rerunWanted(st) {
		return republishEnd(st)
	}
	start := nextRunStart(st)
	if st.neverEdited() {
		start.QueuedAt = st.o.App.CreationTimestamp.Time
	}
	if st.o.Plan == nil {
		return need(NeedPlan, start)
	}
	if len(st.o.Plan.Findings) > 0 {
		return publishInvalid(st)
	}
	beginRun(st, start)
	return ask(st, start)
}

// endLeftBehind ends pods beside which the first attempt cannot begin, and reports whether there are any: the active
// ones of other attempts, and what has ended and has the names of the first one. The status knows of no attempt because
// another client has emptied it.
func endLeftBehind(st *state) (some bool) {
	first := nextRunStart(st)
	for _, r := range st.o.Pods {
		if isFirst := r.Run == first.Run && r.Attempt == first.Attempt; r.Active() != isFirst {
			deletePod(st, r)
			some = true
		}
	}
	return some
}

// twoOwnersReason is the reason of the event about an application that two owners declare differently.
const twoOwnersReason = "TwoOwners"

// ownerOf returns what applies the application, such as "Kustomization team-a/jobs"; empty if that is not known.
func ownerOf(st *state) string {
	if owner := tracker.Of(st.o.App); owner.Known() {
		return redact.First(status.Truncate(owner.String()), status.MaxMessage/4)
	}
	return ""
}

// noteOwner records at the beginning of a run what has applied its template. If that is another owner than that of the
// run before, and the template is another one, both may declare the application: then each of their passes runs it again.
func noteOwner(st *state, changed bool) {
	before, owner := st.s.AppliedBy, ownerOf(st)
	st.s.AppliedBy = owner
	if changed && before != "" && owner != "" && before != owner {
		st.event(true, twoOwnersReason, fmt.Sprintf("run %d has the run template of %s, and run %d had that of %s: if both declare this application, "+
			"it runs again at every pass of each; remove it from one of them", st.s.Run, owner, st.s.Run-1, before))
	}
}

// noteMove records another owner of the same template: the manifest has moved, and nothing runs for that.
func noteMove(st *state) {
	if st.s.AppliedBy != "" && st.o.SameTemplate && st.view.UnknownStage == "" {
		st.s.AppliedBy = ownerOf(st)
	}
}

// forceToken returns the value of the force annotation if it requests a run that has not been handled yet, else "".
func forceToken(st *state) string {
	return status.ForceToken(st.o.App.Annotations, st.o.App.Status.LastHandledForceAt)
}

// templateChanged reports whether the run template differs from the one of the current run in a way that starts another
// run.
func templateChanged(st *state) bool {
	if st.o.App.Spec.TemplatePolicy() == v1alpha1.TemplateChangeIgnore {
		return st.o.App.Spec.RunID != st.s.RunID
	}
	return !st.o.SameTemplate
}

// templateIgnored reports whether the run template differs but starts no other run.
func templateIgnored(st *state) bool {
	return st.s.Run > 0 && !st.o.SameTemplate && !templateChanged(st) && forceToken(st) == ""
}

// rerunWanted reports whether another run should follow the current one.
func rerunWanted(st *state) bool { return templateChanged(st) || forceToken(st) != "" }

// followsReason is the reason of the event which says that another run follows the current one.
const followsReason = "RunFollows"

// nextRunNote returns the beginning of the note in a message which says that another run follows.
func nextRunNote(run int64) string { return fmt.Sprintf("; run %d follows this one: ", run+1) }

// rerunRestarts reports whether the wanted run does not wait for the end of the current one.
func rerunRestarts(st *state) bool {
	return rerunWanted(st) && st.o.App.Spec.TemplatePolicy() == v1alpha1.TemplateChangeRestart
}

// rerunReplaces reports whether the wanted run takes the place of the current one because its driver cannot start.
// Nothing of the current run has run yet, and the new template may correct the mistake.
func rerunReplaces(st *state, driver *pods.Record) bool {
	return rerunWanted(st) && driver != nil && !driver.Running && driver.Ended == nil && st.s.Times.DriverStarted == nil &&
		pods.WhyNotStarted(driver).Reason != ""
}

// nextRunStart returns the start of the next run.
func nextRunStart(st *state) Start {
	return Start{Run: st.s.Run + 1, Attempt: 1, QueuedAt: st.now().Time}
}

// whyRerunWaits returns the reason and the explanation why the next run cannot begin, according to its plan; empty if
// it can begin or was not planned.
func whyRerunWaits(st *state) (reason, why string) {
	switch plan := st.o.Plan; {
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

// rerunWaits reports whether the next run was planned and cannot begin.
func rerunWaits(st *state) bool {
	reason, _ := whyRerunWaits(st)
	return reason != ""
}

// mistakesOf returns the stage and the message of an application whose plan has findings. If any of them is
// InvalidSpec, only those are named.
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

// announceRerun adds a note to the message of a run under way if another run follows it: why it does, or what keeps it
// from beginning. newEvent is the event about that if the status does not say so yet. There is no note if the run is
// already being stopped for the change, or in the pass that starts the run.
func announceRerun(st *state, stage status.Stage, message string) (published string, newEvent *Event) {
	app := st.o.App
	underWay := stage.Active() && st.was.Active() && app.DeletionTimestamp.IsZero() && !app.Spec.Suspend
	if !underWay || !rerunWanted(st) || st.s.Stopping == v1alpha1.StopTemplateChanged {
		return message, nil
	}
	note := nextRunNote(st.s.Run) + "the run template has changed"
	if !templateChanged(st) {
		note = nextRunNote(st.s.Run) + "it was requested by the annotation " + status.ForceAnnotation
	}
	known := strings.Contains(readyMessage(app), nextRunNote(st.s.Run))
	event := Event{Reason: followsReason}
	reason, why := whyRerunWaits(st)
	if reason != "" {
		note = redact.First(status.Truncate(note+", but cannot begin yet, so this one continues: "+why), status.MaxMessage*3/4)
	}
	// A missing reference may be about to come, with the same commit, and is no reason for a warning.
	if reason != "" && reason != v1alpha1.ReferenceNotFoundReason {
		event, known = Event{Warning: true, Reason: reason}, strings.HasSuffix(readyMessage(app), note)
		st.view.Blocked, st.view.Generation = true, app.Generation
	}
	if event.Message = strings.TrimPrefix(note, "; "); !known {
		newEvent = &event
	}
	return redact.First(status.Truncate(message), status.MaxMessage-len(note)) + note, newEvent
}

// observeSpec sets the generation that the status reports as observed while a run continues or has ended: the current
// one, unless the changed template waits for the next run.
func observeSpec(st *state) {
	st.view.Generation = st.o.App.Generation
	if templateIgnored(st) {
		st.view.TemplateIgnored = "the run template has changed since run " + strconv.FormatInt(st.s.Run, 10) +
			" began and onTemplateChange is Ignore; change runID to run it"
		return
	}
	if !st.o.SameTemplate {
		st.view.Generation = st.o.App.Status.ObservedGeneration
	}
}
