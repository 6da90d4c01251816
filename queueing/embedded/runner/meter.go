// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"time"

	"github.com/sparkgate/sparkgate/queueing"
)

// Meter is told what a Runner measures, for metrics. Its methods must not block, and must not call the Runner.
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

// waitStart is from when on the wait of an ask is measured: from when it was made. That is later than its place in line says if an
// earlier attempt had that place, or if it was suspended. One that waited before a restart waits since it was queued. The caller holds
// the lock.
func (r *Runner) waitStart(ask *queueing.Ask) time.Time {
	switch s, known := r.asks[ask.Key]; {
	case known && s.run == ask.Run && s.attempt == ask.Attempt:
		return s.waitsSince
	case r.awaited[ask.Key]:
		return ask.QueuedAt
	}
	return r.o.Clock.Now()
}

// reportGranted tells the meter of a grant that stands in its application's status.
func (r *Runner) reportGranted(f *inFlightGrant) {
	if f.decidedHere {
		r.o.Meter.Granted(f.grant.Queue, max(0, f.waited))
	}
}
