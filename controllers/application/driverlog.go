// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/logtail"
	"github.com/sparkgate/sparkgate/internal/pods"
)

// driverLog returns the end of the driver's log of the current attempt, and why it failed; empty if it cannot be had, or the namespace wants
// none.
func (ob *observer) driverLog(ctx context.Context) (tail *string, cause string) {
	var log logtail.Log
	driver := ob.app.Status.Driver
	for _, record := range ob.observed.Pods {
		if ob.Logs == nil || driver == nil || record.Role != pods.Driver || record.Name != driver.PodName || record.OwnerUID != ob.app.UID || !ob.keepsLogs(ctx) {
			continue
		}
		log = ob.Logs.Read(ctx, record, func(text string) string {
			known, why := ob.knownSecrets(ctx)
			if why != "" {
				return "(withheld: " + why + ")"
			}
			return known.Text(text)
		})
	}
	return &log.Tail, log.Cause
}

// keepsLogs reports whether the namespace of the application lets ends of logs be kept. One that cannot be read now does not.
func (ob *observer) keepsLogs(ctx context.Context) bool {
	namespace, err := ob.reader.namespace(ctx)
	if err != nil {
		return false
	}
	value, set := namespace.GetAnnotations()[v1alpha1.LogTailAnnotation]
	return !set || value == "true"
}
