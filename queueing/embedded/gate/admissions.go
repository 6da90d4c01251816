// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"sync"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/decisionlog"
)

// admissions holds the asks and grants of this process. mu guards all fields, and callers of its methods must hold it.
type admissions struct {
	mu      sync.Mutex
	o       *Options
	engine  *decisionlog.Recorder
	signals *signals

	asks     asks
	inFlight inFlight
	// orphans are the grants of deleted askers that have active pods. They stay in the ledger until they are released,
	// because after a restart nothing else records what the pods may be charged to.
	orphans entries
	// newRoots is true if there may be root queues without a ledger.
	newRoots bool
}

// decideAgain requests a cycle if the engine may decide something new.
func (a *admissions) decideAgain() {
	if a.engine.Dirty() {
		a.signals.cycle.request()
	}
}

// holdsOther reports whether another attempt of the asker still holds quota.
func (a *admissions) holdsOther(ask *queueing.Ask) bool {
	held, holds := a.engine.Held(ask.Key)
	return holds && (held.Run != ask.Run || held.Attempt != ask.Attempt)
}

// restore charges a grant that is already held, even if it exceeds quota.
func (a *admissions) restore(key queueing.Key, grant queueing.Grant) {
	a.engine.Restore(key, grant)
	a.asks.put(key, attemptStart{run: grant.Run, attempt: grant.Attempt})
}

// restoreInFlight charges a grant of the previous process that is in the ledger but in no status, and offers it to the
// asker again, because that process may still write it.
func (a *admissions) restoreInFlight(key queueing.Key, e *entry) {
	a.restore(key, e.grant)
	a.inFlight.grants[key] = e
}

// restoreGrowth charges the growth of a grant by the previous process that is in the ledger but not in the asker's
// status, and offers it to the asker again, because that process may still write it.
func (a *admissions) restoreGrowth(key queueing.Key, e *entry, held *queueing.Grant) {
	if e.isOf(held.Run, held.Attempt) && e.grant.Resizes > held.Resizes {
		a.engine.Restore(key, e.grant)
		e.before = held
		a.inFlight.grants[key] = e
	}
}

// markFitting marks decisions as in flight and returns them. It reverts decisions that exceed what the ledgers may
// hold. If nothing else is in flight, it keeps one that is too large by itself, so that the API server reports the
// error.
func (a *admissions) markFitting(decisions []embedded.Decision, now time.Time) []embedded.Decision {
	left := batchSize - a.inFlight.grants.size()
	var fitting, large []embedded.Decision
	for i := range decisions {
		e := a.decided(&decisions[i], now)
		if e.size > left {
			large = append(large, decisions[i])
			continue
		}
		left -= e.size
		fitting = append(fitting, decisions[i])
		a.inFlight.grants[decisions[i].Key] = e
	}
	if len(a.inFlight.grants) == 0 && len(large) > 0 {
		fitting, large = large[:1], large[1:]
		a.inFlight.grants[fitting[0].Key] = a.decided(&fitting[0], now)
	}
	for i := range large {
		a.engine.Revert(large[i].Key)
	}
	return fitting
}

// decided returns the entry of a decision that is not in its asker's status yet.
func (a *admissions) decided(d *embedded.Decision, now time.Time) *entry {
	e := newEntry(d.Key, d.Root, d.Grant)
	if d.Grown > 0 {
		e.before = d.Before
	} else {
		e.decidedHere, e.waited = true, now.Sub(a.asks.starts[d.Key].waitsSince)
	}
	return e
}

// recorded marks decisions as recorded in the ledger.
func (a *admissions) recorded(decisions []embedded.Decision) {
	for i := range decisions {
		grant := &decisions[i].Grant
		if f := a.inFlight.grants[decisions[i].Key]; f != nil && f.isOf(grant.Run, grant.Attempt) && f.grant.Resizes == grant.Resizes {
			f.recorded = true
		}
	}
}

// revert undoes decisions that could not be recorded.
func (a *admissions) revert(decisions []embedded.Decision) {
	for i := range decisions {
		key := decisions[i].Key
		if f := a.inFlight.grants[key]; f != nil && !f.recorded {
			delete(a.inFlight.grants, key)
			a.engine.Revert(key)
		}
	}
}

// confirm drops an in-flight grant because it is now in its asker's status.
func (a *admissions) confirm(key queueing.Key, f *entry) {
	if f.decidedHere {
		a.o.Meter.Granted(f.grant.Queue, max(0, f.waited))
	}
	a.dropInFlight(key)
}

// dropInFlight drops the in-flight grant of a key, if there is one, and requests a cycle once enough are gone.
func (a *admissions) dropInFlight(key queueing.Key) {
	delete(a.inFlight.grants, key)
	a.signals.rest.request()
	if a.inFlight.drained() {
		a.signals.cycle.request()
	}
}

// remove forgets what an asker asks for, and releases what it holds.
func (a *admissions) remove(key queueing.Key) {
	a.asks.remove(key)
	delete(a.orphans, key)
	a.dropInFlight(key)
	a.engine.Release(key)
}

// takeNewRoots returns all root queues if there may be new ones since the last call, else none.
func (a *admissions) takeNewRoots() []string {
	var roots []string
	if a.newRoots {
		states := a.engine.Queues().States()
		for i := range states {
			if s := &states[i]; s.Problem == "" && s.Root == s.Name {
				roots = append(roots, s.Name)
			}
		}
	}
	a.newRoots = false
	return roots
}
