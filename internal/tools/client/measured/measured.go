// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package measured reads what Spark measured during the last run of an application: from the driver while it runs, else
// from an event log, else from a history server. Requests to the API server use the credentials of the user.
package measured

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	sparkrender "github.com/sparkgate/sparkgate/internal/spark/render"
	"github.com/sparkgate/sparkgate/internal/tools/advise"
	"github.com/sparkgate/sparkgate/internal/tools/advise/eventlog"
	"github.com/sparkgate/sparkgate/internal/tools/advise/rest"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// restTimeout bounds all requests of one Read together.
const restTimeout = time.Minute

// Sources are where measurements are looked for.
type Sources struct {
	Cluster *client.Cluster
	// OfUser reports that the process belongs to the user, as sparkctl does. Only then may it read files of its
	// machine, and send requests to the history server that the status names.
	OfUser bool
	// HistoryServer is the address of the history server for a process that serves many users. Default: none. Such a
	// process must not use the address in the status, which others can write.
	HistoryServer string
}

// Read returns the measurements from the first source that has some.
func (s Sources) Read(ctx context.Context, app *v1alpha1.SparkApplication) (*advise.Run, error) {
	ctx, cancel := context.WithTimeout(ctx, restTimeout)
	defer cancel()
	driver, err := s.Cluster.RunningDriver(ctx, app)
	if err != nil {
		return nil, err
	}
	if driver != nil {
		return readDriver(ctx, s.Cluster, driver, app)
	}
	var history, id string
	if d := app.Status.Driver; d != nil {
		history, id = d.HistoryAddress, d.ApplicationID
	}
	switch {
	case s.OfUser && localEventLog(app) != "":
		return EventLog(localEventLog(app))
	case s.OfUser && history != "":
		return readHistory(ctx, history, id)
	case !s.OfUser && s.HistoryServer != "" && id != "":
		return readHistory(ctx, s.HistoryServer, id)
	}
	now := status.Summarize(app, clock.RealClock{}.Now())
	return nil, fmt.Errorf("%s has no running driver: %s: %s; name the event log of its last run to sparkctl advise with --event-log, or "+
		"let the operator know a history server (flag --history-server-url)", app.Name, now.Stage, now.Message)
}

// localEventLog returns the path of the event log of the last run if its folder is mounted at the same place on this
// machine; else it is empty.
func localEventLog(app *v1alpha1.SparkApplication) string {
	folder := localPath(app.Spec.SparkConf[conf.EventLogDir])
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

// localPath returns the path of a Hadoop URL for a local file, such as file:///mnt/events or file:/mnt/events. Other
// addresses are returned unchanged.
func localPath(address string) string {
	if path, isAddress := strings.CutPrefix(address, "file:"); isAddress {
		return strings.TrimPrefix(path, "//")
	}
	return address
}

// EventLog reads an event log on this machine.
func EventLog(path string) (*advise.Run, error) {
	path = localPath(path)
	folder, name := filepath.Split(filepath.Clean(path))
	if folder == "" {
		folder = "."
	}
	run, err := eventlog.Read(os.DirFS(folder), name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--event-log: %s not found on this machine; mount or download the folder that spark.eventLog.dir names", path)
	}
	if err != nil {
		return nil, err
	}
	run.Source = "event log " + name
	return run, nil
}

// readDriver reads from the web interface of a driver, through a forwarded port.
func readDriver(ctx context.Context, c *client.Cluster, driver *corev1.Pod, app *v1alpha1.SparkApplication) (*advise.Run, error) {
	if app.Spec.SparkConf[conf.UIEnabled] == "false" {
		return nil, errors.New("the driver has no web interface to read from: spec.sparkConf sets spark.ui.enabled to false; use --event-log after the run")
	}
	var run *advise.Run
	err := c.Forward(ctx, driver, client.Ports{Remote: sparkrender.DriverUIPort(driver)}, func(ctx context.Context, local uint16) (err error) {
		run, err = rest.Spark{Address: fmt.Sprintf("http://127.0.0.1:%d", local)}.Read(ctx, "")
		if err != nil {
			err = fmt.Errorf("read from driver %s, which may still be starting: %w", driver.Name, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	run.Source = "driver " + driver.Name + ", which runs"
	return run, nil
}

// readHistory reads from the history server at which the application has this address.
func readHistory(ctx context.Context, address, id string) (*advise.Run, error) {
	page, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("the address %q at the history server: %w", address, err)
	}
	before, _, _ := strings.Cut(page.Path, "/history/")
	base := url.URL{Scheme: page.Scheme, Host: page.Host, Path: strings.TrimSuffix(before, "/")}
	run, err := rest.Spark{Address: base.String(), Client: &http.Client{Timeout: restTimeout}}.Read(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read from the history server: %w", err)
	}
	run.Source = "history server " + base.Host
	return run, nil
}
