// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const queueText = `Shows the tree of SparkQueues: the applications that wait and that hold quota, and for each resource what is
used, the quota, and what is borrowed. With NAME it shows that queue and those below it, which applications
are first in line, and which hold its quota. All of it comes from the status, so the command also works while
the operator does not run; "explain queue NAME" asks the operator.`

// queueFlags are the flags of queue.
type queueFlags struct {
	cluster client.Options
	output  string
}

// newQueue returns the command "sparkctl queue".
func newQueue(s cli.Streams) *cobra.Command {
	var f queueFlags
	c := &cobra.Command{
		Use: "queue [NAME]", Aliases: []string{"queues"}, Short: "Show the tree of queues, its quotas, and who holds them", Long: queueText,
		Example: "  sparkctl queue\n  sparkctl queue team-a",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.UsageErrorf("unexpected argument %q; see %s --help", args[1], c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: cli.OneName(&f.cluster, client.Queues),
		RunE: func(c *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return f.run(c.Context(), name, s)
		},
	}
	cli.AddClusterFlags(c, &f.cluster)
	cli.AddOutputFlag(c, &f.output, "table", "json", "yaml")
	return c
}

func (f *queueFlags) run(ctx context.Context, name string, s cli.Streams) error {
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	if f.output != "table" && name != "" {
		object, err := client.GetObject[json.RawMessage](ctx, c, client.Queues, name)
		if err != nil {
			return err
		}
		return cli.WriteObject(s.Out, f.output, cli.WithoutManagers(*object))
	}
	if name == "" {
		return cli.Listing[v1alpha1.SparkQueue]{
			Kind: client.Queues, None: "No SparkQueues found.",
			Table: func(queues []v1alpha1.SparkQueue) error {
				return printer.WriteQueues(s.Out, queues, printer.StoppedOf(queues), s.Width())
			},
		}.Write(ctx, c, client.Selection{}, f.output, s)
	}
	queues, err := client.ListAll[v1alpha1.SparkQueue](ctx, c, client.Queues, client.Selection{})
	if err != nil {
		return err
	}
	below := printer.Subtree(queues, name)
	if len(below) == 0 {
		return fmt.Errorf("sparkqueue %s not found%s", name, cli.DidYouMean(name, queueNames(queues)))
	}
	if err := printer.WriteQueues(s.Out, below, printer.StoppedOf(queues), s.Width()); err != nil {
		return err
	}
	return f.line(ctx, c, subtree{below, printer.QueueNames(queues)}, s)
}

// subtree is a queue with those below it. exist has the names of all queues of the cluster.
type subtree struct {
	queues []v1alpha1.SparkQueue
	exist  map[string]bool
}

// line writes which applications wait in the first of the queues, and which hold quota of any of them.
func (f *queueFlags) line(ctx context.Context, c *client.Cluster, below subtree, s cli.Streams) error {
	within := printer.QueueNames(below.queues)
	var holders []printer.Holder
	unknown := ""
	apps, err := client.ListAll[v1alpha1.SparkApplication](ctx, c, client.Applications, client.Selection{})
	if err != nil {
		unknown = err.Error()
	}
	for i := range apps {
		if printer.UsesSparkQueue(&apps[i]) && within[printer.Charged(printer.GrantPath(apps[i].Status.Grant), below.exist)] {
			holders = append(holders, printer.HolderOf(&apps[i]))
		}
	}
	if _, err := fmt.Fprintln(s.Out); err != nil {
		return err
	}
	return printer.WriteLine(s.Out, &below.queues[0], holders, unknown)
}

func queueNames(queues []v1alpha1.SparkQueue) []string {
	names := make([]string, 0, len(queues))
	for i := range queues {
		names = append(names, queues[i].Name)
	}
	return names
}
