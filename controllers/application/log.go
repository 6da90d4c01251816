// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/controllers/internal/spark/conf"
)

// LogReader takes the end of the log of a pod's Spark container; empty if it cannot be had within a moment.
type LogReader interface {
	// Tail applies hide before anything is cut off: a part of a secret would not be known as one.
	Tail(ctx context.Context, pod *pods.Record, hide func(string) string) string
}

// logTail is the end of the driver's log of the current attempt; empty if it cannot be had.
func (p *pass) logTail(ctx context.Context) *string {
	tail, driver := "", p.app.Status.Driver
	for _, record := range p.o.Pods {
		if p.Logs == nil || driver == nil || record.Role != pods.Driver || record.Name != driver.PodName || record.OwnerUID != p.app.UID {
			continue
		}
		if secrets, known := p.knownSecrets(ctx); known {
			tail = p.Logs.Tail(ctx, record, hiding(secrets).Replace)
		}
	}
	return &tail
}

// knownSecrets are the values of properties that come from Secrets, and of those whose names say that they are secret. known is false where
// a Secret cannot be read now: then nothing of a log is shown.
func (p *pass) knownSecrets(ctx context.Context) (secrets []string, known bool) {
	values, err := p.secretValues(ctx)
	if err != nil || values != nil && len(values.missing) > 0 {
		return nil, false
	}
	for _, value := range values.values() {
		secrets = append(secrets, value)
	}
	for _, properties := range []map[string]string{p.app.Spec.SparkConf, p.app.Spec.HadoopConf} {
		for key, value := range properties {
			if conf.Sensitive(key) {
				secrets = append(secrets, value)
			}
		}
	}
	return secrets, true
}

// shortestSecret is how long a value is at least that is looked for in a log, in bytes: hiding every "1" would leave no text.
const shortestSecret = 6

// hiding hides secrets in a text, whatever stands around them; of those with several lines each line, too. The longest go first, because
// one may begin with another.
func hiding(secrets []string) *strings.Replacer {
	var words []string
	for _, secret := range secrets {
		for _, word := range append(strings.Split(secret, "\n"), secret) {
			if word = strings.TrimSpace(word); len(word) >= shortestSecret {
				words = append(words, word)
			}
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, word := range slices.Compact(words) {
		pairs = append(pairs, word, conf.Masked)
	}
	return strings.NewReplacer(pairs...)
}
