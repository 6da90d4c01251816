// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/scenario"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/queueing/embedded/simulator"
)

const simulateText = `Plays the scenario in FILE (- is standard input) against the queues in virtual time, with the operator's
engine, and prints what happens to each application, as lines of JSON; the last line is a summary.

FILE is a stream of YAML documents. SparkQueues and SparkFlavors exist from the beginning, and
ScheduledSparkApplications create applications. One document has no kind and says what happens:

  namespaces:                       # labels of namespaces; those that are not listed have none
    spark: {labels: {team: a}}
  arrivals:
  - at: 30s                         # when; default 0s
    name: etl
    namespace: spark                # default: default
    queue: team-a
    priority: 0                     # higher goes first
    podSets:
    - {name: driver, count: 1, requests: {cpu: "1", memory: 1Gi}}
    - {name: executor, count: 4, requests: {cpu: "2", memory: 8Gi}, minCount: 2, nodeSelector: {zone: a}}
    runFor: 10m                     # how long it runs once it is admitted
    timeouts: {run: 1h}             # the longest that it may run; the queue plans with it
  changes:
  - at: 5m
    apply: {kind: SparkQueue, …}    # the whole manifest, new or changed
  - at: 1h
    delete: {kind: SparkQueue, name: team-b}
  schedules:
    from: 2026-11-23T00:00:00+01:00 # the time at 0s
    until: 2026-11-30T00:00:00+01:00 # nothing is due from then on
    runs:                           # every schedule of the file
    - {name: nightly, namespace: spark, runFor: 2h, priority: 0}

At equal times, ends come first, then changes, then arrivals, each in the order of the file, then schedules, in
the order of runs.`

// newSimulate returns the command "sparkctl simulate".
func newSimulate(s cli.Streams) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use: "simulate -f FILE", Short: "Play a scenario against the queues in virtual time", Long: simulateText,
		Example: "  sparkctl simulate -f scenario.yaml\n  sparkctl simulate -f week.yaml | tail -1",
		Args:    cli.NoArguments,
		RunE:    func(*cobra.Command, []string) error { return simulate(file, s) },
	}
	c.Flags().StringVarP(&file, "filename", "f", "", "the scenario; - is standard input")
	return c
}

func simulate(file string, s cli.Streams) error {
	if file == "" {
		return cli.UsageErrorf("name the scenario with -f FILE")
	}
	text, err := cli.Read(file, s.In)
	if err != nil {
		return fmt.Errorf("read the scenario: %w", err)
	}
	parsed, warnings, err := scenario.Parse(offline.File{Name: cli.ShownName(file), Text: []byte(text)})
	if err != nil {
		return fmt.Errorf("%s cannot be played:\n%w", cli.ShownName(file), err)
	}
	for _, w := range warnings {
		fmt.Fprintf(s.Err, "sparkctl simulate: warning: %s\n", w)
	}
	return play(parsed, s.Out)
}

// play writes the events and the summary as lines of JSON. If the simulation fails, it still writes the events before.
func play(s simulator.Scenario, out io.Writer) error {
	buffer := bufio.NewWriterSize(out, 1<<16)
	lines := json.NewEncoder(buffer)
	lines.SetEscapeHTML(false)
	summary, err := simulator.Run(s, func(e simulator.Event) error { return lines.Encode(e) })
	if err == nil {
		err = lines.Encode(summary)
	}
	return errors.Join(err, buffer.Flush())
}
