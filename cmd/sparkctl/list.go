// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/client"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/printer"
	"github.com/sparkgate/sparkgate/internal/status"
)

// kindName is how -o name and kubectl name applications.
const kindName = "sparkapplication." + v1alpha1.Group + "/"

const listText = `Lists SparkApplications: their queue, the stage of their run, executors (ready/wanted), age, how long the drivers of the run have run, and the
message of the stage; of one that is queued, why it waits.`

// listFlags are the flags of list.
type listFlags struct {
	cluster  client.Options
	all      bool
	selector string
	queue    string
	stages   []string
	output   string
}

// newList returns sparkctl list.
func newList(s streams) *cobra.Command {
	var f listFlags
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List applications", Long: listText, Args: noArguments,
		Example: "  sparkctl list\n  sparkctl ls -A --stage Queued,Preempted\n  sparkctl list -n etl -l team=a --queue team-a -o wide",
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), s) },
	}
	addClusterFlags(c, &f.cluster)
	flags := c.Flags()
	flags.BoolVarP(&f.all, "all-namespaces", "A", false, "those of all namespaces")
	flags.StringVarP(&f.selector, "selector", "l", "", "a label `SELECTOR`, such as team=a,tier!=test")
	flags.StringVar(&f.queue, "queue", "", "those of this queue")
	flags.StringSliceVar(&f.stages, "stage", nil, "those in one of these stages, such as Queued,Running")
	addOutputFlag(c, &f.output, "table", "wide", "json", "yaml", "name")
	completeFlag(c, "queue", func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return namesOf(c, &f.cluster, client.Queues)
	})
	completeFlag(c, "stage", cobra.FixedCompletions(stageNames(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

// stageNames are the stages that a status can have.
func stageNames() []string {
	var names []string
	for _, stage := range status.Stages() {
		if stage != status.New {
			names = append(names, string(stage))
		}
	}
	return names
}

// check corrects the case of the stages, and refuses what cannot be meant.
func (f *listFlags) check() error {
	known := stageNames()
	for i, stage := range f.stages {
		at := slices.IndexFunc(known, func(name string) bool { return strings.EqualFold(name, stage) })
		if at < 0 {
			return usageError{fmt.Errorf("--stage: there is no stage %q%s; stages are %s", stage, didYouMean(stage, known), strings.Join(known, ", "))}
		}
		f.stages[i] = known[at]
	}
	return nil
}

func (f *listFlags) run(ctx context.Context, s streams) error {
	if err := f.check(); err != nil {
		return err
	}
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	selection := client.Selection{Namespace: c.Namespace, Labels: f.selector}
	if f.all {
		selection.Namespace = ""
	}
	if f.output == "json" || f.output == "yaml" {
		return f.manifests(ctx, c, selection, s.out)
	}
	apps, err := client.ListAll[v1alpha1.SparkApplication](ctx, c, client.Applications, selection)
	if err != nil {
		return err
	}
	now := clock.RealClock{}.Now()
	var rows []status.Summary
	for i := range apps {
		if row := status.Summarize(&apps[i], now); f.wants(&row) {
			rows = append(rows, row)
		}
	}
	if f.output == "name" {
		for i := range rows {
			fmt.Fprintln(s.out, kindName+rows[i].Name)
		}
		return nil
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintln(s.err, f.nothing(selection.Namespace))
		return err
	}
	return printer.WriteList(s.out, rows, printer.ListOptions{Namespaces: f.all, Wide: f.output == "wide", Width: s.width})
}

// wants reports whether an application is among those that were asked for by queue and stage.
func (f *listFlags) wants(a *status.Summary) bool {
	return (f.queue == "" || a.Queue == f.queue) && (len(f.stages) == 0 || slices.Contains(f.stages, a.Stage))
}

// nothing says that no application was found, and where and how it was looked for.
func (f *listFlags) nothing(namespace string) string {
	text := "No SparkApplications found"
	if namespace != "" {
		text += " in namespace " + namespace
	}
	var with []string
	if f.selector != "" {
		with = append(with, "labels "+f.selector)
	}
	if f.queue != "" {
		with = append(with, "queue "+f.queue)
	}
	if len(f.stages) > 0 {
		with = append(with, "stage "+strings.Join(f.stages, " or "))
	}
	if len(with) > 0 {
		text += " with " + strings.Join(with, " and ")
	}
	return text + "."
}

// manifests writes the objects as the API server has them.
func (f *listFlags) manifests(ctx context.Context, c *client.Cluster, selection client.Selection, out io.Writer) error {
	items, err := client.ListAll[json.RawMessage](ctx, c, client.Applications, selection)
	if err != nil {
		return err
	}
	wanted := make([]json.RawMessage, 0, len(items))
	now := clock.RealClock{}.Now()
	for _, item := range items {
		var app v1alpha1.SparkApplication
		if err := json.Unmarshal(item, &app); err != nil {
			return err
		}
		if row := status.Summarize(&app, now); f.wants(&row) {
			wanted = append(wanted, item)
		}
	}
	return writeObject(out, f.output, map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{}, "items": wanted})
}

// writeObject writes an object as JSON or YAML.
func writeObject(out io.Writer, format string, object any) error {
	text, err := json.MarshalIndent(object, "", "    ")
	if err != nil {
		return err
	}
	if format == "yaml" {
		if text, err = yaml.JSONToYAML(text); err != nil {
			return err
		}
		_, err = out.Write(text)
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", text)
	return err
}
