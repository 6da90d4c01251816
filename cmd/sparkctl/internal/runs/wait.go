// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// WaitText is the help on waiting for a run.
const WaitText = `With --wait it waits for the end of the run, or until a stream (readyWhen: Running) is ready. With --logs it
also prints the driver's log until the run ends. The exit code is then that of the run: 0 if it has succeeded
or is ready, 3 if it has failed or cannot continue without a change (condition Stalled), 4 if that takes
longer than --timeout. After Ctrl-C (130) the run continues.`

// RunEnded is the error of a run that has failed.
type RunEnded struct {
	error
	// ExitCode is the exit code of the last driver of the run; 0 if it has none.
	ExitCode int
}

// exitCodeOf returns the exit code of the last driver of the current run; 0 if it has none.
func exitCodeOf(app *v1alpha1.SparkApplication) int {
	all := app.Status.Attempts
	if len(all) == 0 || all[len(all)-1].Run != app.Status.Run {
		return 0
	}
	return int(ptr.Deref(all[len(all)-1].ExitCode, 0))
}

// WaitFlags are the flags of commands that start a run and can wait for it.
type WaitFlags struct {
	Wait, Logs bool
	timeout    time.Duration
}

// Declare adds the flags to a command.
func (f *WaitFlags) Declare(c *cobra.Command) {
	c.Flags().BoolVar(&f.Wait, "wait", false, "wait for the end of the run, or until a stream is ready, and exit with its exit code")
	c.Flags().BoolVar(&f.Logs, "logs", false, "wait, and print the driver's log meanwhile")
	c.Flags().DurationVar(&f.timeout, "timeout", 0, "how long to wait, such as 2h (default: no limit)")
}

// Wanted reports whether the command is to wait for the run.
func (f *WaitFlags) Wanted() bool { return f.Wait || f.Logs }

// Check validates the flags.
func (f *WaitFlags) Check() error {
	switch {
	case f.timeout != 0 && !f.Wanted():
		return cli.UsageErrorf("--timeout is for --wait and --logs: add one of them")
	case f.timeout < 0:
		return cli.UsageErrorf("--timeout is %s; set it to a time such as 2h", f.timeout)
	}
	return nil
}

// Awaited is a started run to wait for.
type Awaited struct {
	Cluster *client.Cluster
	Name    string
	UID     types.UID
	// Begun reports whether the status of the application already describes the started run.
	Begun func(*v1alpha1.SparkApplication) bool
	// Lost returns an error if the run will never begin. It may be nil.
	Lost func(*v1alpha1.SparkApplication) error
	// UntilCreated waits until the application exists and returns its name. It is nil if the application exists already.
	UntilCreated func(ctx context.Context, notes io.Writer) (name string, err error)
}

// Await waits for the end of a run. It returns an error with an exit code if the run fails, the timeout expires or the user
// interrupts.
func (f *WaitFlags) Await(ctx context.Context, a Awaited, s cli.Streams) error {
	ctx, stop := f.Within(ctx)
	defer stop()
	return f.AwaitIn(ctx, a, s)
}

// Within returns a context that ends with the timeout, or when the user interrupts.
func (f *WaitFlags) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := cli.Interruptible(ctx)
	if f.timeout <= 0 {
		return ctx, stop
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	return ctx, func() { cancel(); stop() }
}

// AwaitIn is Await in a context that Within has returned.
func (f *WaitFlags) AwaitIn(ctx context.Context, a Awaited, s cli.Streams) error {
	a.Cluster.Outage = func(why error) { fmt.Fprintf(s.Err, "%v; trying again\n", why) }
	advice := fmt.Sprintf("The request stands: sparkctl get %s -n %s shows the run once it has been created", a.Name, a.Cluster.Namespace)
	var err error
	if a.UntilCreated != nil {
		a.Name, err = a.UntilCreated(ctx, s.Err)
	}
	if err == nil {
		advice = fmt.Sprintf("The run continues: sparkctl suspend %[1]s -n %[2]s stops it, sparkctl logs %[1]s -n %[2]s -f follows it", a.Name, a.Cluster.Namespace)
		err = f.follow(ctx, a, s)
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return cli.WithExitCode(cli.ExitTimeout, fmt.Errorf("the run is not over after %s. %s", f.timeout, advice))
	case ctx.Err() != nil:
		return cli.WithExitCode(cli.ExitInterrupted, fmt.Errorf("interrupted. %s", advice))
	}
	return err
}

// follow waits for the end of the run, and copies its log if that is wanted.
func (f *WaitFlags) follow(ctx context.Context, a Awaited, s cli.Streams) error {
	if !f.Logs {
		return a.untilOver(ctx, s.Err)
	}
	if err := a.untilBegun(ctx, s.Err); err != nil {
		return err
	}
	logs := NewLogFollower(a.Cluster, LogOutput(s, false), s.Err)
	logs.Options.Follow, logs.stops = true, Stalled
	if err := logs.Follow(ctx, a.Name, a.UID); err != nil {
		return err
	}
	return a.untilOver(ctx, io.Discard)
}

// untilBegun waits until the run has begun or is stalled.
func (a Awaited) untilBegun(ctx context.Context, notes io.Writer) error {
	progress := NewProgressPrinter(notes)
	defer progress.Stop()
	return a.Cluster.FollowApplication(ctx, a.Name, a.UID, func(app *v1alpha1.SparkApplication) (bool, error) {
		if a.Begun(app) && (app.Status.Run > 0 || Stalled(app)) {
			return true, nil
		}
		return a.waits(app, progress)
	})
}

// waits prints what the run is waiting for before it begins. It returns an error if the run will never begin.
func (a Awaited) waits(app *v1alpha1.SparkApplication, progress *ProgressPrinter) (over bool, err error) {
	if a.Lost != nil {
		err = a.Lost(app)
	}
	switch {
	case err != nil:
	case !observed(app):
		progress.PrintUnobserved()
	default:
		progress.Print(notBegun(app))
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
		return "waiting for the new run to begin; " + now.Progress()
	}
	return fmt.Sprintf("waiting for the run to begin: %s: %s", now.Stage, now.Message)
}

// untilOver waits until the run is over, and returns an error if it has failed or is stalled.
func (a Awaited) untilOver(ctx context.Context, notes io.Writer) error {
	progress := NewProgressPrinter(notes)
	defer progress.Stop()
	return a.Cluster.FollowApplication(ctx, a.Name, a.UID, func(app *v1alpha1.SparkApplication) (bool, error) {
		if !a.Begun(app) {
			return a.waits(app, progress)
		}
		now := status.Summarize(app, clock.RealClock{}.Now())
		progress.Print(now.Progress())
		stage, _ := status.StageOf(app.Status.Conditions)
		switch {
		case stage == status.Succeeded, ready(app):
			return true, nil
		case stage.Ended():
			failed := fmt.Errorf("run %d of %s has failed: %s: %s", now.Run, a.Name, now.Stage, now.Message)
			return true, cli.WithExitCode(cli.ExitRunFailed, &RunEnded{failed, exitCodeOf(app)})
		case Stalled(app):
			return true, cli.WithExitCode(cli.ExitRunFailed, fmt.Errorf("the run of %s cannot continue: %s: %s", a.Name, now.Stage, now.Message))
		}
		return false, nil
	})
}

// ready reports whether the application is Ready in its current version: its run has succeeded, or it is a running
// stream.
func ready(app *v1alpha1.SparkApplication) bool {
	return app.Status.ObservedGeneration == app.Generation && apimeta.IsStatusConditionTrue(app.Status.Conditions, v1alpha1.ReadyCondition)
}

// Stalled reports whether the application is Stalled in its current version: nothing will happen before it or the
// cluster is changed.
func Stalled(app *v1alpha1.SparkApplication) bool {
	return app.Status.ObservedGeneration == app.Generation && apimeta.IsStatusConditionTrue(app.Status.Conditions, v1alpha1.StalledCondition)
}

// Replaced returns an error if the operator has handled a later request for a look instead of the request to run, which
// is then void: a run is started only if both annotations have its token. handled is the token of the last look.
func Replaced(annotations map[string]string, handled string) error {
	looked := annotations[meta.ReconcileRequestAnnotation]
	if looked == "" || looked == annotations[meta.ForceRequestAnnotation] || looked != handled {
		return nil
	}
	return fmt.Errorf("no run was begun: the annotations %s and %s were changed before the operator saw the request, and differ; request the run again",
		meta.ReconcileRequestAnnotation, meta.ForceRequestAnnotation)
}
