// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"time"

	"github.com/sparkgate/sparkgate/queueing"
)

// Meter gets the measurements of a Runner, for metrics. Its methods must not block, and must not call the Runner.
type Meter interface {
	// Configured says which queues are configured from now on.
	Configured(queues []string)
	// Granted says that an application has taken a grant of the queue, for which it had waited that long. It is called once for a grant,
	// and never for one that an earlier process has decided.
	Granted(queue string, waited time.Duration)
	// Broken says that an ask was refused because a number of it is negative. It is called once for each run and attempt.
	Broken()
	// Cycled says that the engine took that long to decide.
	Cycled(took time.Duration)
}

// noMeter is the Meter of a Runner that has none.
type noMeter struct{}

func (noMeter) Configured([]string)           {}
func (noMeter) Granted(string, time.Duration) {}
func (noMeter) Broken()                       {}
func (noMeter) Cycled(time.Duration)          {}

// waitStart returns when the wait of an ask began: when the ask was created. That is later than its place in the
// queue suggests if an earlier attempt had that place, or if it was suspended. An ask that was pending before a
// restart waits since it was queued. The caller holds the lock.
func (g *Gate) waitStart(ask *queueing.Ask) time.Time {
	switch s, known := g.asks[ask.Key]; {
	case known && s.run == ask.Run && s.attempt == ask.Attempt:
		return s.waitsSince
	case g.awaited[ask.Key]:
		return ask.QueuedAt
	}
	return g.o.Clock.Now()
}

// reportGranted reports a grant that is in its application's status to the meter.
func (g *Gate) reportGranted(f *inFlightGrant) {
	if f.decidedHere {
		g.o.Meter.Granted(f.grant.Queue, max(0, f.waited))
	}
}
