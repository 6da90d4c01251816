// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const scheduleListText = `Lists schedules: when a run was due last and is due next, how the last run that has ended did, how many applications have not finished, how many runs were
missed since the schedule was created, and what keeps it from running. "schedule next NAME" says why runs were missed.`

// scheduleListFlags are the flags of schedule list.
type scheduleListFlags struct {
	cli.ScopeFlags
	output string
}

// newScheduleList returns the command "sparkctl schedule list".
func newScheduleList(s cli.Streams) *cobra.Command {
	var f scheduleListFlags
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List schedules", Long: scheduleListText, Args: cli.NoArguments,
		Example: "  sparkctl schedule list\n  sparkctl schedule ls -A -l team=a",
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), s) },
	}
	f.Declare(c)
	cli.AddOutputFlag(c, &f.output, "table", "json", "yaml", "name")
	return c
}

func (f *scheduleListFlags) run(ctx context.Context, s cli.Streams) error {
	c, err := client.Connect(f.Cluster)
	if err != nil {
		return err
	}
	selection := f.Selection(c)
	return cli.Listing[v1alpha1.ScheduledSparkApplication]{
		Kind: client.Schedules, Prefix: cli.ScheduleKindName, None: "No ScheduledSparkApplications found" + f.Described(selection.Namespace) + ".",
		Table: func(schedules []v1alpha1.ScheduledSparkApplication) error {
			return printer.WriteSchedules(s.Out, schedules, printer.ListOptions{Namespaces: f.All, Width: s.Width()})
		},
	}.Write(ctx, c, selection, f.output, s)
}
