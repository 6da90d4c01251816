// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

const (
	// batch is how many grants may be in flight. Every write of a ledger contains all of them, and the API server
	// validates each (about 400 bytes, half a millisecond). Once the batch is full, further grants wait until half of
	// it is free, so that most of a write is new grants.
	batch = 32
	// overflowBatch is how many more grants are made per overflowInterval while too many are in flight. So askers that
	// never confirm slow down the others, but do not stop them.
	overflowBatch    = 10
	overflowInterval = 500 * time.Millisecond
	// batchSize is how many bytes the grants in flight may take in the ledgers, so that no ledger exceeds its schema or
	// the limit of the API server's store. Nearly all grants are far smaller, but the authors of pod templates and
	// flavors determine their size.
	batchSize = 512 << 10
)

// inFlightGrant is a grant that is not yet known to be in its asker's status.
type inFlightGrant struct {
	root     string
	grant    queueing.Grant
	size     int  // size of the entry in the ledger, in bytes
	recorded bool // whether the ledger has the grant
	// before is the grant before it grew; nil for a new grant.
	before *queueing.Grant
	// decidedHere is true if this process decided on the grant. waited is how long the asker had waited then.
	decidedHere bool
	waited      time.Duration
}

// isOf reports whether the grant is for this attempt.
func (f *inFlightGrant) isOf(run, attempt int64) bool {
	return f.grant.Run == run && f.grant.Attempt == attempt
}

// matches reports whether the grant is that of the decision.
func (f *inFlightGrant) matches(d *embedded.Decision) bool {
	return f != nil && f.isOf(d.Grant.Run, d.Grant.Attempt) && f.grant.Resizes == d.Grant.Resizes
}

// inFlight holds the grants that are decided but not known to be in their asker's status.
type inFlight struct {
	grants map[queueing.Key]*inFlightGrant
	// full is true while the batch is full and must drain; overdue is true if that takes too long.
	full, overdue bool
}

func newInFlight() inFlight { return inFlight{grants: map[queueing.Key]*inFlightGrant{}} }

// put adds a grant that is in flight.
func (f *inFlight) put(key queueing.Key, g *inFlightGrant) {
	if g.size == 0 {
		g.size = sizeOf(key, g.grant)
	}
	f.grants[key] = g
}

// size returns how many bytes all grants take in the ledgers.
func (f *inFlight) size() int {
	sum := 0
	for _, g := range f.grants {
		sum += g.size
	}
	return sum
}

// used returns how much of the batch is used. A large grant counts as several.
func (f *inFlight) used() int { return max(len(f.grants), f.size()*batch/batchSize) }

// allowed returns how many grants the next cycle may make. filled reports that the batch has just become full; the
// caller must set overdue after overflowInterval.
func (f *inFlight) allowed() (n int, filled bool) {
	used := f.used()
	if used <= batch/2 || !f.full && used < batch {
		f.full, f.overdue = false, false
		return batch - used, false
	}
	if f.overdue {
		f.full, f.overdue = false, false // the pause starts again with the next call
		return overflowBatch, false
	}
	filled = !f.full
	f.full = true
	return 0, filled
}

// drained reports whether enough of a full batch is confirmed for another cycle.
func (f *inFlight) drained() bool { return f.full && f.used() <= batch/2 }

// entries returns the ledger entries of a tree's grants in flight, sorted.
func (f *inFlight) entries(root string) []v1alpha1.LedgerEntry {
	var entries []v1alpha1.LedgerEntry
	for key, g := range f.grants {
		if g.root == root {
			entries = append(entries, entryOf(key, g.grant))
		}
	}
	sortEntries(entries)
	return entries
}

// roots returns the roots of the trees with grants in flight.
func (f *inFlight) roots() map[string]bool {
	roots := map[string]bool{}
	for _, g := range f.grants {
		roots[g.root] = true
	}
	return roots
}
