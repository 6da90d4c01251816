// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/base/tracker"
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
