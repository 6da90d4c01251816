// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const getText = `Shows the application NAME with the timeline of its run (queued, admitted, driver, executors, end), and how
each of its attempts ended: the cause and, if it failed, the end of its log.`

// getFlags are the flags of get.
type getFlags struct {
	cluster client.Options
	output  string
	watch   bool
}

// newGet returns the command "sparkctl get".
func newGet(s cli.Streams) *cobra.Command {
	var f getFlags
	c := aboutApplication(&cobra.Command{
		SuggestFor: []string{"status", "describe", "show"},
		Use:        "get NAME", Short: "Show an application and the timeline of its run", Long: getText,
		Example: "  sparkctl get pi\n  sparkctl get pi -n etl -o yaml",
	}, &f.cluster, func(ctx context.Context, name string) error { return f.run(ctx, name, s) })
	cli.AddOutputFlag(c, &f.output, "text", "json", "yaml", "name", "jsonpath=", "custom-columns=")
	c.Flags().BoolVarP(&f.watch, "watch", "w", false, "show each change of its stage and message, until it has ended")
	return c
}

// aboutApplication completes a command that takes the name of one application, in the cluster that the flags o select.
func aboutApplication(c *cobra.Command, o *client.Options, run func(ctx context.Context, name string) error) *cobra.Command {
	c.Args, c.ValidArgsFunction = oneApplication, cli.OneName(o, client.Applications)
	c.RunE = func(c *cobra.Command, args []string) error { return run(c.Context(), args[0]) }
	cli.AddClusterFlags(c, o)
	return c
}

// connectTo connects to the cluster and reads the application that a command is about.
func connectTo(ctx context.Context, o client.Options, name string) (*client.Cluster, *v1alpha1.SparkApplication, error) {
	c, err := client.Connect(o)
	if err != nil {
		return nil, nil, err
	}
	app, err := client.GetObject[v1alpha1.SparkApplication](ctx, c, client.Applications, name)
	return c, app, err
}

// oneApplication returns an error unless there is one argument that names an application. It accepts NAME, sgapp/NAME
// and the other names that kubectl uses, and strips the kind from args.
func oneApplication(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return cli.UsageErrorf("name one application, as %s list prints them; see %s --help", c.Root().CommandPath(), c.CommandPath())
	}
	return applicationName(&args[0])
}

// applicationName strips the kind from a name such as -o name and kubectl print. It returns an error for another kind.
func applicationName(name *string) error {
	kind, bare, err := objectNamed([]string{*name})
	if err != nil || kind != v1alpha1.SparkApplicationKind {
		return cli.UsageErrorf("name an application: NAME or sgapp/NAME")
	}
	*name = bare
	return cli.CheckName(bare)
}

func (f *getFlags) run(ctx context.Context, name string, s cli.Streams) error {
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	if f.watch {
		return follow(ctx, c, name, s)
	}
	object, err := client.GetObject[json.RawMessage](ctx, c, client.Applications, name)
	if err != nil {
		return err
	}
	if cli.IsExpression(f.output) {
		return cli.Fields{Format: f.output}.Write(s.Out, *object, []json.RawMessage{*object})
	}
	switch f.output {
	case "json", "yaml":
		return cli.WriteObject(s.Out, f.output, cli.WithoutManagers(*object))
	case "name":
		_, err := fmt.Fprintln(s.Out, cli.KindName+name)
		return err
	}
	var app v1alpha1.SparkApplication
	if err := json.Unmarshal(*object, &app); err != nil {
		return err
	}
	return printer.WriteDetails(s.Out, &app, s.Clock.Now())
}

// follow writes a line for each change of an application, until it has ended.
func follow(ctx context.Context, c *client.Cluster, name string, s cli.Streams) error {
	ctx, stop := cli.Interruptible(ctx)
	defer stop()
	printed := ""
	err := c.FollowApplication(ctx, name, "", func(app *v1alpha1.SparkApplication) (bool, error) {
		now := status.Summarize(app, s.Clock.Now())
		stage, _ := status.StageOf(app.Status.Conditions)
		if text := now.Progress(); text != printed {
			printed = text
			if _, err := fmt.Fprintf(s.Out, "%s %s\n", s.Clock.Now().UTC().Format(time.RFC3339), text); err != nil {
				return true, err
			}
		}
		return stage.Ended(), nil
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}
