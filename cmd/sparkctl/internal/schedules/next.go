// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/job/cron"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/offline"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const scheduleText = `Prints when the schedule NAME is due next, in its time zone and in UTC, and says where clocks are set forward or back:
a local time that is skipped, one that occurs twice. With -f it prints that of all ScheduledSparkApplications in FILE, without a cluster.

The times are those at which it is due. Whether a run is created then depends on what the lines above them say: on runs that have not
finished, and on the operator.

The exit code is 1 if a schedule has a mistake, because of which it is suspended, so nothing of it runs, 2 if the call cannot be understood.`

const (
	// readTime bounds the requests for one schedule.
	readTime     = 30 * time.Second
	defaultTimes = 10
	maxTimes     = 1000
	// clockSkew is the largest difference to the operator's clock that is not reported.
	clockSkew = time.Minute
)

// scheduleFlags are the flags of schedule.
type scheduleFlags struct {
	cluster client.Options
	files   cli.FileNames
	count   int
	from    string
}

// New returns the command "sparkctl schedule".
func New(s cli.Streams) *cobra.Command {
	var f scheduleFlags
	c := &cobra.Command{
		SuggestFor: []string{"cron", "schedules", "trigger"},
		Use:        "schedule", Short: "List schedules, run them now, stop them, and print their coming times",
		Long: "Lists schedules, runs them now, stops and continues them, and prints when they are due next.",
		RunE: func(c *cobra.Command, args []string) error {
			return cli.UsageErrorf("write %s %s; see %[1]s --help", c.CommandPath(), cli.Alternatives(cli.NamesBelow(c)))
		},
	}
	next := &cobra.Command{
		ValidArgsFunction: cli.OneName(&f.cluster, client.Schedules),
		Use:               "next NAME | -f FILE", Short: "Print when schedules are due next", Long: scheduleText, DisableFlagsInUseLine: true,
		Example: "  sparkctl schedule next nightly\n  sparkctl schedule next -f schedule.yaml --count 3 --from 2026-03-28",
		RunE:    func(c *cobra.Command, args []string) error { return f.run(c.Context(), args, s) },
	}
	cli.AddClusterFlags(next, &f.cluster)
	f.files.Declare(next.Flags())
	next.Flags().IntVar(&f.count, "count", defaultTimes, "how many times, 1 to 1000")
	next.Flags().StringVar(&f.from, "from", "", "the first `TIME` that is printed, such as 2026-03-28 or 2026-03-28T02:30 in the zone of the schedule, or 2026-03-28T01:30:00Z (default: now)")
	c.AddCommand(newScheduleList(s), next, newScheduleRun(s), newScheduleSuspend(s), newScheduleResume(s))
	return c
}

// check validates the arguments and flags.
func (f *scheduleFlags) check(names []string) error {
	switch {
	case len(names) > 1 || (len(names) == 1) == (len(f.files) > 0):
		return cli.UsageErrorf("name one schedule, or files with -f FILE")
	case f.count < 1 || f.count > maxTimes:
		return cli.UsageErrorf("--count is %d; set it to 1 to %d", f.count, maxTimes)
	}
	if len(names) == 1 {
		if err := scheduleName(&names[0]); err != nil {
			return err
		}
	}
	if _, err := f.fromIn(time.UTC); err != nil {
		return cli.UsageErrorf("%w", err)
	}
	return nil
}

// fromIn returns the time of --from. A time without an offset is in the zone.
func (f *scheduleFlags) fromIn(zone *time.Location) (time.Time, error) {
	if f.from == "" {
		return clock.RealClock{}.Now(), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, f.from, zone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("--from is %q; write a time such as 2026-03-28, 2026-03-28T02:30 or 2026-03-28T01:30:00Z", f.from)
}

func (f *scheduleFlags) run(ctx context.Context, names []string, s cli.Streams) error {
	if err := f.check(names); err != nil {
		return err
	}
	if n := f.cluster.Namespace(); n != "" && strings.Trim(n, "0123456789") == "" {
		fmt.Fprintf(s.Err, "sparkctl schedule: note: -n is the namespace; the number of times is --count %s\n", n)
	}
	var schedules []printer.Schedule
	var err error
	if len(names) == 1 {
		schedules, err = f.fromCluster(ctx, names[0])
	} else {
		schedules, err = f.fromFiles(s.In)
	}
	return errors.Join(f.write(schedules, s.Out), err)
}

// write writes the schedules, and returns an error if one has a mistake.
func (f *scheduleFlags) write(schedules []printer.Schedule, out io.Writer) error {
	wrong := 0
	for i, schedule := range schedules {
		if i > 0 {
			if _, err := fmt.Fprintln(out); err != nil {
				return err
			}
		}
		if schedule.Times == nil || len(schedule.Mistakes) > 0 {
			wrong++
		}
		if err := printer.WriteSchedule(out, schedule); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return fmt.Errorf("schedules with mistakes: %d of %d", wrong, len(schedules))
	}
	return nil
}

// upcoming returns a schedule with its times, or with the mistake in them.
func (f *scheduleFlags) upcoming(object *v1alpha1.ScheduledSparkApplication) (s printer.Schedule, err error) {
	s = printer.Schedule{Object: object, Count: f.count}
	s.Times, err = cron.Parse(object.Spec.Schedule, object.Spec.TimeZone)
	if err != nil {
		s.Mistakes = []string{"spec." + err.Error()}
		return s, nil
	}
	s.From, err = f.fromIn(s.Times.In(time.Unix(0, 0)).Location())
	return s, err
}

// fromFiles returns the schedules of the files. It may return both schedules and an error: some objects may be readable
// and others not.
func (f *scheduleFlags) fromFiles(in io.Reader) ([]printer.Schedule, error) {
	files, err := f.files.Read(in)
	if err != nil {
		return nil, err
	}
	found, unreadable, err := offline.Schedules(files)
	if err != nil {
		return nil, err
	}
	var schedules []printer.Schedule
	for i := range found {
		object := &found[i].ScheduledSparkApplication
		object.Status = v1alpha1.ScheduledSparkApplicationStatus{} // a status in a file is outdated
		if object.Namespace == "" {
			object.Namespace = f.cluster.Namespace()
		}
		schedule, err := f.upcoming(object)
		if err != nil {
			return nil, err
		}
		schedule.Mistakes = nil // the findings have the same mistake, with its place in the file
		for _, finding := range found[i].Findings {
			if finding.Warning {
				finding.Warning = false // the printer marks warnings itself
				schedule.Warnings = append(schedule.Warnings, finding.String())
			} else {
				schedule.Mistakes = append(schedule.Mistakes, finding.String())
			}
		}
		schedules = append(schedules, schedule)
	}
	var problems []error
	for _, finding := range unreadable {
		problems = append(problems, errors.New(finding.String()))
	}
	if len(schedules) == 0 && len(problems) == 0 {
		return nil, errors.New("the files contain no ScheduledSparkApplication")
	}
	return schedules, errors.Join(problems...)
}

// fromCluster returns a schedule of the cluster, with the condition that the operator has set.
func (f *scheduleFlags) fromCluster(ctx context.Context, name string) ([]printer.Schedule, error) {
	c, err := client.Connect(f.cluster)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	object, err := client.GetObject[v1alpha1.ScheduledSparkApplication](ctx, c, client.Schedules, name)
	if err != nil {
		return nil, fmt.Errorf("read the schedule %s in namespace %s: %w", name, c.Namespace, err)
	}
	schedule, err := f.upcoming(object)
	if err != nil {
		return nil, err
	}
	now := clock.RealClock{}.Now()
	if h := object.Status.Handled; h != nil && h.Until.After(now.Add(clockSkew)) {
		schedule.Silent, schedule.Now = h.Until.Time, now
	}
	ready := apimeta.FindStatusCondition(object.Status.Conditions, v1alpha1.ReadyCondition)
	switch {
	case object.Status.ObservedGeneration != object.Generation || ready == nil:
		schedule.Warnings = append(schedule.Warnings, "the operator has not looked at this version of the schedule yet: is it running?")
	case ready.Reason == v1alpha1.InvalidSpecReason:
		schedule.Mistakes = []string{ready.Message}
	case ready.Status == "False":
		schedule.Warnings = append(schedule.Warnings, ready.Reason+": "+ready.Message)
	}
	return []printer.Schedule{schedule}, nil
}
