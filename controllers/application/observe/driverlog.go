// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cause"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// LogReader reads the beginning or the end of a Spark container's log. It returns an empty text if that cannot be read
// within seconds.
type LogReader interface {
	Begin(ctx context.Context, pod *pods.Record) string
	End(ctx context.Context, pod *pods.Record) string
}

// driverOf returns the pod that the status names as the driver, or nil if the watch does not show it.
func driverOf(app *v1alpha1.SparkApplication, records []*pods.Record) *pods.Record {
	named := app.Status.Driver
	for _, r := range records {
		if named != nil && r.Role == pods.Driver && r.Name == named.PodName && r.OwnerUID == app.UID {
			return r
		}
	}
	return nil
}

// LogCause returns why the driver of the current attempt failed, according to its log. If the log cannot be read, that is
// the part of it that Kubernetes has put into the pod. Of a driver that has not failed, it returns why it has no
// executors.
func (dr *Driver) LogCause(ctx context.Context, app *v1alpha1.SparkApplication, records []*pods.Record) string {
	driver := driverOf(app, records)
	if driver == nil {
		return ""
	}
	if driver.Ended == nil || driver.Ended.ExitCode == 0 {
		log := dr.Logs.Begin(ctx, driver)
		if cause.IsLocal(log) {
			return cause.LocalMode
		}
		if found := cause.Find(log); !strings.HasPrefix(found, cause.LastLine) {
			return found
		}
		return ""
	}
	found := cause.Find(dr.Logs.End(ctx, driver))
	if found == "" && driver.Ended != nil {
		found = driver.Ended.Cause
	}
	return found
}
