// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import "time"

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

// inFlight holds the grants that are decided but not known to be in their asker's status.
type inFlight struct {
	grants entries
	// full is true while the batch is full and must drain; overdue is true if that takes too long.
	full, overdue bool
}

// used returns how much of the batch is used. A large grant counts as several.
func (f *inFlight) used() int { return max(len(f.grants), f.grants.size()*batch/batchSize) }

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
