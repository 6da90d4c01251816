// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import "time"

// Meter gets the measurements of a Gate, for metrics. Its methods must not block, and must not call the Gate.
type Meter interface {
	// Configured reports which queues are configured from now on.
	Configured(queues []string)
	// Granted reports that an application has taken a grant of the queue, for which it had waited that long. It is
	// called once for a grant, and never for one that an earlier process has decided.
	Granted(queue string, waited time.Duration)
	// Broken reports that an ask was refused because an amount is negative. It is called once for each run and attempt.
	Broken()
	// Cycled reports how long the engine took to decide.
	Cycled(took time.Duration)
}

// noMeter is the Meter of a Gate that has none.
type noMeter struct{}

func (noMeter) Configured([]string)           {}
func (noMeter) Granted(string, time.Duration) {}
func (noMeter) Broken()                       {}
func (noMeter) Cycled(time.Duration)          {}
