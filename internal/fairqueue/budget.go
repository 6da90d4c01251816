// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// longestTurn bounds how long a caller has to wait for a turn.
	longestTurn = 30 * time.Second
	// manyAccounts is from how many accounts on those are forgotten that are full again.
	manyAccounts = 256
)

// Budget gives every namespace the same allowance of something: so much a second, and so much in a row after a quiet
// time. A namespace that has begun may finish and go into debt; the debt is waited for before the next one may begin.
// It is safe for concurrent use.
type Budget struct {
	clock    clock.PassiveClock
	rate     float64 // a second
	burst    float64
	mu       sync.Mutex
	accounts map[string]*account
}

type account struct {
	left float64
	at   time.Time
	// line is when all that wait already will have had their turns.
	line time.Time
}

// NewBudget returns a budget in which all accounts are full.
func NewBudget(c clock.PassiveClock, perSecond, burst float64) *Budget {
	return &Budget{clock: c, rate: perSecond, burst: burst, accounts: map[string]*account{}}
}

// Turn returns when the caller may begin: now if it is zero, else after that time. Each that has to wait gets a time of
// its own, so that not all come back at once; size is how much the caller expects to spend.
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
	if turn > longestTurn {
		return longestTurn
	}
	a.line = a.line.Add(b.during(float64(size)))
	return turn
}

// Spend takes something off an account, which may leave it in debt.
func (b *Budget) Spend(namespace string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of(namespace, b.clock.Now()).left -= float64(n)
}

// during returns how long it takes to earn something.
func (b *Budget) during(n float64) time.Duration {
	return time.Duration(n / b.rate * float64(time.Second))
}

// of returns the account of a namespace, with what it has earned meanwhile. The caller holds the lock.
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

// tidy forgets accounts that are full, which is what a new one is. Others are as many as can be emptied in the time
// that they take to fill.
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
