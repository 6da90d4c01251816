// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
)

// LogReader takes the end of the log of a pod's Spark container; empty if it cannot be had within a moment.
type LogReader interface {
	// Tail applies hide before anything is cut off: a part of a secret would not be known as one. It is applied only if there is a log.
	Tail(ctx context.Context, pod *pods.Record, hide func(string) string) string
}

// logTail returns the end of the driver's log of the current attempt; empty if it cannot be had, or the namespace wants none.
func (p *pass) logTail(ctx context.Context) *string {
	tail, driver := "", p.app.Status.Driver
	for _, record := range p.o.Pods {
		if p.Logs == nil || driver == nil || record.Role != pods.Driver || record.Name != driver.PodName || record.OwnerUID != p.app.UID || !p.keepsLogs(ctx) {
			continue
		}
		tail = p.Logs.Tail(ctx, record, func(text string) string {
			known, why := p.knownSecrets(ctx)
			if why != "" {
				return "(withheld: " + why + ")"
			}
			return known.Text(text)
		})
	}
	return &tail
}

// keepsLogs reports whether the namespace of the application lets ends of logs be kept. One that cannot be read now does not.
func (p *pass) keepsLogs(ctx context.Context) bool {
	namespace, err := p.namespace(ctx)
	if err != nil {
		return false
	}
	value, set := namespace.GetAnnotations()[v1alpha1.LogTailAnnotation]
	return !set || value == "true"
}
