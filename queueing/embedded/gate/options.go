// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/decisionlog"
)

// Options of a Gate.
type Options struct {
	// Client reads queues from the cache and writes their status.
	Client client.Client
	// Live reads from the API server.
	Live client.Reader
	// Queues that this process leads, as Client has them. Default: all.
	Queues labels.Selector
	// Share chooses from all queues those that this gate decides on. Default: all of them.
	Share Share
	// Holder names this process in the ledgers; unique for each start.
	Holder string
	// Operators says who leads trees, where several operators may. Default: there is no other.
	Operators Operators
	// Wake is called with every application whose verdict may have changed. It must not block.
	Wake func(queueing.Key)
	// Clock for pauses.
	Clock clock.Clock
	Log   logr.Logger
	// Fenced is called when another process has taken a ledger over, before Start returns the error; nil does
	// nothing. An orderly shutdown after that could release a lease that already belongs to the other process.
	Fenced func(error)
	// Meter gets measurements; nil drops them.
	Meter Meter
	// DecisionLog records the calls of the engine; the zero value records nothing.
	DecisionLog decisionlog.Options

	// counts is set by WriteWithLedger.
	counts func(ctx context.Context, root string) Counts
}

// Share says which queues a gate decides on, where several gates share them.
type Share interface {
	// Begin takes the queues over from the leader before, by a live list, and returns those of this gate.
	Begin(ctx context.Context, queues []v1alpha1.SparkQueue) ([]v1alpha1.SparkQueue, error)
	// Choose returns the queues of this gate when some have changed.
	Choose(ctx context.Context, queues []v1alpha1.SparkQueue) ([]v1alpha1.SparkQueue, error)
}

// everything is the share of a gate that decides on all queues.
type everything struct{}

func (everything) Begin(_ context.Context, queues []v1alpha1.SparkQueue) ([]v1alpha1.SparkQueue, error) {
	return queues, nil
}

func (everything) Choose(_ context.Context, queues []v1alpha1.SparkQueue) ([]v1alpha1.SparkQueue, error) {
	return queues, nil
}

// Operators knows this operator and others in the cluster.
type Operators interface {
	// Name of this operator, for the ledgers; empty if it has none.
	Name() string
	// Other reports whether a name is that of another operator that is alive.
	Other(ctx context.Context, name string) bool
}

// alone is an operator without others.
type alone struct{}

func (alone) Name() string                       { return "" }
func (alone) Other(context.Context, string) bool { return false }

func (o *Options) setDefaults() {
	if o.Operators == nil {
		o.Operators = alone{}
	}
	if o.Share == nil {
		o.Share = everything{}
	}
	if o.Meter == nil {
		o.Meter = noMeter{}
	}
	if o.counts == nil {
		o.counts = func(context.Context, string) Counts { return Counts{} }
	}
	if o.Fenced == nil {
		o.Fenced = func(error) {}
	}
}
