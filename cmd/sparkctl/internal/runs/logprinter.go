// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// Print prints the available logs of one attempt.
func (l *LogFollower) Print(ctx context.Context, app *v1alpha1.SparkApplication) error {
	if app.Status.Run == 0 {
		now := status.Summarize(app, clock.RealClock{}.Now())
		return fmt.Errorf("no log: the run has not started: %s: %s", now.Stage, now.Message)
	}
	attempt, found, err := l.wanted(ctx, app)
	if err != nil {
		return err
	}
	switch {
	case len(found) > 0:
	case l.Executor != "":
		return l.noExecutor(ctx, app, attempt)
	default:
		return gone(app, attempt)
	}
	var failed []error
	for i := range found {
		err := l.copy(ctx, &found[i])
		var broken *brokenOutput
		if errors.As(err, &broken) || ctx.Err() != nil {
			return err
		}
		if err != nil { // the node of an executor may be gone, but the other logs can still be read
			failed = append(failed, fmt.Errorf("pod %s: %w", found[i].Name, err))
		}
	}
	return errors.Join(failed...)
}

// wanted returns the attempt whose logs are wanted, and its pods that have started. It is the current attempt, or the
// one before if that has not started yet and no attempt was named.
func (l *LogFollower) wanted(ctx context.Context, app *v1alpha1.SparkApplication) (attempt int64, found []corev1.Pod, err error) {
	attempt = cmp.Or(l.Attempt, app.Status.Attempt)
	found, err = l.begun(ctx, app, attempt)
	before := lastStarted(app)
	one := l.Executor != "" && l.Executor != AllExecutors // an executor of another attempt is a different one, even with the same number
	if err != nil || len(found) > 0 || l.Attempt > 0 || one || before == 0 || before >= attempt {
		return attempt, found, err
	}
	fmt.Fprintf(l.notes, "Attempt %d has no %s that has started. This is the log of attempt %d:\n", attempt, l.role(), before)
	found, err = l.begun(ctx, app, before)
	return before, found, err
}

// begun returns the wanted pods of an attempt that have started.
func (l *LogFollower) begun(ctx context.Context, app *v1alpha1.SparkApplication, attempt int64) ([]corev1.Pod, error) {
	found, err := l.podsOf(ctx, app, attempt)
	return slices.DeleteFunc(found, func(pod corev1.Pod) bool { return !client.HasLog(&pod) }), err
}

// lastStarted returns the last ended attempt of the run whose driver has run, or 0 if there is none.
func lastStarted(app *v1alpha1.SparkApplication) int64 {
	for i := len(app.Status.Attempts) - 1; i >= 0; i-- {
		if a := &app.Status.Attempts[i]; a.Run == app.Status.Run && a.StartedAt != nil {
			return a.Attempt
		}
	}
	return 0
}

// whyGone says which setting decides how long the pod of an attempt is kept.
func whyGone(outcome v1alpha1.AttemptOutcome) string {
	if outcome == v1alpha1.OutcomeStopped {
		return "those of attempts that were stopped are not kept"
	}
	return "spec.retention says how long it is kept"
}

// gone returns the error for an attempt whose driver pod is gone or has not started, with what the status says of it.
func gone(app *v1alpha1.SparkApplication, attempt int64) error {
	for i := range app.Status.Attempts {
		a := &app.Status.Attempts[i]
		if a.Run != app.Status.Run || a.Attempt != attempt || a.StartedAt == nil {
			continue
		}
		said := ""
		if a.Outcome == v1alpha1.OutcomeFailed && a.Message != "" {
			said = "; the attempt failed: " + a.Message
		}
		return fmt.Errorf("no log: the driver pod of attempt %d of run %d is gone; %s%s", attempt, app.Status.Run, whyGone(a.Outcome), said)
	}
	why := ""
	if attempt == app.Status.Attempt {
		now := status.Summarize(app, clock.RealClock{}.Now())
		why = ": " + now.Stage + ": " + now.Detail()
	}
	return fmt.Errorf("no log: attempt %d of run %d has no driver that has started%s", attempt, app.Status.Run, why)
}
