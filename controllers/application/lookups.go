// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"github.com/sparkgate/sparkgate/internal/fairqueue"
)

const (
	// readsPerSecond is how many of the objects that applications refer to are read for one namespace, readsInARow how many after a quiet time.
	// Such a read takes the API server about a millisecond.
	readsPerSecond = 100
	readsInARow    = 500
)

// eventsPerSecond is how many events about stages are recorded for one namespace, eventsInARow how many after a quiet time. Events
// about failures and ends do not count.
const (
	eventsPerSecond = 20
	eventsInARow    = 500
)

const (
	secretKind    = "Secret"
	configMapKind = "ConfigMap"
	accountKind   = "ServiceAccount"
)

// lookups is the cache of what applications refer to, and the budget of reads for each namespace.
type lookups struct {
	*existenceCache
	budget *fairqueue.Budget
}

func newLookups(p *existenceCache) *lookups {
	return &lookups{existenceCache: p, budget: fairqueue.NewBudget(p.clock, readsPerSecond, readsInARow)}
}

// notThere is the problem of a reference to an object that does not exist.
const notThere = "does not exist"
