// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/client"
	"github.com/sparkgate/sparkgate/internal/printer"
)

const scheduleListText = `Lists schedules: when a run was due last and is due next, how the last run that has ended did, how many applications have not finished, how many runs were
missed since the schedule was created, and what keeps it from running. "schedule next NAME" says why runs were missed.`

// scheduleListFlags are the flags of schedule list.
type scheduleListFlags struct {
	scopeFlags
	output string
}

// newScheduleList returns the command "sparkctl schedule list".
func newScheduleList(s streams) *cobra.Command {
	var f scheduleListFlags
	c := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List schedules", Long: scheduleListText, Args: noArguments,
		Example: "  sparkctl schedule list\n  sparkctl schedule ls -A -l team=a",
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), s) },
	}
	f.declare(c)
	addOutputFlag(c, &f.output, "table", "json", "yaml", "name")
	return c
}

func (f *scheduleListFlags) run(ctx context.Context, s streams) error {
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	selection := f.in(c)
	if f.output == "json" || f.output == "yaml" {
		items, err := client.ListAll[json.RawMessage](ctx, c, client.Schedules, selection)
		if err != nil {
			return err
		}
		for i := range items {
			items[i] = withoutManagers(items[i])
		}
		return writeItems(s.out, f.output, items)
	}
	schedules, err := client.ListAll[v1alpha1.ScheduledSparkApplication](ctx, c, client.Schedules, selection)
	switch {
	case err != nil:
		return err
	case f.output == "name":
		for i := range schedules {
			fmt.Fprintln(s.out, scheduleKindName+schedules[i].Name)
		}
		return nil
	case len(schedules) == 0:
		_, err := fmt.Fprintln(s.err, "No ScheduledSparkApplications found"+f.described(selection.Namespace)+".")
		return err
	}
	return printer.WriteSchedules(s.out, schedules, printer.ListOptions{Namespaces: f.all, Width: s.width()})
}
