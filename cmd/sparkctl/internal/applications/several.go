// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

// several are the applications that a command changes: those that are named, or those that flags select.
type several struct {
	cli.SelectionFlags
	streams cli.Streams
	yes     bool
}

const severalText = `

Instead of names, -l, --queue and --stage select applications. Without --yes the command only says which.`

// declare completes a command that changes applications by run.
func (t *several) declare(c *cobra.Command, run func(ctx context.Context, c *client.Cluster, names []string) error) *cobra.Command {
	c.Long += severalText
	t.Declare(c)
	c.Flags().BoolVarP(&t.yes, "yes", "y", false, "change those that -l, --queue or --stage select, without asking")
	c.Args = func(c *cobra.Command, args []string) error {
		if (len(args) == 0) == !t.Selects() {
			return cli.UsageErrorf("name applications, or select them by -l, --queue or --stage; see %s --help", c.CommandPath())
		}
		for i := range args {
			if err := applicationName(&args[i]); err != nil {
				return err
			}
		}
		return nil
	}
	c.ValidArgsFunction = func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return cli.NamesOf(c, &t.Cluster, client.Applications)
	}
	c.RunE = func(c *cobra.Command, args []string) error { return t.each(c, args, run) }
	return c
}

// each calls run with the names of the applications, once for each namespace.
func (t *several) each(command *cobra.Command, args []string, run func(ctx context.Context, c *client.Cluster, names []string) error) error {
	ctx, now := command.Context(), t.streams.Clock.Now()
	c, err := t.Connect()
	if err != nil {
		return err
	}
	if len(args) > 0 {
		return run(ctx, c, args)
	}
	all, err := client.ListAll[v1alpha1.SparkApplication](ctx, c, client.Applications, t.Selection(c))
	if err != nil {
		return err
	}
	names, shown, namespaces := map[string][]string{}, []string{}, []string{}
	for i := range all {
		app := &all[i]
		if row := status.Summarize(app, now); t.Wants(&row) {
			if names[app.Namespace] == nil {
				namespaces = append(namespaces, app.Namespace)
			}
			names[app.Namespace], shown = append(names[app.Namespace], app.Name), append(shown, app.Namespace+"/"+app.Name)
		}
	}
	found := printer.Count(len(shown), "SparkApplication") + t.Described(t.Selection(c).Namespace)
	if len(shown) == 0 || !t.yes {
		return cli.UsageErrorf("%s: %s; add --yes to %s them", found, strings.Join(shown, ", "), command.Name())
	}
	var failed []error
	for _, namespace := range namespaces {
		in := *c
		in.Namespace = namespace
		failed = append(failed, run(ctx, &in, names[namespace]))
	}
	return errors.Join(failed...)
}

// oneByOne calls change for each name, also if it fails for some.
func oneByOne(change func(ctx context.Context, c *client.Cluster, name string) error) func(context.Context, *client.Cluster, []string) error {
	return func(ctx context.Context, c *client.Cluster, names []string) error {
		var failed []error
		for _, name := range names {
			failed = append(failed, change(ctx, c, name))
		}
		return errors.Join(failed...)
	}
}
