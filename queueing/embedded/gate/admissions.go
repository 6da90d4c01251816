// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"sync"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/decisionlog"
)

// admissions holds the asks and grants of this process. mu guards all fields, and callers of its methods must hold it.
type admissions struct {
	mu     sync.Mutex
	engine *decisionlog.Recorder
	meter  Meter

	asks asks
	// grants holds the asks that have a grant.
	grants   map[queueing.Key]attemptStart
	inFlight inFlight
	orphans  orphans
	// newRoots is true if there may be root queues without a ledger.
	newRoots bool
	// observer is called when the state of queues may have changed.
	observer func()
	// unwritten holds the root queues with counts to write with their ledgers.
	unwritten map[string]bool

	// cycleRequested requests a cycle, restRequested the emptying of ledgers after a pause, and countsRequested writes
	// of the ledgers of the queues in unwritten.
	cycleRequested, restRequested, countsRequested signal
}

func newAdmissions(log decisionlog.Options, m Meter) *admissions {
	return &admissions{
		engine: decisionlog.New(log), meter: m, asks: newAsks(), grants: map[queueing.Key]attemptStart{},
		inFlight: newInFlight(), orphans: orphans{}, observer: func() {}, cycleRequested: newSignal(), restRequested: newSignal(),
		countsRequested: newSignal(), unwritten: map[string]bool{},
	}
}

// decideAgain requests a cycle if the engine may decide something new.
func (a *admissions) decideAgain() {
	if a.engine.Dirty() {
		a.cycleRequested.request()
	}
}

// holdsOther reports whether another attempt of the asker still holds quota.
func (a *admissions) holdsOther(ask *queueing.Ask) bool {
	given, holds := a.grants[ask.Key]
	return holds && (given.run != ask.Run || given.attempt != ask.Attempt)
}

// restore charges a grant that is already held, even if it exceeds quota.
func (a *admissions) restore(key queueing.Key, grant queueing.Grant) {
	a.engine.Restore(key, grant)
	s := attemptStart{run: grant.Run, attempt: grant.Attempt}
	a.asks.put(key, s)
	a.grants[key] = s
}

// restoreInFlight charges a grant of the previous process that is in the ledger but in no status, and offers it to the
// asker again, because that process may still write it.
func (a *admissions) restoreInFlight(root string, key queueing.Key, grant queueing.Grant) {
	a.restore(key, grant)
	a.inFlight.put(key, &inFlightGrant{root: root, grant: grant, recorded: true})
}

// restoreGrowth charges the growth of a grant by the previous process that is in the ledger but not in the asker's
// status, and offers it to the asker again, because that process may still write it.
func (a *admissions) restoreGrowth(root string, key queueing.Key, grant queueing.Grant, held *queueing.Grant) {
	if grant.Run != held.Run || grant.Attempt != held.Attempt || grant.Resizes <= held.Resizes {
		return
	}
	a.engine.Restore(key, grant)
	a.inFlight.put(key, &inFlightGrant{root: root, grant: grant, before: held, recorded: true})
}

// markFitting marks decisions as in flight and returns them. It reverts decisions that exceed what the ledgers may
// hold. If nothing else is in flight, it keeps one that is too large by itself, so that the API server reports the
// error.
func (a *admissions) markFitting(decisions []embedded.Decision, now time.Time) []embedded.Decision {
	left, idle := batchSize-a.inFlight.size(), len(a.inFlight.grants) == 0
	var fitting, large []embedded.Decision
	for i := range decisions {
		size := sizeOf(decisions[i].Key, decisions[i].Grant)
		if size > left {
			large = append(large, decisions[i])
			continue
		}
		left -= size
		fitting = append(fitting, decisions[i])
		a.markInFlight(&decisions[i], size, now)
	}
	if idle && len(fitting) == 0 && len(large) > 0 {
		fitting, large = large[:1], large[1:]
		a.markInFlight(&fitting[0], 0, now)
	}
	for i := range large {
		a.engine.Revert(large[i].Key)
	}
	return fitting
}

// markInFlight records a decision that is not in its asker's status yet. size is the size of its entry in the ledger,
// or 0 if unknown.
func (a *admissions) markInFlight(d *embedded.Decision, size int, now time.Time) {
	if d.Grown > 0 {
		a.inFlight.put(d.Key, &inFlightGrant{root: d.Root, grant: d.Grant, size: size, before: d.Before})
		return
	}
	a.inFlight.put(d.Key, &inFlightGrant{
		root: d.Root, grant: d.Grant, size: size, decidedHere: true, waited: now.Sub(a.asks.starts[d.Key].waitsSince),
	})
	a.grants[d.Key] = attemptStart{run: d.Grant.Run, attempt: d.Grant.Attempt}
}

// recorded marks decisions as recorded in the ledger.
func (a *admissions) recorded(decisions []embedded.Decision) {
	for i := range decisions {
		if f := a.inFlight.grants[decisions[i].Key]; f.matches(&decisions[i]) {
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
			if f.before == nil {
				delete(a.grants, key)
			}
			a.engine.Revert(key)
		}
	}
}

// confirm drops an in-flight grant because it is now in its asker's status.
func (a *admissions) confirm(key queueing.Key, f *inFlightGrant) {
	if f.decidedHere {
		a.meter.Granted(f.grant.Queue, max(0, f.waited))
	}
	a.dropInFlight(key)
}

// dropInFlight drops the in-flight grant of a key, if there is one, and requests a cycle once enough are gone.
func (a *admissions) dropInFlight(key queueing.Key) {
	delete(a.inFlight.grants, key)
	a.restRequested.request()
	if a.inFlight.drained() {
		a.cycleRequested.request()
	}
}

// addOrphan keeps a grant in the ledger of its tree until it is released.
func (a *admissions) addOrphan(key queueing.Key, grant queueing.Grant) {
	if a.orphans.add(key, a.engine.Root(grant.Queue), grant) {
		delete(a.inFlight.grants, key)
		a.cycleRequested.request()
	}
}

// remove forgets what an asker asks for, and releases what it holds.
func (a *admissions) remove(key queueing.Key) {
	a.asks.remove(key)
	delete(a.grants, key)
	delete(a.orphans, key)
	a.dropInFlight(key)
	a.engine.Release(key)
}

// takeNewRoots returns all root queues if there may be new ones since the last call, else none.
func (a *admissions) takeNewRoots() []string {
	var roots []string
	if a.newRoots {
		states := a.engine.States()
		for i := range states {
			if s := &states[i]; s.Problem == "" && s.Root == s.Name {
				roots = append(roots, s.Name)
			}
		}
	}
	a.newRoots = false
	return roots
}

// entries returns the entries that the ledger of a tree must have.
func (a *admissions) entries(root string) (granted, orphaned []v1alpha1.LedgerEntry) {
	return a.inFlight.entries(root), a.orphans.entries(root)
}
