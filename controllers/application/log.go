// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/controllers/internal/spark/conf"
)

// LogReader takes the end of the log of a pod's Spark container; empty if it cannot be had within a moment.
type LogReader interface {
	Tail(ctx context.Context, pod *pods.Record) string
}

// logTail is the end of the driver's log of the current attempt; empty if it cannot be had.
func (p *pass) logTail(ctx context.Context) *string {
	tail, driver := "", p.app.Status.Driver
	for _, record := range p.o.Pods {
		if p.Logs != nil && driver != nil && record.Role == pods.Driver && record.Name == driver.PodName && record.OwnerUID == p.app.UID {
			tail = p.Logs.Tail(ctx, record)
		}
	}
	tail = withoutSecrets(tail, &p.app.Spec)
	return &tail
}

// shortestSecret is how long a value is at least that is looked for in a log, in bytes: hiding every "1" would leave no text.
const shortestSecret = 8

// withoutSecrets hides in a text the values of properties whose names say that they are secret, whatever stands around them.
func withoutSecrets(text string, spec *v1alpha1.SparkApplicationSpec) string {
	for _, properties := range []map[string]string{spec.SparkConf, spec.HadoopConf} {
		for key, value := range properties {
			if conf.Sensitive(key) && len(value) >= shortestSecret {
				text = strings.ReplaceAll(text, value, conf.Masked)
			}
		}
	}
	return text
}
