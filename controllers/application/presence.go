// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
)

// presenceTime is how long something that was seen is taken to exist still.
const presenceTime = 30 * time.Second

// presence remembers for a short time what was seen to exist, so that a thousand applications of one service account do not read it a
// thousand times. Absence is never remembered. Safe for concurrent use.
type presence struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	until map[types.NamespacedName]time.Time
}

func newPresence(c clock.PassiveClock) *presence {
	return &presence{clock: c, until: map[types.NamespacedName]time.Time{}}
}

func (p *presence) seen(key types.NamespacedName) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	until, known := p.until[key]
	if known && !p.clock.Now().Before(until) {
		delete(p.until, key)
		return false
	}
	return known
}

func (p *presence) saw(key types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until[key] = p.clock.Now().Add(presenceTime)
}
