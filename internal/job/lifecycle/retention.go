// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/tracker"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// ttlIgnoredReason is the reason of the event about a spec.ttlAfterFinished that is not honoured.
const ttlIgnoredReason = "TTLIgnored"

// ttlNote begins the note, in the message of an end, that spec.ttlAfterFinished is not honoured.
const ttlNote = "; spec.ttlAfterFinished is not honoured: "

// seenBySchedule is how long an application of a schedule lives after its end at least: its schedule records how it has
// ended.
const seenBySchedule = 10 * time.Second

// expireAttempts deletes the objects of ended attempts that have been kept for long enough. The driver pod is deleted
// last, so as long as it exists there may be more to delete. If it is gone already, the rest is not worth keeping.
func expireAttempts(st *state, stage status.Stage) {
	if st.view.UnknownStage != "" {
		return
	}
	for _, left := range st.o.Leftovers {
		if attemptOver(st, left, stage) {
			st.after(Action{Kind: DeleteObjects, Run: left.Run, Attempt: left.Attempt})
		}
	}
	for _, r := range st.o.Pods {
		if r.Role != pods.Driver || r.OwnerUID != st.o.App.UID || r.Active() || r.Deleting || !attemptOver(st, AttemptID{r.Run, r.Attempt}, stage) {
			continue
		}
		if due := keptUntil(st, r); st.o.Now.Before(due) {
			st.requeue(due)
			continue
		}
		st.after(Action{Kind: DeleteObjects, Run: r.Run, Attempt: r.Attempt})
	}
}

// attemptOver reports whether an attempt is over if the application is in that stage: it is an earlier one, or it has
// ended and holds no grant.
func attemptOver(st *state, a AttemptID, stage status.Stage) bool {
	current := a == AttemptID{st.s.Run, st.s.Attempt}
	return !current || stage.Ended() || st.s.Grant == nil && currentEntry(st) != nil
}

// keepsPod reports whether the pod of an ended driver can be kept, with its log. driver is nil if the pod is gone.
func keepsPod(st *state, driver *pods.Record) bool {
	return driver != nil && !driver.Deleting && !st.o.StrayDriver
}

// keptUntil returns when the objects of an ended attempt are deleted; zero means at once. Objects of attempts that are
// no longer in the history are not kept, and neither is a pod whose name the next driver needs.
func keptUntil(st *state, r *pods.Record) time.Time {
	ended := entryOf(st, r.Run, r.Attempt)
	if ended == nil || ended.Outcome == v1alpha1.OutcomeStopped || (!st.current(r) && r.Name == st.o.App.Spec.Driver.PodName) {
		return time.Time{}
	}
	policy, duration := v1alpha1.RetentionAlways, DefaultRetention
	if ended.Outcome == v1alpha1.OutcomeFailed {
		duration = DefaultFailedRetention
	}
	if retention := st.o.App.Spec.Retention; retention != nil {
		duration = orDefault(retention.Duration, duration)
		if retention.Policy != "" {
			policy = retention.Policy
		}
	}
	if policy == v1alpha1.RetentionNever || (policy == v1alpha1.RetentionOnFailure && ended.Outcome == v1alpha1.OutcomeSucceeded) {
		return time.Time{}
	}
	return ended.FinishedAt.Add(duration)
}

// ofSchedule reports whether a schedule has created the application.
func ofSchedule(st *state) bool {
	owner := metav1.GetControllerOfNoCopy(st.o.App)
	return owner != nil && owner.Kind == v1alpha1.ScheduledSparkApplicationKind
}

// applyTTL deletes the application when spec.ttlAfterFinished has passed since the end. It returns the message of the
// end, with a note if the field is not honoured.
func applyTTL(st *state, message string) string {
	before := message
	message, _, _ = strings.Cut(message, ttlNote)
	ttl, finished := st.o.App.Spec.TTLAfterFinished, st.s.Times.Finished
	if ttl == nil || finished == nil {
		return message
	}
	if applier := tracker.Of(st.o.App); applier.Known() {
		tool, key := applier.Tool()
		note := fmt.Sprintf("%s would create this object again, and run it again; let %s delete it (it is known by the mark %s)", tool, tool, key)
		if message += ttlNote + note; message != before {
			st.event(true, ttlIgnoredReason, "spec.ttlAfterFinished is not honoured: "+note)
		}
		return message
	}
	least := time.Duration(0)
	if ofSchedule(st) {
		least = seenBySchedule
	}
	if due := finished.Add(max(ttl.Duration, least)); st.o.Now.Before(due) {
		st.requeue(due)
	} else {
		st.after(Action{Kind: DeleteApplication})
	}
	return message
}
