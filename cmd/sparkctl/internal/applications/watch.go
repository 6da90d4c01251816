// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/live"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/runs"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const watchText = `Shows SparkApplications while they change, until Ctrl-C: on a terminal as a table, with those that have not
ended first; otherwise as one line for each change of a stage or its message, with the time in UTC. It
survives outages of the API server, and says so while there is one.

With --until-ended it ends once all of them have ended. The exit code is 0 if all have succeeded, 3 if any has
failed, cannot continue without a change (condition Stalled) or was deleted before its end, and 4 if they have
not ended within --timeout.`

// watchFlags are the flags of watch.
type watchFlags struct {
	cli.SelectionFlags
	untilEnded bool
	timeout    time.Duration
}

// newWatch returns the command "sparkctl watch".
func newWatch(s cli.Streams) *cobra.Command {
	var f watchFlags
	c := &cobra.Command{
		Use: "watch", Short: "Show applications while they change", Long: watchText, Args: cli.NoArguments,
		Example: "  sparkctl watch\n  sparkctl watch -A --stage Queued,Preempted\n  sparkctl watch -n etl -l team=a | tee changes.log\n" +
			"  sparkctl watch -n etl -l batch=nightly --until-ended --timeout 6h",
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), s) },
	}
	f.Declare(c)
	c.Flags().BoolVar(&f.untilEnded, "until-ended", false, "exit once all of them have ended")
	c.Flags().DurationVar(&f.timeout, "timeout", 0, "how long to wait for that, such as 6h (default: no limit)")
	return c
}

// run shows applications until the user interrupts or there is nothing more to wait for.
func (f *watchFlags) run(ctx context.Context, s cli.Streams) error {
	switch {
	case f.untilEnded && len(f.Stages) > 0:
		return cli.UsageErrorf("--stage and --until-ended do not go together: what has ended is in another stage")
	case f.timeout != 0 && !f.untilEnded:
		return cli.UsageErrorf("--timeout is for --until-ended: add that")
	case f.timeout < 0:
		return cli.UsageErrorf("--timeout is %s; set it to a time such as 6h", f.timeout)
	}
	c, err := f.Connect()
	if err != nil {
		return err
	}
	ctx, stop := cli.Interruptible(ctx)
	defer stop()
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	w := &watching{flags: f, cluster: c, streams: s}
	show := w.screen
	if s.Size == nil {
		show = w.changes
	}
	if err := show(ctx); err != nil || !f.untilEnded {
		return err
	}
	return w.verdict(ctx)
}

// watching is one call of the command.
type watching struct {
	flags   *watchFlags
	cluster *client.Cluster
	streams cli.Streams
	ending  *live.Ending
}

// follow passes the applications to an observer. With --until-ended it ends when all of them have ended.
func (w *watching) follow(ctx context.Context, o client.Observer[v1alpha1.SparkApplication]) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if w.flags.untilEnded {
		w.ending = &live.Ending{To: o, Judge: w.judge, Over: cancel}
		o = w.ending
	}
	return client.Watch(ctx, w.cluster, client.Applications, w.flags.Selection(w.cluster), o)
}

// judge returns the outcome of an application, and whether the flags select it.
func (w *watching) judge(app *v1alpha1.SparkApplication) (live.Outcome, bool) {
	summary := status.Summarize(app, clock.RealClock{}.Now())
	outcome, observed := live.Open, app.Status.ObservedGeneration == app.Generation
	switch stage := status.Stage(summary.Stage); {
	case observed && stage == status.Succeeded:
		outcome = live.Succeeded
	case observed && stage.Ended(), runs.Stalled(app):
		outcome = live.Failed
	}
	return outcome, w.flags.Wants(&summary)
}

// verdict returns an error unless all applications have succeeded.
func (w *watching) verdict(ctx context.Context) error {
	open, seen := w.ending.Names(live.Open), w.ending.Seen()
	switch {
	case len(open) == 0 && seen > 0:
		return w.endError()
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return cli.WithExitCode(cli.ExitTimeout, fmt.Errorf("not ended after %s: %s", w.flags.timeout, strings.Join(open, ", ")))
	case ctx.Err() != nil:
		return cli.WithExitCode(cli.ExitInterrupted, errors.New("interrupted. The runs continue"))
	}
	return errors.New("no SparkApplications found" + w.flags.Described(w.flags.Selection(w.cluster).Namespace))
}

// endError returns an error unless all ended applications have succeeded.
func (w *watching) endError() error {
	var parts []string
	for _, end := range []struct {
		text    string
		outcome live.Outcome
	}{{"failed: ", live.Failed}, {"deleted before they ended: ", live.Deleted}} {
		if names := w.ending.Names(end.outcome); len(names) > 0 {
			parts = append(parts, end.text+strings.Join(names, ", "))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return cli.WithExitCode(cli.ExitRunFailed, errors.New(strings.Join(parts, "; ")))
}

// changes writes a line for each change.
func (w *watching) changes(ctx context.Context) error {
	var broken error
	watched, cancel := context.WithCancel(ctx)
	defer cancel()
	err := w.follow(watched, &live.Changes{
		Out: w.streams.Out, Notes: w.streams.Err, Wants: w.flags.Wants, Clock: w.streams.Clock,
		Broken: func(err error) { broken = err; cancel() },
	})
	return cmp.Or(broken, err)
}

// screen draws a table on the terminal. It restores the terminal before it returns, and then prints the final table.
func (w *watching) screen(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	board := live.NewBoard(w.flags.Wants)
	ended := make(chan error, 1)
	go func() {
		defer cancel()
		ended <- w.follow(ctx, board)
	}()
	screen := &live.Screen{Out: w.streams.Raw, Board: board, Clock: clock.RealClock{}, Frame: func() live.Frame {
		width, height := w.streams.Size()
		return live.Frame{
			Title: "SparkApplications" + w.flags.Described(w.flags.Selection(w.cluster).Namespace), Namespaces: w.flags.All, Width: width, Height: height,
			Clean: cli.Clean, Color: os.Getenv("NO_COLOR") == "",
		}
	}}
	err := screen.Run(ctx)
	cancel()
	if watchErr := <-ended; watchErr != nil || err != nil || !w.flags.untilEnded {
		return errors.Join(watchErr, err)
	}
	options := printer.ListOptions{Namespaces: w.flags.All, Width: w.streams.Width()}
	return printer.WriteList(w.streams.Out, board.View(clock.RealClock{}.Now()).Rows, options)
}
