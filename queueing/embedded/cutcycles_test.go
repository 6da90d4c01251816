// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
)

// TestHeadOfCutCycles: under a stream of asks that fit, no cycle with a limit is ever complete. The headTimeout of an
// ask that does not fit begins all the same, and after that it is not overtaken any longer.
func TestHeadOfCutCycles(t *testing.T) {
	t.Parallel()
	e := engineWith(t, "a cpu=10 head=5m", "x queue=a cpu=1 executors=0\ny queue=a cpu=1 executors=0\nz queue=a cpu=1 executors=0")
	var running []queueing.Key
	for _, d := range e.Cycle(0) {
		running = append(running, d.Key)
	}
	submit(t, e, "big queue=a cpu=8 executors=0 at=1")
	for minute := range 30 {
		e.Advance(epoch.Add(time.Duration(minute) * time.Minute))
		for i := range 3 {
			submit(t, e, fmt.Sprintf("small-%d-%d queue=a cpu=1 executors=0 at=%d", minute, i, minute+2))
		}
		granted := e.Cycle(2)
		if strings.Contains(names(granted), "big") {
			return
		}
		for _, d := range granted {
			running = append(running, d.Key)
		}
		for range max(1, len(granted)) {
			e.Release(running[0])
			running = running[1:]
		}
	}
	t.Error("big was overtaken for half an hour")
}
