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
	// presenceTime is how long what an application refers to counts as there after it was seen. It is looked at again for each start, and
	// the API server looks again when pods are made of it.
	presenceTime = 30 * time.Second
	// absenceTime is how long something counts as missing: a little less than the interval at which missing references are looked for. All
	// applications of a namespace that name it wait for the same look.
	absenceTime = 9 * time.Second
)

// reference is something that applications refer to: an object of their namespace, or a key of it.
type reference struct {
	kind string
	types.NamespacedName
	key string
}

// presence remembers for a short time whether what applications refer to is there, never what is in it. It is safe for concurrent use.
type presence struct {
	clock clock.Clock
	known *cache.Expiring
}

// finding is why something cannot be used; an empty problem says that it can.
type finding struct {
	problem string
	until   time.Time
}

func newPresence(c clock.Clock) *presence {
	return &presence{clock: c, known: cache.NewExpiringWithClock(c)}
}

// of returns what was found a short time ago; false if nothing was.
func (p *presence) of(r reference) (finding, bool) {
	known, ok := p.known.Get(r)
	if !ok {
		return finding{}, false
	}
	return known.(finding), true
}

// found remembers a look at something.
func (p *presence) found(r reference, problem string) {
	valid := presenceTime
	if problem != "" {
		valid = absenceTime
	}
	p.known.Set(r, finding{problem: problem, until: p.clock.Now().Add(valid)}, valid)
}
