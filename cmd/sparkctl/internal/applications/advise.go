// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"context"

	"github.com/spf13/cobra"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/advise"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/client/measured"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const adviseText = `Recommends memory, memory overhead, cores and executors for the application NAME, with reasons, from what
Spark measured in its last run.

Measurements come from the event log that --event-log names, otherwise from the driver while it runs,
otherwise from the event log in spark.eventLog.dir if that folder is on this machine, otherwise from the
history server if the operator knows one. Without NAME, an event log is read on its own. docs/advise.md
explains the rules.`

type adviseFlags struct {
	cluster  client.Options
	eventLog string
	output   string
}

func newAdvise(s cli.Streams) *cobra.Command {
	var f adviseFlags
	c := aboutApplication(&cobra.Command{
		Use: "advise [NAME]", Short: "Recommend memory, cores and executors", Long: adviseText,
		Example: "  sparkctl advise pi\n  sparkctl advise pi --event-log /mnt/events/eventlog_v2_spark-0a1b\n" +
			"  kubectl patch sgapp pi --type merge --patch \"$(sparkctl advise pi -o patch)\"",
	}, &f.cluster, nil)
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 && f.eventLog != "" {
			return nil
		}
		return oneApplication(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error { return f.run(c.Context(), append(args, "")[0], s) }
	c.Flags().StringVar(&f.eventLog, "event-log", "", "the event log of a run: a `FILE`, or the folder of a rolling one")
	cli.AddOutputFlag(c, &f.output, "text", "json", "yaml", "patch")
	return c
}

func (f *adviseFlags) run(ctx context.Context, name string, s cli.Streams) error {
	app := &v1alpha1.SparkApplication{}
	if f.output == "patch" && name == "" {
		return cli.UsageErrorf("-o patch: name the application that the patch is for: its manifest decides where values are set")
	}
	var cluster *client.Cluster
	if name != "" {
		var err error
		if cluster, app, err = connectTo(ctx, f.cluster, name); err != nil {
			return err
		}
	}
	run, err := f.read(ctx, cluster, app)
	if err != nil {
		return err
	}
	advice := advise.Advise(run)
	switch f.output {
	case "json", "yaml":
		return cli.WriteObject(s.Out, f.output, advice)
	case "patch":
		return cli.WriteObject(s.Out, "yaml", advise.Patch(advice, app))
	}
	return printer.WriteAdvice(s.Out, advice)
}

// read reads the measurements from the first source that is available.
func (f *adviseFlags) read(ctx context.Context, c *client.Cluster, app *v1alpha1.SparkApplication) (*advise.Run, error) {
	if f.eventLog != "" {
		return measured.EventLog(f.eventLog)
	}
	utilruntime.ErrorHandlers = nil // client-go logs each refused connection of a port-forward through them
	return measured.Sources{Cluster: c, OfUser: true}.Read(ctx, app)
}
