// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/base/fairqueue"
)

const (
	// presenceTTL is how long a reference counts as existing after it was read. It is read again for each start, and
	// the API server checks it again when it creates pods.
	presenceTTL = 30 * time.Second
	// absenceTTL is how long a reference counts as missing: a little less than the interval at which missing references
	// are read again. All applications of a namespace with the same reference share that read.
	absenceTTL = 9 * time.Second
	// readsPerSecond is the number of references that are read per second for one namespace; readBurst is the burst
	// after a quiet time. Such a read takes the API server about a millisecond.
	readsPerSecond = 100
	readBurst      = 500
)

const (
	secretKind    = "Secret"
	configMapKind = "ConfigMap"
	accountKind   = "ServiceAccount"
)

// doesNotExist is the problem of a reference to an object that does not exist.
const doesNotExist = "does not exist"

// Lookups caches for a short time whether references exist, never their content, and holds the budget of reads for each
// namespace. It is safe for concurrent use.
type Lookups struct {
	clock  clock.Clock
	known  *cache.Expiring
	budget *fairqueue.Budget
}

// NewLookups returns an empty cache with unused budgets.
func NewLookups(c clock.Clock) *Lookups {
	return &Lookups{clock: c, known: cache.NewExpiringWithClock(c), budget: fairqueue.NewBudget(c, readsPerSecond, readBurst)}
}

// reference identifies something that applications refer to: an object of their namespace, or a key in it.
type reference struct {
	kind string
	types.NamespacedName
	key string
}

// lookup says why a reference cannot be used, and until when this counts. An empty problem means that it can be used.
type lookup struct {
	problem string
	until   time.Time
}

// get returns the cached outcome of a recent read, or false if there is none.
func (l *Lookups) get(r reference) (lookup, bool) {
	known, ok := l.known.Get(r)
	if !ok {
		return lookup{}, false
	}
	return known.(lookup), true
}

// put caches the outcome of a read; an empty problem means that the reference exists.
func (l *Lookups) put(r reference, problem string) {
	valid := presenceTTL
	if problem != "" {
		valid = absenceTTL
	}
	l.known.Set(r, lookup{problem: problem, until: l.clock.Now().Add(valid)}, valid)
}
