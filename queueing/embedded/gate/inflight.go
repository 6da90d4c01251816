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
	// batch is how many grants may be in flight: every write of a ledger carries all of them, and the API server
	// validates each (about 400 bytes, half a millisecond). Once it is full, further grants wait until half of it is
	// free, so that a write mostly carries new grants.
	batch = 32
	// overflowBatch is how many more are granted after each overflowInterval while too many are in flight.
	// Applications that never confirm slow the others down but do not stop them.
	overflowBatch    = 10
	overflowInterval = 500 * time.Millisecond
	// batchSize is how many bytes the grants in flight may take in the ledgers, so that a ledger never becomes larger
	// than its schema and the API server's store allow. Nearly all are far smaller; but whoever writes a template, or the
	// labels of a flavor, decides how large a grant is.
	batchSize = 512 << 10
)

// inFlightGrant is a grant that is not yet known to be in its application's status.
type inFlightGrant struct {
	root     string
	grant    queueing.Grant
	size     int  // of its entry in the ledger, in bytes
	recorded bool // is in the ledger
	// before is the grant that has grown; nil for a new one.
	before *queueing.Grant
	// decidedHere: decided by this process, after the application had waited that long.
	decidedHere bool
	waited      time.Duration
}

// isOf reports whether the grant is of that attempt.
func (f *inFlightGrant) isOf(run, attempt int64) bool {
	return f.grant.Run == run && f.grant.Attempt == attempt
}

// matches reports whether an in-flight grant is that of the decision.
func (f *inFlightGrant) matches(d *embedded.Decision) bool {
	return f != nil && f.isOf(d.Grant.Run, d.Grant.Attempt) && f.grant.Resizes == d.Grant.Resizes
}

// inFlight are the grants that are decided but not known to be in their application's status.
type inFlight struct {
	grants map[queueing.Key]*inFlightGrant
	// full is set while the batch is full and has to drain; overdue, if that has taken long.
	full, overdue bool
}

func newInFlight() inFlight { return inFlight{grants: map[queueing.Key]*inFlightGrant{}} }

// put notes a grant that is in flight.
func (f *inFlight) put(key queueing.Key, g *inFlightGrant) {
	if g.size == 0 {
		g.size = sizeOf(key, g.grant)
	}
	f.grants[key] = g
}

// size returns how many bytes all of them take in the ledgers.
func (f *inFlight) size() int {
	sum := 0
	for _, g := range f.grants {
		sum += g.size
	}
	return sum
}

// used returns how much of the batch is used: a grant that is large counts as several.
func (f *inFlight) used() int { return max(len(f.grants), f.size()*batch/batchSize) }

// allowed returns how many grants the next cycle may create. filled reports that the batch has become full: it is
// overdue after overflowInterval.
func (f *inFlight) allowed() (n int, filled bool) {
	used := f.used()
	if used <= batch/2 || !f.full && used < batch {
		f.full, f.overdue = false, false
		return batch - used, false
	}
	if f.overdue {
		f.full, f.overdue = false, false // the pause begins anew with the next call
		return overflowBatch, false
	}
	filled = !f.full
	f.full = true
	return 0, filled
}

// drained reports whether enough of a full batch is confirmed for another cycle.
func (f *inFlight) drained() bool { return f.full && f.used() <= batch/2 }

// entries returns what the ledger of a tree says of them.
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

// roots returns the trees that have some.
func (f *inFlight) roots() map[string]bool {
	roots := map[string]bool{}
	for _, g := range f.grants {
		roots[g.root] = true
	}
	return roots
}

// InFlight reports whether a grant of an application is on its way to its status.
func (g *Gate) InFlight(key queueing.Key) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inFlight.grants[key] != nil
}

// InFlightIn reports whether any grant in a queue is on its way to the status of its application.
func (g *Gate) InFlightIn(queue string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.inFlight.grants {
		if f.grant.Queue == queue {
			return true
		}
	}
	return false
}
