// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

// explainTime bounds all requests of one explain.
const explainTime = 30 * time.Second

const explainText = `Says why the application NAME waits, as of now: its place in line, what is ahead of it, what it needs, what is
free and missing, and what would let it start. For a running application it says what it holds. With "queue",
NAME is that of a queue.

The operator is asked through the API server's proxy, with your own token; it explains what you may get. If
your kubeconfig has a client certificate instead, a token of the ServiceAccount sparkgate-explain is created,
which is valid for ten minutes. If the operator cannot be asked, the command prints what the status of the
objects says, and why that is all.`

// explainFlags are the flags of explain.
type explainFlags struct {
	cluster client.Options
	output  string
}

// newExplain returns the command "sparkctl explain".
func newExplain(s cli.Streams) *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		SuggestFor: []string{"why"},
		Use:        "explain [queue] NAME", Short: "Say why an application waits, live", Long: explainText,
		Example: "  sparkctl explain pi\n  sparkctl explain pi -n etl -o json\n  sparkctl explain queue team-a",
		RunE:    func(c *cobra.Command, args []string) error { return f.run(c.Context(), args, s) },
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			switch {
			case len(args) == 0:
				return cli.NamesOf(c, &f.cluster, client.Applications)
			case len(args) == 1 && kindsNamed[args[0]] == v1alpha1.SparkQueueKind:
				return cli.NamesOf(c, &f.cluster, client.Queues)
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cli.AddClusterFlags(c, &f.cluster)
	f.cluster.AddOperatorFlag(c.Flags())
	cli.AddOutputFlag(c, &f.output, "text", "json", "yaml")
	return c
}

func (f *explainFlags) run(ctx context.Context, names []string, s cli.Streams) error {
	kind, name, err := objectNamed(names)
	if err == nil {
		err = cli.CheckName(name)
	}
	if err != nil {
		return err
	}
	explain := explainApplication
	if kind == v1alpha1.SparkQueueKind {
		explain = explainQueue
	}
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, explainTime)
	defer cancel()
	return explain(ctx, c, name, answer{out: s.Out, format: f.output})
}

// kindsNamed maps the words that kubectl accepts for a kind to the kinds that can be explained.
var kindsNamed = map[string]string{
	"sgapp": v1alpha1.SparkApplicationKind, "sparkapplication": v1alpha1.SparkApplicationKind, "sparkapplications": v1alpha1.SparkApplicationKind,
	"sgq": v1alpha1.SparkQueueKind, "sparkqueue": v1alpha1.SparkQueueKind, "sparkqueues": v1alpha1.SparkQueueKind, "queue": v1alpha1.SparkQueueKind,
}

// objectNamed parses the arguments of explain: the NAME of an application, KIND NAME or, as kubectl prints it,
// KIND/NAME.
func objectNamed(words []string) (kind, name string, err error) {
	kind = "sgapp"
	switch len(words) {
	case 1:
		name = words[0]
		if before, after, found := strings.Cut(name, "/"); found {
			kind, name = before, after
		}
	case 2:
		kind, name = words[0], words[1]
	}
	kind, _, _ = strings.Cut(strings.ToLower(kind), ".") // sparkapplication.sparkgate.io
	known := kindsNamed[kind]
	if known == "" || name == "" || strings.Contains(name, "/") {
		return "", "", cli.UsageErrorf("name one application, or a queue: NAME, sgapp/NAME, queue NAME or sgq/NAME")
	}
	return known, name, nil
}

// answer is where an explanation is written, and in which format.
type answer struct {
	out    io.Writer
	format string
}

// write writes an explanation as JSON or YAML, or with forPeople as text.
func write[T any](a answer, explanation T, forPeople func(io.Writer, T) error) error {
	switch a.format {
	case "text":
		return forPeople(a.out, explanation)
	case "yaml":
		return cli.WriteObject(a.out, a.format, explanation)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(explanation); err != nil {
		return err
	}
	_, err := a.out.Write(cli.Escaped(text.Bytes()))
	return err
}

func explainApplication(ctx context.Context, c *client.Cluster, name string, a answer) error {
	out, missing := c.ExplainApplication(ctx, name)
	if missing != nil {
		app, err := client.GetObject[v1alpha1.SparkApplication](ctx, c, client.Applications, name)
		if err != nil {
			return errors.Join(fmt.Errorf("read the application: %w", err), fmt.Errorf("no live view: %w", missing))
		}
		why := missing.Error()
		var queue *v1alpha1.SparkQueue
		if app.Status.Queue != "" && printer.UsesSparkQueue(app) {
			if queue, err = client.GetObject[v1alpha1.SparkQueue](ctx, c, client.Queues, app.Status.Queue); err != nil {
				queue, why = nil, fmt.Sprintf("%s; nor can the queue be read: %v", why, err)
			}
		}
		out = printer.FromStatus(app, queue)
		out.NotLive = why
	}
	return write(a, out, printer.WriteApplication)
}

func explainQueue(ctx context.Context, c *client.Cluster, name string, a answer) error {
	out, missing := c.ExplainQueue(ctx, name)
	if missing != nil {
		queue, err := client.GetObject[v1alpha1.SparkQueue](ctx, c, client.Queues, name)
		if err != nil {
			return errors.Join(fmt.Errorf("read the queue: %w", err), fmt.Errorf("no live view: %w", missing))
		}
		out = printer.FromQueueStatus(queue)
		// If the other queues cannot be listed, only the queue's own stop policy is shown.
		if all, err := client.ListAll[v1alpha1.SparkQueue](ctx, c, client.Queues, client.Selection{}); err == nil {
			out = printer.StoppedOf(all).Of(queue)
		}
		out.NotLive = missing.Error()
	}
	return write(a, out, printer.WriteQueue)
}
