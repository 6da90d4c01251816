// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const usageText = `Sums what applications used: the cores, memory (GiB) and accelerators that their grants held, times hours, and
the core-hours that their pods requested on nodes (REQUESTED). FAILED, PREEMPTED and STOPPED are the
core-hours of attempts that ended that way.

The numbers come from the status of the applications that exist now. Applications that were deleted, by their
time to live or by a user, and all but the last ten attempts of an application, are only in the operator's
metrics. An attempt that began before the window counts in proportion.`

type usageFlags struct {
	cli.ScopeFlags
	queue  string
	since  string
	until  string
	by     string
	prices string
	output string
}

func newUsage(s cli.Streams) *cobra.Command {
	f := usageFlags{}
	c := &cobra.Command{
		SuggestFor: []string{"top", "cost"},
		Use:        "usage", Short: "Sum core-hours, memory-hours and GPU-hours, and what was wasted", Long: usageText, Args: cli.NoArguments,
		Example: "  sparkctl usage --since 7d\n  sparkctl usage -A --by namespace --since 2026-11-01 --until 2026-12-01 -o csv\n  sparkctl usage -A --by label=team --prices prices.yaml",
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), s) },
	}
	f.Declare(c)
	flags := c.Flags()
	flags.StringVar(&f.queue, "queue", "", "only what this queue was charged")
	flags.StringVar(&f.since, "since", "7d", "start of the window, as a `TIME`: a duration before now (7d, 12h, 90m), a date in UTC (2026-11-01), or a time (2026-11-01T00:00:00+01:00)")
	flags.StringVar(&f.until, "until", "", "end of the window, as a `TIME` (default: now)")
	flags.StringVar(&f.by, "by", "queue", "one row for each `KEY`: queue, namespace, application or label=NAME")
	flags.StringVar(&f.prices, "prices", "", "a `FILE` with hourly prices, to show costs; - is standard input")
	cli.AddOutputFlag(c, &f.output, "table", "json", "yaml", "csv")
	cli.CompleteFlag(c, "by", cobra.FixedCompletions([]string{"queue", "namespace", "application", "label="}, cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp))
	cli.CompleteFlag(c, "queue", func(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return cli.NamesOf(c, &f.Cluster, client.Queues)
	})
	return c
}

func (f *usageFlags) run(ctx context.Context, s cli.Streams) error {
	key, err := usage.ParseKey(f.by)
	if err != nil {
		return cli.UsageErrorf("--by: %w", err)
	}
	now := s.Clock.Now()
	window, err := usage.ParseWindow(f.since, f.until, now)
	if err != nil {
		return cli.UsageErrorf("%w", err)
	}
	prices, err := readPrices(f.prices, s.In)
	if err != nil {
		return err
	}
	c, err := client.Connect(f.Cluster)
	if err != nil {
		return err
	}
	apps, err := client.ListAll[v1alpha1.SparkApplication](ctx, c, client.Applications, f.Selection(c))
	if err != nil {
		return err
	}
	records, cut := f.records(apps, window, now)
	if cut > 0 {
		fmt.Fprintf(s.Err, "Applications of which these sums lack attempts before the last ten, which only the metrics of the operator have: %d.\n", cut)
	}
	if prices != nil && len(prices.Queues) > 0 {
		checkQueues(ctx, c, prices, records, s.Err)
	}
	return f.write(s.Out, usage.Summarize(records, window, key, prices))
}

// checkQueues says which queues of a price list no SparkQueue and no record has. It does not know the queues of other
// systems, whose names in a price list have a slash.
func checkQueues(ctx context.Context, c *client.Cluster, prices *usage.Prices, records []usage.Record, notes io.Writer) {
	queues, err := client.ListAll[metav1.PartialObjectMetadata](ctx, c, client.Queues, client.Selection{})
	if err != nil {
		fmt.Fprintf(notes, "It is not known whether the queues of the price list exist: %v\n", err)
		return
	}
	known := map[string]bool{}
	for i := range queues {
		known[queues[i].Name] = true
	}
	for i := range records {
		known[records[i].Queue] = true
	}
	for _, name := range slices.Sorted(maps.Keys(prices.Queues)) {
		if !known[name] && !strings.Contains(name, "/") {
			fmt.Fprintf(notes, "The price list has prices for queue %s, which does not exist; correct or remove queues.%s.\n", name, name)
		}
	}
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
	case "json", "yaml":
		return cli.WriteObject(out, f.output, report)
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
	text, err := cli.Read(name, in)
	if err != nil {
		return nil, err
	}
	prices, err := usage.ParsePrices([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cli.ShownName(name), err)
	}
	return prices, nil
}
