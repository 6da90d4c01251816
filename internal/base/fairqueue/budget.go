// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// maxTurn is the longest time that a caller has to wait for a turn.
	maxTurn = 30 * time.Second
	// manyAccounts is the number of accounts from which on full ones are removed.
	manyAccounts = 256
)

// Budget gives every namespace the same allowance: a rate per second, and a burst after a quiet time. A namespace that
// has started may finish its work and go into debt, but it has to wait until the debt is paid before it may start
// again. Budget is safe for concurrent use.
type Budget struct {
	clock clock.PassiveClock
	// rate is the allowance per second.
	rate     float64
	burst    float64
	mu       sync.Mutex
	accounts map[string]*account
}

type account struct {
	left float64
	at   time.Time
	// line is the time at which everything that is already waiting will have had its turn.
	line time.Time
}

// NewBudget returns a budget in which all accounts are full.
func NewBudget(c clock.PassiveClock, perSecond, burst float64) *Budget {
	return &Budget{clock: c, rate: perSecond, burst: burst, accounts: map[string]*account{}}
}

// Turn returns how long the caller has to wait before it may start; 0 means now. Callers that have to wait get
// different times, so that they do not all come back at once. size is the amount that the caller expects to spend.
func (b *Budget) Turn(namespace string, size int) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	a := b.of(namespace, now)
	if a.left > 0 {
		return 0
	}
	free := now.Add(b.during(1 - a.left))
	if a.line.Before(free) {
		a.line = free
	}
	turn := a.line.Sub(now)
	if turn > maxTurn {
		return maxTurn
	}
	a.line = a.line.Add(b.during(float64(size)))
	return turn
}

// Spend takes n off a namespace's account, which may leave it in debt.
func (b *Budget) Spend(namespace string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of(namespace, b.clock.Now()).left -= float64(n)
}

// during returns the time that it takes to earn an amount.
func (b *Budget) during(n float64) time.Duration {
	return time.Duration(n / b.rate * float64(time.Second))
}

// of returns a namespace's account, including what it has earned since it was last used. The caller holds the lock.
func (b *Budget) of(namespace string, now time.Time) *account {
	a := b.accounts[namespace]
	if a == nil {
		b.tidy(now)
		a = &account{left: b.burst, at: now}
		b.accounts[namespace] = a
	}
	b.earn(a, now)
	return a
}

func (b *Budget) earn(a *account, now time.Time) {
	if since := now.Sub(a.at); since > 0 { // else the clock was set back
		a.left = min(b.burst, a.left+since.Seconds()*b.rate)
	}
	a.at = now
}

// tidy removes full accounts, because a new account is the same as a full one. This bounds the map: only accounts that
// were used recently are left.
func (b *Budget) tidy(now time.Time) {
	if len(b.accounts) < manyAccounts {
		return
	}
	for namespace, a := range b.accounts {
		if b.earn(a, now); a.left >= b.burst && !a.line.After(now) {
			delete(b.accounts, namespace)
		}
	}
}
