// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/status"
)

// ttlIgnoredReason is the reason of the event about a spec.ttlAfterFinished that is not honoured.
const ttlIgnoredReason = "TTLIgnored"

// ttlNote begins the note, in the message of an end, that spec.ttlAfterFinished is not honoured.
const ttlNote = "; spec.ttlAfterFinished is not honoured: "

// seenBySchedule is how long an application of a schedule lives after its end at least: its schedule records how it has ended.
const seenBySchedule = 10 * time.Second

// trackers are the tools that create a deleted object again, by the label or annotation with which they mark their
// objects.
var trackers = []struct{ key, name string }{
	{"kustomize.toolkit.fluxcd.io/name", "Flux"},
	{"helm.toolkit.fluxcd.io/name", "Flux"},
	{"resourceset.fluxcd.controlplane.io/name", "Flux"},
	{"configmanagement.gke.io/managed", "Config Sync"},
	{"objectset.rio.cattle.io/id", "Fleet"},
	{"argocd.argoproj.io/tracking-id", "Argo CD"},
	{"argocd.argoproj.io/instance", "Argo CD"},
	{"app.kubernetes.io/instance", "Argo CD"},
}

// TrackerKeys returns the labels and annotations by which such tools mark their objects.
func TrackerKeys() []string {
	keys := make([]string, 0, len(trackers))
	for _, t := range trackers {
		keys = append(keys, t.key)
	}
	return keys
}

// retention deletes the objects of ended attempts, and the application itself, when they have been kept for long
// enough.
type retention struct {
	*state
	*draft
	history history
}

// expire deletes the objects of ended attempts that have been kept for long enough. The driver pod is deleted last, so
// as long as it exists there may be more to delete. If it is gone already, the rest is not worth keeping.
func (rn retention) expire(stage status.Stage) {
	if rn.view.UnknownStage != "" {
		return
	}
	for _, left := range rn.o.Leftovers {
		if rn.over(left, stage) {
			rn.after(Action{Kind: DeleteObjects, Run: left.Run, Attempt: left.Attempt})
		}
	}
	for _, r := range rn.o.Pods {
		if r.Role != pods.Driver || r.OwnerUID != rn.o.App.UID || r.Active() || r.Deleting || !rn.over(AttemptID{r.Run, r.Attempt}, stage) {
			continue
		}
		if due := rn.keptUntil(r); rn.o.Now.Before(due) {
			rn.requeue(due)
			continue
		}
		rn.after(Action{Kind: DeleteObjects, Run: r.Run, Attempt: r.Attempt})
	}
}

// over reports whether an attempt is over if the application is in that stage: it is an earlier one, or it has ended
// and holds no grant.
func (rn retention) over(a AttemptID, stage status.Stage) bool {
	current := a == AttemptID{rn.s.Run, rn.s.Attempt}
	return !current || stage.Ended() || rn.s.Grant == nil && rn.history.last() != nil
}

// keeps reports whether the pod of an ended driver can be kept, with its log. driver is nil if the pod is gone.
func (rn retention) keeps(driver *pods.Record) bool {
	return driver != nil && !driver.Deleting && !rn.o.StrayDriver
}

// keptUntil returns when the objects of an ended attempt are deleted; zero means at once. Objects of attempts that are
// no longer in the history are not kept, and neither is a pod whose name the next driver needs.
func (rn retention) keptUntil(r *pods.Record) time.Time {
	ended := rn.history.entry(r.Run, r.Attempt)
	if ended == nil || ended.Outcome == v1alpha1.OutcomeStopped || (!rn.current(r) && r.Name == rn.o.App.Spec.Driver.PodName) {
		return time.Time{}
	}
	policy, duration := v1alpha1.RetentionAlways, DefaultRetention
	if retention := rn.o.App.Spec.Retention; retention != nil {
		duration = orDefault(retention.Duration, DefaultRetention)
		if retention.Policy != "" {
			policy = retention.Policy
		}
	}
	if policy == v1alpha1.RetentionNever || (policy == v1alpha1.RetentionOnFailure && ended.Outcome == v1alpha1.OutcomeSucceeded) {
		return time.Time{}
	}
	return ended.FinishedAt.Add(duration)
}

// tracker returns the tool that would create the application again if it were deleted, empty if none is known. Others
// may set Argo CD's label as well: it is better to keep an application for no reason than to run it again and again.
// What a schedule has created is created by no tool, whatever labels its template has.
func (rn retention) tracker() string {
	if rn.ofSchedule() {
		return ""
	}
	for _, t := range trackers {
		if rn.o.App.Labels[t.key] != "" || rn.o.App.Annotations[t.key] != "" {
			return t.name
		}
	}
	return ""
}

// ofSchedule reports whether a schedule has created the application.
func (rn retention) ofSchedule() bool {
	owner := metav1.GetControllerOfNoCopy(rn.o.App)
	return owner != nil && owner.Kind == v1alpha1.ScheduledSparkApplicationKind
}

// ttl deletes the application when spec.ttlAfterFinished has passed since the end. It returns the message of the end,
// with a note if the field is not honoured.
func (rn retention) ttl(message string) string {
	before := message
	message, _, _ = strings.Cut(message, ttlNote)
	ttl, finished := rn.o.App.Spec.TTLAfterFinished, rn.s.Times.Finished
	if ttl == nil || finished == nil {
		return message
	}
	if tracker := rn.tracker(); tracker != "" {
		note := fmt.Sprintf("%s would create this object again, and run it again; let %s delete it", tracker, tracker)
		if message += ttlNote + note; message != before {
			rn.event(true, ttlIgnoredReason, "spec.ttlAfterFinished is not honoured: "+note)
		}
		return message
	}
	least := time.Duration(0)
	if rn.ofSchedule() {
		least = seenBySchedule
	}
	if due := finished.Add(max(ttl.Duration, least)); rn.o.Now.Before(due) {
		rn.requeue(due)
	} else {
		rn.after(Action{Kind: DeleteApplication})
	}
	return message
}
