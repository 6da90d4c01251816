// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/client"
	"github.com/sparkgate/sparkgate/internal/printer"
	"github.com/sparkgate/sparkgate/internal/status"
)

// kindName is the prefix of application names in the output of -o name and of kubectl.
const kindName = "sparkapplication." + v1alpha1.Group + "/"

const listText = `Lists SparkApplications: queue, stage of the run, executors (ready/wanted), age, how long the drivers of the
run have run, and the message of the stage. For a queued application, the message says why it waits.`

// listFlags are the flags of list.
type listFlags struct {
	selectionFlags
	output string
}

// newList returns the command "sparkctl list".
func newList(s streams) *cobra.Command {
	var f listFlags
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List applications", Long: listText, Args: noArguments,
		Example: "  sparkctl list\n  sparkctl ls -A --stage Queued,Preempted\n  sparkctl list -n etl -l team=a --queue team-a -o wide",
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), s) },
	}
	f.declare(c)
	addOutputFlag(c, &f.output, "table", "wide", "json", "yaml", "name")
	return c
}

func (f *listFlags) run(ctx context.Context, s streams) error {
	c, err := f.connect()
	if err != nil {
		return err
	}
	selection := f.in(c)
	if f.output == "json" || f.output == "yaml" {
		return f.manifests(ctx, c, selection, s)
	}
	apps, err := client.ListAll[v1alpha1.SparkApplication](ctx, c, client.Applications, selection)
	if err != nil {
		return err
	}
	now := s.clock.Now()
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
		_, err := fmt.Fprintln(s.err, "No SparkApplications found"+f.described(selection.Namespace)+".")
		return err
	}
	return printer.WriteList(s.out, rows, printer.ListOptions{Namespaces: f.all, Wide: f.output == "wide", Width: s.width()})
}

// manifests writes the objects as the API server has them, but without managedFields.
func (f *listFlags) manifests(ctx context.Context, c *client.Cluster, selection client.Selection, s streams) error {
	items, err := client.ListAll[json.RawMessage](ctx, c, client.Applications, selection)
	if err != nil {
		return err
	}
	wanted := make([]json.RawMessage, 0, len(items))
	now := s.clock.Now()
	for _, item := range items {
		var app v1alpha1.SparkApplication
		if err := json.Unmarshal(item, &app); err != nil {
			return err
		}
		if row := status.Summarize(&app, now); f.wants(&row) {
			wanted = append(wanted, withoutManagers(item))
		}
	}
	return writeItems(s.out, f.output, wanted)
}

// withoutManagers removes metadata.managedFields from an object, as kubectl does: it is longer than the rest, and of
// use to programs only.
func withoutManagers(object json.RawMessage) json.RawMessage {
	var fields, meta map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || json.Unmarshal(fields["metadata"], &meta) != nil || meta["managedFields"] == nil {
		return object
	}
	delete(meta, "managedFields")
	var err error
	if fields["metadata"], err = json.Marshal(meta); err != nil {
		return object
	}
	without, err := json.Marshal(fields)
	if err != nil {
		return object
	}
	return without
}

// writeItems writes objects as a List, as kubectl does.
func writeItems[T any](out io.Writer, format string, items []T) error {
	return writeObject(out, format, map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{}, "items": items})
}

// writeObject writes an object as JSON or YAML.
func writeObject(out io.Writer, format string, object any) error {
	text, err := json.MarshalIndent(object, "", "    ")
	if err != nil {
		return err
	}
	text = append(escaped(text), '\n')
	if format == "yaml" {
		inYAML, err := yaml.JSONToYAML(text)
		if err != nil {
			return err
		}
		if !bytes.ContainsFunc(inYAML, writtenOut) { // otherwise it stays JSON, which is valid YAML
			text = inYAML
		}
	}
	_, err = out.Write(text)
	return err
}
