// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"

	"github.com/sparkgate/sparkgate/internal/cause"
	"github.com/sparkgate/sparkgate/internal/pods"
)

// driver returns the pod that the status names as the driver, or nil if the watch does not show it.
func (ob *observer) driver() *pods.Record {
	named := ob.app.Status.Driver
	for _, r := range ob.observed.Pods {
		if named != nil && r.Role == pods.Driver && r.Name == named.PodName && r.OwnerUID == ob.app.UID {
			return r
		}
	}
	return nil
}

// logCause returns why the driver of the current attempt failed, according to its log. If the log cannot be read, that is
// the part of it that Kubernetes has put into the pod.
func (ob *observer) logCause(ctx context.Context) string {
	driver := ob.driver()
	if driver == nil {
		return ""
	}
	found := cause.Find(ob.Logs.Read(ctx, driver))
	if found == "" && driver.Ended != nil {
		found = driver.Ended.Cause
	}
	return found
}
