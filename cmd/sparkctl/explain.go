// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/client"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/printer"
)

// explainTime bounds everything that explain asks for.
const explainTime = 30 * time.Second

const explainText = `Says why the application NAME waits, as of now: its place in line, who is before it, what it needs, what is free and missing,
and what would let it start. For one that runs it says what it holds. With "queue" it is about the queue NAME.

  -n, --namespace NAMESPACE         of the application; default: that of the kubeconfig's context
  --kubeconfig FILE                 default: $KUBECONFIG, else ~/.kube/config, else the cluster that this runs in
  --context CONTEXT                 of the kubeconfig; default: its current one
  -o, --output text|json            default: text
  --operator-namespace NAMESPACE    default: sparkgate-system

The operator is asked through the API server's proxy, with your own token; it explains what you may get. If your kubeconfig has a
client certificate instead, a token of ten minutes is created for ServiceAccount sparkgate-explain. Where the operator cannot be asked,
it prints what the status of the objects says, and why that is all.
`

// explainFlags are the flags of explain.
type explainFlags struct {
	cluster client.Options
	output  string
}

func (f *explainFlags) declare(flags *flag.FlagSet) {
	for _, name := range []string{"n", "namespace"} {
		flags.StringVar(&f.cluster.Namespace, name, "", "")
	}
	for _, name := range []string{"o", "output"} {
		flags.StringVar(&f.output, name, "text", "")
	}
	flags.StringVar(&f.cluster.Kubeconfig, "kubeconfig", "", "")
	flags.StringVar(&f.cluster.Context, "context", "", "")
	flags.StringVar(&f.cluster.Operator, "operator-namespace", "sparkgate-system", "")
}

// explainCommand returns sparkctl explain.
func explainCommand(flags *flag.FlagSet, args []string, s streams) error {
	var f explainFlags
	f.declare(flags)
	names, err := parseNames(flags, args)
	if err != nil {
		return err
	}
	kind, name, err := objectNamed(names)
	if err != nil {
		return err
	}
	explain := explainApplication
	if kind == v1alpha1.SparkQueueKind {
		explain = explainQueue
	}
	if f.output != "text" && f.output != "json" {
		return usageError{fmt.Errorf("the output is %q; set -o to text or json", f.output)}
	}
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), explainTime)
	defer cancel()
	return explain(ctx, c, name, answer{out: s.out, json: f.output == "json"})
}

// kindsNamed are the kinds that can be explained, by the words of kubectl for them.
var kindsNamed = map[string]string{
	"sgapp": v1alpha1.SparkApplicationKind, "sparkapplication": v1alpha1.SparkApplicationKind, "sparkapplications": v1alpha1.SparkApplicationKind,
	"sgq": v1alpha1.SparkQueueKind, "sparkqueue": v1alpha1.SparkQueueKind, "sparkqueues": v1alpha1.SparkQueueKind, "queue": v1alpha1.SparkQueueKind,
}

// objectNamed reads what is to be explained: NAME of an application, KIND NAME or, as kubectl prints it, KIND/NAME.
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
		return "", "", usageError{errors.New("name one application, or a queue: NAME, sgapp/NAME, queue NAME or sgq/NAME")}
	}
	return known, name, nil
}

// parseNames reads flags and names, in any order.
func parseNames(flags *flag.FlagSet, args []string) ([]string, error) {
	var names []string
	for {
		switch err := flags.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			return nil, err
		case err != nil:
			return nil, usageError{fmt.Errorf("%w; see sparkctl help %s", err, flags.Name())}
		case flags.NArg() == 0:
			return names, nil
		}
		names, args = append(names, flags.Arg(0)), flags.Args()[1:]
	}
}

// answer is where an explanation goes, and how.
type answer struct {
	out  io.Writer
	json bool
}

// write writes an explanation, by a function where it is for people.
func write[T any](a answer, explanation T, forPeople func(io.Writer, T) error) error {
	if !a.json {
		return forPeople(a.out, explanation)
	}
	encoder := json.NewEncoder(a.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(explanation)
}

func explainApplication(ctx context.Context, c *client.Cluster, name string, a answer) error {
	out, missing := c.ExplainApplication(ctx, name)
	if missing != nil {
		app, err := c.Application(ctx, name)
		if err != nil {
			return errors.Join(fmt.Errorf("read the application: %w", err), fmt.Errorf("no live view: %w", missing))
		}
		why := missing.Error()
		var queue *v1alpha1.SparkQueue
		if app.Status.Queue != "" {
			if queue, err = c.Queue(ctx, app.Status.Queue); err != nil {
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
		queue, err := c.Queue(ctx, name)
		if err != nil {
			return errors.Join(fmt.Errorf("read the queue: %w", err), fmt.Errorf("no live view: %w", missing))
		}
		out = printer.FromQueueStatus(queue)
		out.NotLive = missing.Error()
	}
	return write(a, out, printer.WriteQueue)
}
