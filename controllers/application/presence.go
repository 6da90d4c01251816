// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
)

const (
	// presenceTime is how long what an application refers to counts as there after it was seen. It is looked at again for each start, and
	// the API server looks again when pods are made of it.
	presenceTime = 30 * time.Second
	// absenceTime is how long something counts as missing: a little less than the interval at which missing references are looked for. All
	// applications of a namespace that name it wait for the same look.
	absenceTime = 9 * time.Second
	// manyPresences is from how many on those are forgotten whose time is over.
	manyPresences = 4096
)

// reference is something that applications refer to: an object of their namespace, or a key of it.
type reference struct {
	kind string
	types.NamespacedName
	key string
}

// presence remembers for a short time whether what applications refer to is there, never what is in it. It is safe for concurrent use.
type presence struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	known map[reference]finding
	// tidied is when those were forgotten last whose time was over.
	tidied time.Time
}

// finding is why something cannot be used; an empty problem says that it can.
type finding struct {
	problem string
	until   time.Time
}

func newPresence(c clock.PassiveClock) *presence {
	return &presence{clock: c, known: map[reference]finding{}}
}

// of returns what was found a short time ago; false if nothing was.
func (p *presence) of(r reference) (finding, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, known := p.known[r]
	if known && !p.clock.Now().Before(f.until) {
		delete(p.known, r)
		return finding{}, false
	}
	return f, known
}

// found remembers a look at something.
func (p *presence) found(r reference, problem string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, valid := p.clock.Now(), presenceTime
	if problem != "" {
		valid = absenceTime
	}
	if len(p.known) >= manyPresences && now.Sub(p.tidied) > time.Second {
		p.tidied = now
		maps.DeleteFunc(p.known, func(_ reference, f finding) bool { return !now.Before(f.until) })
	}
	p.known[r] = finding{problem: problem, until: now.Add(valid)}
}
