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

// ttlNote begins the part of the message of an end about a time to live that is not honoured.
const ttlNote = "; spec.ttlAfterFinished is not honoured: "

// trackers are the tools that create an object again when it is deleted, by the label or annotation with which they
// mark it.
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

// TrackerKeys returns the labels and annotations by which tools mark what they create again.
func TrackerKeys() []string {
	keys := make([]string, 0, len(trackers))
	for _, t := range trackers {
		keys = append(keys, t.key)
	}
	return keys
}

// retention deletes what was kept of ended attempts, and the application itself, when their time is over.
type retention struct {
	*state
	*draft
	history history
}

// expire deletes the objects of ended attempts when their time is over. A driver pod is deleted last, so it marks what
// remains to be deleted. Where it is gone before that, nothing is left that would be worth keeping.
func (rn retention) expire(stage status.Stage) {
	if rn.view.UnknownStage != "" {
		return
	}
	for _, left := range rn.o.Left {
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

// over reports whether an attempt is over in a stage: it is an earlier one, or has ended and holds nothing.
func (rn retention) over(a AttemptID, stage status.Stage) bool {
	current := a == AttemptID{rn.s.Run, rn.s.Attempt}
	return !current || stage.Ended() || rn.s.Grant == nil && rn.history.last() != nil
}

// keeps reports whether the pod of a driver that has ended may be kept, with its log. Nil is a driver that is gone.
func (rn retention) keeps(driver *pods.Record) bool {
	return driver != nil && !driver.Deleting && !rn.o.StrayDriver
}

// keptUntil returns when the objects of an ended attempt are deleted; zero is at once. Objects of attempts that the
// history has dropped are not kept, nor is a pod with the name of the next driver.
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

// tracker returns the tool that tracks the application, empty if none is known. Others may set Argo CD's label as
// well: an application that is kept for nothing is better than one that runs again and again. No tool creates what a
// schedule has created, whatever labels its template has.
func (rn retention) tracker() string {
	if owner := metav1.GetControllerOfNoCopy(rn.o.App); owner != nil && owner.Kind == v1alpha1.ScheduledSparkApplicationKind {
		return ""
	}
	for _, t := range trackers {
		if rn.o.App.Labels[t.key] != "" || rn.o.App.Annotations[t.key] != "" {
			return t.name
		}
	}
	return ""
}

// ttl deletes the application when its time to live after the end is over, and returns the message of the end, which
// says so if the time to live is not honoured.
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
	if due := finished.Add(ttl.Duration); rn.o.Now.Before(due) {
		rn.requeue(due)
	} else {
		rn.after(Action{Kind: DeleteApplication})
	}
	return message
}
