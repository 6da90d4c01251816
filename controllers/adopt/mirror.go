// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// The states that the operator writes. Those that wait to run again are submitted, too: readers take their word for that,
// PENDING_RERUN, and FAILING and INVALIDATING for a failure.
const (
	submitted = "SUBMITTED"
	running   = "RUNNING"
	completed = "COMPLETED"
	failed    = "FAILED"
	suspended = "SUSPENDED"
	// submissionFailed is written by their operator only.
	submissionFailed = "SUBMISSION_FAILED"
)

// executorWords are the states of executors by the phases of their pods.
var executorWords = map[corev1.PodPhase]string{
	corev1.PodPending: "PENDING", corev1.PodRunning: "RUNNING", corev1.PodSucceeded: completed, corev1.PodFailed: failed, corev1.PodUnknown: "UNKNOWN",
}

// maxExecutors bounds the executors in a status. Readers compare their number with that of the spec.
const maxExecutors = 1000

// stateOf returns the state of the application that runs for one of theirs. It is empty as long as nothing is known.
func stateOf(app *v1alpha1.SparkApplication) State {
	stage, _ := status.StageOf(app.Status.Conditions)
	_, message := status.StageEvent(app.Status.Conditions)
	stalled := apimeta.IsStatusConditionTrue(app.Status.Conditions, v1alpha1.StalledCondition)
	switch {
	case stage == status.New:
		return State{}
	case !isCurrent(app) && (stage.Active() || stage.Ended() || app.Status.ObservedGeneration != app.Generation):
		return State{State: submitted} // it is about what ran before the change
	case stage == status.Succeeded:
		return State{State: completed}
	case stalled:
		return State{State: failed, ErrorMessage: cmp.Or(message, string(stage))}
	case stage == status.Suspended:
		return State{State: suspended}
	case hasRun(app):
		return State{State: running}
	}
	return State{State: submitted}
}

// mirrored returns the status of one of theirs for that of the application that runs for it. Nothing of an earlier
// submission stays, and what has ended does not change. A job that still waits is not written again: readers wait for
// another word.
func mirrored(old Status, app *v1alpha1.SparkApplication, executors []*pods.Record, now time.Time) Status {
	made := app.Annotations[madeFrom]
	s := Status{State: stateOf(app), SubmissionID: fmt.Sprintf("%s%s-%d", submission, made, max(app.Status.Run, 1)), SubmissionAttempts: 1}
	if s.State.State == "" && old.State.State != "" && !old.isOf(made) {
		s.State.State = submitted
	}
	if s.State.State == "" || old.stays(&s, app) {
		return old
	}
	at := new(metav1.NewTime(now.Truncate(time.Second)))
	if isCurrent(app) {
		s.addAttempt(&old, app, executors)
		at = cmp.Or(app.Status.Times.Finished, at)
	}
	if s.ended() {
		s.TerminationTime = at
	}
	return s
}

// stays reports whether a status is not written again for what would be the next one: the job still waits, it has ended,
// or it is about to be stopped for a changed spec.
func (s *Status) stays(next *Status, app *v1alpha1.SparkApplication) bool {
	waits := next.State.State == submitted && s.State.State == submitted && s.isOf(app.Annotations[madeFrom])
	return waits || s.ended() && s.SubmissionID == next.SubmissionID || !isCurrent(app) && s.State.State == running && hasRun(app)
}

// hasRun reports whether the driver of an attempt that has not ended has started.
func hasRun(app *v1alpha1.SparkApplication) bool {
	stage, _ := status.StageOf(app.Status.Conditions)
	return stage == status.Running || stage == status.Finalizing && app.Status.Times.DriverStarted != nil
}

// isCurrent reports whether the status of an application is about what its spec says now.
func isCurrent(app *v1alpha1.SparkApplication) bool { return app.Status.RunID == app.Spec.RunID }

// addAttempt adds what is known of the current attempt.
func (s *Status) addAttempt(old *Status, app *v1alpha1.SparkApplication, executors []*pods.Record) {
	s.ExecutionAttempts, s.LastSubmissionAttemptTime = app.Status.Attempt, app.Status.Times.Admitted
	if d := app.Status.Driver; d != nil && d.UID != "" {
		s.SparkApplicationID = d.ApplicationID
		s.DriverInfo = DriverInfo{PodName: d.PodName, WebUIServiceName: uiService(app.Name), WebUIAddress: d.UIAddress}
	}
	var seen map[string]string
	if old.SubmissionID == s.SubmissionID && old.ExecutionAttempts == s.ExecutionAttempts {
		seen = old.ExecutorState
	}
	s.ExecutorState = executorStates(seen, executors, s.ended())
}

// executorStates returns the states of executors by the names of their pods: of those that exist, and of those that were
// seen before. What is gone has done its work, unless it had failed.
func executorStates(seen map[string]string, records []*pods.Record, ended bool) map[string]string {
	states := map[string]string{}
	for _, r := range records {
		states[r.Name] = executorWords[r.Phase]
	}
	names := slices.Sorted(maps.Keys(seen))
	for _, name := range names {
		if _, exists := states[name]; exists || len(states) >= maxExecutors {
			continue
		}
		if states[name] = seen[name]; seen[name] != failed {
			states[name] = completed
		}
	}
	for name, state := range states {
		if ended && state != failed {
			states[name] = completed
		}
	}
	if len(states) == 0 {
		return nil
	}
	return states
}

// executorsOf returns the records of the executors of an application's attempt, at most as many as a status may have, those
// that run first.
func executorsOf(app *v1alpha1.SparkApplication, all []*pods.Record) []*pods.Record {
	found := slices.DeleteFunc(all, func(r *pods.Record) bool {
		return r.Role != pods.Executor || r.AppUID != string(app.UID) || r.Run != app.Status.Run || r.Attempt != app.Status.Attempt
	})
	order := []corev1.PodPhase{corev1.PodRunning, corev1.PodPending, corev1.PodFailed}
	slices.SortFunc(found, func(a, b *pods.Record) int {
		return cmp.Or(cmp.Compare(uint(slices.Index(order, a.Phase)), uint(slices.Index(order, b.Phase))), cmp.Compare(a.Name, b.Name))
	})
	return found[:min(len(found), maxExecutors)]
}
