// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
)

// attemptStart is an attempt and its place in the queue.
type attemptStart struct {
	run, attempt int64
	queuedAt     time.Time
	// waitsSince is when the measured wait began.
	waitsSince time.Time
}

// asks holds the asks of this process.
type asks struct {
	starts map[queueing.Key]attemptStart
	// byName holds the keys of starts and awaited by name: one key per name, unless a new asker has just taken the name
	// of another.
	byName map[queueing.Key][]queueing.Key
	// awaited holds the askers that were pending before a restart and have not asked again yet.
	awaited map[queueing.Key]bool
}

func newAsks() asks {
	return asks{starts: map[queueing.Key]attemptStart{}, byName: map[queueing.Key][]queueing.Key{}, awaited: map[queueing.Key]bool{}}
}

// startOf returns the start of the attempt that asks, and whether it has asked before. Its place in the queue may
// become a later one, when it asks for more or in another queue; its wait then begins again. It never becomes an
// earlier one. A grant of the previous process has no place until the first ask for it brings one.
//
// The wait of a new ask begins now, even if its place is earlier because an earlier attempt had it or the asker was
// suspended. An ask that was pending before a restart has waited since it was queued.
func (a *asks) startOf(ask *queueing.Ask, now time.Time) (start attemptStart, known bool) {
	if s, asked := a.starts[ask.Key]; asked && s.run == ask.Run && s.attempt == ask.Attempt {
		if ask.QueuedAt.After(s.queuedAt) {
			s.queuedAt, s.waitsSince = ask.QueuedAt, later(s.waitsSince, ask.QueuedAt)
		}
		return s, true
	}
	s := attemptStart{run: ask.Run, attempt: ask.Attempt, queuedAt: ask.QueuedAt, waitsSince: now}
	if a.awaited[ask.Key] {
		s.waitsSince = ask.QueuedAt
	}
	return s, false
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (a *asks) put(key queueing.Key, s attemptStart) {
	a.starts[key] = s
	a.name(key)
}

// await records that an asker that was pending before a restart is expected to ask again. It may do so at another gate,
// which releases it here.
func (a *asks) await(key queueing.Key) {
	a.awaited[key] = true
	a.name(key)
}

// arrived records that the first cycle need not wait for an asker any longer.
func (a *asks) arrived(key queueing.Key) { delete(a.awaited, key) }

func (a *asks) remove(key queueing.Key) {
	delete(a.awaited, key)
	delete(a.starts, key)
	name := key.Named()
	others := slices.DeleteFunc(a.byName[name], func(k queueing.Key) bool { return k == key })
	if a.byName[name] = others; len(others) == 0 {
		delete(a.byName, name)
	}
}

// name adds a key to the index by name.
func (a *asks) name(key queueing.Key) {
	name := key.Named()
	if !slices.Contains(a.byName[name], key) {
		a.byName[name] = append(a.byName[name], key)
	}
}

// named returns the keys with a name.
func (a *asks) named(name queueing.Key) []queueing.Key {
	return slices.Clone(a.byName[name])
}
