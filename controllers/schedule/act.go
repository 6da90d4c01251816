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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/apianswer"
	"github.com/sparkgate/sparkgate/controllers/internal/livemeta"
	"github.com/sparkgate/sparkgate/internal/redact"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/internal/tick"
)

// act carries out the decision. If a live read contradicts the cache, it decides again. The loop ends, because each
// round confirms one more application or marks one more name as taken.
func (p *pass) act(ctx context.Context) error {
	for {
		outdated, err := p.try(ctx)
		if err != nil || !outdated {
			return err
		}
		p.decision = tick.Decide(p.o)
	}
}

// try carries out a decision. It returns outdated if a live read shows that the decision was based on an old state.
func (p *pass) try(ctx context.Context) (outdated bool, err error) {
	if outdated, err := p.confirmBlockers(ctx); err != nil || outdated {
		return outdated, err
	}
	if outdated, err := p.confirmSkipped(ctx); err != nil || outdated {
		return outdated, err
	}
	for _, c := range p.decision.Delete {
		deleted, err := p.delete(ctx, c)
		if err != nil {
			return false, err
		}
		if deleted && c.Stalled {
			p.expected.superseded = append(p.expected.superseded, c)
		}
	}
	if p.decision.Create == nil || p.decision.Create.Exists {
		return false, nil
	}
	return p.create(ctx, *p.decision.Create)
}

// confirmBlockers reads live the applications that would make runs be missed. An application that has finished, has
// stalled or is gone does not block a run. It returns outdated if one of them no longer does.
func (p *pass) confirmBlockers(ctx context.Context) (outdated bool, err error) {
	for _, passed := range p.decision.Passed {
		if passed.Blocker == nil || p.confirmed[passed.Blocker.Name] {
			continue
		}
		now, exists, err := p.readChild(ctx, passed.Blocker.Name)
		if err != nil {
			return false, err
		}
		if !exists {
			now = tick.Child{Name: passed.Blocker.Name, Finished: true, Keep: true}
		}
		p.confirmed[now.Name] = true
		p.replaceChild(now)
		outdated = outdated || !now.IsInTheWay()
	}
	return outdated, nil
}

// readChild reads an application of the schedule from the API server. It returns false if the application does not
// exist, or does not count as one of the schedule.
func (p *pass) readChild(ctx context.Context, name string) (c tick.Child, exists bool, err error) {
	app := &v1alpha1.SparkApplication{}
	switch err := p.Live.Get(ctx, client.ObjectKey{Namespace: p.schedule.Namespace, Name: name}, app); {
	case apierrors.IsNotFound(err):
		return c, false, nil
	case err != nil:
		return c, false, fmt.Errorf("read application %s: %w", name, err)
	}
	c, exists = p.childOf(app)
	return c, exists, nil
}

// replaceChild replaces what was observed of an application.
func (p *pass) replaceChild(now tick.Child) {
	for i, c := range p.o.Children {
		if c.Name == now.Name {
			p.o.Children[i] = now
		}
	}
}

// delete deletes an application and its dependents, unless it has changed since it was observed: a stalled one may have
// started, a blocking one may have succeeded, and a finished one may have been restarted. Such a change also wakes the
// schedule.
func (p *pass) delete(ctx context.Context, c tick.Child) (deleted bool, err error) {
	app := livemeta.Application(p.schedule.Namespace, c.Name)
	var seen client.Preconditions
	if c.UID != "" {
		seen.UID = &c.UID
	}
	if c.Version != "" { // an application that this process has just created has none
		seen.ResourceVersion = &c.Version
	}
	err = p.Client.Delete(ctx, app, seen, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil && !apianswer.IsGoneOrChanged(err) {
		return false, fmt.Errorf("delete application %s: %w", c.Name, err)
	}
	return err == nil, nil
}

// create creates the application of a run. If an application of that name exists, it is the same run if it belongs to
// this schedule or to an earlier schedule of the same name; otherwise the name is taken. If this process created the
// application and it was deleted before it was recorded, it is not created again.
func (p *pass) create(ctx context.Context, run tick.Run) (outdated bool, err error) {
	if p.expected.last.is(&run) {
		return false, nil
	}
	if !run.At.IsZero() && p.o.Times != nil {
		run.Previous = p.o.Times.Prev(run.At)
	}
	app, err := applicationOf(p.schedule, run)
	if err != nil {
		return false, err
	}
	if err := p.confirmSchedule(ctx, run); err != nil {
		return false, err
	}
	err = p.Client.Create(ctx, app, client.FieldOwner(author))
	switch {
	case err == nil:
		p.noteCreated(run, app.GetUID(), app.GetCreationTimestamp())
		p.created, p.expected.last = true, creation{run: run.Name, request: run.Request, at: p.Clock.Now()}
		return false, nil
	case apierrors.IsAlreadyExists(err):
		return p.exists(ctx, run)
	case apierrors.IsInvalid(err), apierrors.IsForbidden(err), apierrors.IsBadRequest(err), apianswer.IsWebhookAway(err), apianswer.IsDenied(err):
		p.refuse(run, redact.Text(fmt.Sprintf("application %s could not be created: %s", run.Name, apianswer.Steady(err.Error()))))
		return false, nil
	}
	return false, fmt.Errorf("create application %s: %w", run.Name, err)
}

// refuse records why the application of a run could not be created.
func (p *pass) refuse(run tick.Run, why string) {
	p.refused = why
	switch {
	case run.Token != "":
		p.expected.refusedRequest = refusal{run: run.Name, message: why}
	case run.Request != "":
		p.expected.refusedPast = refusal{run: run.Name, message: why}
	default:
		p.expected.refused = run.Name
	}
}

// maxLateness is how late a run may be and still be created without a live read of the schedule. It is as long as a
// process can be suspended and still be the leader, and shorter than the time in which an application can run, end and
// be deleted.
const maxLateness = 15 * time.Second

// confirmSchedule reads the schedule live before a late or requested run is created, and returns an error if it has
// changed. A process that was suspended may not have noticed that it is no longer the leader: another one may have
// created the application, and the history limits may have deleted it since.
func (p *pass) confirmSchedule(ctx context.Context, run tick.Run) error {
	if !run.Requested() && p.Clock.Since(run.At) <= maxLateness {
		return nil
	}
	kind := v1alpha1.GroupVersion.WithKind(v1alpha1.ScheduledSparkApplicationKind)
	s := livemeta.Key{Kind: kind, Name: p.schedule.Name}.Metadata(p.schedule.Namespace)
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(s), s); err != nil {
		return fmt.Errorf("read the schedule before %s is created: %w", run.Name, err)
	}
	if s.UID != p.schedule.UID || s.ResourceVersion != p.schedule.ResourceVersion {
		return fmt.Errorf("the schedule has changed since it was read: %s is not created", run.Name)
	}
	return nil
}

// noteCreated adds the application of a run to what was observed, and expects it to appear in the cache.
func (p *pass) noteCreated(run tick.Run, uid types.UID, at metav1.Time) {
	p.expected.created[run.Name] = true
	p.o.Children = append(p.o.Children, tick.Child{Name: run.Name, UID: uid, Created: at.Time, Request: run.Request})
}

// exists handles a run whose application already exists. It returns outdated if the name is taken by something else.
func (p *pass) exists(ctx context.Context, run tick.Run) (outdated bool, err error) {
	app := &v1alpha1.SparkApplication{}
	if err := p.Live.Get(ctx, client.ObjectKey{Namespace: p.schedule.Namespace, Name: run.Name}, app); err != nil {
		return false, fmt.Errorf("read application %s: %w", run.Name, err) // an error also if it was deleted in the meantime
	}
	if run.Request != "" && !isPast(p.schedule, app, run) {
		return p.pastExists(app, run), nil
	}
	return p.existing(app, run), nil
}

// existing handles the application that has the name of a run. It returns taken if that is something else.
func (p *pass) existing(app *v1alpha1.SparkApplication, run tick.Run) (taken bool) {
	owner := metav1.GetControllerOfNoCopy(app)
	switch {
	case owner != nil && owner.UID == p.schedule.UID:
		if !slices.ContainsFunc(p.o.Children, func(c tick.Child) bool { return c.Name == run.Name }) {
			p.noteCreated(run, app.UID, app.CreationTimestamp)
		}
	case owner != nil && owner.Kind == v1alpha1.ScheduledSparkApplicationKind && owner.Name == p.schedule.Name:
	case owner == nil && isOrphanOf(p.schedule, app, run): // left behind by an earlier schedule
	case run.At.IsZero():
		p.refuse(run, fmt.Sprintf("application %s exists and does not belong to this schedule: delete it, or set another token in the annotation %s", run.Name, status.ForceAnnotation))
	default:
		p.o.Taken[run.Name] = true
		return true
	}
	return false
}

// isOrphanOf reports whether an application without an owner was created for the run by an earlier schedule of the same
// name.
func isOrphanOf(s *v1alpha1.ScheduledSparkApplication, app *v1alpha1.SparkApplication, run tick.Run) bool {
	return app.Labels[v1alpha1.ScheduleLabel] == s.Name && app.Annotations[v1alpha1.ScheduledForAnnotation] == rfc3339(run.At)
}

// trim deletes the finished applications beyond the history limits.
func (p *pass) trim(ctx context.Context) error {
	for _, c := range tick.Surplus(&p.schedule.Spec, p.o.Children) {
		if _, err := p.delete(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
