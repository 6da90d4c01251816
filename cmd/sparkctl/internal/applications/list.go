// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const listText = `Lists SparkApplications: queue, stage of the run, executors (ready/wanted), age, how long the drivers of the
run have run, and the message of the stage. For a queued application, the message says why it waits.`

// listFlags are the flags of list.
type listFlags struct {
	cli.SelectionFlags
	output    string
	noHeaders bool
	sortBy    string
	watch     bool
}

// newList returns the command "sparkctl list".
func newList(s cli.Streams) *cobra.Command {
	var f listFlags
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List applications", Long: listText, Args: cli.NoArguments,
		Example: "  sparkctl list\n  sparkctl ls -A --stage Queued,Preempted\n  sparkctl list -n etl -l team=a --queue team-a -o wide\n" +
			"  sparkctl list --sort-by .status.times.queued -o custom-columns=NAME:.metadata.name,QUEUE:.status.queue",
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), s) },
	}
	f.Declare(c)
	cli.AddOutputFlag(c, &f.output, "table", "wide", "json", "yaml", "name", "jsonpath=", "custom-columns=")
	c.Flags().BoolVar(&f.noHeaders, "no-headers", false, "leave out the names of the columns")
	c.Flags().StringVar(&f.sortBy, "sort-by", "", "sort by the field at this `PATH`, such as .metadata.creationTimestamp")
	c.Flags().BoolVarP(&f.watch, "watch", "w", false, "show them while they change, as sparkctl watch does")
	return c
}

func (f *listFlags) run(ctx context.Context, s cli.Streams) error {
	if f.watch {
		return (&watchFlags{SelectionFlags: f.SelectionFlags}).run(ctx, s)
	}
	c, err := f.Connect()
	if err != nil {
		return err
	}
	selection, now := f.Selection(c), s.Clock.Now()
	return cli.Listing[v1alpha1.SparkApplication]{
		Kind: client.Applications, Prefix: cli.KindName, None: "No SparkApplications found" + f.Described(selection.Namespace) + ".",
		SortBy: f.sortBy, NoHeaders: f.noHeaders,
		Wants: func(app *v1alpha1.SparkApplication) bool {
			row := status.Summarize(app, now)
			return f.Wants(&row)
		},
		Table: func(apps []v1alpha1.SparkApplication) error {
			rows := make([]status.Summary, len(apps))
			for i := range apps {
				rows[i] = status.Summarize(&apps[i], now)
				rows[i].Message = printer.WithTimeLeft(rows[i].Message, now)
			}
			return printer.WriteList(s.Out, rows, printer.ListOptions{Namespaces: f.All, Wide: f.output == "wide", Width: s.Width(), Fold: true, NoHeaders: f.noHeaders})
		},
	}.Write(ctx, c, selection, f.output, s)
}
