// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import "time"

// Meter receives the measurements of a Gate, for metrics. Its methods must not block and must not call the Gate.
type Meter interface {
	// Configured reports the complete set of configured queues.
	Configured(queues []string)
	// Granted reports that an asker has stored a grant of the queue, for which it had waited. It is called once for
	// each grant, and never for a grant that an earlier process decided.
	Granted(queue string, waited time.Duration)
	// Broken reports that an ask was refused because an amount is negative. It is called once for each run and attempt.
	Broken()
	// Cycled reports how long the engine took for a cycle.
	Cycled(took time.Duration)
}

// noMeter is the Meter of a Gate that has none.
type noMeter struct{}

func (noMeter) Configured([]string)           {}
func (noMeter) Granted(string, time.Duration) {}
func (noMeter) Broken()                       {}
func (noMeter) Cycled(time.Duration)          {}
