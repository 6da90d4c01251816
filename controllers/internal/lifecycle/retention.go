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

// expire deletes what was kept of ended attempts when its time is over. A driver pod goes last, so it marks what is still to do.
func (d *decider) expire(stage status.Stage) {
	if d.view.UnknownStage != "" {
		return
	}
	for _, r := range d.o.Pods {
		if r.Role != pods.Driver || r.OwnerUID != d.o.App.UID || r.Active() || r.Deleting || (d.current(r) && !stage.Ended()) {
			continue
		}
		if due := d.keptUntil(r); d.o.Now.Before(due) {
			d.requeue(due)
			continue
		}
		d.after(Action{Kind: DeleteObjects, Run: r.Run, Attempt: r.Attempt})
	}
}

// keptUntil is when the objects of an ended attempt are deleted; zero is at once. What the history does not know any more is not kept,
// nor what has the name of the next driver.
func (d *decider) keptUntil(r *pods.Record) time.Time {
	ended := d.entry(r.Run, r.Attempt)
	if ended == nil || ended.Outcome == v1alpha1.OutcomeStopped || (!d.current(r) && r.Name == d.o.App.Spec.Driver.PodName) {
		return time.Time{}
	}
	policy, duration := v1alpha1.RetentionAlways, DefaultRetention
	if retention := d.o.App.Spec.Retention; retention != nil {
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

// entry is the history's entry of an attempt; nil if it has none.
func (d *decider) entry(run, attempt int64) *v1alpha1.AttemptStatus {
	for i := range d.s.Attempts {
		if a := &d.s.Attempts[i]; a.Run == run && a.Attempt == attempt {
			return a
		}
	}
	return nil
}

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

// tracker is who tracks the application; empty if nobody is known to. Argo CD's own label may be set by others, too; an application
// that is kept for nothing is better than one that runs again and again.
func (d *decider) tracker() string {
	for _, t := range trackers {
		if d.o.App.Labels[t.key] != "" || d.o.App.Annotations[t.key] != "" {
			return t.name
		}
	}
	return ""
}

// liveOut deletes the application itself when its time to live after the end is over, and returns the message of the end: it says so
// when the time to live is not honoured.
func (d *decider) liveOut(message string) string {
	before := message
	message, _, _ = strings.Cut(message, ttlNote)
	ttl, finished := d.o.App.Spec.TTLAfterFinished, d.s.Times.Finished
	if ttl == nil || finished == nil {
		return message
	}
	if tracker := d.tracker(); tracker != "" {
		note := fmt.Sprintf("%s would create this object again, and run it again; let %s delete it", tracker, tracker)
		if message += ttlNote + note; message != before {
			d.announce(true, ttlIgnored, "spec.ttlAfterFinished is not honoured: "+note)
		}
		return message
	}
	if due := finished.Add(ttl.Duration); d.o.Now.Before(due) {
		d.requeue(due)
	} else {
		d.after(Action{Kind: DeleteApplication})
	}
	return message
}
