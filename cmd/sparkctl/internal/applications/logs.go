// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/runs"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

const logsText = `Prints the log of the driver of the application NAME: that of the current attempt of its run, or of the last
one that has started. If the pod of the driver is gone, it says how the attempt failed.

With -f it waits for the driver, prints lines as they come, continues with the next attempt if the run is
retried, and ends with the run. The state of the run is printed on standard error.

Lines are copied unchanged into files and pipes. On a terminal, control characters are escaped, such as \x1b;
--raw copies them there as well.`

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
func newLogs(s cli.Streams) *cobra.Command {
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
	flags.Int64Var(&f.tail, "tail", runs.AllLines, "how many of the last lines to start with; -1 is all")
	flags.DurationVar(&f.since, "since", 0, "only lines that are newer than this, such as 10m")
	flags.BoolVar(&f.raw, "raw", false, "copy control characters to the terminal as well")
	cli.CompleteFlag(c, "executor", cobra.FixedCompletions([]string{runs.AllExecutors}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (f *logsFlags) check() error {
	if f.executor != "" && f.executor != runs.AllExecutors {
		if n, err := strconv.Atoi(f.executor); err != nil || n < 1 {
			return cli.UsageErrorf("--executor is %q; set it to a number from 1, or to all", f.executor)
		}
	}
	switch {
	case f.attempt < 0:
		return cli.UsageErrorf("--attempt is %d; attempts count from 1", f.attempt)
	case f.since < 0:
		return cli.UsageErrorf("--since is %s; set it to a time such as 10m", f.since)
	case f.tail < runs.AllLines:
		return cli.UsageErrorf("--tail is %d; set it to a number of lines, or to %d for all", f.tail, runs.AllLines)
	}
	return nil
}

func (f *logsFlags) run(ctx context.Context, name string, s cli.Streams) error {
	if err := f.check(); err != nil {
		return err
	}
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	follower := runs.NewLogFollower(c, runs.LogOutput(s, f.raw), s.Err)
	follower.Options = client.LogOptions{Follow: f.follow, Tail: f.tail, Since: f.since}
	follower.Executor, follower.Attempt = f.executor, f.attempt
	if f.follow {
		follower.Strict = true
		err := follower.Follow(ctx, name, "")
		if err == nil && follower.Unread.Load() {
			err = errors.New("there are logs that could not be read")
		}
		return err
	}
	app, err := client.GetObject[v1alpha1.SparkApplication](ctx, c, client.Applications, name)
	if err != nil {
		return err
	}
	return follower.Print(ctx, app)
}
