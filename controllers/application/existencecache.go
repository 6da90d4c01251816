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
	// presenceTTL is how long something that an application refers to counts as existing after it was read. It is read
	// again for each start, and the API server checks it again when pods are created.
	presenceTTL = 30 * time.Second
	// absenceTTL is how long something counts as missing: a little less than the interval at which missing references are
	// read again. All applications of a namespace that name it share that read.
	absenceTTL = 9 * time.Second
)

// reference is something that applications refer to: an object of their namespace, or a key of it.
type reference struct {
	kind string
	types.NamespacedName
	key string
}

// existenceCache caches for a short time whether what applications refer to exists, never its content. It is safe for concurrent use.
type existenceCache struct {
	clock clock.Clock
	known *cache.Expiring
}

// lookup is why something cannot be used; an empty problem says that it can.
type lookup struct {
	problem string
	until   time.Time
}

func newExistenceCache(c clock.Clock) *existenceCache {
	return &existenceCache{clock: c, known: cache.NewExpiringWithClock(c)}
}

// get returns what was found a short time ago; false if nothing was.
func (c *existenceCache) get(r reference) (lookup, bool) {
	known, ok := c.known.Get(r)
	if !ok {
		return lookup{}, false
	}
	return known.(lookup), true
}

// put caches the outcome of a read.
func (c *existenceCache) put(r reference, problem string) {
	valid := presenceTTL
	if problem != "" {
		valid = absenceTTL
	}
	c.known.Set(r, lookup{problem: problem, until: c.clock.Now().Add(valid)}, valid)
}
