// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/client"
	"github.com/sparkgate/sparkgate/internal/status"
)

// Exit codes of commands that wait for a run.
const (
	exitRunFailed   = 3
	exitTimeout     = 4
	exitInterrupted = 130
)

// waitText is the help on waiting for a run.
const waitText = `With --wait it waits for the end of the run, or until a stream (readyWhen: Running) is ready. With --logs it
also prints the driver's log until the run ends. The exit code is then that of the run: 0 if it has succeeded
or is ready, 3 if it has failed or cannot continue without a change (condition Stalled), 4 if that takes
longer than --timeout. After Ctrl-C (130) the run continues.`

// codedError is an error with its own exit code.
type codedError struct {
	error
	code int
}

// Unwrap returns the error without the exit code.
func (e codedError) Unwrap() error { return e.error }

// runEnded is the error of a run that has failed.
type runEnded struct {
	error
	// exitCode is the exit code of the last driver of the run; 0 if it has none.
	exitCode int
}

// exitCodeOf returns the exit code of the last driver of the current run; 0 if it has none.
func exitCodeOf(app *v1alpha1.SparkApplication) int {
	all := app.Status.Attempts
	if len(all) == 0 || all[len(all)-1].Run != app.Status.Run {
		return 0
	}
	return int(ptr.Deref(all[len(all)-1].ExitCode, 0))
}

// waitFlags are the flags of commands that start a run and can wait for it.
type waitFlags struct {
	wait, logs bool
	timeout    time.Duration
}

func (f *waitFlags) declare(c *cobra.Command) {
	c.Flags().BoolVar(&f.wait, "wait", false, "wait for the end of the run, or until a stream is ready, and exit with its exit code")
	c.Flags().BoolVar(&f.logs, "logs", false, "wait, and print the driver's log meanwhile")
	c.Flags().DurationVar(&f.timeout, "timeout", 0, "how long to wait, such as 2h (default: no limit)")
}

// wanted reports whether the command is to wait for the run.
func (f *waitFlags) wanted() bool { return f.wait || f.logs }

// check validates the flags.
func (f *waitFlags) check() error {
	switch {
	case f.timeout != 0 && !f.wanted():
		return usageError{errors.New("--timeout is for --wait and --logs: add one of them")}
	case f.timeout < 0:
		return usageError{fmt.Errorf("--timeout is %s; set it to a time such as 2h", f.timeout)}
	}
	return nil
}

// awaited is a started run to wait for.
type awaited struct {
	cluster *client.Cluster
	name    string
	uid     types.UID
	// begun reports whether the status of the application already describes the started run.
	begun func(*v1alpha1.SparkApplication) bool
	// lost returns an error if the run will never begin. It may be nil.
	lost func(*v1alpha1.SparkApplication) error
	// create waits until the application exists and returns its name. It is nil if the application exists already.
	create func(ctx context.Context, notes io.Writer) (name string, err error)
}

// await waits for the end of a run. It returns a codedError if the run fails, the timeout expires or the user
// interrupts.
func (f *waitFlags) await(ctx context.Context, a awaited, s streams) error {
	ctx, stop := f.within(ctx)
	defer stop()
	return f.awaitIn(ctx, a, s)
}

// within returns a context that ends with the timeout, or when the user interrupts.
func (f *waitFlags) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := interruptible(ctx)
	if f.timeout <= 0 {
		return ctx, stop
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	return ctx, func() { cancel(); stop() }
}

// awaitIn is await in a context that within has returned.
func (f *waitFlags) awaitIn(ctx context.Context, a awaited, s streams) error {
	a.cluster.Outage = func(why error) { fmt.Fprintf(s.err, "%v; trying again\n", why) }
	advice := fmt.Sprintf("The request stands: sparkctl get %s -n %s shows the run once it has been created", a.name, a.cluster.Namespace)
	var err error
	if a.create != nil {
		a.name, err = a.create(ctx, s.err)
	}
	if err == nil {
		advice = fmt.Sprintf("The run continues: sparkctl suspend %[1]s -n %[2]s stops it, sparkctl logs %[1]s -n %[2]s -f follows it", a.name, a.cluster.Namespace)
		err = f.follow(ctx, a, s)
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return codedError{fmt.Errorf("the run is not over after %s. %s", f.timeout, advice), exitTimeout}
	case ctx.Err() != nil:
		return codedError{fmt.Errorf("interrupted. %s", advice), exitInterrupted}
	}
	return err
}

// follow waits for the end of the run, and copies its log if that is wanted.
func (f *waitFlags) follow(ctx context.Context, a awaited, s streams) error {
	if !f.logs {
		return a.untilOver(ctx, s.err)
	}
	if err := a.untilBegun(ctx, s.err); err != nil {
		return err
	}
	logs := newLogFollower(a.cluster, (&logsFlags{}).output(s), s.err)
	logs.options.Follow, logs.stops = true, stalled
	if err := logs.follow(ctx, a.name, a.uid); err != nil {
		return err
	}
	return a.untilOver(ctx, io.Discard)
}

// untilBegun waits until the run has begun or is stalled.
func (a awaited) untilBegun(ctx context.Context, notes io.Writer) error {
	progress := newProgressPrinter(notes)
	defer progress.stop()
	return a.cluster.FollowApplication(ctx, a.name, a.uid, func(app *v1alpha1.SparkApplication) (bool, error) {
		if a.begun(app) && (app.Status.Run > 0 || stalled(app)) {
			return true, nil
		}
		return a.waits(app, progress)
	})
}

// waits prints what the run is waiting for before it begins. It returns an error if the run will never begin.
func (a awaited) waits(app *v1alpha1.SparkApplication, progress *progressPrinter) (over bool, err error) {
	if a.lost != nil {
		err = a.lost(app)
	}
	switch {
	case err != nil:
	case !observed(app):
		progress.printUnobserved()
	default:
		progress.print(notBegun(app))
	}
	return err != nil, err
}

// observed reports whether the operator has looked at the current version of an application, including the requests in
// its annotations.
func observed(app *v1alpha1.SparkApplication) bool {
	asked := status.ReconcileToken(app.Annotations)
	return app.Status.ObservedGeneration == app.Generation && (asked == "" || asked == app.Status.LastHandledReconcileAt)
}

// notBegun returns what a run is waiting for before it begins.
func notBegun(app *v1alpha1.SparkApplication) string {
	now := status.Summarize(app, clock.RealClock{}.Now())
	if now.Run > 0 {
		return fmt.Sprintf("waiting for the new run to begin; run %d, attempt %d: %s: %s", now.Run, now.Attempt, now.Stage, now.Detail())
	}
	return fmt.Sprintf("waiting for the run to begin: %s: %s", now.Stage, now.Message)
}

// untilOver waits until the run is over, and returns an error if it has failed or is stalled.
func (a awaited) untilOver(ctx context.Context, notes io.Writer) error {
	progress := newProgressPrinter(notes)
	defer progress.stop()
	return a.cluster.FollowApplication(ctx, a.name, a.uid, func(app *v1alpha1.SparkApplication) (bool, error) {
		if !a.begun(app) {
			return a.waits(app, progress)
		}
		now := status.Summarize(app, clock.RealClock{}.Now())
		progress.print(fmt.Sprintf("run %d, attempt %d: %s: %s", now.Run, now.Attempt, now.Stage, now.Detail()))
		stage, _ := status.StageOf(app.Status.Conditions)
		switch {
		case stage == status.Succeeded, ready(app):
			return true, nil
		case stage.Ended():
			failed := fmt.Errorf("run %d of %s has failed: %s: %s", now.Run, a.name, now.Stage, now.Message)
			return true, codedError{&runEnded{failed, exitCodeOf(app)}, exitRunFailed}
		case stalled(app):
			return true, codedError{fmt.Errorf("the run of %s cannot continue: %s: %s", a.name, now.Stage, now.Message), exitRunFailed}
		}
		return false, nil
	})
}

// ready reports whether the application is Ready in its current version: its run has succeeded, or it is a running
// stream.
func ready(app *v1alpha1.SparkApplication) bool {
	return app.Status.ObservedGeneration == app.Generation && apimeta.IsStatusConditionTrue(app.Status.Conditions, v1alpha1.ReadyCondition)
}

// stalled reports whether the application is Stalled in its current version: nothing will happen before it or the
// cluster is changed.
func stalled(app *v1alpha1.SparkApplication) bool {
	return app.Status.ObservedGeneration == app.Generation && apimeta.IsStatusConditionTrue(app.Status.Conditions, v1alpha1.StalledCondition)
}
