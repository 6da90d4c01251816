// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/queueing"
)

const (
	// retryAfter is the pause after Kueue, or another object with the same name, prevented a Workload from being
	// created.
	retryAfter = 10 * time.Second
	// toleratedSilence is how long Kueue may be silent about a Workload before that is reported. It admits most
	// Workloads within moments, so this saves a status write that would soon be outdated.
	toleratedSilence = 5 * time.Second
	// releasedTTL is how long a release is remembered. By then the watch must have shown it.
	releasedTTL = time.Minute
)

// askers knows who asks and who has just released, and wakes them.
type askers struct {
	waker queueing.Waker
	clock clock.PassiveClock

	mu sync.Mutex
	// asking are the askers that have asked and were not granted yet, by key without uid. They are woken when Kueue's
	// kinds are installed or removed.
	asking map[queueing.Key]asker
	// released holds when keys were released, for releasedTTL or until they ask again.
	released map[queueing.Key]time.Time
}

// asker is the uid of an asker that asks, and since when it does.
type asker struct {
	uid   string
	since time.Time
}

// asks records that an asker asks.
func (a *askers) asks(key queueing.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asking[key.Named()].uid != key.UID {
		a.asking[key.Named()] = asker{uid: key.UID, since: a.clock.Now()}
	}
	delete(a.released, key)
}

// left records that an asker does not ask any longer.
func (a *askers) left(key queueing.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asking[key.Named()].uid == key.UID {
		delete(a.asking, key.Named())
	}
}

// release records that a key is released.
func (a *askers) release(key queueing.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.released, func(_ queueing.Key, at time.Time) bool { return a.clock.Since(at) >= releasedTTL })
	a.released[key] = a.clock.Now()
}

// wasReleased reports whether the key was released within releasedTTL.
func (a *askers) wasReleased(key queueing.Key) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, released := a.released[key]
	return released && a.clock.Since(at) < releasedTTL
}

// keys returns the keys of this name that ask.
func (a *askers) keys(named queueing.Key) []queueing.Key {
	a.mu.Lock()
	defer a.mu.Unlock()
	if x, asks := a.asking[named]; asks {
		named.UID = x.uid
		return []queueing.Key{named}
	}
	return nil
}

// hideShortSilence returns the verdict on an asker, or Undecided if Kueue has been silent for less than
// toleratedSilence.
func (a *askers) hideShortSilence(key queueing.Key, v queueing.Verdict, silent bool) queueing.Verdict {
	a.mu.Lock()
	wait := a.asking[key.Named()].since.Add(toleratedSilence).Sub(a.clock.Now())
	a.mu.Unlock()
	if !silent || wait <= 0 {
		return v
	}
	a.waker.WakeAfter(key, wait)
	return queueing.Verdict{}
}

// retry wakes an asker after retryAfter.
func (a *askers) retry(key queueing.Key) { a.waker.WakeAfter(key, retryAfter) }

// wakeAll wakes all askers that ask.
func (a *askers) wakeAll() {
	a.mu.Lock()
	keys := slices.Collect(maps.Keys(a.asking))
	a.mu.Unlock()
	for _, key := range keys {
		a.waker.Wake(key)
	}
}
