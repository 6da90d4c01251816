// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/utils/clock"
)

const (
	// presenceTTL is how long a reference counts as existing after it was read. It is read again for each start, and
	// the API server checks it again when it creates pods.
	presenceTTL = 30 * time.Second
	// absenceTTL is how long a reference counts as missing: a little less than the interval at which missing references
	// are read again. All applications of a namespace with the same reference share that read.
	absenceTTL = 9 * time.Second
)

// reference identifies something that applications refer to: an object of their namespace, or a key in it.
type reference struct {
	kind string
	types.NamespacedName
	key string
}

// existenceCache caches for a short time whether references exist, never their content. It is safe for concurrent use.
type existenceCache struct {
	clock clock.Clock
	known *cache.Expiring
}

// lookup says why a reference cannot be used, and until when this counts. An empty problem means that it can be used.
type lookup struct {
	problem string
	until   time.Time
}

func newExistenceCache(c clock.Clock) *existenceCache {
	return &existenceCache{clock: c, known: cache.NewExpiringWithClock(c)}
}

// get returns the cached outcome of a recent read, or false if there is none.
func (c *existenceCache) get(r reference) (lookup, bool) {
	known, ok := c.known.Get(r)
	if !ok {
		return lookup{}, false
	}
	return known.(lookup), true
}

// put caches the outcome of a read; an empty problem means that the reference exists.
func (c *existenceCache) put(r reference, problem string) {
	valid := presenceTTL
	if problem != "" {
		valid = absenceTTL
	}
	c.known.Set(r, lookup{problem: problem, until: c.clock.Now().Add(valid)}, valid)
}
