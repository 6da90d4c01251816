// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/client"
	"github.com/sparkgate/sparkgate/internal/status"
)

const logsText = `Prints the log of the driver of the application NAME: that of the current attempt of its run, or of the last
one that has started. If the pod of the driver is gone, it prints what the status has kept.

With -f it waits for the driver, prints lines as they come, continues with the next attempt if the run is
retried, and ends with the run. The state of the run is printed on standard error.

Lines are copied unchanged into files and pipes. On a terminal, control characters are escaped, such as \x1b;
--raw copies them there as well.`

const (
	allExecutors = "all"
	allLines     = -1
)

// logsFlags are the flags of logs.
type logsFlags struct {
	cluster  client.Options
	follow   bool
	executor string
	attempt  int64
	tail     int64
	since    time.Duration
	raw      bool
}

// newLogs returns the command "sparkctl logs".
func newLogs(s streams) *cobra.Command {
	var f logsFlags
	c := aboutApplication(&cobra.Command{
		SuggestFor: []string{"tail"},
		Use:        "logs NAME", Short: "Print the log of a driver or of executors", Long: logsText,
		Example: "  sparkctl logs pi\n  sparkctl logs pi -f\n  sparkctl logs pi --executor all --tail 10\n  sparkctl logs pi --attempt 1",
	}, &f.cluster, func(ctx context.Context, name string) error { return f.run(ctx, name, s) })
	flags := c.Flags()
	flags.BoolVarP(&f.follow, "follow", "f", false, "print lines as they come, until the run ends")
	flags.StringVar(&f.executor, "executor", "", "the log of the executor with this `NUMBER`, or of all; each line of all begins with the number")
	flags.Int64Var(&f.attempt, "attempt", 0, "the attempt of the current run, from 1 (default: the current one)")
	flags.Int64Var(&f.tail, "tail", allLines, "how many of the last lines to start with; -1 is all")
	flags.DurationVar(&f.since, "since", 0, "only lines that are newer than this, such as 10m")
	flags.BoolVar(&f.raw, "raw", false, "copy control characters to the terminal as well")
	completeFlag(c, "executor", cobra.FixedCompletions([]string{allExecutors}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (f *logsFlags) check() error {
	if f.executor != "" && f.executor != allExecutors {
		if n, err := strconv.Atoi(f.executor); err != nil || n < 1 {
			return usageError{fmt.Errorf("--executor is %q; set it to a number from 1, or to all", f.executor)}
		}
	}
	switch {
	case f.attempt < 0:
		return usageError{fmt.Errorf("--attempt is %d; attempts count from 1", f.attempt)}
	case f.since < 0:
		return usageError{fmt.Errorf("--since is %s; set it to a time such as 10m", f.since)}
	case f.tail < allLines:
		return usageError{fmt.Errorf("--tail is %d; set it to a number of lines, or to %d for all", f.tail, allLines)}
	}
	return nil
}

func (f *logsFlags) run(ctx context.Context, name string, s streams) error {
	if err := f.check(); err != nil {
		return err
	}
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	follower := newLogFollower(c, f.output(s), s.err)
	follower.options = client.LogOptions{Follow: f.follow, Tail: f.tail, Since: f.since}
	follower.executor, follower.attempt = f.executor, f.attempt
	if f.follow {
		follower.strict = true
		err := follower.follow(ctx, name, "")
		if err == nil && follower.unread.Load() {
			err = errors.New("there are logs that could not be read")
		}
		return err
	}
	app, err := client.GetObject[v1alpha1.SparkApplication](ctx, c, client.Applications, name)
	if err != nil {
		return err
	}
	return follower.print(ctx, app)
}

// output returns where lines are written: to the unfiltered output, unless that is a terminal and --raw is not set.
func (f *logsFlags) output(s streams) io.Writer {
	if s.size != nil && !f.raw {
		return s.out
	}
	return s.raw
}

// print prints the available logs of one attempt.
func (l *logFollower) print(ctx context.Context, app *v1alpha1.SparkApplication) error {
	if app.Status.Run == 0 {
		now := status.Summarize(app, clock.RealClock{}.Now())
		return fmt.Errorf("there is no log: the run has not started: %s: %s", now.Stage, now.Message)
	}
	attempt, found, err := l.wanted(ctx, app)
	if err != nil {
		return err
	}
	switch {
	case len(found) > 0:
	case l.executor != "":
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
func (l *logFollower) wanted(ctx context.Context, app *v1alpha1.SparkApplication) (attempt int64, found []corev1.Pod, err error) {
	attempt = cmp.Or(l.attempt, app.Status.Attempt)
	found, err = l.begun(ctx, app, attempt)
	before := lastStarted(app)
	one := l.executor != "" && l.executor != allExecutors // an executor of another attempt is a different one, even with the same number
	if err != nil || len(found) > 0 || l.attempt > 0 || one || before == 0 || before >= attempt {
		return attempt, found, err
	}
	fmt.Fprintf(l.notes, "Attempt %d has no %s that has started. This is the log of attempt %d:\n", attempt, l.role(), before)
	found, err = l.begun(ctx, app, before)
	return before, found, err
}

// begun returns the wanted pods of an attempt that have started.
func (l *logFollower) begun(ctx context.Context, app *v1alpha1.SparkApplication, attempt int64) ([]corev1.Pod, error) {
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
		return fmt.Errorf("there is no log: the driver pod of attempt %d of run %d is gone; %s%s", attempt, app.Status.Run, whyGone(a.Outcome), said)
	}
	why := ""
	if attempt == app.Status.Attempt {
		now := status.Summarize(app, clock.RealClock{}.Now())
		why = ": " + now.Stage + ": " + now.Detail()
	}
	return fmt.Errorf("there is no log: attempt %d of run %d has no driver that has started%s", attempt, app.Status.Run, why)
}
