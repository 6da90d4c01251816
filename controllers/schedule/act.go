// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/base/redact"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// actor carries out a decision.
type actor struct {
	client client.Client
	clock  clock.PassiveClock
	apps   applications
	record *record
	// out is what act returns. Live reads correct its observation, and so its decision.
	out outcome
}

// act carries out the decision. If a live read contradicts the cache, it decides again. The loop ends, because each
// round takes one more application out of the way or marks one more name as taken.
func (a *actor) act(ctx context.Context, decided outcome) (outcome, error) {
	a.out = decided
	for {
		outdated, err := a.try(ctx)
		if err != nil || !outdated {
			return a.out, err
		}
		a.out.decision = tick.Decide(a.out.o)
	}
}

// try carries out a decision. It returns outdated if a live read shows that the decision was based on an old state.
func (a *actor) try(ctx context.Context) (outdated bool, err error) {
	if outdated, err := a.confirmBlockers(ctx); err != nil || outdated {
		return outdated, err
	}
	if outdated, err := a.confirmSkipped(ctx); err != nil || outdated {
		return outdated, err
	}
	for _, c := range a.out.decision.Delete {
		deleted, err := a.apps.delete(ctx, c)
		if err != nil {
			return false, err
		}
		if deleted && c.Stalled {
			a.record.superseded.apps = append(a.record.superseded.apps, c)
		}
	}
	if a.out.decision.Create == nil || a.out.decision.Create.Exists {
		return false, nil
	}
	return a.create(ctx, *a.out.decision.Create)
}

// confirmBlockers reads live the applications that would make runs be missed. An application that has finished, has
// stalled or is gone does not block a run. It returns outdated if one of them no longer does.
func (a *actor) confirmBlockers(ctx context.Context) (outdated bool, err error) {
	confirmed := map[string]bool{}
	for _, passed := range a.out.decision.Passed {
		if passed.Blocker == nil || confirmed[passed.Blocker.Name] {
			continue
		}
		now, exists, err := a.apps.read(ctx, passed.Blocker.Name)
		if err != nil {
			return false, err
		}
		if !exists {
			now = tick.Child{Name: passed.Blocker.Name, Finished: true, Keep: true}
		}
		confirmed[now.Name] = true
		a.replaceChild(now)
		outdated = outdated || !now.IsInTheWay()
	}
	return outdated, nil
}

// confirmSkipped reads live the applications because of which past times would be skipped. It returns outdated if one
// of them is gone, is being deleted, or was created for this request: a user who deletes it and requests its time again
// may be faster than the cache.
func (a *actor) confirmSkipped(ctx context.Context) (outdated bool, err error) {
	for _, seen := range a.out.decision.Skips {
		now, exists, err := a.apps.read(ctx, seen.Name)
		switch {
		case err != nil:
			return false, err
		case exists:
			a.replaceChild(now)
			outdated = outdated || now.Deleting || now.Request != seen.Request
		default:
			a.out.o.Children = slices.DeleteFunc(a.out.o.Children, func(c tick.Child) bool { return c.Name == seen.Name })
			outdated = true
		}
	}
	return outdated, nil
}

// replaceChild replaces what was observed of an application.
func (a *actor) replaceChild(now tick.Child) {
	for i, c := range a.out.o.Children {
		if c.Name == now.Name {
			a.out.o.Children[i] = now
		}
	}
}

// create creates the application of a run. If an application of that name exists, it is the same run if it belongs to
// this schedule or to an earlier schedule of the same name; otherwise the name is taken. If this process created the
// application and it was deleted before it was recorded, it is not created again.
func (a *actor) create(ctx context.Context, run tick.Run) (outdated bool, err error) {
	if a.record.last.is(&run) {
		return false, nil
	}
	if !run.At.IsZero() {
		run.Previous = a.out.o.Times.Prev(run.At)
	}
	app, err := applicationOf(a.apps.schedule, run)
	if err != nil {
		return false, err
	}
	if err := a.confirmSchedule(ctx, run); err != nil {
		return false, err
	}
	err = a.client.Create(ctx, app, client.FieldOwner(author))
	switch {
	case err == nil:
		a.noteCreated(run, app.GetUID(), app.GetCreationTimestamp())
		a.out.created, a.record.last = true, creation{run: run.Name, request: run.Request, at: a.clock.Now()}
		return false, nil
	case apierrors.IsAlreadyExists(err):
		return a.exists(ctx, run)
	case apierrors.IsInvalid(err), apierrors.IsForbidden(err), apierrors.IsBadRequest(err), apianswer.IsWebhookAway(err), apianswer.IsDenied(err):
		a.refuse(run, redact.Text(fmt.Sprintf("application %s could not be created: %s", run.Name, apianswer.Steady(err.Error()))))
		return false, nil
	}
	return false, fmt.Errorf("create application %s: %w", run.Name, err)
}

// refuse records why the application of a run could not be created.
func (a *actor) refuse(run tick.Run, why string) {
	a.out.refused = why
	switch {
	case run.Token != "":
		a.record.rejected.request = rejection{run: run.Name, message: why}
	case run.Request != "":
		a.record.rejected.past = rejection{run: run.Name, message: why}
	default:
		a.record.rejected.tick = run.Name
	}
}

// maxLateness is how late a run may be and still be created without a live read of the schedule. It is as long as a
// process can be suspended and still be the leader, and shorter than the time in which an application can run, end and
// be deleted.
const maxLateness = 15 * time.Second

// confirmSchedule reads the schedule live before a late or requested run is created, and returns an error if it has
// changed. A process that was suspended may not have noticed that it is no longer the leader: another one may have
// created the application, and the history limits may have deleted it since.
func (a *actor) confirmSchedule(ctx context.Context, run tick.Run) error {
	if !run.Requested() && a.clock.Since(run.At) <= maxLateness {
		return nil
	}
	kind := v1alpha1.GroupVersion.WithKind(v1alpha1.ScheduledSparkApplicationKind)
	s := livemeta.Key{Kind: kind, Name: a.apps.schedule.Name}.Metadata(a.apps.schedule.Namespace)
	if err := a.apps.live.Get(ctx, client.ObjectKeyFromObject(s), s); err != nil {
		return fmt.Errorf("read the schedule before %s is created: %w", run.Name, err)
	}
	if s.UID != a.apps.schedule.UID || s.ResourceVersion != a.apps.schedule.ResourceVersion {
		return fmt.Errorf("the schedule has changed since it was read: %s is not created", run.Name)
	}
	return nil
}

// noteCreated adds the application of a run to what was observed, and expects it to appear in the cache.
func (a *actor) noteCreated(run tick.Run, uid types.UID, at metav1.Time) {
	a.record.created[run.Name] = true
	a.out.o.Children = append(a.out.o.Children, tick.Child{Name: run.Name, UID: uid, Created: at.Time, Request: run.Request})
}

// exists handles a run whose application already exists. It returns outdated if the name is taken by something else, or
// if the time that a user has requested is to be skipped: an earlier run of it is not the one that the user expects.
// The application of an earlier schedule of the same name will be gone soon.
func (a *actor) exists(ctx context.Context, run tick.Run) (outdated bool, err error) {
	s, app := a.apps.schedule, &v1alpha1.SparkApplication{}
	if err := a.apps.live.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: run.Name}, app); err != nil {
		return false, fmt.Errorf("read application %s: %w", run.Name, err) // an error also if it was deleted in the meantime
	}
	own, earlier := ownership(s, app)
	switch {
	case own && (run.Request == "" || run.Request == app.Annotations[v1alpha1.RunForRequestAnnotation]):
		if !slices.ContainsFunc(a.out.o.Children, func(c tick.Child) bool { return c.Name == run.Name }) {
			a.noteCreated(run, app.UID, app.CreationTimestamp)
		}
	case earlier && run.Request != "":
		a.refuse(run, fmt.Sprintf("application %s of an earlier schedule of the same name still exists", run.Name))
	case earlier, run.Request == "" && isOrphanOf(s, app, run): // left behind by an earlier schedule
	case run.At.IsZero():
		a.refuse(run, fmt.Sprintf("application %s exists and does not belong to this schedule: delete it, or set another token in the annotation %s", run.Name, status.ForceAnnotation))
	default:
		a.out.o.Taken[run.Name] = true
		return true, nil
	}
	return false, nil
}

// isOrphanOf reports whether an application has no owner and was created for the run by an earlier schedule of the same
// name.
func isOrphanOf(s *v1alpha1.ScheduledSparkApplication, app *v1alpha1.SparkApplication, run tick.Run) bool {
	return metav1.GetControllerOfNoCopy(app) == nil && app.Labels[v1alpha1.ScheduleLabel] == s.Name && app.Annotations[v1alpha1.ScheduledForAnnotation] == rfc3339(run.At)
}
