// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	sparkrender "github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

const uiText = `Opens the web interface of an application. While its driver runs, this is Spark's own, through a port of this
machine, until Ctrl-C or until the driver ends. Afterwards it is the page of the last attempt at the history
server, if the operator knows one. The address is printed, and opened in a browser if the output is a
terminal.`

// uiFlags are the flags of ui.
type uiFlags struct {
	cluster client.Options
	port    uint16
	open    bool
}

// newUI returns the command "sparkctl ui".
func newUI(s cli.Streams) *cobra.Command {
	var f uiFlags
	c := aboutApplication(&cobra.Command{
		SuggestFor: []string{"forward", "port-forward"},
		Use:        "ui NAME", Short: "Open the web interface of an application", Long: uiText,
		Example: "  sparkctl ui pi\n  sparkctl ui pi --port 8080 --open=false",
	}, &f.cluster, func(ctx context.Context, name string) error { return f.run(ctx, name, s) })
	c.Flags().Uint16Var(&f.port, "port", 0, "the local `PORT` to listen on; 0 is 4040 if that is free, otherwise any free port")
	c.Flags().BoolVar(&f.open, "open", s.Size != nil, "open a browser")
	return c
}

func (f *uiFlags) run(ctx context.Context, name string, s cli.Streams) error {
	c, app, err := connectTo(ctx, f.cluster, name)
	if err != nil {
		return err
	}
	driver, err := c.RunningDriver(ctx, app)
	if err != nil {
		return err
	}
	if driver == nil {
		return f.history(app, s)
	}
	if app.Spec.SparkConf[conf.UIEnabled] == "false" {
		return fmt.Errorf("%s has no web interface: spec.sparkConf sets spark.ui.enabled to false", name)
	}
	return f.forward(ctx, c, app, driver, s)
}

// history shows the page of an application at the history server.
func (f *uiFlags) history(app *v1alpha1.SparkApplication, s cli.Streams) error {
	if d := app.Status.Driver; d != nil && d.HistoryAddress != "" {
		return f.show(d.HistoryAddress, "History of "+d.ApplicationID, s)
	}
	now := status.Summarize(app, s.Clock.Now())
	err := fmt.Errorf("%s has no running driver: %s: %s", app.Name, now.Stage, now.Message)
	if app.Status.Times.DriverStarted != nil { // otherwise the driver has never started, and there is no history
		err = fmt.Errorf("%w; the operator does not know where its history is (flag --history-server-url, and an event log)", err)
	}
	return err
}

// forward serves the driver's web interface on a local port until it is interrupted or the driver ends.
func (f *uiFlags) forward(ctx context.Context, c *client.Cluster, app *v1alpha1.SparkApplication, driver *corev1.Pod, s cli.Streams) error {
	local, err := localPort(f.port, sparkrender.DefaultUIPort)
	if err != nil {
		return err
	}
	t := &tunnel{cluster: c, driver: driver, ports: client.Ports{Local: local, Remote: sparkrender.DriverUIPort(driver)}, notes: s.Err,
		awaited: "the web interface", answers: answersHTTP, answered: func(local uint16) error {
			return f.show(fmt.Sprintf("http://127.0.0.1:%d", local), "Spark UI of "+app.Name+", until Ctrl-C or the end of the driver", s)
		}}
	text, err := t.holdUntilEnd(ctx, app)
	if text != "" {
		fmt.Fprintln(s.Err, text)
	}
	return err
}

// untilDriverEnds waits until the attempt is over, and returns a text with its result, or "" if ctx ends before.
func untilDriverEnds(ctx context.Context, c *client.Cluster, app *v1alpha1.SparkApplication) string {
	text := ""
	err := c.FollowApplication(ctx, app.Name, app.UID, func(now *v1alpha1.SparkApplication) (bool, error) {
		stage, _ := status.StageOf(now.Status.Conditions)
		if stage.Active() && now.Status.Run == app.Status.Run && now.Status.Attempt == app.Status.Attempt {
			return false, nil
		}
		text = fmt.Sprintf("The driver has ended: %s.", stage)
		if d := now.Status.Driver; d != nil && d.HistoryAddress != "" {
			text += " Its history is at " + d.HistoryAddress
		}
		return true, nil
	})
	if ctx.Err() == nil && err != nil {
		return err.Error()
	}
	return text
}

// show prints an address and opens it in the browser.
func (f *uiFlags) show(address, what string, s cli.Streams) error {
	fmt.Fprintln(s.Err, what)
	if _, err := fmt.Fprintln(s.Out, address); err != nil {
		return err
	}
	if !f.open {
		return nil
	}
	return cli.Browse(address, s)
}
