// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"github.com/sparkgate/sparkgate/internal/fairqueue"
)

const (
	// readsPerSecond is the number of references that are read per second for one namespace; readBurst is the burst
	// after a quiet time. Such a read takes the API server about a millisecond.
	readsPerSecond = 100
	readBurst      = 500
)

// eventsPerSecond is the number of events about stages that are recorded per second for one namespace; eventBurst is
// the burst after a quiet time. Events about failures and ends do not count.
const (
	eventsPerSecond = 20
	eventBurst      = 500
)

const (
	secretKind    = "Secret"
	configMapKind = "ConfigMap"
	accountKind   = "ServiceAccount"
)

// lookups holds the cache of references and the budget of reads for each namespace.
type lookups struct {
	*existenceCache
	budget *fairqueue.Budget
}

func newLookups(p *existenceCache) *lookups {
	return &lookups{existenceCache: p, budget: fairqueue.NewBudget(p.clock, readsPerSecond, readBurst)}
}

// doesNotExist is the problem of a reference to an object that does not exist.
const doesNotExist = "does not exist"
