// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/decisionlog"
)

// Options configure a Gate.
type Options struct {
	// Client reads queues from the cache, and writes their status.
	Client client.Client
	// Live reads from the API server, bypassing the cache.
	Live client.Reader
	// Queues selects the queues that this process leads; Client must return the same. Default: all.
	Queues labels.Selector
	// Holder identifies this process in the ledgers. It must be unique for each start.
	Holder string
	// Wake is called with every asker whose verdict may have changed. It must not block.
	Wake func(queueing.Key)
	// Clock is used for pauses.
	Clock clock.Clock
	Log   logr.Logger
	// Fenced is called when another process has taken over a ledger, before Start returns the error; nil does nothing.
	// It should exit at once: an orderly shutdown could release a lease that already belongs to the other process.
	Fenced func(error)
	// Meter receives measurements; nil discards them.
	Meter Meter
	// DecisionLog configures the recording of engine calls; the zero value records nothing.
	DecisionLog decisionlog.Options

	// changed is set by Observe.
	changed func()
}

func (o *Options) setDefaults() {
	if o.Meter == nil {
		o.Meter = noMeter{}
	}
	if o.changed == nil {
		o.changed = func() {}
	}
	if o.Fenced == nil {
		o.Fenced = func(error) {}
	}
}
