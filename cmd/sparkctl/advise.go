// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/advise"
	"github.com/sparkgate/sparkgate/internal/advise/eventlog"
	"github.com/sparkgate/sparkgate/internal/advise/rest"
	"github.com/sparkgate/sparkgate/internal/client"
	"github.com/sparkgate/sparkgate/internal/printer"
)

const adviseText = `Says which memory, memory overhead, cores and executors would do for the application NAME, from what Spark measured in its last run, and why.
Measurements come from the event log that --event-log names; else from the driver, while it runs; else from the event log in spark.eventLog.dir, if
that folder is on this machine; else from the history server, if the operator knows one. Without NAME, an event log is read on its own. The rules
are in docs/advise.md.`

// restTimeout bounds the requests to a driver or a history server, all together.
const restTimeout = time.Minute

type adviseFlags struct {
	cluster  client.Options
	eventLog string
	output   string
}

func newAdvise(s streams) *cobra.Command {
	var f adviseFlags
	c := aboutApplication(&cobra.Command{
		Use: "advise [NAME]", Short: "Say which memory, cores and executors would do", Long: adviseText,
		Example: "  sparkctl advise pi\n  sparkctl advise pi --event-log /mnt/events/eventlog_v2_spark-0a1b\n" +
			"  kubectl patch sgapp pi --type merge --patch \"$(sparkctl advise pi -o patch)\"",
	}, &f.cluster, nil)
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 && f.eventLog != "" {
			return nil
		}
		return oneApplication(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error { return f.run(c.Context(), append(args, "")[0], s) }
	c.Flags().StringVar(&f.eventLog, "event-log", "", "the event log of a run: a `FILE`, or the folder of one that rolls")
	addOutputFlag(c, &f.output, "text", "json", "patch")
	return c
}

func (f *adviseFlags) run(ctx context.Context, name string, s streams) error {
	app := &v1alpha1.SparkApplication{}
	if f.output == "patch" && name == "" {
		return usageError{errors.New("-o patch: name the application that the patch is for: its manifest decides where values are set")}
	}
	var cluster *client.Cluster
	if name != "" {
		var err error
		if cluster, app, err = connectTo(ctx, f.cluster, name); err != nil {
			return err
		}
	}
	run, err := f.read(ctx, cluster, app)
	if err != nil {
		return err
	}
	advice := advise.Advise(run)
	switch f.output {
	case "json":
		return writeObject(s.out, "json", advice)
	case "patch":
		return writeObject(s.out, "yaml", advise.Patch(advice, app))
	}
	return printer.WriteAdvice(s.out, advice)
}

// read reads what was measured from the first source that there is.
func (f *adviseFlags) read(ctx context.Context, c *client.Cluster, app *v1alpha1.SparkApplication) (*advise.Run, error) {
	if f.eventLog != "" {
		return readEventLog(f.eventLog)
	}
	ctx, cancel := context.WithTimeout(ctx, restTimeout)
	defer cancel()
	driver, err := runningPod(ctx, c, app, "")
	var notRunning *notRunningError
	switch {
	case err == nil:
		return readDriver(ctx, &tunnel{cluster: c, driver: driver}, app)
	case !errors.As(err, &notRunning):
		return nil, err
	case localEventLog(app) != "":
		return readEventLog(localEventLog(app))
	case app.Status.Driver != nil && app.Status.Driver.HistoryAddress != "":
		return readHistory(ctx, app.Status.Driver.HistoryAddress, app.Status.Driver.ApplicationID)
	}
	return nil, fmt.Errorf("%w; name the event log of its last run with --event-log, or let the operator know a history server (flag --history-server-url)", err)
}

// localEventLog returns the event log of the last run if its folder is mounted on this machine as it is in the driver;
// empty if it is not.
func localEventLog(app *v1alpha1.SparkApplication) string {
	folder := strings.TrimPrefix(app.Spec.SparkConf["spark.eventLog.dir"], "file://")
	if app.Status.Driver == nil || app.Status.Driver.ApplicationID == "" || !filepath.IsAbs(folder) {
		return ""
	}
	id := app.Status.Driver.ApplicationID
	for _, name := range []string{"eventlog_v2_" + id, id, id + ".zstd"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return filepath.Join(folder, name)
		}
	}
	return ""
}

// readEventLog reads a path of this machine.
func readEventLog(path string) (*advise.Run, error) {
	path = strings.TrimPrefix(path, "file://")
	folder, name := filepath.Split(filepath.Clean(path))
	if folder == "" {
		folder = "."
	}
	run, err := eventlog.Read(os.DirFS(folder), name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--event-log: there is no %s on this machine; mount or download the folder that spark.eventLog.dir names", path)
	}
	if err != nil {
		return nil, err
	}
	run.Source = "event log " + name
	return run, nil
}

// readDriver reads from the web interface of a driver, through a port of this machine.
func readDriver(ctx context.Context, t *tunnel, app *v1alpha1.SparkApplication) (*advise.Run, error) {
	if app.Spec.SparkConf["spark.ui.enabled"] == "false" {
		return nil, errors.New("the driver has no web interface to read from: spec.sparkConf sets spark.ui.enabled to false; use --event-log after the run")
	}
	utilruntime.ErrorHandlers = nil // the library logs each refused connection
	way, err := t.cluster.Forward(ctx, t.driver, 0, uiPort(t.driver), io.Discard)
	if err != nil {
		return nil, err
	}
	defer way.Close()
	run, err := rest.Spark{Address: fmt.Sprintf("http://127.0.0.1:%d", way.Port)}.Read(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("read from driver %s, which may still be starting: %w", t.driver.Name, err)
	}
	run.Source = "driver " + t.driver.Name + ", which runs"
	return run, nil
}

// readHistory reads from the history server that has a page of the application at this address.
func readHistory(ctx context.Context, address, id string) (*advise.Run, error) {
	page, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("the address %q at the history server: %w", address, err)
	}
	before, _, _ := strings.Cut(page.Path, "/history/")
	base := url.URL{Scheme: page.Scheme, Host: page.Host, Path: before}
	run, err := rest.Spark{Address: base.String(), Client: &http.Client{Timeout: restTimeout}}.Read(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read from the history server: %w", err)
	}
	run.Source = "history server " + base.Host
	return run, nil
}
