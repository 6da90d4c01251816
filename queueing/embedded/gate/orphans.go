// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import "github.com/sparkgate/sparkgate/queueing"

// Bounds of the orphans in a ledger, in number and in bytes. Further orphans are charged as long as this process runs,
// and after a restart to the queue of their namespace.
const (
	maxOrphans  = 100
	orphansSize = 256 << 10
)

// addOrphan keeps a grant in the ledger of its tree until it is released, unless the tree is unknown or has too many
// orphans.
func (a *admissions) addOrphan(key queueing.Key, grant queueing.Grant) {
	e := newEntry(key, a.engine.Queues().Root(grant.Queue), grant)
	if others := a.orphans.in(e.root); e.root != "" && len(others) < maxOrphans && others.size()+e.size <= orphansSize {
		a.orphans[key] = e
		delete(a.inFlight.grants, key)
		a.signals.cycle.request()
	}
}

// unrecorded returns the roots of the trees whose ledgers lack orphans.
func (a *admissions) unrecorded() map[string]bool {
	roots := map[string]bool{}
	for _, e := range a.orphans {
		if !e.recorded {
			roots[e.root] = true
		}
	}
	return roots
}
