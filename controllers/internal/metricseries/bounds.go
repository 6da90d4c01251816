// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package metricseries

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Unknown is the label value for queues that are not configured.
const Unknown = "unknown"

// NamespaceLabel is the label for the namespace in every metric that has one.
const NamespaceLabel = "namespace"

// Vector is a metric with labels that name queues.
type Vector struct {
	// Vec is a vector of counters, gauges or histograms.
	Vec interface {
		DeletePartialMatch(labels prometheus.Labels) int
	}
	// QueueLabels are the labels whose values are queue names.
	QueueLabels []string
}

// Bounds knows which queues are configured, and deletes the series of queues that no longer are. It is safe for
// concurrent use.
type Bounds struct {
	vectors []Vector

	// mu is read-locked while something is counted, so that no series of a removed queue is created after its series
	// were deleted.
	mu         sync.RWMutex
	configured map[string]bool
}

// New returns Bounds for these metrics. No queue is configured yet.
func New(vectors ...Vector) *Bounds { return &Bounds{vectors: vectors} }

// Configure replaces the set of configured queues, and deletes the series of those that are no longer in it.
func (b *Bounds) Configure(queues []string) {
	configured := make(map[string]bool, len(queues))
	for _, queue := range queues {
		configured[queue] = true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for queue := range b.configured {
		if configured[queue] {
			continue
		}
		for _, v := range b.vectors {
			for _, label := range v.QueueLabels {
				v.Vec.DeletePartialMatch(prometheus.Labels{label: queue})
			}
		}
	}
	b.configured = configured
}

// Count calls count with a function that returns the label value for a queue: its name if it is configured, Unknown if
// it is not, and the empty string for no queue. The function must not be used after count has returned, and count must
// not call b.
func (b *Bounds) Count(count func(value func(queue string) string)) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	count(func(queue string) string {
		if queue == "" || b.configured[queue] {
			return queue
		}
		return Unknown
	})
}

// DropNamespace deletes the series of a namespace that no longer exists.
func (b *Bounds) DropNamespace(namespace string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, v := range b.vectors {
		v.Vec.DeletePartialMatch(prometheus.Labels{NamespaceLabel: namespace})
	}
}
