// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// engine is the part of embedded.Engine that the simulation uses.
type engine interface {
	Configure(queues []config.Queue, flavors []config.Flavor)
	Advance(now time.Time)
	Submit(ask queueing.Ask) bool
	Cycle(max int) []embedded.Decision
	Confirm(key queueing.Key, run, attempt int64)
	Release(key queueing.Key)
	Changed() []queueing.Key
	Verdict(key queueing.Key) queueing.Verdict
	// Eviction is called for running askers whose verdict has changed.
	Eviction(key queueing.Key, run, attempt int64) *queueing.Eviction
}
