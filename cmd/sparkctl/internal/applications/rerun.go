// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"context"
	"fmt"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/runs"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

const rerunText = `Requests one more run of the application NAME, with its current spec, through Flux's annotations requestedAt
and forceAt. If a run is under way, the new one follows it, as spec.onTemplateChange says.

` + runs.WaitText

// rerunFlags are the flags of rerun.
type rerunFlags struct {
	several
	wait runs.WaitFlags
}

// newRerun returns the command "sparkctl rerun".
func newRerun(s cli.Streams) *cobra.Command {
	f := rerunFlags{several: several{streams: s}}
	c := f.declare(&cobra.Command{
		SuggestFor: []string{"retry", "resubmit", "restart", "reconcile"},
		Use:        "rerun NAME...", Aliases: []string{"run"}, Short: "Run an application once more", Long: rerunText,
		Example: "  sparkctl rerun pi\n  sparkctl run pi --wait --timeout 2h\n  sparkctl rerun pi --logs\n" +
			"  sparkctl rerun --queue team-a --stage Failed --yes",
	}, func(ctx context.Context, c *client.Cluster, names []string) error { return f.run(ctx, c, names, s) })
	f.wait.Declare(c)
	c.PreRunE = func(*cobra.Command, []string) error { return f.wait.Check() }
	return c
}

func (f *rerunFlags) run(ctx context.Context, c *client.Cluster, names []string, s cli.Streams) error {
	if len(names) > 1 && f.wait.Wanted() {
		return cli.UsageErrorf("--wait and --logs are for one application; sparkctl watch --until-ended waits for several")
	}
	return oneByOne(func(ctx context.Context, c *client.Cluster, name string) error { return f.rerun(ctx, c, name, s) })(ctx, c, names)
}

// rerun requests a run of one application, and waits for it if that is wanted.
func (f *rerunFlags) rerun(ctx context.Context, c *client.Cluster, name string, s cli.Streams) error {
	token := newToken()
	app, err := c.Rerun(ctx, name, token)
	if err != nil {
		return err
	}
	out := s.Out
	if f.wait.Logs { // standard output carries the log
		out = s.Err
	}
	if _, err := fmt.Fprintf(out, "%s%s: another run is requested%s\n", cli.KindName, name, rerunNote(app)); err != nil || !f.wait.Wanted() {
		return err
	}
	return f.wait.Await(ctx, runs.Awaited{Cluster: c, Name: name, UID: app.UID, Begun: func(app *v1alpha1.SparkApplication) bool {
		return handled(token, app.Status.LastHandledForceAt, app.Annotations[meta.ForceRequestAnnotation]) ||
			handled(token, app.Status.LastHandledReconcileAt, app.Annotations[meta.ReconcileRequestAnnotation]) && runs.Stalled(app)
	}, Lost: func(app *v1alpha1.SparkApplication) error {
		return runs.Replaced(app.Annotations, app.Status.LastHandledReconcileAt)
	}}, s)
}

// newToken returns the value of the annotations of a new request.
func newToken() string { return clock.RealClock{}.Now().UTC().Format(time.RFC3339Nano) }

// rerunNote says what will happen to the requested run and to the current one.
func rerunNote(app *v1alpha1.SparkApplication) string {
	switch {
	case app.Spec.Suspend:
		return "; it is suspended: resume it to have it run"
	case app.Status.Run == 0 || app.Status.Times.Finished != nil:
		return ""
	case app.Spec.TemplatePolicy() == v1alpha1.TemplateChangeRestart:
		return fmt.Sprintf("; run %d is stopped for it (onTemplateChange Restart)", app.Status.Run)
	}
	return fmt.Sprintf("; it follows run %d, which has not finished", app.Status.Run)
}

// handled reports whether a request was handled. last is the token that was handled last; it is that of the request, or
// that of a later one, which is now in the annotation and asks for the same. The operator never sees a token that was
// overwritten before.
func handled(token, last, now string) bool { return last == token || last == now && now != "" }
