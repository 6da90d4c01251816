// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"strings"

	"github.com/sparkgate/sparkgate/controllers/internal/logtail"
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
	tail = p.withoutSecrets(ctx, tail)
	return &tail
}

// shortestSecret is how long a value is at least that is looked for in a log, in bytes: hiding every "1" would leave no text.
const shortestSecret = 6

// withoutSecrets hides in a text the values of properties that come from Secrets, and of those whose names say that they are secret,
// whatever stands around them. Where a Secret cannot be read now, nothing of the text is shown.
func (p *pass) withoutSecrets(ctx context.Context, text string) string {
	if text == "" {
		return ""
	}
	secrets, err := p.secretValues(ctx)
	if err != nil || secrets != nil && len(secrets.missing) > 0 {
		return ""
	}
	for _, value := range secrets.values() {
		text = hide(text, value)
	}
	for _, properties := range []map[string]string{p.app.Spec.SparkConf, p.app.Spec.HadoopConf} {
		for key, value := range properties {
			if conf.Sensitive(key) {
				text = hide(text, value)
			}
		}
	}
	return logtail.Tail(text, logtail.MaxLines) // a mask may be longer than what it hides
}

func hide(text, value string) string {
	if len(value) < shortestSecret {
		return text
	}
	return strings.ReplaceAll(text, value, conf.Masked)
}
