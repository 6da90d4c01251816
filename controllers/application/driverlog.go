// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/logtail"
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

// driverLog returns the end of the driver's log of the current attempt, and the cause of the failure found in it. Both
// are empty if the log cannot be read or the namespace does not allow keeping it.
func (ob *observer) driverLog(ctx context.Context) (tail *string, cause string) {
	var log logtail.Log
	if driver := ob.driver(); driver != nil && ob.Logs != nil && ob.keepsLogs(ctx) {
		log = ob.Logs.Read(ctx, driver, func(text string) string {
			known, why := ob.knownSecrets(ctx)
			if why != "" {
				return "(withheld: " + why + ")"
			}
			return known.Text(text)
		})
	}
	return &log.Tail, log.Cause
}

// keepsLogs reports whether the namespace of the application allows keeping the ends of logs. If the namespace cannot
// be read, it does not.
func (ob *observer) keepsLogs(ctx context.Context) bool {
	namespace, err := ob.reader.namespace(ctx)
	if err != nil {
		return false
	}
	value, set := namespace.GetAnnotations()[v1alpha1.LogTailAnnotation]
	return !set || value == "true"
}
