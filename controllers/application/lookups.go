// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"github.com/sparkgate/sparkgate/internal/fairqueue"
)

const (
	// readsPerSecond is how many objects that applications refer to are read for one namespace, readsInARow how many after a quiet time.
	// Such a read takes the API server about a millisecond.
	readsPerSecond = 100
	readsInARow    = 500
)

// eventsPerSecond is how many events of a namespace are about a stage, beside those about a failure or an end; eventsInARow after a
// quiet time.
const (
	eventsPerSecond = 20
	eventsInARow    = 500
)

const (
	secretKind    = "Secret"
	configMapKind = "ConfigMap"
	accountKind   = "ServiceAccount"
)

// lookups read what applications refer to, within a budget for each namespace.
type lookups struct {
	*existenceCache
	budget *fairqueue.Budget
}

func newLookups(p *existenceCache) *lookups {
	return &lookups{existenceCache: p, budget: fairqueue.NewBudget(p.clock, readsPerSecond, readsInARow)}
}

// notThere is what is found of an object that does not exist.
const notThere = "does not exist"
