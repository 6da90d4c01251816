// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
)

// ttlIgnored is the reason of the event that tells that spec.ttlAfterFinished is not honoured.
const ttlIgnored = "TTLIgnored"

// ttlNote begins what the message of an end says of a time to live that is not honoured.
const ttlNote = "; spec.ttlAfterFinished is not honoured: "

// trackers are who would create an object again that they find deleted, by the label or annotation that they leave on it.
var trackers = []struct{ key, name string }{
	{"kustomize.toolkit.fluxcd.io/name", "Flux"},
	{"helm.toolkit.fluxcd.io/name", "Flux"},
	{"argocd.argoproj.io/tracking-id", "Argo CD"},
	{"argocd.argoproj.io/instance", "Argo CD"},
	{"app.kubernetes.io/instance", "Argo CD"},
}

// retention deletes what was kept of ended attempts, and the application itself, when the time is over.
type retention struct {
	*state
	*draft
	history history
}

// expire deletes what was kept of ended attempts when its time is over. A driver pod goes last, so it marks what is still to do.
func (rn retention) expire(stage status.Stage) {
	if rn.view.UnknownStage != "" {
		return
	}
	for _, r := range rn.o.Pods {
		if r.Role != pods.Driver || r.OwnerUID != rn.o.App.UID || r.Active() || r.Deleting || (rn.current(r) && !stage.Ended()) {
			continue
		}
		if due := rn.keptUntil(r); rn.o.Now.Before(due) {
			rn.requeue(due)
			continue
		}
		rn.after(Action{Kind: DeleteObjects, Run: r.Run, Attempt: r.Attempt})
	}
}

// keptUntil is when the objects of an ended attempt are deleted; zero is at once. What the history does not know any more is not kept,
// nor what has the name of the next driver.
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

// tracker is who tracks the application; empty if nobody is known to. Argo CD's own label may be set by others, too; an application
// that is kept for nothing is better than one that runs again and again.
func (rn retention) tracker() string {
	for _, t := range trackers {
		if rn.o.App.Labels[t.key] != "" || rn.o.App.Annotations[t.key] != "" {
			return t.name
		}
	}
	return ""
}

// ttl deletes the application itself when its time to live after the end is over, and returns the message of the end: it says so
// when the time to live is not honoured.
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
			rn.announce(true, ttlIgnored, "spec.ttlAfterFinished is not honoured: "+note)
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
