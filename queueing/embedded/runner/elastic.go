// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/wire"
)

// Resize implements queueing.Elastic. Growth that the ledger does not have yet is not shown.
func (r *Runner) Resize(key queueing.Key, run, attempt int64, want queueing.Want) queueing.Room {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.engine.SetWant(key, run, attempt, want)
	if r.engine.Dirty() {
		r.wakeUp()
	}
	room := r.engine.Room(key, run, attempt)
	if f := r.flights[key]; f != nil && !f.recorded && f.before != nil && room.Grant != nil {
		room.Grant = f.before
	}
	return room
}

// Settle implements queueing.Elastic.
func (r *Runner) Settle(key queueing.Key, grant queueing.Grant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.flights[key]
	if f != nil && (f.grant.Run != grant.Run || f.grant.Attempt != grant.Attempt || f.grant.Grown != grant.Grown) {
		return
	}
	if f != nil {
		r.landed(key, f)
	}
	if r.engine.Settle(key, grant) {
		r.observer()
	}
	if r.engine.Dirty() {
		r.wakeUp()
	}
}

// growing is the flight of a grant that has grown.
func (r *Runner) growing(d *embedded.Decision) *flight {
	return &flight{root: d.Root, grant: d.Grant, before: d.Before}
}

// regrow charges what a grant had grown by when the process before this one ended, if the ledger has that and the application's status
// has not: that process may still write it. It is offered to the application again.
func (r *Runner) regrow(f *inFlight, held *queueing.Grant) {
	grant := wire.FromAPI(&f.entry.Grant)
	if grant.Run != held.Run || grant.Attempt != held.Attempt || grant.Grown <= held.Grown {
		return
	}
	key := keyOf(&f.entry)
	r.engine.Restore(key, grant)
	r.flights[key] = &flight{root: f.root, grant: grant, before: held, recorded: true}
}
