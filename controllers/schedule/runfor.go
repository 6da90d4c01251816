// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/internal/tick"
)

// Reasons of events about requests to run past times.
const (
	refusedEvent   = "RunForRefused"
	skippedEvent   = "RunForSkipped"
	withdrawnEvent = "RunForWithdrawn"
)

// isPast reports whether an existing application of a schedule was created for the past time of this run, because of the
// same request.
func isPast(s *v1alpha1.ScheduledSparkApplication, app *v1alpha1.SparkApplication, run tick.Run) bool {
	return metav1.IsControlledBy(app, s) && app.Annotations[v1alpha1.RunForRequestAnnotation] == run.Request
}

// pastExists handles a past time for which another application exists. A user who requests it expects a run, so an
// earlier one does not count. It returns outdated if the time is to be skipped. The application of an earlier schedule
// of the same name will be gone soon.
func (p *pass) pastExists(app *v1alpha1.SparkApplication, run tick.Run) (outdated bool) {
	owner := metav1.GetControllerOfNoCopy(app)
	if owner != nil && owner.Kind == v1alpha1.ScheduledSparkApplicationKind && owner.Name == p.schedule.Name && owner.UID != p.schedule.UID {
		p.refuse(run, fmt.Sprintf("application %s of an earlier schedule of the same name still exists", run.Name))
		return false
	}
	p.o.Taken[run.Name] = true
	return true
}

// confirmSkipped reads live the applications because of which past times would be skipped. It returns outdated if one of
// them is gone, is being deleted, or was created for this request: a user who deletes it and requests its time again may
// be faster than the cache.
func (p *pass) confirmSkipped(ctx context.Context) (outdated bool, err error) {
	for _, seen := range p.decision.Skips {
		now, exists, err := p.readChild(ctx, seen.Name)
		switch {
		case err != nil:
			return false, err
		case exists:
			p.replaceChild(now)
			outdated = outdated || now.Deleting || now.Request != seen.Request
		default:
			p.o.Children = slices.DeleteFunc(p.o.Children, func(c tick.Child) bool { return c.Name == seen.Name })
			outdated = true
		}
	}
	return outdated, nil
}

// stillRefusedPast returns why the application of a pending time could not be created; empty if it was not tried.
func (p *pass) stillRefusedPast(pending string) string {
	at, err := time.Parse(time.RFC3339, pending)
	if err != nil || p.expected.refusedPast.run != tick.Name(p.schedule.Name, at) {
		return ""
	}
	return p.expected.refusedPast.message
}

// announceRunFor records events about a request to run past times: pending times that are no longer requested, and the
// end of a request that was not carried out as a whole.
func (p *pass) announceRunFor(after *v1alpha1.RunForStatus) {
	if times := p.decision.Withdrawn; len(times) > 0 {
		p.event(warning, withdrawnEvent, "%d past times are no longer requested and are not run, the first of them %s: the annotation %s was changed or removed",
			len(times), times[0], v1alpha1.RunForAnnotation)
	}
	before := p.schedule.Status.RunFor
	if after == nil || after.Result == "" || before != nil && before.Request == after.Request && before.Result != "" {
		return
	}
	switch after.Result {
	case v1alpha1.RunForRefused:
		p.event(warning, refusedEvent, "past times are not run: %s", status.Truncate(after.Message))
	case v1alpha1.RunForSkipped:
		p.event(warning, skippedEvent, "past times were skipped: %s", status.Truncate(after.Message))
	case v1alpha1.RunForCreated:
	}
}
