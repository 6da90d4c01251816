// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/client"
	"github.com/sparkgate/sparkgate/internal/printer"
	"github.com/sparkgate/sparkgate/internal/usage"
)

const usageText = `Sums what applications used: the cores, memory (GiB) and accelerators that their grants held, times hours, and
the core-hours that their pods requested on nodes (REQUESTED). FAILED, PREEMPTED and STOPPED are the
core-hours of attempts that ended that way.

The numbers come from the status of the applications that exist now. Applications that were deleted, by their
time to live or by a user, and all but the last ten attempts of an application, are only in the operator's
metrics. An attempt that began before the window counts in proportion.`

type usageFlags struct {
	scopeFlags
	queue  string
	since  string
	until  string
	by     string
	prices string
	output string
}

func newUsage(s streams) *cobra.Command {
	f := usageFlags{}
	c := &cobra.Command{
		SuggestFor: []string{"top", "cost"},
		Use:        "usage", Short: "Sum core-hours, memory-hours and GPU-hours, and what was wasted", Long: usageText, Args: noArguments,
		Example: "  sparkctl usage --since 7d\n  sparkctl usage -A --by namespace --since 2026-11-01 --until 2026-12-01 -o csv\n  sparkctl usage -A --by label=team --prices prices.yaml",
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), s) },
	}
	f.declare(c)
	flags := c.Flags()
	flags.StringVar(&f.queue, "queue", "", "only what this queue was charged")
	flags.StringVar(&f.since, "since", "7d", "start of the window, as a `TIME`: a duration before now (7d, 12h, 90m), a date in UTC (2026-11-01), or a time (2026-11-01T00:00:00+01:00)")
	flags.StringVar(&f.until, "until", "", "end of the window, as a `TIME` (default: now)")
	flags.StringVar(&f.by, "by", "queue", "one row for each `KEY`: queue, namespace, application or label=NAME")
	flags.StringVar(&f.prices, "prices", "", "a `FILE` with hourly prices, to show costs; - is standard input")
	addOutputFlag(c, &f.output, "table", "json", "csv")
	completeFlag(c, "by", cobra.FixedCompletions([]string{"queue", "namespace", "application", "label="}, cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp))
	completeFlag(c, "queue", func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return namesOf(c, &f.cluster, client.Queues)
	})
	return c
}

func (f *usageFlags) run(ctx context.Context, s streams) error {
	key, err := usage.ParseKey(f.by)
	if err != nil {
		return usageError{fmt.Errorf("--by: %w", err)}
	}
	now := s.clock.Now()
	window, err := usage.ParseWindow(f.since, f.until, now)
	if err != nil {
		return usageError{err}
	}
	prices, err := readPrices(f.prices, s.in)
	if err != nil {
		return err
	}
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	apps, err := client.ListAll[v1alpha1.SparkApplication](ctx, c, client.Applications, f.in(c))
	if err != nil {
		return err
	}
	records, cut := f.records(apps, window, now)
	if cut > 0 {
		fmt.Fprintf(s.err, "Applications of which these sums lack attempts before the last ten, which only the metrics of the operator have: %d.\n", cut)
	}
	return f.write(s.out, usage.Summarize(records, window, key, prices))
}

// records returns the attempts of the selected applications, and for how many applications the status lacks some
// attempts.
func (f *usageFlags) records(apps []v1alpha1.SparkApplication, window usage.Window, now time.Time) (records []usage.Record, cut int) {
	for i := range apps {
		charged, lacks := window.ChargedTo(f.queue, &apps[i], now)
		if records = append(records, charged...); lacks {
			cut++
		}
	}
	return records, cut
}

func (f *usageFlags) write(out io.Writer, report usage.Report) error {
	switch f.output {
	case "json":
		return writeObject(out, "json", report)
	case "csv":
		return printer.WriteUsageCSV(out, report)
	}
	column, _, _ := strings.Cut(f.by, "=")
	return printer.WriteUsage(out, report, column)
}

// readPrices reads the price list that a flag names, or returns nil if the flag is empty.
func readPrices(name string, in io.Reader) (*usage.Prices, error) {
	if name == "" {
		return nil, nil
	}
	text, err := read(name, in)
	if err != nil {
		return nil, err
	}
	prices, err := usage.ParsePrices([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shownName(name), err)
	}
	return prices, nil
}
