// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

const suspendText = `Sets spec.suspend of the application NAME: a waiting run leaves its queue, and a running one is stopped
gracefully and releases its quota. This is how you stop a run; "kill" is another name for it. "resume"
continues the run, "delete" removes the application.

A run that has ended stays as it is. If Git declares spec.suspend, the tool that applies it sets the field back; a
warning says so.`

// newSuspend returns the command "sparkctl suspend".
func newSuspend(s cli.Streams) *cobra.Command {
	t := several{streams: s}
	return t.declare(&cobra.Command{
		SuggestFor: []string{"stop", "cancel", "terminate", "pause"},
		Use:        "suspend NAME...", Aliases: []string{"kill"}, Short: "Stop the run of an application, until it is resumed", Long: suspendText,
		Example: "  sparkctl suspend pi\n  sparkctl kill pi etl -n etl\n  sparkctl suspend --queue team-a --stage Queued --yes",
	}, oneByOne(func(ctx context.Context, c *client.Cluster, name string) error { return suspend(ctx, c, name, s) }))
}

func suspend(ctx context.Context, c *client.Cluster, name string, s cli.Streams) error {
	app, setBack, err := c.SuspendApplication(ctx, name, true)
	if err != nil {
		return err
	}
	s.Warn(cli.KindName+name, setBack)
	if app.Status.Times.Finished != nil {
		_, err = fmt.Fprintf(s.Out, "%s%s suspended; run %d has ended before\n", cli.KindName, name, app.Status.Run)
		return err
	}
	_, err = fmt.Fprintf(s.Out, "%s%s suspended; sparkctl resume %s -n %s continues the run%s\n", cli.KindName, name, name, app.Namespace, scheduleNote(app))
	return err
}

// scheduleNote returns a text for an application of a schedule, which holds up later runs while it is suspended.
func scheduleNote(app *v1alpha1.SparkApplication) string {
	owner := metav1.GetControllerOfNoCopy(app)
	if owner == nil || owner.Kind != v1alpha1.ScheduledSparkApplicationKind {
		return ""
	}
	return fmt.Sprintf(". Until then its schedule %s misses its times under concurrencyPolicy Forbid, and deletes the run at the next one under Replace; "+
		"sparkctl delete %s -n %s ends the run for good", owner.Name, app.Name, app.Namespace)
}

const resumeText = `Removes spec.suspend from the application NAME: a run that had not started continues as the same attempt, and
one that was stopped as a new attempt of the same run. Both begin at the end of the line. A server that
timeouts.idle has stopped is started with a new run, as "rerun" would do.`

// newResume returns the command "sparkctl resume".
func newResume(s cli.Streams) *cobra.Command {
	t := several{streams: s}
	return t.declare(&cobra.Command{
		Use: "resume NAME...", Short: "Continue the run of an application that was suspended", Long: resumeText,
		Example: "  sparkctl resume pi\n  sparkctl resume -l team=a --stage Suspended --yes",
	}, oneByOne(func(ctx context.Context, c *client.Cluster, name string) error { return resume(ctx, c, name, s) }))
}

func resume(ctx context.Context, c *client.Cluster, name string, s cli.Streams) error {
	app, setBack, err := c.SuspendApplication(ctx, name, false)
	if err != nil {
		return err
	}
	s.Warn(cli.KindName+name, setBack)
	if stage, _ := status.StageOf(app.Status.Conditions); stage == status.Idle {
		if _, err := c.Rerun(ctx, name, newToken()); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(s.Out, "%s%s resumed\n", cli.KindName, name)
	return err
}
