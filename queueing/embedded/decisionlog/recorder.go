// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// Recorder is an Engine that records its calls. Like an Engine it is not safe for concurrent use. Read-only calls are
// not recorded. The engine is called with exactly what is recorded, so times lose their zone.
type Recorder struct {
	*embedded.Engine
	log *log
}

// New returns a Recorder of an engine without queues, and writes the header of the log.
func New(o Options) *Recorder {
	return &Recorder{Engine: embedded.New(), log: begin(o)}
}

// Names of the calls.
const (
	callConfigure        = "configure"
	callSetEpoch         = "setEpoch"
	callSubmit           = "submit"
	callRestore          = "restore"
	callRelease          = "release"
	callConfirm          = "confirm"
	callRevert           = "revert"
	callSetHolderState   = "setHolderState"
	callSetResizeRequest = "setResizeRequest"
	callSettle           = "settle"
	callReserveFor       = "reserveFor"
	callAdvance          = "advance"
	callCycle            = "cycle"
	callChanged          = "changed"
	callEnd              = "end"
)

// Arguments of the calls.
type (
	configureArgs struct {
		Queues  []queueConfig   `json:"queues,omitempty"`
		Flavors []config.Flavor `json:"flavors,omitempty"`
	}
	setEpochArgs struct {
		Root  string `json:"root"`
		Epoch int64  `json:"epoch"`
	}
	restoreArgs struct {
		Key   queueing.Key   `json:"key"`
		Grant queueing.Grant `json:"grant"`
	}
	keyArgs struct {
		Key queueing.Key `json:"key"`
	}
	attemptArgs struct {
		Key     queueing.Key `json:"key"`
		Run     int64        `json:"run"`
		Attempt int64        `json:"attempt"`
	}
	holderStateArgs struct {
		attemptArgs
		State queueing.HolderState `json:"state"`
	}
	resizeRequestArgs struct {
		attemptArgs
		Request queueing.ResizeRequest `json:"request"`
	}
	advanceArgs struct {
		Now time.Time `json:"now"`
	}
	cycleArgs struct {
		Max int `json:"max"`
	}
)

// Configure is Engine.Configure.
func (r *Recorder) Configure(queues []config.Queue, flavors []config.Flavor) {
	r.Engine.Configure(queues, flavors)
	if r.log.isOpen() {
		r.log.add(callConfigure, configureArgs{Queues: queueConfigs(queues), Flavors: flavors}, nil)
	}
}

// SetEpoch is Engine.SetEpoch.
func (r *Recorder) SetEpoch(root string, epoch int64) {
	r.Engine.SetEpoch(root, epoch)
	if r.log.isOpen() {
		r.log.add(callSetEpoch, setEpochArgs{Root: root, Epoch: epoch}, nil)
	}
}

// Submit is Engine.Submit.
func (r *Recorder) Submit(ask queueing.Ask) bool {
	if !r.log.isOpen() {
		return r.Engine.Submit(ask)
	}
	ask.QueuedAt = normalize(ask.QueuedAt)
	changed := r.Engine.Submit(ask)
	r.log.addOf(ask.Key, callSubmit, ask, changed)
	return changed
}

// Restore is Engine.Restore.
func (r *Recorder) Restore(key queueing.Key, grant queueing.Grant) {
	r.Engine.Restore(key, grant)
	if r.log.isOpen() {
		r.log.addOf(key, callRestore, restoreArgs{Key: key, Grant: grant}, nil)
	}
}

// Release is Engine.Release.
func (r *Recorder) Release(key queueing.Key) {
	r.Engine.Release(key)
	if r.log.isOpen() {
		r.log.addOf(key, callRelease, keyArgs{Key: key}, nil)
	}
}

// Confirm is Engine.Confirm.
func (r *Recorder) Confirm(key queueing.Key, run, attempt int64) {
	r.Engine.Confirm(key, run, attempt)
	if r.log.isOpen() {
		r.log.addOf(key, callConfirm, attemptArgs{key, run, attempt}, nil)
	}
}

// ReserveFor is Engine.ReserveFor.
func (r *Recorder) ReserveFor(key queueing.Key) {
	r.Engine.ReserveFor(key)
	if r.log.isOpen() {
		r.log.addOf(key, callReserveFor, keyArgs{Key: key}, nil)
	}
}

// Revert is Engine.Revert.
func (r *Recorder) Revert(key queueing.Key) bool {
	reverted := r.Engine.Revert(key)
	if r.log.isOpen() {
		r.log.addOf(key, callRevert, keyArgs{Key: key}, reverted)
	}
	return reverted
}

// SetHolderState is Engine.SetHolderState.
func (r *Recorder) SetHolderState(key queueing.Key, run, attempt int64, s queueing.HolderState) {
	if !r.log.isOpen() {
		r.Engine.SetHolderState(key, run, attempt, s)
		return
	}
	s.QueuedAt, s.ReleasedBy = normalize(s.QueuedAt), normalize(s.ReleasedBy)
	r.Engine.SetHolderState(key, run, attempt, s)
	r.log.addOf(key, callSetHolderState, holderStateArgs{attemptArgs{key, run, attempt}, s}, nil)
}

// SetResizeRequest is Engine.SetResizeRequest.
func (r *Recorder) SetResizeRequest(key queueing.Key, run, attempt int64, w queueing.ResizeRequest) bool {
	changed := r.Engine.SetResizeRequest(key, run, attempt, w)
	if r.log.isOpen() {
		r.log.addOf(key, callSetResizeRequest, resizeRequestArgs{attemptArgs{key, run, attempt}, w}, changed)
	}
	return changed
}

// Settle is Engine.Settle.
func (r *Recorder) Settle(key queueing.Key, grant queueing.Grant) bool {
	changed := r.Engine.Settle(key, grant)
	if r.log.isOpen() {
		r.log.addOf(key, callSettle, restoreArgs{Key: key, Grant: grant}, changed)
	}
	return changed
}

// Advance is Engine.Advance.
func (r *Recorder) Advance(now time.Time) {
	if !r.log.isOpen() {
		r.Engine.Advance(now)
		return
	}
	now = normalize(now)
	r.Engine.Advance(now)
	r.log.add(callAdvance, advanceArgs{Now: now}, nil)
}

// Cycle is Engine.Cycle.
func (r *Recorder) Cycle(max int) []embedded.Decision {
	decisions := r.Engine.Cycle(max)
	if r.log.isOpen() {
		for _, d := range decisions {
			r.log.granted(d.Key)
		}
		r.log.add(callCycle, cycleArgs{Max: max}, append([]embedded.Decision{}, decisions...))
	}
	return decisions
}

// Changed is Engine.Changed.
func (r *Recorder) Changed() []queueing.Key {
	keys := r.Engine.Changed()
	if r.log.isOpen() {
		r.log.add(callChanged, nil, changesOf(r.Engine, keys))
	}
	return keys
}
