// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/runs"
	"github.com/sparkgate/sparkgate/internal/job/tick"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

const scheduleRunText = `Runs the schedule NAME once, now, outside its times and also while it is suspended. The run is requested by Flux's annotations requestedAt and
forceAt; the operator creates its application, whose name is printed.

What spec.concurrencyPolicy says of applications that have not finished holds for it as well: under Forbid it starts when they have, however long that
takes, under Replace they are deleted first, under Allow it starts beside them. The times of the schedule stay as they are. Of several requests that
wait, the last one counts.

With --for, or with --from and --to, it runs past times of the schedule instead, oldest first and at most 100 of them: the applications are named as
those of these times and have their annotation scheduled-for, so each time runs once. They wait for all others, unless these may overlap (Allow),
and replace none. Times that the schedule does not have, and future ones, are refused.

` + runs.WaitText

// scheduleRunFlags are the flags of schedule run.
type scheduleRunFlags struct {
	cluster client.Options
	wait    runs.WaitFlags
	past    pastFlags
	output  string
}

// newScheduleRun returns the command "sparkctl schedule run".
func newScheduleRun(s cli.Streams) *cobra.Command {
	var f scheduleRunFlags
	c := aboutSchedule(&cobra.Command{
		Use: "run NAME", Aliases: []string{"trigger", "backfill"}, Short: "Run a schedule now, or past times of it", Long: scheduleRunText,
		Example: "  sparkctl schedule run nightly\n  sparkctl schedule run nightly --wait --timeout 2h\n  kubectl wait --for=create $(sparkctl schedule run nightly -o name)\n" +
			"  sparkctl schedule run nightly --for 2026-11-23T02:30\n  sparkctl schedule run nightly --from 2026-11-01 --to 2026-11-07 --wait",
	}, &f.cluster, func(ctx context.Context, name string) error { return f.run(ctx, name, s) })
	f.wait.Declare(c)
	f.past.declare(c)
	cli.AddOutputFlag(c, &f.output, "text", "name")
	return c
}

// aboutSchedule completes a command that takes the name of one schedule, in the cluster that the flags o select.
func aboutSchedule(c *cobra.Command, o *client.Options, run func(ctx context.Context, name string) error) *cobra.Command {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return cli.UsageErrorf("name one schedule, as %s list prints them; see %s --help", c.Parent().CommandPath(), c.CommandPath())
		}
		return scheduleName(&args[0])
	}
	c.ValidArgsFunction = cli.OneName(o, client.Schedules)
	c.RunE = func(c *cobra.Command, args []string) error { return run(c.Context(), args[0]) }
	cli.AddClusterFlags(c, o)
	return c
}

// scheduleName strips the kind from a name such as -o name and kubectl print. It returns an error for another kind.
func scheduleName(name *string) error {
	kind, bare, found := strings.Cut(*name, "/")
	if !found {
		kind, bare = "sgsched", kind
	}
	kind, _, _ = strings.Cut(strings.ToLower(kind), ".") // scheduledsparkapplication.sparkgate.io
	if bare == "" || strings.Contains(bare, "/") || !slices.Contains([]string{"sgsched", "scheduledsparkapplication", "scheduledsparkapplications"}, kind) {
		return cli.UsageErrorf("name a schedule: NAME or sgsched/NAME")
	}
	*name = bare
	return cli.CheckName(bare)
}

func (f *scheduleRunFlags) run(ctx context.Context, name string, s cli.Streams) error {
	if err := cmp.Or(f.wait.Check(), f.past.check()); err != nil {
		return err
	}
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	if f.past.wanted() {
		return f.runPast(ctx, c, name, s)
	}
	token := clock.RealClock{}.Now().UTC().Format(time.RFC3339Nano)
	schedule, err := c.RunSchedule(ctx, name, token)
	if err != nil {
		return err
	}
	r := requestedRun{cluster: c, schedule: name, uid: schedule.UID, token: token}
	if err := f.announce(schedule, tick.RequestedName(name, token), s); err != nil || !f.wait.Wanted() {
		return err
	}
	return f.wait.Await(ctx, runs.Awaited{Cluster: c, Name: tick.RequestedName(name, token), UntilCreated: r.untilCreated, Begun: func(app *v1alpha1.SparkApplication) bool {
		return app.Status.ObservedGeneration > 0
	}}, s)
}

// progress returns where to print what is requested: standard output, unless that carries the log or the names.
func (f *scheduleRunFlags) progress(s cli.Streams) io.Writer {
	if f.wait.Logs || f.output == "name" {
		return s.Err
	}
	return s.Out
}

// announce prints the name of the requested run.
func (f *scheduleRunFlags) announce(schedule *v1alpha1.ScheduledSparkApplication, run string, s cli.Streams) error {
	_, err := fmt.Fprintf(f.progress(s), "%s%s: run %s is requested%s\n", cli.ScheduleKindName, schedule.Name, run, prospects(schedule))
	if err == nil && f.output == "name" {
		_, err = fmt.Fprintln(s.Out, cli.KindName+run)
	}
	return err
}

// prospects says what prevents a requested run from starting at once, according to the schedule's status.
func prospects(s *v1alpha1.ScheduledSparkApplication) string {
	if mistake := mistakeIn(s); mistake != "" {
		return "; nothing is run until the schedule is corrected: " + mistake
	}
	active := strings.Join(s.Status.Active, ", ")
	switch {
	case active == "" || s.Spec.ConcurrencyPolicy == v1alpha1.ConcurrencyAllow:
		return ""
	case s.Spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace:
		return "; concurrencyPolicy Replace: it starts when these are deleted: " + active
	}
	return "; concurrencyPolicy Forbid: it starts when these have finished, or are stalled: " + active
}

// mistakeIn returns the mistake because of which the schedule does not run, or "" if none is known.
func mistakeIn(s *v1alpha1.ScheduledSparkApplication) string {
	ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition)
	if ready == nil || ready.Reason != v1alpha1.InvalidSpecReason || s.Status.ObservedGeneration != s.Generation {
		return ""
	}
	return ready.Message
}

// requestedRun is a requested run of a schedule, whose application the operator may not have created yet.
type requestedRun struct {
	cluster  *client.Cluster
	schedule string
	uid      types.UID
	token    string
}

// untilCreated waits until the operator has created the application, and returns its name.
func (r requestedRun) untilCreated(ctx context.Context, notes io.Writer) (name string, err error) {
	said := runs.NewProgressPrinter(notes)
	defer said.Stop()
	err = r.cluster.FollowSchedule(ctx, r.schedule, r.uid, func(s *v1alpha1.ScheduledSparkApplication) (bool, error) {
		token := r.standing(s)
		name = tick.RequestedName(r.schedule, token)
		if s.Status.LastHandledForceAt == token {
			return true, nil
		}
		if err := runs.Replaced(s.Annotations, s.Status.LastHandledReconcileAt); err != nil {
			return true, err
		}
		if mistake := mistakeIn(s); mistake != "" {
			return true, cli.WithExitCode(cli.ExitRunFailed, fmt.Errorf("%s cannot run: %s: %s", r.schedule, v1alpha1.InvalidSpecReason, mistake))
		}
		r.say(said, s, name)
		return false, nil
	})
	return name, err
}

// standing returns the token of the valid request: the one of a later request, if that has replaced this one before the
// operator saw it.
func (r requestedRun) standing(s *v1alpha1.ScheduledSparkApplication) string {
	if now := s.Annotations[meta.ForceRequestAnnotation]; now != "" && s.Status.LastHandledForceAt != r.token {
		return now
	}
	return r.token
}

// say prints what the run is waiting for while its application does not exist.
func (r requestedRun) say(said *runs.ProgressPrinter, s *v1alpha1.ScheduledSparkApplication, name string) {
	ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition)
	if ready == nil || s.Status.LastHandledReconcileAt != s.Annotations[meta.ReconcileRequestAnnotation] {
		said.PrintUnobserved()
		return
	}
	text := "waiting for " + name + " to be created" + prospects(s)
	if ready.Status == metav1.ConditionFalse {
		text += "; " + ready.Reason + ": " + ready.Message
	}
	said.Print(text)
}
