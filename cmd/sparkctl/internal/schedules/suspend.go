// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/printer"
)

const scheduleSuspendText = `Sets spec.suspend of the schedule NAME: nothing is run at its times until it is resumed, and not afterwards either. Applications that exist run on:
"sparkctl suspend" and "sparkctl delete" stop those.

If Git declares spec.suspend, the tool that applies it sets the field back; a warning says so.`

// newScheduleSuspend returns the command "sparkctl schedule suspend".
func newScheduleSuspend(s cli.Streams) *cobra.Command {
	var cluster client.Options
	return aboutSchedule(&cobra.Command{
		Use: "suspend NAME", Short: "Stop a schedule, until it is resumed", Long: scheduleSuspendText,
		Example: "  sparkctl schedule suspend nightly",
	}, &cluster, func(ctx context.Context, name string) error {
		c, err := client.Connect(cluster)
		if err != nil {
			return err
		}
		schedule, setBack, err := c.SuspendSchedule(ctx, name, true)
		if err != nil {
			return err
		}
		s.Warn(cli.ScheduleKindName+name, setBack)
		running := ""
		if len(schedule.Status.Active) > 0 {
			running = "; not finished, and not stopped by that: " + strings.Join(schedule.Status.Active, ", ")
		}
		if past := schedule.Status.RunFor; past != nil && len(past.Pending) > 0 {
			running += fmt.Sprintf("; %s pending, and will run: kubectl annotate sgsched %s -n %s %s- withdraws them",
				printer.Count(len(past.Pending), "past time"), name, c.Namespace, v1alpha1.RunForAnnotation)
		}
		_, err = fmt.Fprintf(s.Out, "%s%s suspended; sparkctl schedule resume %s -n %s continues it%s\n", cli.ScheduleKindName, name, name, c.Namespace, running)
		return err
	})
}

const scheduleResumeText = `Takes spec.suspend away from the schedule NAME. What was due while it was suspended is not run; "schedule run" runs it now.`

// newScheduleResume returns the command "sparkctl schedule resume".
func newScheduleResume(s cli.Streams) *cobra.Command {
	var cluster client.Options
	return aboutSchedule(&cobra.Command{
		Use: "resume NAME", Short: "Continue a schedule that was suspended", Long: scheduleResumeText,
		Example: "  sparkctl schedule resume nightly",
	}, &cluster, func(ctx context.Context, name string) error {
		c, err := client.Connect(cluster)
		if err != nil {
			return err
		}
		_, setBack, err := c.SuspendSchedule(ctx, name, false)
		if err != nil {
			return err
		}
		s.Warn(cli.ScheduleKindName+name, setBack)
		_, err = fmt.Fprintf(s.Out, "%s%s resumed; sparkctl schedule next %s -n %s says when it is due\n", cli.ScheduleKindName, name, name, c.Namespace)
		return err
	})
}
