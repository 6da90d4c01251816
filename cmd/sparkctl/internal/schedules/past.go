// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/runs"
	"github.com/sparkgate/sparkgate/internal/job/cron"
	"github.com/sparkgate/sparkgate/internal/job/tick"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// pastFlags choose past times of a schedule.
type pastFlags struct {
	times    []string
	from, to string
	// set reports whether a flag was given. A script whose variables are empty must not run the schedule now.
	set func(name string) bool
}

func (f *pastFlags) declare(c *cobra.Command) {
	const zone = "in the zone of the schedule, or with an offset"
	c.Flags().StringArrayVar(&f.times, "for", nil, "run this past `TIME` of the schedule, such as 2026-11-23T02:30 "+zone+"; may be repeated")
	c.Flags().StringVar(&f.from, "from", "", "run the past times of the schedule from `TIME` or date on, "+zone)
	c.Flags().StringVar(&f.to, "to", "", "the last `TIME` or date of --from")
	f.set = c.Flags().Changed
}

// wanted reports whether past times are chosen.
func (f *pastFlags) wanted() bool { return f.set("for") || f.ranged() }

// ranged reports whether a range of times is chosen.
func (f *pastFlags) ranged() bool { return f.set("from") || f.set("to") }

// check validates the flags.
func (f *pastFlags) check() error {
	switch {
	case f.ranged() && (f.from == "" || f.to == ""):
		return cli.UsageErrorf("set both --from and --to")
	case f.ranged() && f.set("for"):
		return cli.UsageErrorf("choose --for, or --from and --to")
	case strings.Contains(strings.Join(f.times, ""), "#"): // what follows it would not be read
		return cli.UsageErrorf("--for takes times without a #")
	}
	return nil
}

// of returns the chosen times of a schedule, oldest first.
func (f *pastFlags) of(s *v1alpha1.ScheduledSparkApplication, now time.Time) ([]time.Time, error) {
	times, err := cron.Parse(s.Spec.Schedule, s.Spec.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("spec.%w", err)
	}
	request := strings.Join(f.times, ",")
	if f.ranged() {
		if request, err = f.between(times, now); err != nil {
			return nil, err
		}
	}
	return tick.PastTimes(request, times, now)
}

// between returns the times of the schedule from --from to --to as a request. What is still to come is left to the
// schedule.
func (f *pastFlags) between(times *cron.Schedule, now time.Time) (string, error) {
	from, err := tick.ParseTime(f.from, times)
	if err != nil {
		return "", fmt.Errorf("--from: %w", err)
	}
	to, err := tick.ParseTime(f.to, times)
	if err != nil {
		return "", fmt.Errorf("--to: %w", err)
	}
	if day, err := time.Parse(time.DateOnly, f.to); err == nil { // with all times of that day
		to = times.At(day.AddDate(0, 0, 1)).Add(-1)
	}
	if to.After(now) {
		to = now
	}
	var all []string
	for at := times.Next(from.Add(-1)); !at.IsZero() && !at.After(to); at = times.Next(at) {
		if len(all) == v1alpha1.MaxRunFor {
			return "", fmt.Errorf("there are more than %d times from %s to %s: choose a shorter range", v1alpha1.MaxRunFor, f.from, f.to)
		}
		all = append(all, at.Format(time.RFC3339))
	}
	if len(all) == 0 {
		return "", fmt.Errorf("the schedule was not due from %s to %s; sparkctl schedule next NAME --from %[1]s prints its times", f.from, f.to)
	}
	return strings.Join(all, ","), nil
}

// runPast requests runs of past times, and waits for them if that is wanted.
func (f *scheduleRunFlags) runPast(ctx context.Context, c *client.Cluster, name string, s cli.Streams) error {
	schedule, err := client.GetObject[v1alpha1.ScheduledSparkApplication](ctx, c, client.Schedules, name)
	if err != nil {
		return err
	}
	now := clock.RealClock{}.Now()
	times, err := f.past.of(schedule, now)
	if err == nil {
		err = f.mayRequest(schedule, times)
	}
	if err != nil {
		return err
	}
	r := pastRuns{cluster: c, schedule: name, uid: schedule.UID, times: times}
	if err := r.leaveOut(ctx, !f.past.ranged(), s.Err); err != nil {
		return err
	}
	r.request = requestOf(r.times, now)
	if err := f.ask(ctx, r, schedule); err != nil {
		return err
	}
	if err := f.announcePast(schedule, r.times, s); err != nil || !f.wait.Wanted() {
		return err
	}
	return f.awaitPast(ctx, r, s)
}

// ask writes the request, and updates the schedule to what it is then. If the schedule has changed since it was read, it
// looks again whether it may.
func (f *scheduleRunFlags) ask(ctx context.Context, r pastRuns, s *v1alpha1.ScheduledSparkApplication) error {
	var conflict error
	for range 5 {
		if conflict = client.RunScheduleFor(ctx, r.cluster, s, r.request); !client.IsConflict(conflict) {
			return conflict
		}
		now, err := client.GetObject[v1alpha1.ScheduledSparkApplication](ctx, r.cluster, client.Schedules, r.schedule)
		if err != nil {
			return err
		}
		*s = *now
		if err := f.mayRequest(s, r.times); err != nil {
			return err
		}
	}
	return conflict
}

// mayRequest returns an error if times of an earlier request are pending, which this one would withdraw, or if the log
// of more than one run is wanted.
func (f *scheduleRunFlags) mayRequest(s *v1alpha1.ScheduledSparkApplication, times []time.Time) error {
	if f.wait.Logs && len(times) > 1 {
		return cli.UsageErrorf("--logs is for one run, and %d times are chosen: use --wait", len(times))
	}
	before, asked := s.Status.RunFor, s.Annotations[v1alpha1.RunForAnnotation]
	switch {
	case asked == "":
		return nil
	case before == nil || before.Request != tick.Recorded(asked):
		return fmt.Errorf("the operator has not seen an earlier request for past times of %s yet: wait until it has, or %s", s.Name, withdrawal(s))
	case len(before.Pending) > 0:
		return fmt.Errorf("%s still has past times to run that were requested before (%d, the first of them %s): wait until they have been created, or %s",
			s.Name, len(before.Pending), before.Pending[0], withdrawal(s))
	}
	return nil
}

// withdrawal is how a request for past times is withdrawn.
func withdrawal(s *v1alpha1.ScheduledSparkApplication) string {
	return fmt.Sprintf("withdraw it with kubectl annotate sgsched %s -n %s %s-", s.Name, s.Namespace, v1alpha1.RunForAnnotation)
}

// leaveOut removes the times that have an application already. If strict is true, there must be none; else they are
// noted. A user who may not read applications is not given an error.
func (r *pastRuns) leaveOut(ctx context.Context, strict bool, notes io.Writer) error {
	var left []time.Time
	var existing error
	for i, at := range r.times {
		run := tick.Name(r.schedule, at)
		switch exists, err := client.HasApplication(ctx, r.cluster, run); {
		case client.IsForbidden(err):
			r.times = append(left, r.times[i:]...)
			return nil
		case err != nil:
			return err
		case !exists:
			left = append(left, at)
			continue
		}
		existing = fmt.Errorf("application %s for %s exists: run it again with sparkctl rerun %[1]s -n %[3]s, or delete it before the request",
			run, at.Format(time.RFC3339), r.cluster.Namespace)
		if strict {
			return existing
		}
		fmt.Fprintf(notes, "skipped: %v\n", existing)
	}
	if r.times = left; len(left) == 0 {
		return existing
	}
	return nil
}

// requestOf returns the annotation that requests past times. The time now makes it differ from earlier requests for the
// same times.
func requestOf(times []time.Time, now time.Time) string {
	var all []string
	for _, at := range times {
		all = append(all, at.Format(time.RFC3339))
	}
	return strings.Join(all, ",") + " #" + now.UTC().Format(time.RFC3339Nano)
}

// announcePast prints the names of the requested runs.
func (f *scheduleRunFlags) announcePast(schedule *v1alpha1.ScheduledSparkApplication, times []time.Time, s cli.Streams) error {
	for i, at := range times {
		run, note := tick.Name(schedule.Name, at), ""
		if i == 0 {
			note = pastProspects(schedule)
		}
		if _, err := fmt.Fprintf(f.progress(s), "%s%s: run %s for %s is requested%s\n", cli.ScheduleKindName, schedule.Name, run, at.Format(time.RFC3339), note); err != nil {
			return err
		}
		if f.output == "name" {
			fmt.Fprintln(s.Out, cli.KindName+run)
		}
	}
	if succeeded, failed := tick.HistoryLimits(&schedule.Spec); len(times) > succeeded {
		fmt.Fprintf(s.Err, "note: of the runs of this schedule, the last %d that succeed and the last %d that fail are kept "+
			"(successfulHistoryLimit, failedHistoryLimit)\n", succeeded, failed)
	}
	return nil
}

// pastProspects says what prevents the first of the requested runs from starting at once, according to the schedule's
// status.
func pastProspects(s *v1alpha1.ScheduledSparkApplication) string {
	active := strings.Join(s.Status.Active, ", ")
	switch mistake := mistakeIn(s); {
	case mistake != "":
		return "; nothing is run until the schedule is corrected: " + mistake
	case active == "" || s.Spec.ConcurrencyPolicy == v1alpha1.ConcurrencyAllow:
		return ""
	}
	return "; it starts when these have finished, or are deleted: " + active
}

// pastRuns are requested runs of past times, whose applications the operator may not have created yet.
type pastRuns struct {
	cluster  *client.Cluster
	schedule string
	uid      types.UID
	request  string
	times    []time.Time
}

// awaitPast waits for the end of all runs. The exit code is that of the run; for several, it is that of a failed one if
// at least one has failed.
func (f *scheduleRunFlags) awaitPast(ctx context.Context, r pastRuns, s cli.Streams) error {
	ctx, stop := f.wait.Within(ctx)
	defer stop()
	var failed []string
	for _, at := range r.times {
		run := tick.Name(r.schedule, at)
		err := f.wait.AwaitIn(ctx, runs.Awaited{
			Cluster: r.cluster, Name: run, UntilCreated: r.untilCreated(at),
			Begun: func(app *v1alpha1.SparkApplication) bool { return app.Status.ObservedGeneration > 0 },
		}, s)
		switch {
		case err == nil:
			continue
		case len(r.times) == 1, !client.IsGone(err) && !client.IsNotFound(err) && cli.ExitCode(err) != cli.ExitRunFailed:
			return err
		}
		failed = append(failed, run)
		fmt.Fprintln(s.Err, err)
	}
	if len(failed) > 0 {
		return cli.WithExitCode(cli.ExitRunFailed, fmt.Errorf("%d of %d runs have not succeeded: %s", len(failed), len(r.times), strings.Join(failed, ", ")))
	}
	return nil
}

// untilCreated returns a function that waits until the operator has created the application of a time, and returns its
// name.
func (r *pastRuns) untilCreated(at time.Time) func(ctx context.Context, notes io.Writer) (string, error) {
	return func(ctx context.Context, notes io.Writer) (string, error) {
		said := runs.NewProgressPrinter(notes)
		defer said.Stop()
		name := tick.Name(r.schedule, at)
		err := r.cluster.FollowSchedule(ctx, r.schedule, r.uid, func(s *v1alpha1.ScheduledSparkApplication) (bool, error) {
			return r.isCreated(s, at, said)
		})
		if errors.Is(err, errRequestChanged) && r.has(ctx, name) {
			err = nil
		}
		return name, err
	}
}

// errRequestChanged: the schedule has another request, or none, and no longer says what has become of this one.
var errRequestChanged = fmt.Errorf("the annotation %s was changed before its application was created; request the run again", v1alpha1.RunForAnnotation)

// has reports whether an application exists that was created because of the request.
func (r *pastRuns) has(ctx context.Context, name string) bool {
	app, err := client.GetObject[v1alpha1.SparkApplication](ctx, r.cluster, client.Applications, name)
	return err == nil && app.Annotations[v1alpha1.RunForRequestAnnotation] == tick.RequestHash(r.request)
}

// isCreated reports whether the application of a time was created, according to the status of the schedule. It returns
// an error if it will not be, and else prints what it waits for.
func (r *pastRuns) isCreated(s *v1alpha1.ScheduledSparkApplication, at time.Time, said *runs.ProgressPrinter) (bool, error) {
	state, text := s.Status.RunFor, at.Format(time.RFC3339)
	accepted := state != nil && state.Request == r.request
	switch {
	case accepted && state.Result == v1alpha1.RunForRefused, accepted && contains(state.Skipped, at):
		return true, cli.WithExitCode(cli.ExitRunFailed, fmt.Errorf("%s is not run: %s", text, state.Message))
	case accepted && !contains(state.Pending, at):
		return true, nil
	case s.Annotations[v1alpha1.RunForAnnotation] != r.request:
		return true, fmt.Errorf("%s is not run: %w", text, errRequestChanged)
	}
	if mistake := mistakeIn(s); mistake != "" {
		return true, cli.WithExitCode(cli.ExitRunFailed, fmt.Errorf("%s cannot run: %s: %s", r.schedule, v1alpha1.InvalidSpecReason, mistake))
	}
	if !accepted {
		said.PrintUnobserved()
		return false, nil
	}
	note := "waiting for " + tick.Name(r.schedule, at) + " to be created" + pastProspects(s)
	if ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition); ready != nil && ready.Status == metav1.ConditionFalse {
		note += "; " + ready.Reason + ": " + ready.Message
	}
	said.Print(note)
	return false, nil
}

// contains reports whether times of a status include an instant.
func contains(times []string, at time.Time) bool {
	return slices.ContainsFunc(times, func(text string) bool {
		one, err := time.Parse(time.RFC3339, text)
		return err == nil && one.Equal(at)
	})
}
