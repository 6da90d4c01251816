// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/client"
)

const rerunText = `Requests one more run of the application NAME, with its current spec, through Flux's annotations requestedAt
and forceAt. If a run is under way, the new one follows it, as spec.onTemplateChange says.

` + waitText

// rerunFlags are the flags of rerun.
type rerunFlags struct {
	cluster client.Options
	wait    waitFlags
}

// newRerun returns the command "sparkctl rerun".
func newRerun(s streams) *cobra.Command {
	var f rerunFlags
	c := aboutApplication(&cobra.Command{
		SuggestFor: []string{"retry", "resubmit", "restart", "reconcile"},
		Use:        "rerun NAME", Aliases: []string{"run"}, Short: "Run an application once more", Long: rerunText,
		Example: "  sparkctl rerun pi\n  sparkctl run pi --wait --timeout 2h\n  sparkctl rerun pi --logs",
	}, &f.cluster, func(ctx context.Context, name string) error { return f.run(ctx, name, s) })
	f.wait.declare(c)
	return c
}

func (f *rerunFlags) run(ctx context.Context, name string, s streams) error {
	if err := f.wait.check(); err != nil {
		return err
	}
	c, err := client.Connect(f.cluster)
	if err != nil {
		return err
	}
	token := clock.RealClock{}.Now().UTC().Format(time.RFC3339Nano)
	app, err := c.Rerun(ctx, name, token)
	if err != nil {
		return err
	}
	out := s.out
	if f.wait.logs { // standard output carries the log
		out = s.err
	}
	if _, err := fmt.Fprintf(out, "%s%s: another run is requested%s\n", kindName, name, rerunNote(app)); err != nil || !f.wait.wanted() {
		return err
	}
	return f.wait.await(ctx, awaited{cluster: c, name: name, uid: app.UID, begun: func(app *v1alpha1.SparkApplication) bool {
		return handled(token, app.Status.LastHandledForceAt, app.Annotations[meta.ForceRequestAnnotation]) ||
			handled(token, app.Status.LastHandledReconcileAt, app.Annotations[meta.ReconcileRequestAnnotation]) && stalled(app)
	}, lost: func(app *v1alpha1.SparkApplication) error {
		return replaced(app.Annotations, app.Status.LastHandledReconcileAt)
	}}, s)
}

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

// replaced returns an error if the operator has handled a later request for a look instead of the request to run, which
// is then void: a run is started only if both annotations have its token. handled is the token of the last look.
func replaced(annotations map[string]string, handled string) error {
	looked := annotations[meta.ReconcileRequestAnnotation]
	if looked == "" || looked == annotations[meta.ForceRequestAnnotation] || looked != handled {
		return nil
	}
	return fmt.Errorf("no run was begun: the annotations %s and %s were changed before the operator saw the request, and differ; request the run again",
		meta.ReconcileRequestAnnotation, meta.ForceRequestAnnotation)
}

// handled reports whether a request was handled. last is the token that was handled last; it is that of the request, or
// that of a later one, which is now in the annotation and asks for the same. The operator never sees a token that was
// overwritten before.
func handled(token, last, now string) bool { return last == token || last == now && now != "" }
